/** "1 campaign", "1,200 campaigns". */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${thousands(number)} ${number === 1 ? noun : plural}`;
}

/** 1200 → "1,200", in every locale. */
export function thousands(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** The text broken at spaces into lines of at most `width` characters; a longer word keeps a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** At most `width` characters, the cut shown. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  // Not in the middle of a character.
  const start = text.slice(0, Math.max(0, width - 1)).replace(/[\ud800-\udbff]$/, '');
  return `${start.trimEnd()}…`;
}

/** The beginning of a sentence. */
export function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
