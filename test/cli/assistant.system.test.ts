/** The texts that `init --agent` writes for coding assistants. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../../src/cli/commands.js';
import { optionIn, optionsOf, parseLine } from '../../src/cli/parser.js';
import { withProject } from '../support/project.js';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const TEXTS = { agents: read('examples/assistant/AGENTS.md'), skill: read('examples/assistant/SKILL.md') };

/** The sections of the skill by their headings. */
const SECTIONS = Object.fromEntries(
  TEXTS.skill.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section]),
);
const section = (name: string) => SECTIONS[name] ?? '';
const words = (line: string) => [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);

/** The commands that the skill allows, without the comments and the name of the program. */
const ALLOWED = (/```sh\n([\s\S]*?)```/.exec(section('Commands'))?.[1] ?? '')
  .trim()
  .split('\n')
  .map((line) => line.replace(/ +# .*$/, '').replace('campaignctl ', ''));
const named = (text: string) => [
  ...new Set([...text.matchAll(/`campaignctl (\w+)/g)].map(([, name = '']) => name)),
];
const NEVER = ['apply', 'pause', 'import', 'forget', 'state', 'unlock', 'comment'];

test('the skill has the front matter of agent skills', () => {
  const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(TEXTS.skill) ?? [];
  expect(parse(front)).toEqual({ name: 'campaignctl', description: expect.stringMatching(/^.{100,1000}$/) });
});

describe('each command', () => {
  const lines = Object.values(TEXTS).flatMap((text) =>
    [...text.matchAll(/`campaignctl ([^`]+)`/g)].map(([, line = '']) => line),
  );
  test.each([...new Set([...lines, ...ALLOWED])])('campaignctl %s exists', (line) => {
    const [name = '', ...rest] = words(line.replace(/ > \S+$/, ''));
    if (rest.length === 0) expect(Object.keys(COMMANDS)).toContain(name);
    else expect(parseLine([name, ...rest], 80)).toMatchObject({ name });
  });

  test('is either allowed or forbidden, except for those that no task needs', () => {
    const allowed = new Set(ALLOWED.map((line) => line.split(' ')[0]));
    expect(named(section('Never')).toSorted()).toEqual(NEVER.toSorted());
    const others = Object.keys(COMMANDS).filter((name) => !allowed.has(name) && !NEVER.includes(name));
    expect(others).toEqual(['show', 'sandbox', 'completion']);
  });

  test('that is allowed changes neither the service nor the state', () =>
    withProject(
      {
        environment: '  staging: { sandbox: {} }\n',
        files: {
          'campaigns/spring.yaml': 'name: Spring installers\nsettings: { max_emails_per_day: 100 }\n',
          'leads.csv': 'FIRST_NAME\nAnna\n',
        },
      },
      async ({ run, exits, edit, folder, service }) => {
        await exits(0, 'apply --env production --yes');
        await edit('campaigns/spring.yaml', '100', '300');
        const kept = async () => {
          const files = await readdir(join(folder, '.campaignctl'), { recursive: true, withFileTypes: true });
          const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
          return Promise.all(paths.toSorted().map(async (path) => [path, await readFile(path, 'utf8')]));
        };
        const before = await kept();
        const writes = service.writes().length;
        for (const line of ALLOWED) {
          const { code, err } = await run('', ...words(line.replace(/ > \S+$/, '')));
          expect([line, code, err]).toEqual([line, 0, expect.any(String)]);
          expect([line, service.writes().length, await kept()]).toEqual([line, writes, before]);
        }
      },
    ));
});

test.each(Object.entries(TEXTS))('the text of %s names everything that is forbidden', (_, text) => {
  expect(NEVER.filter((name) => !named(text).includes(name))).toEqual([]);
  const options = ['allow', 'yes'];
  expect(options.filter((name) => !text.includes(`\`--${name}\``))).toEqual([]);
  expect(options.filter((name) => optionIn(optionsOf('apply'), name) === undefined)).toEqual([]);
  const keys = [
    ...[
      'allow',
      'waive',
      'lint',
      'policies',
      'capacity',
      'require_applied',
      'limits',
      'on_removal',
      'service',
    ],
    ...['id', 'state', 'base_url', 'token_env', 'workspace', 'insecure_http'],
  ];
  expect(keys.filter((key) => !text.includes(`\`${key}:\``))).toEqual([]);
  const schemas = ['project', 'campaign'].map((name) => read(`schemas/${name}.schema.json`)).join('');
  expect(keys.filter((key) => !schemas.includes(`"${key}": {`))).toEqual([]);
  for (const word of ['`.campaignctl/`', '`status: running`', 'token']) expect(text).toContain(word);
});

test('the manifests in the skill are valid, and the second replaces the first', () =>
  withProject(
    { environment: '    custom_variables: [FIRST_NAME, COMPANY]\n    lead_lists: { installers: 77 }\n' },
    async ({ write, exits, plan }) => {
      const blocks = [...TEXTS.skill.matchAll(/^( *)```yaml\n([\s\S]*?)```/gm)];
      const [manifest = '', succession = ''] = blocks.map(([, indent, text = '']) =>
        text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      );
      await write({ 'campaigns/autumn.yaml': manifest });
      expect((await exits(0, 'validate')).out).toBe('1 manifest valid.\n');
      await exits(0, 'apply --yes');
      await write({ 'campaigns/autumn.yaml': manifest.replace(/^name: .*\n/m, succession) });
      expect((await plan()).campaigns).toMatchObject([
        { name: 'Autumn installers 2', action: 'create', replaces: { name: 'Autumn installers' } },
      ]);
    },
  ));

/** Ten requests that a person might make: what the skill tells an assistant to use, and what it forbids for them. */
const TASKS: [task: string, used: string[], forbidden: string[]][] = [
  ['Raise the cap', ['validate', 'plan', 'max_emails_per_day'], ['waive:', 'policies:', 'capacity:']],
  ['Add a variant', ['preview', 'plan', 'variants:', 'replaces:'], ['without `replaces:`']],
  ['Change the copy of a running campaign', ['list', 'preview', 'plan', 'replaces:'], ['campaignctl apply']],
  ['New segment', ['validate', 'plan', 'status: paused'], ['id:', 'replaces:', 'shared-leads']],
  ['Stop everything now', ['pause --all --unmanaged', 'status: paused'], ['campaignctl pause']],
  [
    'Why is my plan blocked',
    ['plan --env production --json', 'explain CODE'],
    ['--allow', 'allow:', 'lint:'],
  ],
  ['Add a client', ['init clients/acme', 'validate'], ['token', 'base_url:', 'workspace:']],
  ['Approve the launch', ['a person approves it'], ['--allow', 'allow:', 'campaignctl apply', 'merge']],
  [
    'Clean up the state',
    ['list', 'history', 'A person decides'],
    ['campaignctl forget', 'campaignctl state', 'campaignctl unlock', '.campaignctl/'],
  ],
  ['Rename a campaign', ['in the web app', 'plan'], ['id:', 'rename']],
];

test.each(TASKS)('the task "%s" has what to do and what not to do', (task, used, forbidden) => {
  const rows = section('Tasks')
    .split('\n')
    .filter((line) => line.startsWith(`| ${task}`));
  expect(rows).toHaveLength(1);
  const [, , done = '', not = ''] =
    rows[0]?.split(' | ').flatMap((cell, at) => (at === 0 ? ['', cell] : cell)) ?? [];
  expect(used.filter((word) => !done.includes(word))).toEqual([]);
  expect(forbidden.filter((word) => !not.includes(word))).toEqual([]);
  const commands = named(done).filter((name) => !(name === 'pause' && task.startsWith('Stop')));
  expect(commands.filter((name) => !ALLOWED.some((line) => line.startsWith(name)))).toEqual([]);
});
