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

/** What our own colours are made of; nothing else that begins with an escape goes out. */
const OWN_OR_HIDDEN = new RegExp(`\\u001b\\[\\d{1,2}m|${HIDDEN.source}`, 'gu');
/** Commands of the logs of GitHub (`::name::`, `##[name]`), Azure and TeamCity. */
const LOG_COMMAND = /^([^\S\n]*):(?=:)|#(?=#(?:\[|vso\[|teamcity\[))/gim;

/**
 * The last look at a text before it goes out, whatever it was made of: nothing in it moves the terminal or starts a command
 * of a pipeline's log.
 */
export function printable(text: string): string {
  const shown = text.replace(OWN_OR_HIDDEN, (found) =>
    found.length > 1 || found === '\t' ? found : visible(found),
  );
  return shown.replace(LOG_COMMAND, (found, space: string | undefined) =>
    found.endsWith('#') ? '<U+0023>' : `${space}<U+003A>`,
  );
}

/** JSON text with the same characters written as escapes: another spelling of the same value. */
export function escapedJson(json: string): string {
  const spelt = (character: string) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('');
  return json
    .replace(HIDDEN, (found) => (found === '\t' ? found : spelt(found)))
    .replace(/#(?=#(?:\[|vso\[|teamcity\[))/gi, spelt);
}

/** The text with U+FFFD for what is no character, such as half a pair of surrogates: UTF-8, URIs and XML cannot hold it. */
export function characters(text: string): string {
  return text.replace(/[\p{Surrogate}\ufffe\uffff]/gu, '\ufffd');
}
