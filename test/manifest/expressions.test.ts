import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeExpressions, expand, substitute, substituteIn } from '../../src/manifest/for-each.js';
import type { Json } from '../../src/model/json.js';

/** Texts in which dollars and braces are as likely as all else together. */
const text = fc
  .array(fc.oneof(fc.constantFrom('$', '{', '}', '{{', '}}', '${{', '$${{', 'a', ' '), fc.string()))
  .map((pieces) => pieces.join(''));

const value = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());

test('what is escaped is read as it was, whatever it is', () => {
  fc.assert(
    fc.property(text, (plain) => {
      const escaped = escapeExpressions(plain);
      expect(substitute(escaped, null)).toEqual({ value: plain });
      expect(substituteIn(escaped, { a: 1 })).toEqual({ text: plain });
    }),
    { numRuns: Number(process.env.TRUST_CASES ?? 600) },
  );
});

test('texts and values in any order give exactly what they say, and values are not read again', () => {
  const parts = fc.array(fc.tuple(text, fc.constantFrom('a', 'b_2', '_c')), { minLength: 1 });
  const values = fc.record({ a: value, b_2: value, _c: value });
  fc.assert(
    fc.property(parts, values, text, fc.constantFrom('', ' ', '\n '), (input, known, end, blank) => {
      // A dollar in front of an expression would escape it.
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

test('what is broken is told with what to write, without for_each in both ways', async () => {
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

test('names of prototypes are no values', () => {
  for (const name of ['constructor', '__proto__', 'toString'])
    expect(substitute(`\${{ ${name} }}`, {})).toHaveProperty('broken');
});

test('values are replaced everywhere but in keys', () => {
  const plain = { days: ['monday'], deep: [{ text: 'a' }] };
  const document = { '${{ cap }}': ['${{ cap }}', { a: 'x ${{ segment }}' }], plain };
  const value = { '${{ cap }}': [200, { a: 'x France' }], plain };
  expect(expand(document, () => values)).toEqual({ value, broken: [] });
});
