/** Texts that try to exhaust parsers. They are read completely, in time proportional to their size. */
import { describe, expect, it, test } from 'vitest';
import { everyNode, parseCopy } from '../../../src/email/copy.js';
import { readHtml } from '../../../src/email/html.js';
import { linksInHtml, linksInText } from '../../../src/email/links.js';
import { htmlToText } from '../../../src/email/mail.js';
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

test.each(['<a "', '<a ="', '<!--', '<script>', '<', '</a', '<a b=&', '<![CDATA[', '<title>&#1'])(
  'HTML that consists of %s is read',
  (piece) => expect(Array.isArray(readHtml(piece.repeat(100_000)))).toBe(true),
);

test.each(['<a "', '<a ="', '<!--', '<script>', '<ul><li>', '<', '<pre>', '<a href=x>', '&#1'])(
  'HTML that consists of %s has a text form',
  (piece) => expect(typeof htmlToText(piece.repeat(50_000))).toBe('string'),
);

test.each([
  ['tags', '<a href="https://x.y'.repeat(30_000)],
  ['braces', '{'.repeat(300_000)],
  ['choices', '{a|'.repeat(20_000)],
  ['choices that end', '{a|b}'.repeat(60_000)],
  ['choices after a long text', `${'a b '.repeat(30_000)}{${'a|'.repeat(30_000)}}`],
  ['choices in choices', `${'{a b|'.repeat(30)}${'a b|'.repeat(30_000)}${'}'.repeat(30)}`],
  ['variables', 'https://{A'.repeat(30_000)],
  ['entities', '&#'.repeat(200_000)],
  ['quotes', '<a b="'.repeat(50_000)],
])('a body full of %s is searched for phrases and links', (_, text) => {
  expect(['never', 'sometimes', 'always']).toContain(occurrence(parsePhrase('a b a b'), readableHtml(text)));
  expect(linksInHtml(text).length + linksInText(text).length).toBeGreaterThanOrEqual(0);
});
