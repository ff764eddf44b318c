import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeExpressions, expand, substitute, substituteIn } from '../../src/manifest/expressions.js';
import type { Json } from '../../src/model/json.js';

/** Texts in which half of the pieces are dollar signs, braces and the like. */
const text = fc
  .array(fc.oneof(fc.constantFrom('$', '{', '}', '{{', '}}', '${{', '$${{', 'a', ' '), fc.string()))
  .map((pieces) => pieces.join(''));

const value = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());

test('escaped text is read back unchanged, whatever it is', () => {
  fc.assert(
    fc.property(text, (plain) => {
      const escaped = escapeExpressions(plain);
      expect(substitute(escaped, null)).toEqual({ value: plain });
      expect(substituteIn(escaped, { a: 1 })).toEqual({ text: plain });
    }),
    { numRuns: Number(process.env.TRUST_CASES ?? 300) },
  );
});

test('texts and values in any order are combined exactly, and values are not parsed again', () => {
  const parts = fc.array(fc.tuple(text, fc.constantFrom('a', 'b_2', '_c')), { minLength: 1 });
  const values = fc.record({ a: value, b_2: value, _c: value });
  fc.assert(
    fc.property(parts, values, text, fc.constantFrom('', ' ', '\n '), (input, known, end, blank) => {
      // A dollar sign before an expression would escape it.
      const plain = input.map(([before, name]) => [before.replace(/\$+$/, ''), name] as const);
      const written = plain.map(
        ([before, name]) => `${escapeExpressions(before)}\${{${blank}${name}${blank}}}`,
      );
      const expected = plain.map(([before, name]) => `${before}${String(known[name])}`).join('');
      expect(substituteIn(`${written.join('')}${escapeExpressions(end)}`, known)).toEqual({
        text: `${expected}${end}`,
      });
    }),
  );
});

const values: Record<string, Json> = { segment: 'France', cap: 200, on: true, none: null, list: [1, 'b'] };

test.each<[string, Json]>([
  ['${{ cap }}', 200],
  ['${{on}}', true],
  ['${{ none }}', null],
  ['${{ list }}', [1, 'b']],
  ['${{segment}}', 'France'],
  [' ${{ cap }}', ' 200'],
  ['${{ cap }}${{ on }}', '200true'],
  ['{Hi|${{ segment }}}', '{Hi|France}'],
  ['{{ name }} and {SEGMENT} and $5', '{{ name }} and {SEGMENT} and $5'],
  ['$${{ segment }}', '${{ segment }}'],
  ['$$${{ segment }}', '$${{ segment }}'],
  ['$ {{ segment }}', '$ {{ segment }}'],
  ['', ''],
])('%j is %j', (written, expected) => {
  expect(substitute(written, values)).toEqual({ value: expected });
});

const BROKEN = ['To ${{ segmnt }}', '${{ }}', '${{ a b }}', '${{ 1a }}', 'a ${{ cap } b', 'a ${{ none }}'];

test('broken expressions are reported with a fix; without for_each, with two fixes', async () => {
  const lines = [...BROKEN.map((text) => substitute(text, values)), substitute('${{ cap }}', null)].flatMap(
    (created) =>
      'broken' in created
        ? created.broken.map(
            ({ start, text, wording: { code, message, hint } }) =>
              `${start} ${text} ${code}\n${message}\n${hint}\n`,
          )
        : ['fine'],
  );
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/expressions.txt');
});

test('names of prototype properties are not values', () => {
  for (const name of ['constructor', '__proto__', 'toString'])
    expect(substitute(`\${{ ${name} }}`, {})).toHaveProperty('broken');
});

test('expressions are replaced everywhere except in keys', () => {
  const plain = { days: ['monday'], deep: [{ text: 'a' }] };
  const document = { '${{ cap }}': ['${{ cap }}', { a: 'x ${{ segment }}' }], plain };
  const value = { '${{ cap }}': [200, { a: 'x France' }], plain };
  expect(expand(document, () => values)).toEqual({ value, broken: [] });
});
