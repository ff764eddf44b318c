/** Values of leads in the columns of a CSV file. */
import { usualVariable } from '../model/variable-words.js';
import type { CsvRow, CsvTable } from './csv.js';
import { isOfSender, type SampleLead, sampleLeads } from './sample-leads.js';

/** `column`: its index; `null` if there is none. `isSender`: true if services fill it from the mailbox that sends. */
export interface VariableColumn {
  variable: string;
  column: number | null;
  isSender: boolean;
}

/** Usual headers that are preferred to the same words in other languages. */
const ALSO: { readonly [letters: string]: readonly string[] } = {
  EMAIL: ['EMAILADDRESS'],
  COMPANY: ['COMPANYNAME'],
  TITLE: ['JOBTITLE'],
};

/** Headers that may mean something else than they do in a template. */
const UNCLEAR = new Set(['NAME', 'FIRST', 'LAST']);

/**
 * Matches columns whatever their case, spaces, underscores and hyphens, and usual words such as `Prénom` or `FNAME`. Returns the indexes
 * of two that match equally well.
 */
export function matchColumns(
  header: readonly string[],
  variables: readonly string[],
): VariableColumn[] | { variable: string; columns: number[] } {
  const matched: VariableColumn[] = [];
  for (const variable of variables) {
    const usual = isOfSender(variable) ? null : usualVariable(variable);
    const also = ALSO[lettersOf(variable)] ?? [];
    const tests: ((name: string) => boolean)[] = [
      (name) => lettersOf(name) === lettersOf(variable),
      (name) => also.includes(lettersOf(name)),
      (name) => usual !== null && usualVariable(name) === usual && !UNCLEAR.has(lettersOf(name)),
    ];
    const [columns = []] = tests
      .map((matches) => header.flatMap((name, at) => (matches(name) ? [at] : [])))
      .filter(({ length }) => length > 0);
    if (columns.length > 1) return { variable, columns };
    const [column = null] = columns;
    matched.push({ variable, column, isSender: column === null && isOfSender(variable) });
  }
  return matched;
}

function lettersOf(name: string): string {
  return name.replace(/[\s_-]+/g, '').toUpperCase();
}

/** The rows without a value. */
export function rowsWithout({ rows }: CsvTable, { column, isSender }: VariableColumn): CsvRow[] {
  return isSender ? [] : rows.filter((row) => valueIn(row, column) === '');
}

/** Services remove white space around a value. */
function valueIn({ cells }: CsvRow, column: number | null): string {
  return (column === null ? '' : (cells[column] ?? '')).trim();
}

function sampleValue(variable: string): string {
  return sampleLeads([variable])[0]?.values[variable] ?? '';
}

export function leadInRow(row: CsvRow, columns: readonly VariableColumn[], remark = ''): SampleLead {
  const values = columns.flatMap(({ variable, column, isSender }) => {
    const value = isSender ? sampleValue(variable) : valueIn(row, column);
    return value === '' ? [] : [[variable, value] as const];
  });
  return {
    label: `Row ${row.row}${remark === '' ? '' : `, ${remark}`}`,
    values: Object.fromEntries(values),
    pick: 'first',
  };
}

/** The first row, the one with the longest values, and the first one that lacks a value; each once. */
export function tellingLeads({ rows }: CsvTable, columns: readonly VariableColumn[]): SampleLead[] {
  const sizeOf = (row: CsvRow) => columns.reduce((sum, { column }) => sum + valueIn(row, column).length, 0);
  const [first] = rows;
  if (first === undefined) return [];
  const longest = rows.reduce((most, row) => (sizeOf(row) > sizeOf(most) ? row : most), first);
  const lacking = rows.find((row) => lacks(row, columns).length > 0);
  const telling = [
    { row: first, remark: 'the first' },
    { row: longest, remark: 'the longest values' },
    ...(lacking === undefined ? [] : [{ row: lacking, remark: `no ${lacks(lacking, columns).join(', ')}` }]),
  ];
  return telling.flatMap(({ row, remark }, at) =>
    telling.findIndex((other) => other.row === row) === at ? [leadInRow(row, columns, remark)] : [],
  );
}

/** The variables without a value in the row. */
export function lacks(row: CsvRow, columns: readonly VariableColumn[]): string[] {
  return columns.flatMap(({ variable, column, isSender }) =>
    !isSender && valueIn(row, column) === '' ? [variable] : [],
  );
}
