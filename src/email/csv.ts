/** Reads CSV (RFC 4180) as spreadsheets write it: with commas, semicolons or tabs, any line ends, and a byte order mark. */

/** `rows`: without empty ones. Rows and columns count from 1, as in a spreadsheet; `header` is usually row 1. */
export interface CsvTable {
  header: string[];
  rows: CsvRow[];
}

export interface CsvRow {
  row: number;
  cells: string[];
}

export interface CsvFault {
  row: number;
  column: number;
  fact: string;
  hint: string;
}

/** UTF-8, or UTF-16 with a byte order mark. `parseCsv` refuses what cannot be decoded. */
export function decodeCsv(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

export function parseCsv(text: string): CsvTable | CsvFault {
  if (text.startsWith('PK\u0003\u0004'))
    return fault(1, 1, 'this is a workbook, not CSV', 'In the spreadsheet, save the sheet as CSV (UTF-8).');
  const records = readRecords(text, separatorOf(text));
  if (!Array.isArray(records)) return records;
  const all = records.map((cells, at) => ({ row: at + 1, cells }));
  const [head, ...rows] = all.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (head === undefined)
    return fault(1, 1, 'the file is empty', 'Write a header and one row for each lead.');
  for (const row of [head, ...rows]) {
    const wrong = faultIn(row, head.cells.length);
    if (wrong !== null) return wrong;
  }
  const width = head.cells.length;
  return {
    header: head.cells.map((name) => name.trim()),
    rows: rows.map(({ row, cells }) => ({ row, cells: cells.slice(0, width) })),
  };
}

function fault(row: number, column: number, fact: string, hint: string): CsvFault {
  return { row, column, fact, hint };
}

/** Spreadsheets leave out empty cells at the end of a row, but a row with more values than the header is shifted. */
function faultIn({ row, cells }: CsvRow, width: number): CsvFault | null {
  const unreadable = cells.findIndex((cell) => /[\ufffd\0]/.test(cell));
  if (unreadable >= 0)
    return fault(
      row,
      unreadable + 1,
      'a character cannot be read',
      'Save the file in the encoding UTF-8. In Excel, choose "CSV UTF-8".',
    );
  const extra = cells.findIndex((cell, at) => at >= width && cell.trim() !== '');
  if (extra < 0) return null;
  const hint = 'Put values that contain the separator, a quote or a line break in double quotes.';
  return fault(row, extra + 1, `the row has a value beyond the last column of the header (${width})`, hint);
}

/** The one that the first line has most often outside quotes. */
function separatorOf(text: string): string {
  const counts = new Map([',', ';', '\t'].map((separator) => [separator, 0]));
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === '\n' || character === '\r') break;
    const number = counts.get(character);
    if (number !== undefined) counts.set(character, number + 1);
  }
  return [...counts].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

function readRecords(text: string, separator: string): string[][] | CsvFault {
  const end = new RegExp(`[${separator}\r\n]`, 'g');
  const records: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      const cell = quotedCell(text, at);
      const place = [records.length + 1, cells.length + 1] as const;
      if (cell === null)
        return fault(
          ...place,
          'a double quote is never closed',
          'Close the quote, or write two for a literal one.',
        );
      at = cell.end;
      if (at < text.length && ![separator, '\r', '\n'].includes(text[at] ?? ''))
        return fault(
          ...place,
          'text follows a closing double quote',
          'Inside quotes, write two quotes for a literal one.',
        );
      cells.push(cell.value);
    } else {
      end.lastIndex = at;
      const stop = end.exec(text)?.index ?? text.length;
      cells.push(text.slice(at, stop));
      at = stop;
    }
    if (text[at] === separator) {
      at += 1;
      continue;
    }
    records.push(cells);
    cells = [];
    if (at < text.length) at += text.startsWith('\r\n', at) ? 2 : 1;
    if (at >= text.length) return records;
  }
}

/** `end`: just behind the closing quote. `null` if the quote is never closed. */
function quotedCell(text: string, start: number): { value: string; end: number } | null {
  const parts: string[] = [];
  let from = start + 1;
  for (;;) {
    const close = text.indexOf('"', from);
    if (close < 0) return null;
    parts.push(text.slice(from, close));
    if (text[close + 1] !== '"') return { value: parts.join('"'), end: close + 1 };
    from = close + 2;
  }
}
