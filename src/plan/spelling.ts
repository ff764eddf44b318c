const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#039': "'",
};

/** The same for names that differ in entities, blanks or composed letters only: services write names in their own way. */
export function spelling(name: string): string {
  return name
    .replace(/&([a-z]+|#0?39);/gi, (entity, word: string) => ENTITIES[word.toLowerCase()] ?? entity)
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .trim();
}
