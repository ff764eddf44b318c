import type { Json, JsonObject } from '../model/json.js';

/** Parses CSV (RFC 4180) with comma, semicolon or tab into one object a row. */
export function parseCsv(text: string): { rows: JsonObject[] } | { wrong: string } {
  const [first = ''] = text.split('\n', 1);
  const separator = [',', ';', '\t'].reduce((best, candidate) =>
    first.split(candidate).length > first.split(best).length ? candidate : best,
  );
  const records = parseRecords(text, separator);
  if (records === null) return { wrong: 'a quotation mark is not closed.' };
  const [header = [], ...others] = records.filter((record) => record.some((cell) => cell.trim() !== ''));
  const names = header.map((name) => name.trim());
  const duplicate = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (duplicate !== undefined) return { wrong: `two columns are called ${duplicate}.` };
  const longer = others.findIndex((record) => record.length > names.length);
  if (longer >= 0) return { wrong: `row ${longer + 2} has more cells than the header.` };
  const rows = others.map((record): JsonObject => {
    const cells = names.map((name, at): [string, Json] => [name, (record[at] ?? '').trim()]);
    return Object.fromEntries(cells.filter(([name]) => name !== ''));
  });
  return { rows };
}

function parseRecords(text: string, separator: string): string[][] | null {
  const records: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  const endCell = () => {
    records.at(-1)?.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell.trim() === '') {
      cell = '';
      isQuoted = true;
    } else if (character === separator) endCell();
    else if (character === '\n') {
      endCell();
      records.push([]);
    } else if (character !== '\r') cell += character;
  }
  endCell();
  return isQuoted ? null : records;
}
