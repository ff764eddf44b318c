import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { ended } from '../support/ended.js';
import { faultsOf } from '../support/schema.js';

/** Every command that scripts read prints exactly one JSON value with --format json, as its schema says, whether it succeeds or fails. */

const PROGRAM = fileURLToPath(new URL('../../dist/campaignctl.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'campaignctl-'));

/** A line of each command, in a project that was applied and planned, its exit code and its schema. */
const LINES: readonly [line: string, code: number, schema: string][] = [
  ['init other', 0, 'command'],
  ['init .', 1, 'error'],
  ['list', 0, 'list'],
  ['validate', 0, 'findings'],
  ['compare sandbox staging', 0, 'compare'],
  ['plan', 0, 'plan'],
  ['apply --yes', 0, 'apply'],
  ['show plan.json', 0, 'plan'],
  ['preview --leads 20', 0, 'calendars'],
  ['comment plan.json --platform gitlab', 1, 'error'],
  ['history', 0, 'runs'],
  ['forget Winter --yes', 1, 'error'],
  ['forget 1 --yes', 0, 'command'],
  ['state migrate --to file', 0, 'command'],
  ['state migrate', 1, 'error'],
  ['unlock', 0, 'command'],
  ['unlock --env other', 1, 'error'],
  ['config', 0, 'config'],
  ['sandbox --fault nonsense', 1, 'error'],
  ['explain', 0, 'explanations'],
  ['explain launch', 0, 'explanations'],
  ['explain no-such-code', 1, 'error'],
  ['completion zsh', 0, 'command'],
  ['version', 0, 'command'],
];

beforeAll(async () => {
  await ended(['init', folder]);
  writeFileSync(
    join(folder, 'campaignctl.yaml'),
    `version: 1
manifests: [campaigns/*.yaml]
default_environment: sandbox
environments:
  sandbox: { sandbox: {}, lead_lists: { installers: 2 }, custom_variables: [FIRST_NAME, COMPANY] }
  staging: { base_url: https://staging.example.com, token_env: STAGING_TOKEN, lead_lists: { installers: 3 }, custom_variables: [FIRST_NAME, COMPANY] }
`,
  );
  const applied = await ended(['-C', folder, 'apply', '--yes']);
  expect([applied.code, applied.err]).toEqual([0, expect.any(String)]);
  await ended(['-C', folder, 'plan', '--out', 'plan.json']);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('there is a line for each command that has --format json', () => {
  const tried = new Set(LINES.map(([line]) => line.split(' ')[0]));
  expect([...tried].sort()).toEqual(
    COMMANDS.map(({ name }) => name)
      .filter((name) => !['import', 'probe'].includes(name))
      .sort(),
  );
});

test.each(LINES)('%s --format json ends with %i and prints one value', async (line, code, schema) => {
  for (const json of [['--format', 'json'], ['--json']]) {
    const argv = [...line.split(' '), ...json];
    const { code: ending, out, err } = await ended(['-C', folder, ...argv]);
    expect(faultsOf(schema, out), out.slice(0, 2000)).toEqual([]);
    expect([ending, code === 0 || err !== '']).toEqual([code, true]);
    if (line.startsWith('init other') || line.startsWith('forget 1')) return;
  }
});

test('each command refuses an unknown option with one value', async () => {
  for (const { name } of COMMANDS) {
    const { code, out } = await ended([name, '--format', 'json', '--nonsense']);
    expect([code, faultsOf('error', out)]).toEqual([1, []]);
  }
});

test('the sandbox prints where it listens, and its requests elsewhere', async () => {
  const served = spawn(process.execPath, [PROGRAM, 'sandbox', '--json'], { cwd: folder });
  let [out, err] = ['', ''];
  served.stdout.on('data', (more) => (out += more));
  served.stderr.on('data', (more) => (err += more));
  await expect.poll(() => err, { timeout: 20_000 }).toContain('Ctrl-C');
  await fetch(new URL('api/campaigns', `${JSON.parse(out).url}/`), {
    headers: { authorization: 'Bearer x' },
  });
  served.kill('SIGINT');
  await once(served, 'close');
  expect(faultsOf('command', out)).toEqual([]);
  expect(err).toContain('/api/campaigns  200');
});
