import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS, type Command } from '../../src/cli/commands.js';
import { runProgram, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { SCHEDULE } from '../support/project.js';
import { faultsOf } from '../support/schema.js';

const schema = JSON.parse(readFileSync('schemas/error.schema.json', 'utf8'));
const isReport = new Ajv({ strict: false }).compile(schema);

test.each([
  [['plan', '--json'], 'no-project', 1],
  [['plan', '--format', 'json', '--bogus'], 'usage', 1],
  [['--json', 'pln'], 'usage', 1],
  [['-f', 'json', 'apply', '-auto-approve'], 'usage', 1],
  [['plan', '--json', '--env', ''], 'usage', 1],
  [['plan', '--json', '--quiet=maybe'], 'usage', 1],
  [['show', 'missing.json', '--json'], 'plan-file-unusable', 1],
  [['validate', '--json'], 'no-project', 1],
  [['list', '-f=json'], 'no-project', 1],
])('%j fails with a report on stdout, and says the same on stderr', (argv, code, exit) =>
  withFolder(async (folder) => {
    const { code: ending, out, err } = await runProgram(['-C', folder, ...argv]);
    const report = JSON.parse(out);
    expect(isReport(report) || isReport.errors).toBe(true);
    expect(report).toMatchObject({ version: 1, exit_code: exit, error: { code } });
    expect(ending).toBe(exit);
    expect(err).toContain(report.error.message);
  }),
);

test('without --format json a failure leaves stdout empty', () =>
  withFolder(async (folder) => {
    for (const more of [[], ['--format', 'text'], ['--json=false']])
      expect(await runProgram(['-C', folder, 'plan', ...more])).toMatchObject({ code: 1, out: '' });
  }));

test('findings and refusals are in the report', () =>
  withFolder(async (folder) => {
    await runProgram(['init', folder]);
    const refused = await runProgram(['-C', folder, 'apply', '--json']);
    expect(JSON.parse(refused.out)).toMatchObject({
      exit_code: 3,
      error: { code: 'not-confirmed', findings: [] },
    });
  }));

test('the colour option also applies to errors', async () => {
  expect((await runProgram(['show', 'none.json', '--color', 'always'])).err).toContain('\u001b[');
  expect((await runProgram(['show', 'none.json'])).err).not.toContain('\u001b[');
});

test.each([
  ['pause --all --yes', 1, ['no-token', 'no-token']],
  ['pause Spring Sprign --yes --env sandbox', 4, ['unknown-campaign']],
  ['preview --recursive --env sandbox', 1, ['yaml-syntax', 'invalid-manifests']],
])('--quiet hides no error of a command that goes on after it: %s', (line, exit, codes) =>
  withFolder(async (folder) => {
    const service = '{ base_url: "http://127.0.0.1:1", token_env: TOKEN_OF_NOBODY }';
    const head = 'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  sandbox: { sandbox: {} }\n';
    await writeFiles(folder, {
      'campaignctl.yaml': `${head}  staging: ${service}\n  production: ${service}\n`,
      'campaigns/spring.yaml': `name: Spring\n${SCHEDULE}sequence:\n  title: Spring\n  steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 3 }]\nleads: { ids: [1] }\nstatus: running\n`,
      'client/campaignctl.yaml': head,
      'client/campaigns/spring.yaml': 'name: [\n',
    });
    await runProgram(['-C', folder, 'apply', '--yes', '--allow', 'launch', '--env', 'sandbox']);
    const { code, err } = await runProgram(['-C', folder, ...line.split(' '), '--quiet']);
    expect([code, Array.from(err.matchAll(/\[([a-z-]+)\]/g), ([, found]) => found)]).toEqual([exit, codes]);
  }),
);

/** With --format json, a command prints exactly one JSON value that matches its schema, whether it succeeds or fails. */

const folder = mkdtempSync(join(tmpdir(), 'campaignctl-'));

/** Command lines with JSON output in an applied and planned project, with exit codes and schemas. */
const LINES: readonly [line: string, code: number, schema: string][] = [
  ['list', 0, 'list'],
  ['list --recursive', 0, 'projects'],
  ['validate', 0, 'findings'],
  ['plan', 0, 'plan'],
  ['plan --env nowhere', 1, 'error'],
  ['apply --yes', 0, 'apply'],
  ['apply --dry-run', 0, 'plan'],
  ['apply --plan none.json', 1, 'error'],
  ['compare sandbox staging', 0, 'compare'],
  ['compare sandbox nowhere', 1, 'error'],
  ['history', 0, 'history'],
  ['history nothing', 1, 'error'],
  ['show plan.json', 0, 'plan'],
  ['show none.json', 1, 'error'],
  ['preview --leads leads.csv', 0, 'leads'],
  ['preview --leads none.csv', 1, 'error'],
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
  writeFileSync(join(folder, 'leads.csv'), 'First name\nAnna\n\nBo\n');
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

test('the schemas refuse unknown and missing properties', async () => {
  const { out } = await runProgram(['-C', folder, 'plan', '--json']);
  const { fingerprint, ...unsigned } = JSON.parse(out);
  const plans = [unsigned, { ...unsigned, fingerprint, extra: 1 }, { ...unsigned, fingerprint, version: 2 }];
  expect(plans.filter((plan) => faultsOf('plan', JSON.stringify(plan)).length === 0)).toEqual([]);
});

test('a refused command line prints one value', async () => {
  for (const name of Object.keys(COMMANDS))
    for (const json of [['--format', 'json'], ['-f', 'json'], ['--format=json'], ['--json']]) {
      const { code, out } = await runProgram([name, ...json, '--nonsense']);
      expect([code, faultsOf('error', out)]).toEqual([1, []]);
    }
});

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = readdirSync(join(ROOT, 'src/cli/commands')).map((file) => basename(file, '.ts'));
/** A sentence of the planner. */
const PLANNER = 'Posting the emails again could mail every lead twice.';

/** The modules of commands, and the planner, that V8 reports as loaded. */
function loadedBy(line: string): Promise<string[]> {
  return withFolder(async (folder) => {
    const coverage = join(folder, 'coverage');
    const argv = [join(ROOT, 'dist/campaignctl.cjs'), ...line.split(' ')];
    spawnSync(process.execPath, argv, { cwd: folder, env: { ...process.env, NODE_V8_COVERAGE: coverage } });
    const [report = ''] = readdirSync(coverage);
    const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8'));
    const files = result
      .map(({ url }: { url: string }) => url.replace('file://', ''))
      .filter((file: string) => file.startsWith(join(ROOT, 'dist')));
    expect(files).toContain(argv[0]);
    const names = files.map((file: string) => basename(file).replace(/-[A-Z0-9]{8}\.c?js$/, ''));
    const holdsPlanner = files.some((file: string) => readFileSync(file, 'utf8').includes(PLANNER));
    return [...MODULES.filter((name) => names.includes(name)), ...(holdsPlanner ? ['the planner'] : [])];
  });
}

test.each([
  ['--version', []],
  ['--help', []],
  ['plan --help', []],
  ['plan --nonsense', []],
  ['plan --env=', []],
  ['aply', []],
  ['completion', ['completion']],
  ['explain attach-running', ['explain']],
  ['plan', ['plan', 'the planner']],
  ['unlock --yes', ['unlock']],
  ['history', ['history']],
  ['forget Spring --yes', ['forget']],
  ['state migrate', ['state']],
  ['state rebase --from https://old.example.com', ['state']],
])('%s loads %j', async (line, modules) => {
  expect(await loadedBy(line)).toEqual(modules);
});
