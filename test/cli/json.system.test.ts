import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS, type Command } from '../../src/cli/commands.js';
import { runProgram } from '../support/command.js';
import { faultsOf } from '../support/schema.js';

/** With --format json, a command prints exactly one JSON value of its schema, whether it succeeds or fails. */

const folder = mkdtempSync(join(tmpdir(), 'campaignctl-'));

/** Lines of each command with JSON, in a project that was applied and planned, its exit code and its schema. */
const LINES: readonly [line: string, code: number, schema: string][] = [
  ['list', 0, 'list'],
  ['list --recursive', 0, 'projects'],
  ['validate', 0, 'findings'],
  ['plan', 0, 'plan'],
  ['plan --env nowhere', 1, 'error'],
  ['apply --yes', 0, 'apply'],
  ['apply --dry-run', 0, 'plan'],
  ['apply --plan none.json', 1, 'error'],
  ['show plan.json', 0, 'plan'],
  ['show none.json', 1, 'error'],
];

beforeAll(async () => {
  await runProgram(['init', folder]);
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
  const applied = await runProgram(['-C', folder, 'apply', '--yes']);
  expect([applied.code, applied.err]).toEqual([0, expect.any(String)]);
  await runProgram(['-C', folder, 'plan', '--out', 'plan.json']);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('there is a line for each command with --format json', () => {
  const withJson = Object.entries<Command>(COMMANDS).filter(([, { options }]) => 'json' in options);
  const tried = new Set(LINES.map(([line]) => line.split(' ')[0]));
  expect([...tried].sort()).toEqual(withJson.map(([name]) => name).sort());
});

test.each(LINES)('%s --format json ends with %i and prints one value', async (line, code, schema) => {
  for (const json of [['--format', 'json'], ['--json']]) {
    const argv = [...line.split(' '), ...json];
    const { code: ending, out, err } = await runProgram(['-C', folder, ...argv]);
    expect(faultsOf(schema, out), out.slice(0, 2000)).toEqual([]);
    expect([ending, code === 0 || err !== '']).toEqual([code, true]);
  }
});

test('a command line that is refused prints one value', async () => {
  for (const name of Object.keys(COMMANDS))
    for (const json of [['--format', 'json'], ['-f', 'json'], ['--format=json'], ['--json']]) {
      const { code, out } = await runProgram([name, ...json, '--nonsense']);
      expect([code, faultsOf('error', out)]).toEqual([1, []]);
    }
});
