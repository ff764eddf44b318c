import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { gitlab, gitlabJob, has, type Step, text, type Workflow, workflows } from './files.js';
import { openRunner, type Runner } from './runner.js';

/** A fake secret. If its name is in the output of a step, the step saw it. */
const canary = (name: string) => `canary-of-${name}`;
const CANARY = /canary-of-(\w+)/g;

/** Records its arguments and the visible canaries, and responds so that scripts continue. */
const STUB = `#!/bin/bash
{ echo "$(basename "$0") $*"; env; echo =====; } >> "$CANARY_LOG"
case "$(basename "$0") $*" in
  gh*) echo 1 ;;
esac
while [ $# -gt 0 ]; do if [ "$1" = --out ]; then echo '{}' > "$2"; fi; shift; done
`;

let runner: Runner;
let log: string;
let path: string;
beforeEach(() => {
  runner = openRunner();
  const bin = join(dirname(runner.project), 'bin');
  log = join(bin, 'log');
  path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  mkdirSync(bin);
  for (const name of ['npm', 'npx', 'campaignctl', 'git', 'gh']) {
    writeFileSync(join(bin, name), STUB);
    chmodSync(join(bin, name), 0o755);
  }
});
afterEach(() => runner.close());

function seen(): Record<string, string[]> {
  const calls = readFileSync(log, 'utf8')
    .split('=====\n')
    .filter((call) => call !== '');
  const match: Record<string, Set<string>> = {};
  for (const call of calls) {
    const words = (call.split('\n')[0] ?? '').replace('npx --no ', '').split(' ');
    const length = { git: 1, gh: 1, npm: 9 }[words[0] ?? ''] ?? 2;
    const name = words.slice(0, length).join(' ');
    match[name] ??= new Set();
    for (const [, secret = ''] of call.matchAll(CANARY)) match[name].add(secret);
  }
  return Object.fromEntries(Object.entries(match).map(([name, secrets]) => [name, [...secrets].sort()]));
}

/** Files that contain a canary, except for the records of this test. */
function strayed(folder = dirname(runner.project)): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name);
    if (file === log) return [];
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
      return name === 'chunks' ? [] : strayed(file);
    const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
    return isThere && new RegExp(CANARY).test(readFileSync(file, 'utf8')) ? [file] : [];
  });
}

function bash(script: string, folder: string, env: Record<string, string>) {
  const cwd = join(runner.project, folder);
  const input = { PATH: path, HOME: dirname(runner.project), CANARY_LOG: log, ...env };
  const ended = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env: input,
    encoding: 'utf8',
  });
  expect(ended.status, ended.stdout + ended.stderr).toBe(0);
  return ended.stdout + ended.stderr;
}

type Row = Record<string, string>;

/** Evaluates expressions of workflows that concern secrets; all others are empty. */
function filled(values: object | undefined, row: Row): Row {
  const value = (expression: string): string => {
    const [, secret] = /^secrets(?:\.(\w+)|\[matrix\.secret\])$/.exec(expression) ?? [];
    if (expression.startsWith('secrets')) return canary(secret ?? row.secret ?? '');
    if (expression === 'github.token') return canary('GITHUB');
    return expression.startsWith('matrix.') ? (row[expression.slice(7)] ?? '') : '';
  };
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([key, input]) => [
      key,
      String(input).replace(/\$\{\{ *(.*?) *\}\}/g, (_, expression: string) => value(expression)),
    ]),
  );
}

/** Runs a step as GitHub would, and returns its output. */
async function runStep(step: Step, around: Row, row: Row): Promise<string> {
  const env = { ...around, ...filled(step.env, row) };
  if (step.run !== undefined)
    return bash(step.run, step['working-directory'] ?? '.', {
      ...env,
      GITHUB_OUTPUT: join(runner.project, 'output'),
      GITHUB_REPOSITORY: 'acme/mailings',
    });
  if (/^actions\/(attest-build-provenance|upload-artifact)@/.test(step.uses ?? '')) return '';
  if (!step.uses?.includes('/campaignctl@')) {
    expect([step.uses, step.with?.['persist-credentials']]).toEqual([step.uses, false]);
    return '';
  }
  const inputs = { token: canary('GITHUB'), ...filled(step.with, row) };
  const more = { PATH: path, CANARY_LOG: log, GITHUB_EVENT_NAME: 'pull_request' };
  const used = await runner.use(inputs, { ...env, ...more });
  expect(used.failed, used.log).toBeNull();
  return used.log;
}

async function runWorkflow({ env, jobs }: Workflow): Promise<string> {
  let printed = '';
  for (const job of Object.values(jobs)) {
    const rows: Row[] = Object(job).strategy?.matrix?.include ?? [{}];
    for (const row of rows) {
      const around = { ...filled(Object(env), row), ...filled(Object(job.env), row) };
      const steps = job.steps.filter(({ if: condition = '' }) => !condition.includes('exit-code'));
      for (const step of steps) printed += await runStep(step, around, row);
    }
  }
  return printed;
}

const STAGING = 'CAMPAIGNS_TOKEN_STAGING';
const PRODUCTION = 'CAMPAIGNS_TOKEN_PRODUCTION';
describe.skipIf(!has('bash'))('a secret in a pipeline', () => {
  const expected: Record<string, Record<string, string[]>> = {
    'drift.yml': {
      'campaignctl validate': [],
      'campaignctl plan': [PRODUCTION, STAGING, 'GITHUB'],
      'campaignctl list': [PRODUCTION, STAGING, 'GITHUB'],
    },
    'merge.yml': {
      'campaignctl validate': [],
      'campaignctl plan': [PRODUCTION, STAGING, 'GITHUB'],
      'campaignctl show': [],
      'campaignctl comment': ['GITHUB'],
      'campaignctl apply': [PRODUCTION, STAGING, 'GITHUB'],
      gh: ['GITHUB'],
      git: [],
    },
    'pull-request.yml': {
      'campaignctl validate': [],
      'campaignctl plan': [PRODUCTION, STAGING, 'GITHUB'],
      'campaignctl show': [],
      'campaignctl comment': ['GITHUB'],
      git: [],
    },
  };
  it.each(workflows)('of $file is visible only to the step that needs it', async ({ file, workflow }) => {
    // The jobs that apply use the plan of the previous job.
    for (const name of ['staging', 'production']) {
      mkdirSync(join(runner.artifacts, `campaignctl-plan-${name}`));
      writeFileSync(join(runner.artifacts, `campaignctl-plan-${name}/plan.json`), '{}');
    }
    const printed = await runWorkflow(workflow);
    expect(seen()).toEqual(expected[file.split('/').at(-1) ?? '']);
    expect([printed.match(CANARY), strayed()]).toEqual([null, []]);
  });

  it('of the workflow in docs/pipelines.md is visible only to the step that needs it', async () => {
    const [, block = ''] =
      /```yaml\n(# \.github\/workflows\/[\s\S]*?)```/.exec(text('docs/pipelines.md')) ?? [];
    const printed = await runWorkflow(parse(block));
    expect(seen()).toEqual({
      'npm ci --omit=dev --ignore-scripts': [],
      'campaignctl validate': [],
      'campaignctl plan': ['CAMPAIGNS_TOKEN', 'GITHUB'],
      'campaignctl show': [],
      'campaignctl comment': ['GITHUB'],
    });
    expect([printed.match(CANARY), strayed()]).toEqual([null, []]);
  });

  const ON_GITLAB = { 'npm ci --omit=dev --ignore-scripts --no-audit --no-fund': [] };
  const COMMENT = { 'campaignctl show': [], 'campaignctl comment': ['GITLAB_TOKEN'] };
  // GitLab passes every variable to every job, even if the job needs none.
  const secrets = [STAGING, PRODUCTION, 'GITLAB_TOKEN', 'STATE_TOKEN'];
  const input = Object.fromEntries(secrets.map((name) => [name, canary(name)]));
  it.each([
    ['validate', {}, { ...ON_GITLAB, 'campaignctl validate': [] }],
    ['plan-staging', {}, { ...ON_GITLAB, 'campaignctl plan': [STAGING], ...COMMENT }],
    ['plan-production', {}, { ...ON_GITLAB, 'campaignctl plan': [PRODUCTION], ...COMMENT }],
    ['apply-staging', {}, { ...ON_GITLAB, 'campaignctl apply': [STAGING, 'STATE_TOKEN'] }],
    ['apply-production', {}, { ...ON_GITLAB, 'campaignctl apply': [PRODUCTION, 'STATE_TOKEN'] }],
    [
      'drift',
      Object(gitlab.drift).parallel.matrix[0],
      { ...ON_GITLAB, 'campaignctl plan': [STAGING], 'campaignctl list': [STAGING] },
    ],
  ])('of the job %s on GitLab is visible only to the command that needs it', (name, row, expected) => {
    const { before_script = [], script = [], variables = {} } = Object(gitlabJob(name));
    const env = {
      ...input,
      ...Object(variables),
      ...row,
      CI_MERGE_REQUEST_IID: '1',
      CI_PROJECT_URL: 'https://git.example.com/a',
      CI_SERVER_URL: 'https://git.example.com',
    };
    const printed = bash([...before_script, ...script].join('\n'), '.', env);
    expect(seen()).toEqual(expected);
    expect([printed.match(CANARY), strayed()]).toEqual([null, []]);
  });
});
