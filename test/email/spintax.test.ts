import fc from 'fast-check';
import { expect, it } from 'vitest';
import { combinations, MANY, spintaxPlaces } from '../../src/email/spintax.js';
import { anyText } from '../support/texts.js';

it.each([
  ['Hi {FIRST_NAME}', []],
  [
    '{Hi|Hello} {FIRST_NAME}{|, again}',
    [
      ['Hi', 'Hello'],
      ['', ', again'],
    ],
  ],
  ['{{FIRST_NAME}|{dear|my} friend|you}', [['{FIRST_NAME}', 'dear friend', 'my friend', 'you']]],
  ['{a {b|c}}', [['b', 'c']]],
  ['{{a|b} {c|d}|e}', [['a c', 'a d', 'b c', 'b d', 'e']]],
])('lists every choice of %j', (copy, choices) => {
  expect(spintaxPlaces(copy).map(({ shown }) => shown)).toEqual(choices);
});

it('draws a few of many combinations, evenly', () => {
  const [place] = spintaxPlaces('{{a|b|c|d} {1|2|3|4}|x}');
  expect(place).toMatchObject({ total: 17, shown: ['a 1', 'a 3', 'b 2', 'c 1', 'c 4', 'd 3'] });
});

it('counts combinations up to a limit', () => {
  expect(combinations(spintaxPlaces('{a|b} {c|d|e}'))).toBe(6);
  expect(combinations(spintaxPlaces('{a|b}'.repeat(100)))).toBe(MANY);
  const [deep] = spintaxPlaces(`{${'{a|b}'.repeat(100)}|c}`);
  expect([deep?.total, deep?.shown.length]).toEqual([MANY, 6]);
});

it('draws different texts that the copy contains, from any text', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 40 }), (copy) => {
      for (const { total, shown } of spintaxPlaces(copy)) {
        expect(shown.length).toBe(total > 12 ? 6 : total);
        expect(shown.every((text) => text.length <= copy.length)).toBe(true);
      }
    }),
  );
});
