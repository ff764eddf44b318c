import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readProject, selectEnvironment } from '../../src/project/project.js';
import { readCases } from '../support/cases.js';
import { failureOf } from '../support/failure.js';
import { folder } from '../support/folder.js';

const whole = `version: 1
manifests: [campaigns/**/*.yaml]
default_environment: sandbox
environments:
  sandbox: { sandbox: {} }
  production:
    base_url: https://send.example.com/
    token_env: CAMPAIGNS_TOKEN
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers-fr: 77 }
    schedule_templates: { office-hours: 3 }
    workspace: { campaign_id: 42, name: Spring }
    allow: [launch]
    limits: { parallelism: 4, requests_per_minute: 600 }
    state: { backend: file, path: state }
    service:
      variant_reference: order
      schedule_repost: refuse
      sequence_repost: append
      attach_repeat: safe
      statuses: { running: [active], stopped: [draft, paused] }
lint: { variable-case: error, liquid: off }
`;

test('a project is found from a folder below it, with every default filled in', async () => {
  const root = folder({ 'campaignctl.yaml': whole, 'campaigns/fr/readme.txt': '' });
  const project = await readProject({ cwd: join(root, 'campaigns/fr'), config: null });
  const { text, config, ...rest } = project;
  expect([rest.root, text, config]).toEqual([root, whole, parse(whole)]);
  await expect(stringify({ ...rest, root: 'ROOT' }, { aliasDuplicateObjects: false })).toMatchFileSnapshot(
    'golden/project.txt',
  );
});

test('--config names another file; its folder is then the root', async () => {
  const root = folder({ 'campaignctl.yaml': 'version: 2\n', 'other/project.yaml': whole });
  const project = await readProject({ cwd: root, config: 'other/project.yaml' });
  expect([project.root, project.file]).toEqual([join(root, 'other'), 'project.yaml']);
});

test('a missing or unreadable project file is an error with a fix', async () => {
  const root = folder({ 'notes.txt': '', 'latin.yaml': new Uint8Array([0x61, 0xe9]) });
  const seen = async (config: string | null) => {
    const { code, message, hint } = await failureOf(readProject({ cwd: root, config }));
    return [code, message, hint];
  };
  expect(await seen(null)).toEqual([
    'no-project',
    expect.stringContaining('campaignctl.yaml'),
    expect.stringMatching(/`campaignctl init`, .* --config\.$/),
  ]);
  expect(await seen('production.yaml')).toEqual([
    'file-not-found',
    expect.stringContaining('"production.yaml"'),
    expect.stringMatching(/--config, .* `campaignctl init`\.$/),
  ]);
  expect((await seen('.'))[0]).toBe('file-unreadable');
  expect((await seen('latin.yaml'))[0]).toBe('file-not-utf8');
});

const environment = (lines: string) =>
  `version: 1\nmanifests: ['*.yaml']\nenvironments:\n  production:\n${lines}`;
const rest = '    token_env: TOKEN\n';

test('a project file with errors is refused with all of them, each with a fix', async () => {
  const lines: string[] = [];
  for (const [title, text] of readCases(import.meta.dirname, 'errors')) {
    const failed = await failureOf(readProject({ cwd: folder({ 'campaignctl.yaml': text }), config: null }));
    expect(failed.code).toBe('invalid-project');
    lines.push(`# ${title}`);
    for (const { line, column, code, message, hint } of failed.findings)
      lines.push(`${line}:${column} ${code}`, message, hint ?? '');
    lines.push('');
  }
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/errors.txt');
});

test('a token that is glued to its key is not shown', async () => {
  const line = '  production: { base_url: https://send.example.com, token_env:12|abcdefghijklmnop }';
  const text = `version: 1\nmanifests: ['*.yaml']\nenvironments:\n${line}\n`;
  const failed = await failureOf(readProject({ cwd: folder({ 'campaignctl.yaml': text }), config: null }));
  expect(failed.findings.map(({ excerpt }) => excerpt)).toEqual([
    '  production: { base_url: https://send.example.com, …',
  ]);
});

test.each([
  'http://localhost:8080',
  'http://127.0.0.1:8080/service',
  'http://[::1]:8080',
  'https://send.example.com/v1',
])('%s is a valid address', async (url) => {
  const root = folder({ 'campaignctl.yaml': environment(`    base_url: "${url}/"\n${rest}`) });
  expect((await readProject({ cwd: root, config: null })).environments.production?.base_url).toBe(url);
});

test.each([
  ['a token as token_env', '    base_url: https://send.example.com\n    token_env: 12|s3cr3tValue\n'],
  [
    'a hexadecimal token as token_env',
    '    base_url: https://send.example.com\n    token_env: s3cr3tValue0123456789abcdef\n',
  ],
  ['a token of its own', `    base_url: https://send.example.com\n    token: s3cr3tValue\n${rest}`],
  ['all on one line', `    { base_url: https://send.example.com, token: s3cr3tValue, allow: [lanch] }\n`],
  ['a password in the address', `    base_url: https://me:s3cr3tValue@send.example.com\n${rest}`],
])('a secret in the file is an error that does not repeat it: %s', async (_, lines) => {
  const root = folder({ 'campaignctl.yaml': environment(lines) });
  const failed = await failureOf(readProject({ cwd: root, config: null }));
  expect(failed.findings.map(({ code }) => code)).toContain('secret-in-file');
  expect(JSON.stringify([failed.message, failed.hint, failed.findings])).not.toContain('s3cr3t');
});

test('the environment is the requested one, otherwise the default, otherwise the only one', async () => {
  const root = folder({
    'campaignctl.yaml': whole,
    'several.yaml': whole.replace('default_environment: sandbox\n', ''),
    'one.yaml': environment('    sandbox: {}\n'),
  });
  const selected = async (config: string, requested: string | null) =>
    selectEnvironment(await readProject({ cwd: root, config }), requested).name;
  expect(await selected('campaignctl.yaml', 'production')).toBe('production');
  expect(await selected('campaignctl.yaml', null)).toBe('sandbox');
  expect(await selected('one.yaml', null)).toBe('production');
  const several = await failureOf(selected('several.yaml', null));
  expect([several.code, several.message]).toEqual([
    'environment-required',
    expect.stringContaining(': sandbox, production.'),
  ]);
  const misspelt = await failureOf(selected('campaignctl.yaml', 'prodution'));
  expect([misspelt.code, misspelt.hint]).toEqual(['unknown-environment', 'Did you mean "production"?']);
  expect((await failureOf(selected('campaignctl.yaml', 'constructor'))).code).toBe('unknown-environment');
});

test('top-level keys of the state apply to every environment, key by key', async () => {
  const root = folder({
    'campaignctl.yaml': `version: 1
manifests: [a.yaml]
state: { backend: git, lease: 300 }
environments:
  staging: { base_url: https://send.example.com, token_env: STAGING }
  production:
    { base_url: https://send.example.com, token_env: PRODUCTION, state: { remote: upstream, lease: 60 } }
  local: { sandbox: {}, state: { backend: file } }
`,
  });
  const { environments } = await readProject({ cwd: root, config: null });
  const shared = { backend: 'git', path: '.campaignctl/state', branch: 'campaignctl' };
  expect(Object.values(environments).map(({ state }) => state)).toEqual([
    { ...shared, remote: 'origin', lease: 300 },
    { ...shared, remote: 'upstream', lease: 60 },
    { backend: 'file', path: '.campaignctl/state' },
  ]);
});

test.each([
  'http://ada:letmein@git.example.com/x.git',
  'https://letmein@git.example.com/x.git',
  'https://git.example.com/x.git?private_token=letmein',
  'ssh://ada:letmein@git.example.com/x.git',
  'ada:letmein@git.example.com:x.git',
  'http::http://ada:letmein@git.example.com/x.git',
])('a remote with credentials (%s) is refused and not repeated', async (remote) => {
  const state = `state: { backend: git, remote: '${remote}', branch: b, nope: 1 }`;
  const texts = [
    `${state}\nenvironments: { live: { sandbox: {} } }`,
    `environments: { live: { sandbox: {}, ${state} } }`,
  ];
  for (const text of texts) {
    const cwd = folder({ 'campaignctl.yaml': `version: 1\nmanifests: [a.yaml]\n${text}\n` });
    const refused = await failureOf(readProject({ cwd, config: null }));
    expect(refused.findings.map(({ code }) => code)).toContain('secret-in-file');
    expect(JSON.stringify([refused, refused.message, refused.findings])).not.toContain('letmein');
  }
});

test.each(['git@git.example.com:x.git', 'ssh://git@git.example.com/x.git', '../a@b:c/x.git', 'origin'])(
  'a remote without credentials (%s) is accepted',
  async (remote) => {
    const state = `state: { backend: git, remote: '${remote}', branch: b }`;
    const text = `version: 1\nmanifests: [a.yaml]\n${state}\nenvironments: { live: { sandbox: {} } }\n`;
    await readProject({ cwd: folder({ 'campaignctl.yaml': text }), config: null });
  },
);
