/**
 * Manifests that try to exhaust the program. They are refused with a short message, in memory and time proportional to
 * their size.
 */
import { describe, expect, it } from 'vitest';
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
