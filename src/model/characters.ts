/**
 * Makes visible the characters that readers cannot see, or would mistake for a space. Those that have an effect stay
 * unchanged: in emoji, between joining letters, and as typographic spaces in emails.
 */

/** Format characters that are visible: Arabic and Kaithi number signs. */
const SIGNS = '\\u0600-\\u0605\\u06dd\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}';
const SPACES_AND_CONTROLS =
  '\\0-\\t\\x0b-\\x1f\\x7f-\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const HIDDEN = `[${SPACES_AND_CONTROLS}\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}\\u2800\\ufffc\\u{13441}\\u{13442}\\u{16fe4}\\u{1d159}](?<![${SIGNS}])`;

/** An emoji, with its skin tone or presentation selector if it has one (UTS #51, ED-16). */
const PICTURE = '\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|[\\ufe0e\\ufe0f])?';
/** Tag sequences for the flags of England, Scotland and Wales. All other tag characters are invisible. */
const TAGS = ['eng', 'sct', 'wls'].map((land) =>
  Array.from(`gb${land}`, (letter) => `\\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`).join(''),
);
const EMOJI = [
  `\\u{1f3f4}(?:${TAGS.join('|')})\\u{e007f}`,
  `${PICTURE}(?:\\u200d${PICTURE})*`,
  // Keycaps.
  '\\ufe0f(?<=[0-9#*]\\ufe0f)(?=\\u20e3)',
];

/**
 * Scripts whose letters join or stack (UAX #31, A and B). Written as ranges, because script properties are slow to look up.
 */
const JOINED =
  '(?:(?=[\\p{L}\\p{M}])(?!\\p{Default_Ignorable_Code_Point})[\\u0600-\\u0dff\\u0f00-\\u109f\\u1780-\\u18af\\u{1e900}-\\u{1e95f}])';
const MONGOLIAN = '[\\u1820-\\u18af]';
const IDEOGRAPHIC =
  '[\\u3001-\\u312f\\u31a0-\\u31ff\\u3400-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff\\uff01-\\uff9f\\u{20000}-\\u{3ffff}]';
const JOINERS = [
  `\\u200c(?<=${JOINED}\\u200c)(?=${JOINED})`,
  // At the end of a word, the joiner changes the form of the last letter.
  `\\u200d(?<=${JOINED}\\u200d)(?=${JOINED}|[ \\n\\p{P}]|$)`,
  `[\\u180b-\\u180f](?<=${MONGOLIAN}.)`,
];

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT =
  '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]';

/** Marks of direction next to such letters, which place punctuation, numbers and names in them. They cannot reorder text. */
const DIRECTIONS = [
  `[\\u061c\\u200e\\u200f](?:(?<=${RIGHT_TO_LEFT}[^\\n]{0,20}.)|(?=[^\\n]{0,20}${RIGHT_TO_LEFT}))`,
];

/** No-break spaces in French and in numbers, and the full-width space. */
const SPACES = [
  '[\\u00a0\\u202f](?<=[^\\p{Z}\\p{C}].)(?=[!?:;»›%€])',
  '[\\u00a0\\u202f](?<=[«‹].)(?=[^\\p{Z}\\p{C}])',
  '[\\u00a0\\u202f](?<=\\p{Nd}.)(?=\\p{Nd})',
  `\\u3000(?:(?<=${IDEOGRAPHIC}\\u3000)|(?=${IDEOGRAPHIC}))`,
];

/** Compiled on demand: compiling takes about 20 ms, and plain text never needs it. */
let anyHidden: RegExp | null = null;
const inPlaceOrHidden = new Map<Readership, RegExp>();

export type Readership = 'email' | 'name';

/** Replaces each invisible character that has no effect. Keeps line feeds. */
export function replaceHidden(
  text: string,
  show: (character: string, index: number) => string,
  readers: Readership = 'name',
): string {
  if (!/[^\n -~]/.test(text)) return text;
  anyHidden ??= new RegExp(HIDDEN, 'u');
  if (!anyHidden.test(text)) return text;
  const inPlace = [...EMOJI, ...JOINERS, ...(readers === 'email' ? [...SPACES, ...DIRECTIONS] : [])].join(
    '|',
  );
  const either = inPlaceOrHidden.get(readers) ?? new RegExp(`(?![\\n -~])(?:${inPlace}|(${HIDDEN}))`, 'gu');
  inPlaceOrHidden.set(readers, either);
  return text.replace(either, (match, hidden: string | undefined, index: number) =>
    hidden === undefined ? match : show(match, index),
  );
}

/** `<U+202E>` */
export function marked(character: string): string {
  return `<${codePoint(character)}>`;
}

/** `U+202E` */
export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Removes invisible characters and normalises spaces, for comparison. */
export function withoutHidden(text: string): string {
  return replaceHidden(text, (character) => (/\s/.test(character) ? ' ' : ''));
}

/** Marks every character that a terminal would interpret or hide. Keeps line feeds. */
export function visible(text: string): string {
  return replaceHidden(text, marked);
}

export function visibleLine(text: string): string {
  return visible(onOneLine(text));
}

export function visibleCopy(text: string): string {
  return replaceHidden(text, marked, 'email');
}

export function visibleCopyLine(text: string): string {
  return visibleCopy(onOneLine(text));
}

function onOneLine(text: string): string {
  return text.replace(/\r\n?|\n/g, '⏎');
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#039': "'",
};

/**
 * Normalises a name, because services change entities, white space and composed letters. Campaigns are matched by exact
 * name; this only reveals similar names.
 */
export function spelling(name: string): string {
  const known = name
    .replace(/&([a-z]+|#0?39);/gi, (entity, word: string) => ENTITIES[word.toLowerCase()] ?? entity)
    .normalize('NFKC')
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ');
  return withoutHidden(known).replace(SELECTORS, '').replace(/ +/g, ' ').trim();
}

/** Choose between the text and the emoji form of a character. */
const SELECTORS = /\ufe0e|\ufe0f/g;

/** The code points in which two texts differ that look the same, such as `U+FE0F`; `null` if they look different. */
export function unseenDifference(a: string, b: string): string | null {
  const [one, other] = [a.normalize('NFC'), b.normalize('NFC')];
  if (one === other || one.replace(SELECTORS, '') !== other.replace(SELECTORS, '')) return null;
  const selectors = [...one, ...other].filter((character) => /\ufe0e|\ufe0f/.test(character));
  return [...new Set(selectors.map(codePoint))].join(' and ');
}

export function withSelectorsMarked(text: string): string {
  return text.replace(SELECTORS, marked);
}

export function isSameName(a: string, b: string): boolean {
  return a === b || spelling(a) === spelling(b);
}

/** ` (with а, U+0430)`, if Greek or Cyrillic letters are in a word of Latin letters. */
export function lookAlikes(word: string): string {
  if (!/[A-Za-z]/.test(word)) return '';
  const letters = new Set(word.match(/[\u0370-\u052f]/g) ?? []);
  const words = Array.from(letters, (letter) => `${letter}, ${codePoint(letter)}`);
  return words.length === 0 ? '' : ` (with ${words.join('; ')})`;
}
