import { listed } from '../model/words.js';
import { errorAt, quoted, type SourceFinding, toPlace } from './errors.js';

const ONE_PER_LINE = 'Write one integer per line; "#" starts a comment.';

/** Lines that are reported one by one. More wrong lines have one cause. */
const FEW = 3;

interface IdLine {
  line: number;
  word: string;
}

/** Reads lead ids, one per line. A file of another kind, such as a table, is one error. */
export function parseIds(file: string, text: string): { ids: number[]; findings: SourceFinding[] } {
  const lines = text.split('\n').flatMap((content, line): IdLine[] => {
    const word = (content.split('#')[0] ?? '').trim();
    return word === '' ? [] : [{ line, word }];
  });
  const bad = lines.filter(({ word }) => idIn(word) === null);
  const [first] = bad;
  if (first === undefined) return { ids: lines.map(({ word }) => Number(word)), findings: [] };
  const other = otherKind(lines, text);
  if (other !== null) return { ids: [], findings: [wrong(file, first, other)] };
  const ids = lines.flatMap(({ word }) => idIn(word) ?? []);
  const isFew = bad.length <= FEW;
  const more = isFew ? '' : `, and neither are ${bad.length - 1} more of the ${lines.length} lines`;
  const shown = isFew ? bad : [first];
  const findings = shown.map((line) =>
    wrong(file, line, { message: `${quoted(line.word)} is not a lead id${more}.`, hint: ONE_PER_LINE }),
  );
  return { ids, findings };
}

function idIn(word: string): number | null {
  const id = /^[0-9]+$/.test(word) ? Number(word) : 0;
  return id >= 1 && Number.isSafeInteger(id) ? id : null;
}

interface IdsFault {
  message: string;
  hint: string;
}

function wrong(file: string, { line, word }: IdLine, fault: IdsFault): SourceFinding {
  return errorAt({ ...toPlace(file, 0, [line]), text: word }, { code: 'bad-lead-id', ...fault });
}

function otherKind(lines: readonly IdLine[], text: string): IdsFault | null {
  if (/^\s*[[{]/.test(text))
    return {
      message: 'The file is JSON, but an ids file has one lead id per line.',
      hint: 'Write each id on a line of its own, without brackets, quotes and commas, or write ids: [1001, 1002] in the manifest.',
    };
  const [head = '', ...rows] = lines.map(({ word }) => word);
  const separator = [';', '\t', ','].find(
    (sign) => head.includes(sign) && rows.every((row) => row.includes(sign)),
  );
  if (separator === undefined) return null;
  const cells = (row: string) => row.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const names = cells(head).filter((cell) => cell !== '');
  if (names.every((cell) => idIn(cell) !== null))
    return {
      message: 'The line has several ids, but an ids file has one lead id per line.',
      hint: ONE_PER_LINE,
    };
  const columns = cells(head).flatMap((name, at) =>
    rows.length > 0 && rows.every((row) => idIn(cells(row)[at] ?? '') !== null) ? name : [],
  );
  const ids =
    columns.find((name) => /lead.?id/i.test(name)) ?? columns.find((name) => /id/i.test(name)) ?? columns[0];
  return {
    message: `The file is a table with the columns ${listed(names, 8)}, but an ids file has one lead id per line.`,
    hint:
      ids === undefined
        ? 'No column has only whole numbers. Keep the column with the ids of the leads in the service, without its header.'
        : `Keep only the values of the column ${quoted(ids)}, which look like ids, one per line and without the header.`,
  };
}

/** The file of a spreadsheet is not text. */
export function sheetHint(finding: SourceFinding): SourceFinding {
  if (finding.code !== 'file-not-utf8' && finding.code !== 'control-character') return finding;
  return {
    ...finding,
    hint: 'Write a text file with one lead id per line. From a spreadsheet, copy the column of the ids into it, without the header.',
  };
}
