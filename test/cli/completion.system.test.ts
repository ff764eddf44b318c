import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS, type Command } from '../../src/cli/commands.js';
import { complete, offerFor } from '../../src/cli/complete.js';
import { COMMON, yargsOptions } from '../../src/cli/options.js';
import { bashWord, readTypedLine } from '../../src/cli/typed-line.js';
import { systemClock } from '../../src/service/clock.js';
import { command, runProgram, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';

const PROJECT = {
  'campaignctl.yaml': `version: 1
manifests: ['c/*.yaml']
default_environment: sandbox
environments:
  sandbox: { sandbox: {} }
  staging: { base_url: 'https://s.example.com', token_env: S_TOKEN, manifests: [c/spring.yaml] }
  production: { base_url: 'https://p.example.com', token_env: P_TOKEN }
`,
  'c/spring.yaml': 'name: Spring\nenvironments: { production: { name: Spring live } }\n',
  'c/all.yaml': 'for_each: [{ city: Paris }, { city: Lyon }]\nname: Fair ${{ city }}\nstatus: runing\n',
  'c/broken.yaml': 'name: [broken\n',
  'other/campaignctl.yaml': 'version: 1\nmanifests: [a.yaml]\nenvironments: { home: { sandbox: {} } }\n',
  'other/a.yaml': 'name: Elsewhere\n',
};

const worldIn = (cwd: string, env: Record<string, string> = {}) => ({
  cwd,
  env,
  now: () => 0,
  clock: systemClock,
  err: (text: string) => expect(text).toBe(''),
});

async function offered(folder: string, line: string, env: Record<string, string> = {}): Promise<string[]> {
  const [kind = '', ...lines] = (await complete(['zsh', line], worldIn(folder, env))).trimEnd().split('\n');
  return kind === 'words' || kind === 'prefix'
    ? lines.map((word) => word.split('\t')[0] ?? '')
    : [`<${kind}>`];
}

const SPRING = ['Spring', 'Spring live'];
const ALL = ['Fair Paris', 'Fair Lyon', ...SPRING];
const ENVIRONMENTS = ['sandbox', 'staging', 'production'];

const TABLE: [line: string, offered: string[]][] = [
  ['pau', ['pause']],
  ['help pau', ['pause']],
  ['help plan ', []],
  ['plan --env ', ENVIRONMENTS],
  ['plan --env=pro', ['--env=production']],
  ['-e ', ENVIRONMENTS],
  ['plan --require-applied st', ['staging']],
  ['compare ', ENVIRONMENTS],
  ['compare staging p', ['production']],
  ['compare staging production ', ['<files>']],
  ['plan -t ', ALL],
  ['plan --target=Fair', ['--target=Fair Paris', '--target=Fair Lyon']],
  ['plan -t !Sp', ['!Spring', '!Spring live']],
  ['plan -e staging -t ', SPRING],
  ['plan --env=staging -t ', SPRING],
  ['plan -e nowhere -t ', []],
  ['pause ', ALL],
  ['pause Spring --all S', SPRING],
  ['pause -- F', ['Fair Paris', 'Fair Lyon']],
  ['pause -- --a', []],
  ['import ', []],
  ['import --update Sp', SPRING],
  ['apply --allow at', ['attach-running']],
  ['apply --allow lau', ['launch', 'launch=']],
  ['apply --allow launch=S', ['launch=Spring', 'launch=Spring live']],
  ['apply --hold ', ['launch', 'launch=']],
  ['plan --hold launch=F', ['launch=Fair Paris', 'launch=Fair Lyon']],
  ['explain attach-r', ['attach-running']],
  ['plan --format ', ['text', 'json', 'markdown', 'html']],
  ['validate -f ', ['text', 'json', 'github', 'sarif', 'junit']],
  ['init --ci ', ['github', 'gitlab']],
  ['init ', ['<folders>']],
  ['state ', ['migrate', 'rebase']],
  ['unlock --y', ['--yes']],
  ['plan -y --detailed', ['--detailed-exitcode']],
  ['plan --drift --dr', []],
  ['show ', ['<files>']],
  ['comment ', ['<files>']],
  ['validate ', ['<files>']],
  ['plan a.yaml ', ['<files>']],
  ['apply --plan ', ['<files>']],
  ['apply --plan=', ['<files>']],
  ['--config ', ['<files>']],
  ['plan -C ', ['<folders>']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['completion bash z', []],
  ['-C other plan -t ', ['Elsewhere']],
  ['plan --config=other/campaignctl.yaml -e ', ['home']],
  ['nonsense ', Object.keys(COMMANDS)],
];

test.each(TABLE)('after %j come %j', (line, words) =>
  withFolder(async (folder) => {
    await writeFiles(folder, PROJECT);
    expect(await offered(folder, `campaignctl ${line}`)).toEqual(words);
  }),
);

test('CAMPAIGNCTL_ENV selects the environment of the names', () =>
  withFolder(async (folder) => {
    await writeFiles(folder, PROJECT);
    expect(await offered(folder, 'campaignctl pause ', { CAMPAIGNCTL_ENV: 'staging' })).toEqual(SPRING);
    expect(await offered(folder, 'campaignctl pause ', { CAMPAIGNCTL_ENV: '' })).toEqual([]);
  }));

test('campaigns and runs of a state on this machine are offered, those of a branch are not asked for', () =>
  withFolder(async (folder) => {
    const files = { ...PROJECT, 'c/all.yaml': 'name: Fair\n', 'c/broken.yaml': 'name: Broken\n' };
    await writeFiles(folder, files);
    await command(folder, ['apply', '--yes', '-e', 'sandbox', '-t', 'Spring'], {});
    expect(await offered(folder, 'campaignctl forget ')).toEqual(['Spring']);
    expect(await offered(folder, 'campaignctl history ')).toEqual([expect.stringMatching(/^\d{8}T/)]);
    expect(await offered(folder, 'campaignctl history -e staging ')).toEqual([]);
    const branch = `${PROJECT['campaignctl.yaml']}state: { backend: git, remote: ${join(folder, 'nowhere')} }\n`;
    await writeFiles(folder, { 'campaignctl.yaml': branch });
    expect(await offered(folder, 'campaignctl history -e staging ')).toEqual([]);
    expect(await offered(folder, 'campaignctl forget -e staging ')).toEqual(SPRING);
  }));

test.each([
  ['no project', {}],
  ['a broken project file', { 'campaignctl.yaml': 'version: [\n' }],
  ['a wrong project file', { 'campaignctl.yaml': 'version: 2\n' }],
  ['a folder as project file', { 'campaignctl.yaml/x': '' }],
  ['a broken state', { ...PROJECT, '.campaignctl/state/sandbox/1.json': '{' }],
])('completion is silent with %s', (_, files: Record<string, string>) =>
  withFolder(async (folder) => {
    await writeFiles(folder, files);
    for (const line of [
      'plan --env ',
      'pause ',
      'forget ',
      'history ',
      'apply --allow launch=',
      'plan -e x -t ',
    ])
      for (const shell of ['bash', 'zsh', 'fish', ''])
        expect(await complete([shell, `campaignctl ${line}zzz`, ' =:'], worldIn(folder))).toBe('words\n');
  }),
);

test('names with control characters or a token are not offered', () =>
  withFolder(async (folder) => {
    const token = 'secret-token-1';
    const files = {
      'c/all.yaml': `name: "A\\tB"\n---\nname: "A ${token}"\n---\nname: "A\\u001b[2J"\n---\nname: A\n`,
    };
    await writeFiles(folder, { ...PROJECT, ...files });
    expect(await offered(folder, 'campaignctl pause A', { S_TOKEN: token })).toEqual(['A']);
  }));

test('the hidden command line writes its words and nothing else', async () => {
  expect(await runProgram(['--complete', 'bash', 'campaignctl state m', ''])).toEqual({
    ...{ code: 0, out: 'words\nmigrate\n', err: '' },
  });
  expect(await runProgram(['--complete'])).toMatchObject({ code: 0, err: '' });
});

test('every option that takes a value, and every argument, completes something or is free text', async () => {
  const free = [
    'marker',
    'next',
    'number',
    'page',
    'shard',
    'parallelism',
    'lock-timeout',
    'port',
    'row',
    'fault',
    'from',
  ];
  const silent: string[] = [];
  for (const [name, { options, positionals }] of Object.entries<Command>(COMMANDS))
    for (const [option, { type, choices, completes }] of Object.entries(
      yargsOptions({ ...COMMON, ...options, ...positionals }),
    ))
      if (type !== 'boolean' && choices === undefined && completes === undefined)
        silent.push(`${name} ${option}`);
  expect(silent.filter((word) => !free.includes(word.split(' ')[1] ?? '')).sort()).toEqual([]);
});

test.each(['bash', 'zsh', 'fish'])('completion names the shell %s or takes it from $SHELL', async (shell) => {
  const { out } = await command('.', ['completion', shell], {});
  expect(out).toContain(`--complete ${shell}`);
  expect((await command('.', ['completion'], { SHELL: `/usr/bin/${shell}` })).out).toBe(out);
});

test('completion says which shells it knows, and has a help', async () => {
  expect(await command('.', ['completion'], { SHELL: '/bin/tcsh' })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/tcsh[\s\S]*campaignctl completion bash\|zsh\|fish/),
  });
  expect((await command('.', ['completion', '--help'])).out).toContain('Print a completion script');
});

test.each([
  ['campaignctl plan ', { words: ['campaignctl', 'plan'], current: '', quote: '', kept: 0 }],
  ['campaignctl "a b" c', { words: ['campaignctl', 'a b'], current: 'c' }],
  ['x "a \\"b', { current: 'a "b', quote: '"', kept: 0 }],
  ["x 'a \\b", { current: 'a \\b', quote: "'" }],
  ['x a\\ b\\', { current: 'a b', quote: '' }],
  ['x --env=st', { current: '--env=st', kept: 6 }],
  ['x launch="Spr', { current: 'launch=Spr', quote: '"', kept: 7 }],
  ['x a\\:b', { current: 'a:b', kept: 0 }],
  ['x ""', { words: ['x'], current: '' }],
  ['', { words: [], current: '' }],
])('%j is read as a shell reads it', (text, line) => {
  expect(readTypedLine(text, '=:')).toMatchObject(line);
});

test('a word that bash inserts is read as that word', () => {
  for (const word of [`It's "$5" \`new\``, 'Größe ✓ 👍', '~a*b?[c]{d}(e)|f&g;h<i>j#k!l', '\\', 'a=b:c'])
    for (const [before, after] of [
      ['', ''],
      ['"', '"'],
      ["'", "'"],
    ] as const) {
      const line = readTypedLine(`campaignctl ${before}`);
      expect(readTypedLine(`campaignctl ${before}${bashWord(word, line)}${after}`).current).toBe(word);
    }
});

test('completion does not need the pages that explain codes', async () => {
  const offer = await offerFor(readTypedLine('campaignctl plan --'), worldIn('.'));
  expect(offer).toMatchObject({ kind: 'words' });
  expect(readFileSync('src/cli/complete.ts', 'utf8')).not.toMatch(/from '\.\/commands\//);
});
