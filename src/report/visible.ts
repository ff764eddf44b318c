/** Control characters (but line feed), bidi controls and invisible characters: they could move the cursor or hide text. */
const HIDDEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** The text with every character that a terminal would act on, or not show, written as `<U+202E>`; line feeds stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `<U+${code.padStart(4, '0')}>`;
  });
}

/** The same on one line: line feeds become `⏎`. */
export function visibleLine(text: string): string {
  return visible(text.replace(/\r\n?|\n/g, '⏎'));
}
