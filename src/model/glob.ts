/** `*` matches any text, and `?` matches one character. Returns `null` if the text contains neither. */
export function parseGlob(text: string): RegExp | null {
  if (!/[*?]/.test(text)) return null;
  const source = text
    .replace(/[\\^$.|+()[\]{}/]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}

/** `name`: a name or pattern; `null` matches every campaign. */
export function matchesName(name: string | null, campaign: string): boolean {
  return name === null || name === campaign || parseGlob(name)?.test(campaign) === true;
}
