import { expect, it } from 'vitest';
import { parseCsv } from '../../src/email/csv.js';
import {
  lacks,
  leadInRow,
  matchColumns,
  rowsWithout,
  tellingLeads,
  type VariableColumn,
} from '../../src/email/lead-values.js';

it.each([
  ['FIRST_NAME', 'First Name'],
  ['FIRST_NAME', 'first_name'],
  ['FIRST_NAME', 'FirstName'],
  ['FIRST_NAME', 'FIRST-NAME'],
  ['COMPANY', 'Company'],
  ['COMPANY', 'company name'],
  ['COMPANY WEBSITE', 'Company Website'],
  ['EMAIL', 'email address'],
  ['EMAIL', 'E-mail'],
  ['TITLE', 'Job title'],
  ['FIRST_NAME', 'Prénom'],
  ['FIRST_NAME', 'FNAME'],
  ['LAST_NAME', 'Nom'],
  ['COMPANY', 'Société'],
  ['EMAIL', 'Adresse e-mail'],
  ['PRENOM', 'Vorname'],
])('%s is in the column "%s"', (variable, name) => {
  expect(matchColumns(['Phone', name], [variable])).toEqual([{ variable, column: 1, isSender: false }]);
});

it.each([
  ['FIRST_NAME', ['Name', 'First']],
  ['COMPANY', ['Company size']],
  ['EMAIL', ['Email status']],
  ['CITY', ['Prénom', 'Ville']],
])('%s is in none of the columns %j', (variable, header) => {
  expect(matchColumns(header, [variable])).toEqual([{ variable, column: null, isSender: false }]);
});

it('prefers the column of the same name, and refuses two that match equally well', () => {
  expect(matchColumns(['Company Name', 'Company'], ['COMPANY'])).toEqual([
    { variable: 'COMPANY', column: 1, isSender: false },
  ]);
  expect(matchColumns(['Company', 'x', 'COMPANY'], ['COMPANY'])).toEqual({
    variable: 'COMPANY',
    columns: [0, 2],
  });
});

it('does not count variables of the sender, unless a column has them', () => {
  expect(matchColumns(['Sender first name'], ['SENDER_FIRST_NAME', 'SENDER_LAST_NAME'])).toEqual([
    { variable: 'SENDER_FIRST_NAME', column: 0, isSender: false },
    { variable: 'SENDER_LAST_NAME', column: null, isSender: true },
  ]);
});

const TABLE = parseCsv('First name,Company\nAnna,Northlight\nBo, \n,Extraordinarily long name Ltd\n');
const COLUMNS: VariableColumn[] = [
  { variable: 'FIRST_NAME', column: 0, isSender: false },
  { variable: 'COMPANY', column: 1, isSender: false },
  { variable: 'CITY', column: null, isSender: false },
  { variable: 'SENDER_NAME', column: null, isSender: true },
];

it('finds rows without a value, where blanks are no value', () => {
  if (!('rows' in TABLE)) throw new Error('unreadable');
  const rows = COLUMNS.map((column) => rowsWithout(TABLE, column).map(({ row }) => row));
  expect(rows).toEqual([[4], [3], [2, 3, 4], []]);
  expect(TABLE.rows.map((row) => lacks(row, COLUMNS))).toEqual([
    ['CITY'],
    ['COMPANY', 'CITY'],
    ['FIRST_NAME', 'CITY'],
  ]);
});

it('makes leads of rows: without choice the first, the longest, and the first that lacks a value', () => {
  if (!('rows' in TABLE)) throw new Error('unreadable');
  const [first] = TABLE.rows;
  expect(first && leadInRow(first, COLUMNS)).toEqual({
    label: 'Row 2',
    values: { FIRST_NAME: 'Anna', COMPANY: 'Northlight', SENDER_NAME: '[name of the sender]' },
    pick: 'first',
  });
  const labels = tellingLeads(TABLE, COLUMNS.slice(0, 2)).map(({ label }) => label);
  expect(labels).toEqual(['Row 2, the first', 'Row 4, the longest values', 'Row 3, no COMPANY']);
});
