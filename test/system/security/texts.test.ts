/** Texts that try to exhaust parsers. They are read completely, in time proportional to their size. */
import { describe, expect, it, test } from 'vitest';
import { everyNode, parseCopy } from '../../../src/email/copy.js';
import { readHtml } from '../../../src/email/html.js';
import { htmlToText } from '../../../src/email/html-text.js';
import { linksInHtml, linksInText } from '../../../src/email/links.js';
import { readableHtml } from '../../../src/rules/emails.js';
import { occurrence, parsePhrase } from '../../../src/rules/words.js';

describe('copy', () => {
  it.each(['{', '}', '{}', '{%', '{{', '{a|', '<style>', '<style', '|', '{AAA '])(
    'is read to its end when %j is repeated 100,000 times',
    (piece) => {
      const text = piece.repeat(100_000);
      expect(parseCopy(text).reduce((length, node) => length + node.text.length, 0)).toBe(text.length);
    },
  );

  it('does not overflow on braces nested 100,000 levels deep, which are stray beyond 32', () => {
    const text = '{'.repeat(100_000) + '}'.repeat(100_000);
    expect(everyNode(parseCopy(text)).filter((node) => node.kind === 'braces')).toHaveLength(32);
  });
});

test('a tag of 50,000 attributes is one tag', () => {
  const attributes = Array.from({ length: 50_000 }, (_, at) => `a${at}=1`).join(' ');
  expect(readHtml(`<a ${attributes}>`)).toHaveLength(1);
});

test.each([
  ['<a "', 0],
  ['<a ="', 0],
  ['<!--', 0],
  ['<script>', 1],
  ['<', 100_000],
  ['</a', 1],
  ['<a b=&', 0],
  ['<![CDATA[', 0],
  ['<title>&#1', 1],
])('HTML that consists of %s, 100,000 times, has %i tags and texts', (piece, parts) =>
  expect(readHtml(piece.repeat(100_000))).toHaveLength(parts),
);

test.each([
  ['<a "', 0],
  ['<a ="', 0],
  ['<!--', 0],
  ['<script>', 0],
  ['<ul><li>', 50_000],
  ['<', 50_000],
  ['<pre>', 0],
  ['<a href=x>', 0],
  ['&#1', 50_000],
])('HTML that consists of %s, 50,000 times, has %i visible characters as text', (piece, characters) =>
  expect(htmlToText(piece.repeat(50_000)).replaceAll(/\s/g, '')).toHaveLength(characters),
);

const CHOICES_IN_CHOICES = `${'{a b|'.repeat(30)}${'a b|'.repeat(30_000)}${'}'.repeat(30)}`;

test.each([
  ['tags', '<a href="https://x.y'.repeat(30_000), 'never', [0, 30_000]],
  ['braces', '{'.repeat(300_000), 'never', [0, 0]],
  ['choices', '{a|'.repeat(20_000), 'never', [0, 0]],
  ['choices that end', '{a|b}'.repeat(60_000), 'never', [0, 0]],
  ['choices after a long text', `${'a b '.repeat(30_000)}{${'a|'.repeat(30_000)}}`, 'always', [0, 0]],
  ['choices in choices', CHOICES_IN_CHOICES, 'never', [0, 0]],
  ['variables', 'https://{A'.repeat(30_000), 'never', [30_000, 30_000]],
  ['entities', '&#'.repeat(200_000), 'never', [0, 0]],
  ['quotes', '<a b="'.repeat(50_000), 'never', [0, 0]],
] as const)('a body full of %s is searched for phrases and links', (_, text, phrase, links) => {
  expect(occurrence(parsePhrase('a b a b'), readableHtml(text))).toBe(phrase);
  expect([linksInHtml(text).length, linksInText(text).length]).toEqual(links);
});
