/** Invisible characters, and their names. */
import { codePoint, type Readership, replaceHidden } from '../model/characters.js';

/** A line break or another control character, but no tab. */
export const CONTROL = /[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029]+/;

export interface HiddenCharacter {
  character: string;
  index: number;
}

/** The names of the invisible characters in a text; empty if there are none. */
export function hiddenNames(text: string): string {
  return namesOf(hiddenIn(text, 'email', true));
}

export function namesOf(hidden: readonly HiddenCharacter[]): string {
  return [...new Set(hidden.map(({ character }) => named(character)))].join(', ');
}

/** Texts on one line have a rule of their own for line breaks and control characters. */
export function hiddenIn(text: string, readers: Readership, hasLines = false): HiddenCharacter[] {
  const hidden: HiddenCharacter[] = [];
  const note = (character: string, index: number) => {
    const isOrdinary = character === '\t' || text.startsWith('\r\n', index);
    if (!isOrdinary && (hasLines || !CONTROL.test(character))) hidden.push({ character, index });
    return '';
  };
  replaceHidden(text, note, readers);
  return hidden;
}

const NAMES = new Map(
  [
    '0000 NUL',
    '00A0 no-break space',
    '00AD soft hyphen',
    '200B zero width space',
    '200C zero width non-joiner',
    '200D zero width joiner',
    '200E left-to-right mark',
    '200F right-to-left mark',
    '202A left-to-right embedding',
    '202B right-to-left embedding',
    '202C pop directional formatting',
    '202D left-to-right override',
    '202E right-to-left override',
    '202F narrow no-break space',
    '2060 word joiner',
    '2066 left-to-right isolate',
    '2067 right-to-left isolate',
    '2068 first strong isolate',
    '2069 pop directional isolate',
    '3000 ideographic space',
    'FEFF byte order mark',
  ].map((line) => [`U+${line.slice(0, 4)}`, line.slice(4)]),
);

function named(character: string): string {
  const code = codePoint(character);
  return `${code}${NAMES.get(code) ?? ''}`;
}
