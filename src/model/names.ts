import { withoutHidden } from './characters.js';
import { isObject, type Json } from './json.js';

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
 * The same for names that differ in entities, blanks, hidden characters or composed letters only: services write names in
 * their own way. A campaign is found by its exact name; whether one that was found is called as expected, this decides.
 */
export function spelling(name: string): string {
  const known = name
    .replace(/&([a-z]+|#0?39);/gi, (entity, word: string) => ENTITIES[word.toLowerCase()] ?? entity)
    .normalize('NFKC')
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ');
  return withoutHidden(known).replace(/ +/g, ' ').trim();
}

export function isSameName(one: string, other: string): boolean {
  return one === other || spelling(one) === spelling(other);
}

/** The name in an answer; null where it is not shown. */
export function nameIn(body: Json): string | null {
  return isObject(body) && typeof body.name === 'string' ? body.name.trim() : null;
}
