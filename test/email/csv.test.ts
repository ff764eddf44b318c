import { expect, test } from 'vitest';
import { parseCsv } from '../../src/email/csv.js';

test.each([
  ['commas', 'first_name,Company\nAnna,Northlight\n', [{ first_name: 'Anna', Company: 'Northlight' }]],
  ['semicolons and CRLF', 'a;b\r\n1;2\r\n', [{ a: '1', b: '2' }]],
  ['tabs, an empty column name and short rows', 'a\t\tb\n1\tx\n', [{ a: '1', b: '' }]],
  ['quotes', 'a,b\n"x, ""y""\nz",2\n', [{ a: 'x, "y"\nz', b: '2' }]],
  ['blank lines', 'a\n\n1\n\n', [{ a: '1' }]],
  ['nothing but a header', 'a,b\n', []],
])('a CSV file is read: %s', (_, text, rows) => {
  expect(parseCsv(text)).toEqual({ rows });
});

test.each([
  ['a\n"x\n', 'a quotation mark is not closed.'],
  ['a,b,a\n1,2,3\n', 'two columns are called a.'],
  ['a,b\n1,2\n1,2,3\n', 'row 3 has more cells than the header.'],
])('%j is refused', (text, wrong) => {
  expect(parseCsv(text)).toEqual({ wrong });
});
