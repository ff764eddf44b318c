/**
 * Manifests that try to exhaust the program. They are refused with a short message, in memory and time proportional to
 * their size.
 */
import { describe, expect, it, test } from 'vitest';
import { everyNode, parseCopy } from '../../../src/email/copy.js';
import { readHtml } from '../../../src/email/html.js';
import { htmlToText } from '../../../src/email/mail.js';
import { linksInHtml, linksInText, readableHtml } from '../../../src/rules/emails.js';
import { occurrence, parsePhrase } from '../../../src/rules/words.js';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startProgram } from '../../support/program.js';
import { projectFile } from '../../support/project.js';

const MEBIBYTE = 1024 * 1024;

/** A text of one mebibyte, the maximum size of a file. */
function fill(head: string, piece: string | ((index: number) => string), tail = ''): string {
  const pieces = [head];
  for (let size = head.length + tail.length, index = 0; ; index += 1) {
    const next = typeof piece === 'string' ? piece : piece(index);
    size += Buffer.byteLength(next);
    if (size > MEBIBYTE) return pieces.join('') + tail;
    pieces.push(next);
  }
}

const body = (piece: string) =>
  fill(
    'name: a\nsequence:\n  title: t\n  steps:\n    - email_subject: s\n      wait_in_days: 1\n      email_body: "',
    piece,
    '"\n',
  );
const doubled = 'bcdefghij'
  .split('')
  .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[index]}`)}]\n`)
  .join('');

/** Each once took minutes, or all memory, in one stage. */
const HOSTILE: [kind: string, text: string, codes: string[]][] = [
  ['aliases of aliases', `a: &a [x, x]\n${doubled}`, ['yaml-alias']],
  ['a chain of aliases', fill('a0: &a0 [x]\n', (i) => `a${i + 1}: &a${i + 1} [*a${i}]\n`), ['yaml-syntax']],
  [
    'one large value a hundred times',
    `${fill('a: &a [', 'xxxx,').slice(0, 900_000)}]\nb: [${Array(98).fill('*a')}]\n`,
    ['yaml-alias'],
  ],
  ['a section of a hundred thousand keys', fill('', (i) => `k${i}: 1\n`), ['yaml-syntax']],
  ['documents without number', fill('', '---\na\n'), ['yaml-syntax']],
  ['brackets in brackets', '['.repeat(MEBIBYTE / 2), ['yaml-syntax']],
  ['keys without sense', fill('', '?\n'), ['yaml-syntax']],
  ['a key that is given again in each line', fill('', (i) => `${' '.repeat(i % 90)}a:\n`), ['duplicate-key']],
  ['ids that are none', fill('name: a\nleads:\n  ids: [', (i) => `x${i}, `, 'x]\n'), ['wrong-type']],
  ['an open brace in each letter', body('{'), ['unbalanced-braces']],
];

const validate = (text: string) =>
  withFolder(async (folder) => {
    const project = projectFile().replace('{url}', 'https://send.example.com');
    await writeFiles(folder, { 'campaignctl.yaml': project, 'campaigns/a.yaml': text });
    const env = { NODE_OPTIONS: '--max-old-space-size=512' };
    return startProgram(folder, ['validate', '--format', 'json'], env).ended;
  });

describe('a mebibyte of', () => {
  it.each(HOSTILE)('%s is refused with a short message', async (_, text, codes) => {
    const { code, out, err } = await validate(text);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    const { findings } = JSON.parse(out);
    expect([...new Set(findings.map((finding: { code: string }) => finding.code))]).toEqual(codes);
    expect(findings.length).toBeLessThan(100);
    expect(out.length).toBeLessThan(2 * MEBIBYTE);
  });

  it('lead ids is a manifest like any other', async () => {
    const flow = fill('name: a\nleads:\n  ids: [', (i) => `${i + 100_000}, `, '1]\n');
    expect(await validate(flow)).toMatchObject({ code: 0 });
    const block = fill('name: a\nleads:\n  ids:\n', (i) => `    - ${i + 100_000}\n`);
    expect(await validate(block)).toMatchObject({ code: 0 });
  });
});

// Texts that try to exhaust parsers. They are read completely, in time proportional to their size.
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
  ['variables', 'https://{A'.repeat(30_000)],
  ['entities', '&#'.repeat(200_000)],
  ['quotes', '<a b="'.repeat(50_000)],
])('a body full of %s is searched for phrases and links', (_, text) => {
  expect(['never', 'sometimes', 'always']).toContain(occurrence(parsePhrase('a b a b'), readableHtml(text)));
  expect(linksInHtml(text).length + linksInText(text).length).toBeGreaterThanOrEqual(0);
});
