import { badText, LIMITS } from '../manifest/index.js';

/** What an editor does not show as it is: controls, line ends and tabs too, format characters, halves of a character. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;
const HIDDEN_ALL = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Those of them that stand in emoji and in many scripts. */
const JOINERS = /[\u200c\u200d]/g;

/** A text that is nothing but words: neither quotes nor escapes could make it plainer. */
const PLAIN = /^[A-Za-z][\w./-]*$/;
const HTML = /<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>|<!--|<!doctype/i;
const MOST_LINES = 15;
const MOST_CHARACTERS = 240;

/** Whether every character of a one-line text can be seen. */
export function isVisible(text: string): boolean {
  return !HIDDEN.test(text.replace(JOINERS, ''));
}

export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Whether a text of several lines can stand as a block as it is, and be edited there without harm. */
export function isBlock(text: string): boolean {
  return (
    text.includes('\n') && /^[^\s]/.test(text) && !/\n\s*\n$|[^\S\n]$/.test(text) && !holdsBreakers(text)
  );
}

export function isHtml(text: string): boolean {
  return HTML.test(text);
}

/** A body that belongs in a file of its own: HTML, long, or of lines that no block can hold. Not if no file could. */
export function belongsInFile(text: string): boolean {
  const long =
    text.length > MOST_CHARACTERS && (!text.includes('\n') || text.split('\n').length > MOST_LINES);
  const unblocked = text.trimEnd().includes('\n') && !isBlock(text);
  return (isHtml(text) || long || unblocked) && fitsFile(text);
}

/** What a file gives back byte for byte: a mark at its start is dropped by those who read it. */
function fitsFile(text: string): boolean {
  return badText(text) === null && !text.startsWith('\ufeff') && Buffer.byteLength(text) <= LIMITS.body;
}

function holdsBreakers(text: string): boolean {
  return /[\r\u2028\u2029\ufeff]/.test(text) || badText(text) !== null;
}

/** A text in double quotes on one line, as every reader of YAML takes it. */
export function quotedText(text: string): string {
  const escaped = (character: string) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16).toUpperCase();
    return code > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
  };
  return JSON.stringify(text).replace(HIDDEN_ALL, escaped);
}

/** A remark as one line of a comment, whatever texts are quoted in it. */
export function commentText(text: string): string {
  const shown = text.replace(HIDDEN_ALL, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `<U+${code.padStart(4, '0')}>`;
  });
  return shown.length > 300 ? `${shown.slice(0, 299).replace(/[\ud800-\udbff]$/, '')}…` : shown;
}
