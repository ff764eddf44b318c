const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#039': "'",
};

/** Characters from which on the beginning of a name is taken for a name that was cut. */
const LEAST = 12;

/** Whether a service that writes names in its own way may have made the one of the other, or cut it. */
export function isAlike(stored: string, name: string): boolean {
  const [one, other] = [spelling(stored), spelling(name)];
  return one === other || (one.length >= LEAST && other.startsWith(one));
}

/** The same for names that differ in entities, blanks or composed letters only. */
export function spelling(name: string): string {
  return name
    .replace(/&([a-z]+|#0?39);/gi, (entity, word: string) => ENTITIES[word.toLowerCase()] ?? entity)
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .trim();
}
