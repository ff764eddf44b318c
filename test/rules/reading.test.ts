import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linksInHtml, linksInText, readableHtml, readableText } from '../../src/rules/emails.js';
import { parseTarget } from '../../src/rules/links.js';
import { occurrence, parsePhrase } from '../../src/rules/words.js';
import { anyText } from '../support/texts.js';

/** A text with spintax as a tree, from which all readings can be listed. */
type Copy = (string | Copy[])[];

const { copy } = fc.letrec<{ copy: Copy; choice: Copy[] }>((tie) => ({
  copy: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.stringMatching(/^[ab -]{1,3}$/) },
      { weight: 1, arbitrary: tie('choice') },
    ),
    { maxLength: 4 },
  ),
  choice: fc.array(tie('copy'), { minLength: 2, maxLength: 3 }),
}));

function written(nodes: Copy): string {
  return nodes.map((node) => (typeof node === 'string' ? node : `{${node.map(written).join('|')}}`)).join('');
}

function readings(nodes: Copy): string[] {
  return nodes.reduce<string[]>(
    (so, node) => {
      const next = typeof node === 'string' ? [node] : node.flatMap(readings);
      return so.flatMap((text) => next.map((more) => text + more)).slice(0, 2_000);
    },
    [''],
  );
}

/** The simplest equivalent, for one reading. */
function holds(reading: string, phrase: string): boolean {
  const text = ` ${reading} `.replace(/ +/g, ' ');
  const edge = (at: number, inside: number) =>
    !/[ab]/.test(text[at] ?? '') || !/[ab]/.test(text[inside] ?? '');
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1))
    if (edge(at - 1, at) && edge(at + phrase.length, at + phrase.length - 1)) return true;
  return false;
}

test('a phrase is found in exactly the readings that contain it', () => {
  const phrase = fc.stringMatching(/^[ab-]([ab -]{0,4}[ab-])?$/).map((text) => text.replace(/ +/g, ' '));
  fc.assert(
    fc.property(copy, phrase, (nodes, text) => {
      const all = readings(nodes);
      fc.pre(all.length < 2_000);
      const match = all.filter((reading) => holds(reading, text)).length;
      const expected = match === 0 ? 'never' : match === all.length ? 'always' : 'sometimes';
      expect(occurrence(parsePhrase(text), readableText(written(nodes)))).toBe(expected);
    }),
    { numRuns: Number(process.env.TRUST_CASES ?? 200) },
  );
});

test.each([
  ['risk free', 'RISK\n\tFREE', 'always'],
  ['risk free', 'ＲＩＳＫ\u00a0fr\u00adee', 'always'],
  ["don't", 'Don’t', 'always'],
  ['free', 'freedom', 'never'],
  ['free', 'Ofree', 'never'],
  ['free!!!', 'now free!!!', 'always'],
  ['free!!!', 'free!!!!', 'always'],
  ['%', '100%', 'always'],
  ['a b', 'xa a b', 'always'],
  ['a a', 'xa a a', 'always'],
  ['été', 'cet e\u0301te\u0301', 'always'],
  ['日本', '日本 です', 'always'],
] as const)('%s in %j: %s', (phrase, text, expected) => {
  expect(occurrence(parsePhrase(phrase), readableText(text))).toBe(expected);
});

test.each([
  ['risk free', '<b>ri</b>sk&nbsp;<i>free</i>', 'always'],
  ['risk free', '<p>risk</p><p>free</p>', 'always'],
  ['riskfree', '<p>risk</p><p>free</p>', 'never'],
  ['free', '<img alt="Free">', 'always'],
  ['free', '<style>free</style><!-- free --><a href="free" title="free">x</a>', 'never'],
  ['free', '{<b>f|<i>g}ree', 'sometimes'],
  ['{', '&#123;', 'always'],
] as const)('%s in %s: %s', (phrase, html, expected) => {
  expect(occurrence(parsePhrase(phrase), readableHtml(html))).toBe(expected);
});

const nasty = fc.oneof(
  anyText(),
  fc
    .array(
      fc.constantFrom(
        '<a href="',
        "'",
        '"',
        '>',
        '{',
        '|',
        '}',
        '//',
        'https://',
        'www.',
        '@',
        '\\',
        '&#',
        ';',
        ' ',
        'x.y',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
);

test('any text is searched without an error', () => {
  fc.assert(
    fc.property(nasty, nasty, (text, phrase) => {
      occurrence(parsePhrase(phrase), readableHtml(text));
      for (const link of [...linksInHtml(text), ...linksInText(text)]) parseTarget(link);
    }),
  );
});
