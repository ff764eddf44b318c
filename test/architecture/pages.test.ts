/** Tables of the pages whose values the program has as well. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { BEHAVIOURS, BRANCH, DEFAULTS, LOCK_TIMEOUT, PRESETS } from '../../src/model/environment.js';
import { EXIT } from '../../src/model/failure.js';
import { isObject, type Json, valueAt } from '../../src/model/json.js';
import { projectSchema } from '../../src/project/schema.js';
import { ROUTES } from '../../src/sandbox/endpoints.js';
import { classifyStatus } from '../../src/sections/sending.js';

const read = (page: string) => readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');

/** The rows of the first table under a heading, by column. */
function table(page: string, heading: string): string[][] {
  const section = read(page).split(new RegExp(`^#+ ${heading}\n`, 'm'))[1] ?? '';
  const [, rows = ''] = /^\|[-|]+\|\n((?:\|.*\|\n)+)/m.exec(section) ?? [];
  return rows
    .trim()
    .split('\n')
    .map((row) => row.slice(2, -2).split(' | '));
}

const words = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, word = '']) => word);

test('the page about the service lists the endpoints', () => {
  const listed = table('service', 'What campaignctl sends').map(([request = '']) => words(request)[0]);
  expect(listed.toSorted()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted());
  expect(listed).toHaveLength(14);
});

test('the page about the service lists the words for a status', () => {
  const [, text = ''] =
    /^## Words for a status\n\n([\s\S]*?) Case does not matter/m.exec(read('service')) ?? [];
  const listed = Array.from(text.matchAll(/(\w+):\s([^.]+)\./g), ([, meaning = '', list = '']) =>
    list.split(/,\s/).map((word) => [word.replace(/\s/g, ' '), meaning.toLowerCase()]),
  ).flat();
  const { statuses } = DEFAULTS.service;
  expect(listed).toEqual(
    listed.map(([word = '']) => [word, classifyStatus(word.toUpperCase(), { ...statuses } as never)]),
  );
  const source = readFileSync(new URL('../../src/sections/sending.ts', import.meta.url), 'utf8');
  const [, known = ''] = /^const WORDS: StatusWords = \{\n([\s\S]*?)^\};/m.exec(source) ?? [];
  expect(listed.map(([word]) => word)).toEqual(Array.from(known.matchAll(/'([^']+)'/g), ([, word]) => word));
});

test('the page about the service lists the keys of service with their values and defaults', () => {
  const rows = table('service', 'Settings under `service:`').map(([key = '', values = '']) => [
    words(key)[0],
    values,
  ]);
  expect(rows.map(([key]) => key).toSorted()).toEqual(Object.keys(DEFAULTS.service).toSorted());
  for (const [key, values] of Object.entries(BEHAVIOURS)) {
    const [first, ...others] = values.map((value) => `\`${value}\``);
    const cell = [`${first} (default)`, ...others].toSorted();
    const shown = rows.find(([name]) => name === key)?.[1] ?? '';
    expect(shown.split(', ').toSorted(), key).toEqual(cell);
  }
});

test('the page about the service lists the values of the preset', () => {
  const rows = table('service', 'A preset').map(([key = '', value = '']) => [words(key)[0], words(value)]);
  const values = Object.entries(PRESETS.emailbison).map(([key, value]) => [key, [value].flat()]);
  expect(rows).toEqual(values);
});

test('the page about teams lists the keys of state with their defaults and limits', () => {
  const rows = table('team', 'What the state is').map(([key = '', meaning = '', standard = '']) => ({
    key: words(key)[0],
    meaning,
    standard: words(standard)[0] ?? standard,
  }));
  const keys = valueAt(projectSchema as Json, ['definitions', 'state', 'properties']);
  expect(['backend', ...rows.map(({ key }) => key)].toSorted()).toEqual(
    Object.keys(isObject(keys) ? keys : {}).toSorted(),
  );
  const standard = Object.fromEntries(rows.map((row) => [row.key, row.standard]));
  expect(standard).toMatchObject({
    path: DEFAULTS.state.path,
    remote: BRANCH.remote,
    branch: BRANCH.branch,
    lease: String(BRANCH.lease),
  });
  const { minimum, maximum } = Object(isObject(keys) ? keys.lease : null);
  expect(rows.find(({ key }) => key === 'lease')?.meaning).toContain(`${minimum} to ${maximum}.`);
  expect(read('team')).toContain(`\`--lock-timeout\` seconds (default: ${LOCK_TIMEOUT})`);
});

test('the page about commands lists the exit codes', () => {
  expect(table('commands', 'Exit codes').map(([code]) => Number(code))).toEqual(Object.values(EXIT));
});

test('the page about commands names each command that has an output format', () => {
  const [, sentence = ''] = /sets the output format: ([\s\S]*?)\n- /.exec(read('commands')) ?? [];
  const formatted = Object.entries(COMMANDS).flatMap(([name, { options }]) =>
    'format' in options ? [name] : [],
  );
  expect(formatted.filter((name) => !words(sentence).includes(name))).toEqual([]);
});

test('the page about the configuration states the default number of concurrent requests', () => {
  const row = table('configuration', 'Configuration').find(([what]) => what === 'concurrent requests');
  expect(row?.at(-1)).toBe(String(DEFAULTS.limits.parallelism));
});

test('the page about the configuration lists the keys that defaults does not accept', () => {
  const keys = (...path: string[]) => Object.keys(Object(valueAt(projectSchema as Json, path)));
  const [, listed = ''] = /every key of an environment except ([^.]+)\./.exec(read('configuration')) ?? [];
  const environment = keys('properties', 'environments', 'additionalProperties', 'properties');
  const defaults = keys('properties', 'defaults', 'properties');
  expect(defaults.length).toBeGreaterThan(5);
  expect(words(listed).toSorted()).toEqual(environment.filter((key) => !defaults.includes(key)).toSorted());
});
