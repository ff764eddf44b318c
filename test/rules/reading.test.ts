import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linksInHtml, linksInText } from '../../src/email/links.js';
import { readableHtml, readableText } from '../../src/rules/emails.js';
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

test('a phrase is found in no more readings than contain it', () => {
  const phrase = fc.stringMatching(/^[ab-]([ab -]{0,4}[ab-])?$/).map((text) => text.replace(/ +/g, ' '));
  fc.assert(
    fc.property(copy, phrase, (nodes, text) => {
      const all = readings(nodes);
      fc.pre(all.length < 2_000);
      const match = all.filter((reading) => holds(reading, text)).length;
      const found = occurrence(parsePhrase(text), readableText(written(nodes)));
      if (match === 0) expect(found).toBe('never');
      if (match < all.length) expect(found).not.toBe('always');
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
  ['risk free', '{Hi|Hello {risk free|all}}', 'sometimes'],
  ['risk free', 'A {risk|fully safe} free {trial|demonstration}', 'sometimes'],
  ['risk free', 'A {risk free|{risk|RISK} free} trial', 'always'],
  ['risk free', 'A {risk |risk}{free| free}', 'sometimes'],
  ['risk free', '{Hi|Hello} risk free {trial|demonstration}', 'always'],
  ['see you', '{Hi|Hello}, see {you|you all} soon{,|!} {x|y}', 'always'],
  ['meet you', '{see|meet} {you|us}', 'sometimes'],
  ['see us', '{see|meet} {you|us}', 'never'],
  ['hi', '{Hi|Hello} {Ann|Bob}', 'sometimes'],
  ['free', 'free{|dom}', 'sometimes'],
  ['free', '{care|dom}free{| of charge}', 'never'],
  ['free', `${'x'.repeat(100)}free {trial|demonstration}`, 'never'],
  ['{first_name}', '{Hi|Hello}{FIRST_NAME}{,|!}', 'always'],
  ['b d', '{a|b} {long|d}', 'never'],
] as const)('%s in %s: %s', (phrase, text, expected) => {
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
