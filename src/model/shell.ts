/** A word for a POSIX shell: "Spring installers", or 'Say "hi"' if the text has characters that are special in double quotes. */
export function shellQuoted(text: string): string {
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

/** The text itself if a shell reads it as one word; otherwise quoted. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : shellQuoted(text);
}
