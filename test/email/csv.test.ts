import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCsv, parseCsv } from '../../src/email/csv.js';

const HEADER = ['First Name', 'Company'];
const ANNA = { row: 2, cells: ['Anna', 'Fish & Chips'] };

describe('CSV', () => {
  it.each([
    ['commas', 'First Name,Company\nAnna,Fish & Chips\n'],
    ['semicolons, as Excel writes them in much of Europe', 'First Name;Company\r\nAnna;Fish & Chips\r\n'],
    ['tabs', 'First Name\tCompany\nAnna\tFish & Chips'],
    ['old line ends', 'First Name,Company\rAnna,Fish & Chips\r'],
    ['quotes', '"First Name","Company"\n"Anna","Fish & Chips"\n'],
    ['blanks in the header', ' First Name , Company\nAnna,Fish & Chips\n'],
    ['empty cells beyond the header', 'First Name,Company\nAnna,Fish & Chips,,\n,\n\n'],
  ])('with %s is read', (_what, text) => {
    expect(parseCsv(text)).toEqual({ header: HEADER, rows: [ANNA] });
  });

  it('has separators, quotes and line breaks in quoted cells', () => {
    const text = 'Name;Note\n"Berg; Anna";"says ""hi""\r\nand, more"\n5" pipe;';
    expect(parseCsv(text)).toEqual({
      header: ['Name', 'Note'],
      rows: [
        { row: 2, cells: ['Berg; Anna', 'says "hi"\r\nand, more'] },
        { row: 3, cells: ['5" pipe', ''] },
      ],
    });
  });

  it('counts empty rows, and takes the first other row as the header', () => {
    expect(parseCsv('\nA,B\n\n,\n1,2\n3\n')).toEqual({
      header: ['A', 'B'],
      rows: [
        { row: 5, cells: ['1', '2'] },
        { row: 6, cells: ['3'] },
      ],
    });
  });

  it.each([
    ['a quote that is never closed', 'A,B\n1,"2\n3,4\n', [2, 2, 'a double quote is never closed']],
    ['text after a quote', 'A,B\n"1"x,2\n', [2, 1, 'text follows a closing double quote']],
    [
      'a row that is shifted by a comma',
      'A,B\n1,2\nFish, Chips,x\n',
      [3, 3, 'the row has a value beyond the last column of the header (2)'],
    ],
    ['no row', '\r\n', [1, 1, 'the file is empty']],
    ['a workbook', 'PK\u0003\u0004\u0014', [1, 1, 'this is a workbook, not CSV']],
  ])('with %s is refused at its place', (_what, text, [row, column, fact]) => {
    expect(parseCsv(text)).toEqual({ row, column, fact, hint: expect.stringMatching(/\.$/) });
  });

  it.each([
    ['UTF-8', Buffer.from('A\né\n')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffA\né\n')],
    ['UTF-16, as Excel writes it', Buffer.from('\ufeffA\né\n', 'utf16le')],
    ['UTF-16 of the other order', Buffer.from('\ufeffA\né\n', 'utf16le').swap16()],
  ])('in %s is decoded', (_what, bytes) => {
    expect(parseCsv(decodeCsv(bytes))).toEqual({ header: ['A'], rows: [{ row: 2, cells: ['é'] }] });
  });

  it('in another encoding is refused at the first character that cannot be read', () => {
    const bytes = Buffer.from('A,B\n1,2\nOlé,Café\n', 'latin1');
    expect(parseCsv(decodeCsv(bytes))).toMatchObject({
      row: 3,
      column: 1,
      fact: 'a character cannot be read',
    });
  });

  it('that is written by the rules is read as it was', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ';', ',', '\n', '\r', ' ', '\t') });
    const rows = fc.array(fc.tuple(fc.constant('x'), cell, cell), { minLength: 1 });
    fc.assert(
      fc.property(rows, fc.constantFrom(',', ';', '\t'), fc.constantFrom('\n', '\r\n'), (all, comma, end) => {
        const line = (cells: string[]) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(comma);
        const text = [['h', 'i', 'j'], ...all].map((cells) => line(cells) + end).join('');
        expect(parseCsv(text)).toEqual({
          header: ['h', 'i', 'j'],
          rows: all.map((cells, at) => ({ row: at + 2, cells })),
        });
      }),
    );
  });
});
