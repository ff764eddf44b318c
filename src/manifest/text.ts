/** Control characters other than tab and line ends, and halves of surrogate pairs: no text of an email holds them. */
const BAD = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/u;

/** The first character that no text may hold, as `U+0000`, and where it stands; null when there is none. */
export function badText(text: string): { index: number; name: string } | null {
  const found = BAD.exec(text);
  if (found === null) return null;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase();
  return { index: found.index, name: `U+${code.padStart(4, '0')}` };
}

/** A text of the author in quotes: one line, cut when long. */
export function quoted(text: string): string {
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);
  return shown;
}
