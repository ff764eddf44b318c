import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HAZARDS, PLANNER_CODES, RULE_CODES } from '../../src/model/codes.js';
import { SECTION_NAMES, SETTING_NAMES, WEEKDAYS } from '../../src/model/sections.js';
import { RULES } from '../../src/rules/check.js';

const root = fileURLToPath(new URL('../../src', import.meta.url));

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.includes('.generated.'))
  .map((file) => ({ file, text: readFileSync(`${root}/${file}`, 'utf8') }));

/** Files that contain so many of these names that they must list them. */
function listing(names: readonly string[], most: number): string[] {
  const spelled = (text: string) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).length;
  return sources.filter(({ text }) => spelled(text) > most).map(({ file }) => file);
}

test('settings are listed in one table; init writes a sample manifest', () => {
  expect(listing(SETTING_NAMES, 4).sort()).toEqual(['cli/commands/init.ts', 'model/sections.ts']);
});

test('the days of the week are listed in one place', () => {
  expect(listing(WEEKDAYS, 5)).toEqual(['model/sections.ts']);
});

test('functions of the core take whole values', () => {
  const folders = ['plan', 'sections', 'apply'];
  const files = folders.flatMap((folder) =>
    readdirSync(`${root}/${folder}`, 'utf8').map((file) => `${root}/${folder}/${file}`),
  );
  const texts = files.map((file) => readFileSync(file, 'utf8')).join('');
  expect([...texts.matchAll(/\b(?:Pick|Omit|Partial)</g)].length).toBeLessThan(20);
});

test('a type is declared once under one name', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const declared = files.flatMap((file) =>
    [
      ...readFileSync(`${root}/${file}`, 'utf8').matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm),
    ].map(([, name]) => name),
  );
  expect(declared.filter((name, at) => declared.indexOf(name) < at)).toEqual([]);
  expect(declared.length).toBeGreaterThan(200);
});

test('sections are listed in one table', () => {
  const [, first, second] = SECTION_NAMES;
  const list = new RegExp(`'${first}',\\s*'${second}'`);
  expect(
    sources
      .filter(({ file, text }) => file !== 'model/sections.ts' && list.test(text))
      .map(({ file }) => file),
  ).toEqual([]);
});

test('the page on approvals describes each hazard as the table does', () => {
  const page = readFileSync(`${root}/../docs/approvals.md`, 'utf8');
  const rows = page.split('| hazard |')[1]?.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  const starts = Object.entries(HAZARDS).map(([name, description]) => `| \`${name}\` | ${description}`);
  expect(rows.map((row, index) => row.slice(0, starts[index]?.length))).toEqual(starts);
});

test('each folder of fixtures is next to a test that names it or reads all sibling folders', () => {
  const tests = fileURLToPath(new URL('..', import.meta.url));
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  );
  const isCode = (name: string) => /\.(ts|js)$/.test(name);
  const fixtures = new Set(files.filter(({ name }) => !isCode(name)).map(({ parentPath }) => parentPath));
  const alone = [...fixtures].filter((folder) => {
    const beside = files.filter(
      ({ name, parentPath }) => isCode(name) && [folder, dirname(folder)].includes(parentPath),
    );
    const texts = beside.map(({ name, parentPath }) => readFileSync(`${parentPath}/${name}`, 'utf8'));
    const marks = [
      `${basename(folder)}/`,
      'readdirSync(HERE',
      ...(basename(folder) === 'cases' ? ['readCases'] : []),
    ];
    return !texts.some((text) => marks.some((mark) => text.includes(mark)));
  });
  expect(fixtures.size).toBeGreaterThan(2);
  expect(alone).toEqual([]);
});

test('each folder of src has tests in a folder of the same name', () => {
  const folders = (of: string) =>
    readdirSync(of, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const tests = fileURLToPath(new URL('..', import.meta.url));
  expect(folders(tests).sort()).toEqual([...folders(root), 'architecture', 'support', 'system'].sort());
  const empty = folders(root).filter(
    (folder) => !readdirSync(`${tests}/${folder}`).some((file) => file.endsWith('.test.ts')),
  );
  expect(empty).toEqual([]);
});

test('the documented docker run passes every variable that shows a pipeline, and the guard of the token', () => {
  const lists = readFileSync(`${root}/operations/unkept-state.ts`, 'utf8');
  const pipelines = /PIPELINES = \[(.*)\]/.exec(lists)?.[1]?.match(/\w+/g) ?? [];
  expect(pipelines).toContain('CI');
  for (const page of ['docs/releases.md', 'Dockerfile']) {
    const [line = ''] = /docker run (?:.*\\\n)*.*/.exec(readFileSync(`${root}/../${page}`, 'utf8')) ?? [];
    const passed = Array.from(line.matchAll(/-e (\w+)/g), ([, name]) => name);
    expect(passed).toEqual([...pipelines, 'CAMPAIGNCTL_ENV', 'CAMPAIGNCTL_ORIGINS', 'CAMPAIGNS_TOKEN']);
  }
});

test('the codes of a plan are those that the planner, the sections and the rules use', () => {
  const planning = sources.filter(({ file }) => /^(plan|sections)\//.test(file)).map(({ text }) => text);
  const isUsed = (code: string) => planning.some((text) => new RegExp(`\\b${code}\\b`).test(text));
  expect(PLANNER_CODES.filter((code) => !isUsed(code))).toEqual([]);
  expect([...new Set(RULES.map(({ code }) => code))].sort()).toEqual([...RULE_CODES].sort());
});
