/** How a text could be written: a scalar's spelling, null where the style cannot hold it. */
export interface Room {
  /** Column of the key; what is written below is indented further. */
  column: number;
  /** Column of the lines of a block. */
  indent: number;
  /** What follows the sign of a block on its line: a comment. */
  head: string;
  eol: string;
  /** Characters of a line of a folded block, and its paragraphs so far, line by line. */
  width: number;
  paragraphs: readonly string[][];
}

export function plain(text: string): string | null {
  return /^\S(?:[^\r\n]*\S)?$/.test(text) ? text : null;
}

export function single(text: string): string | null {
  return /[\r\n]/.test(text) ? null : `'${text.replaceAll("'", "''")}'`;
}

/** Holds any text. What nobody could see is escaped. */
export function double(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function literal(text: string, room: Room): string | null {
  return block('|', text, text.replace(/\n$/, '').split('\n'), room);
}

/** Paragraphs that are there already stay as they are, others are wrapped; a text with lines that begin with white space would not come back as it is. */
export function folded(text: string, room: Room): string | null {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.some((line) => /^\s|\s$/.test(line))) return null;
  const known = (line: string) => room.paragraphs.find((rows) => rows.join(' ') === line);
  const wrapped = lines.map((line) => known(line) ?? wrap(line, room.width));
  return block(
    '>',
    text,
    wrapped.flatMap((part, at) => (at === 0 ? part : ['', ...part])),
    room,
  );
}

function block(sign: string, text: string, lines: readonly string[], room: Room): string | null {
  const deeper = room.indent - room.column;
  const explicit = /^\n* /.test(text);
  if (!/\S/.test(text) || text.includes('\r') || (explicit && deeper > 9)) return null;
  const chomp = text.endsWith('\n\n') ? '+' : text.endsWith('\n') ? '' : '-';
  const indented = lines.map((line) => (line === '' ? '' : ' '.repeat(room.indent) + line));
  return [`${sign}${explicit ? deeper : ''}${chomp}${room.head}`, ...indented].join(room.eol);
}

function wrap(line: string, width: number): string[] {
  const rows: string[] = [];
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const last = rows.at(-1);
    if (last === undefined || last.length + word.length >= width) rows.push(word);
    else rows[rows.length - 1] = `${last} ${word}`;
  }
  return rows;
}
