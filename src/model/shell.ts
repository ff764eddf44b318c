/** A word for a POSIX shell: "Spring installers", or 'Say "hi"' if the text has characters that are special in double quotes. */
export function shellQuoted(text: string): string {
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}
