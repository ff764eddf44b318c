import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentText } from '../../src/view/document-text.js';
import { listDocument } from '../../src/view/list.js';
import { cells, cutCells, plain, tableLines } from '../../src/view/terminal.js';
import { inventory } from './plans.js';

describe('columns of a terminal', () => {
  it.each([
    ['Spring', 6],
    ['東京', 4],
    ['e\u0301', 1],
    ['한국', 4],
    ['🎉!', 3],
    ['🇫🇷', 2],
    ['–→·', 3],
  ])('%s takes %i', (text, width) => expect(cells(text)).toBe(width));

  it('are never cut through a character, at either end', () => {
    expect(cutCells('東京の展示会', 6, 'end')).toBe('東京…');
    expect(cutCells('東京の展示会', 6, 'start')).toBe('…示会');
    expect(cutCells('campaigns/spring.yaml', 12, 'start')).toBe('…spring.yaml');
    expect(cutCells('just fits', 9, 'end')).toBe('just fits');
  });
});

type Row = readonly string[];
const columns = [
  { head: 'name', cell: ([name = '']: Row) => name, least: 4 },
  { head: 'id', cell: ([, id = '']: Row) => id, isRight: true },
  { head: 'file', cell: ([, , file = '']: Row) => file, isPath: true, least: 4 },
];
const table = (rows: readonly Row[], width: number) =>
  tableLines({ columns, rows }, { paint: plain, width: width + 2 }).map((line) => line.slice(2));

describe('a table', () => {
  it('shrinks its last columns first', () => {
    const rows = [['Spring installers', '7', 'campaigns/spring.yaml']];
    expect(table(rows, 60)[1]).toBe('Spring installers   7  campaigns/spring.yaml');
    expect(table(rows, 35)[1]).toBe('Spring installers   7  …spring.yaml');
    expect(table(rows, 20)[1]).toBe('Spring in…   7  …aml');
  });

  it('has cells of equal width, and is never wider than the terminal', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'B', '東', '\u0301', '🎉', ' ', '/'),
      maxLength: 30,
    });
    const rows = fc.array(fc.tuple(cell, fc.stringMatching(/^[1-9]{1,4}$/), cell), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(rows, fc.integer({ min: 16, max: 80 }), (values, width) => {
        const [head = '', ...lines] = table(values, width);
        const place = cells(head.slice(0, head.indexOf('file')));
        for (const [at, line] of lines.entries()) {
          expect(cells(line)).toBeLessThanOrEqual(width);
          const before = line.slice(0, line.lastIndexOf(`${values[at]?.[1]}  `));
          expect(cells(before) + (values[at]?.[1].length ?? 0) + 2).toBe(place);
        }
      }),
    );
  });
});

const LONG = 'Roofers in Brandenburg, spring, second wave';

it.each([
  [
    140,
    'name                                         id  status   sent  replies  bounces  left  cap  manifest',
  ],
  [104, 'name                                         id  status   sent  replies  bounces  left  cap'],
  [80, 'name +status +sent  replies  bounces  left  cap'],
  [70, 'name +status +sent  replies  bounces  left  cap'],
  [60, 'name +sent  replies  bounces  left  cap'],
])('at %i columns, a list keeps the results and drops other columns, then cuts names', (width, head) => {
  const lines = documentText(listDocument(inventory(LONG, 'Fair')), { paint: plain, width }).split('\n');
  const [heads = '', first] = lines.slice(4);
  expect(heads.trim()).toMatch(new RegExp(`^${head}( |$)`));
  expect(first).toContain(width > 80 ? LONG : LONG.slice(0, 12));
  expect(lines.filter((line) => line.length > width)).toEqual([]);
});
