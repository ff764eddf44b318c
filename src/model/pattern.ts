/** `*` stands for any text, `?` for one character; `null` if the text holds neither. */
export function parseGlob(text: string): RegExp | null {
  if (!/[*?]/.test(text)) return null;
  const source = text
    .replace(/[\\^$.|+()[\]{}/]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}
