import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readChapters } from '../../src/cli/commands/explain.js';
import { CODES } from '../../src/manifest/errors.js';
import { HAZARDS } from '../../src/model/codes.js';
import { RULES } from '../../src/rules/check.js';
import { command as run } from '../support/command.js';
import { withFolder } from '../support/folder.js';

test('every error of a manifest, every rule and every hazard has one chapter', () => {
  const codes = [...Object.keys(CODES), ...RULES.map(({ code }) => code), ...Object.keys(HAZARDS)];
  const chapters = readChapters();
  const explained = chapters.map(({ code }) => code);
  expect(codes.filter((code) => !explained.includes(code))).toEqual([]);
  expect(new Set(explained).size).toBe(explained.length);
  for (const { code, text } of chapters) {
    expect(text.length, code).toBeGreaterThan(20);
    expect(text, code).not.toMatch(/^## /m);
  }
});

test.each([['attach-running'], ['unbalanced-braces'], ['recommended/few-links'], ['unknown-status']])(
  'explain %s prints its chapter',
  async (code) => {
    const { code: ended, out, err } = await run('.', ['explain', code]);
    expect([ended, err]).toEqual([0, '']);
    await expect(out).toMatchFileSnapshot(`golden/explain-${code.replace('/', '-')}.txt`);
  },
);

test('explain prints every page as text, wrapped, whatever it contains', async () => {
  for (const width of [60, 80, 100])
    for (const { code, text } of readChapters()) {
      const { out } = await run('.', ['explain', code], {}, undefined, { width });
      const codeBlocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) =>
        block.trimEnd(),
      );
      const prose = codeBlocks.reduce(
        (rest, block) => rest.replace(block.replace(/^(?=.)/gm, '    '), ''),
        out,
      );
      expect(prose, code).not.toMatch(/\]\(|\*\*|`|\.md#/);
      for (const line of prose.split('\n')) {
        const words = line.trim().split(' ').length;
        expect(line.length <= width || words === 1, `${code}: ${line}`).toBe(true);
      }
      for (const [page] of prose.matchAll(/docs\/[\w./-]+\.md/g)) expect(existsSync(page), page).toBe(true);
    }
});

test('explain says where its pages are, if they are elsewhere', () =>
  withFolder(async (folder) => {
    const { out } = await run(folder, ['explain', 'unknown-status']);
    expect(out).toContain(`\nPages: ${join(process.cwd(), 'docs')}\n`);
  }));

test('explain lists the codes', async () => {
  const { out } = await run('.', ['explain']);
  for (const { code } of readChapters()) expect(out).toMatch(new RegExp(`(^| )${code}( |$)`, 'm'));
});

test.each([
  ['attach-runing', 'Did you mean attach-running?'],
  ['constructor', 'To list the codes, run campaignctl explain.'],
])('explain %s says that there is no such code', async (code, hint) => {
  const { code: ended, err } = await run('.', ['explain', code]);
  expect([ended, err]).toEqual([1, expect.stringContaining(hint)]);
});

test('apply recognises a saved plan that is passed as a manifest', () =>
  withFolder(async (folder) => {
    await run(folder, ['init', '.']);
    await run(folder, ['plan', '--out', 'plan.json']);
    const { code, err } = await run(folder, ['apply', 'plan.json', '--yes']);
    expect(code).toBe(1);
    expect(err).toContain('plan.json is a saved plan');
    expect(err).toContain('campaignctl apply --plan plan.json');
    expect(readFileSync(join(folder, 'plan.json'), 'utf8')).toMatch(/^{"kind":"campaignctl plan"/);
  }));

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

test('every code of the catalogue has a section in docs/errors.md, and every section a code', () => {
  const sections = [...page.matchAll(/^### (.+)$/gm)].map(([, code]) => code);
  expect(sections.toSorted()).toEqual(Object.keys(CODES).toSorted());
});

test('no error has the code of a rule', () => {
  const rules: string[] = RULES.map(({ code }) => code);
  expect(Object.keys(CODES).filter((code) => rules.includes(code))).toEqual([]);
});

const SPELLED =
  /\b(?:code: (?:[^'\n]+ \? )?|problem\((?!'(?:error|warning|blocked)')|stale\(\s*|UNREADABLE = )'([a-z-]+)(?:' : '([a-z-]+))?|[?:] \['(plan-[a-z-]+)/g;

test('every code in the program has a section on one of the pages, and docs/messages.md has no others', () => {
  const src = new URL('../../src/', import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const spelled = files
    .filter((file) => !file.includes('.generated.'))
    .flatMap((file) => [...readFileSync(new URL(file, src), 'utf8').matchAll(SPELLED)])
    .flatMap(([, ...codes]) => codes.filter((code) => code !== undefined));
  const chapters = readChapters();
  expect(spelled.filter((code) => !chapters.some((chapter) => chapter.code === code))).toEqual([]);
  const explained = chapters.filter(({ page }) => page === 'messages.md').map(({ code }) => code);
  expect(explained.filter((code) => !spelled.includes(code))).toEqual([]);
});
