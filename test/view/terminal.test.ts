import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cells, cutCells, fitted } from '../../src/view/terminal.js';

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

const table = (rows: string[][]) => ({
  heads: ['name', 'id', 'file'],
  right: [1],
  path: 2,
  shrink: [
    [2, 10],
    [0, 4],
    [2, 4],
  ] as const,
  rows,
});

describe('a table', () => {
  it('gives way in its turns where it is too wide', () => {
    const rows = [['Spring installers', '7', 'campaigns/spring.yaml']];
    expect(fitted(table(rows), 60)[1]).toEqual(['Spring installers', ' 7', 'campaigns/spring.yaml']);
    expect(fitted(table(rows), 35)[1]).toEqual(['Spring installers', ' 7', '…spring.yaml']);
    expect(fitted(table(rows), 28)[1]).toEqual(['Spring inst…', ' 7', '…ring.yaml']);
  });

  it('has cells of equal width and never more columns than it is given', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'B', '東', '\u0301', '🎉', ' ', '/'),
      maxLength: 30,
    });
    const rows = fc.array(fc.tuple(cell, fc.stringMatching(/^[1-9]{1,4}$/), cell), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(rows, fc.integer({ min: 16, max: 80 }), (own, width) => {
        const lines = fitted(table(own), width);
        for (const row of lines) {
          expect(cells(row.join('  '))).toBeLessThanOrEqual(width);
          expect(row.slice(0, -1).map(cells)).toEqual(lines[0]?.slice(0, -1).map(cells));
        }
      }),
    );
  });
});
