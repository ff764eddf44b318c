/**
 * `*` matches any text, `?` one character, and `\\*` and `\\?` themselves. Returns `null` if the text contains none of them.
 * Names are in Unicode form NFC, but terminals of macOS may write the other one.
 */
export function parseGlob(text: string): RegExp | null {
  if (!/[*?]/.test(text)) return null;
  const source = text.normalize('NFC').replace(/\\[*?]|[*?\\^$.|+()[\]{}/]/g, (part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    return part.length === 2 ? part : `\\${part}`;
  });
  return new RegExp(`^${source}$`, 'su');
}

/** A pattern that matches only this name. */
export function literalGlob(name: string): string {
  return name.replace(/[*?]/g, '\\$&');
}

/** `name`: a name or pattern; `null` matches every campaign. */
export function matchesName(name: string | null, campaign: string): boolean {
  return name === null || name.normalize('NFC') === campaign || parseGlob(name)?.test(campaign) === true;
}
