import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type FakeGithub, fakeGithub, TOKEN as GITHUB_TOKEN } from '../../platform/fake-github.js';
import { type FakeGitlab, fakeGitlab, TOKEN as GITLAB_TOKEN } from '../../platform/fake-gitlab.js';
import { command, writeFiles } from '../../support/command.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { gitlabJob, has, ROOT, type Step, text, type Workflow } from './files.js';
import { ARTIFACTS, bash, borrow, filled, openRunner } from './runner.js';

/**
 * Pipelines on a machine that has neither campaignctl nor anything in npm's cache, and reaches no registry. The package has no
 * dependencies here: its program contains them, and npm would look for them in the registry.
 */
const TARBALL = 'campaignctl-0.1.0.tgz';

/** Contains a repository with the tarball, as docs/releases.md describes it, and its clones. */
let home: string;
let tarball: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'campaignctl-install-'));
  const [source, repository] = [join(home, 'package'), join(home, 'repository')];
  for (const folder of [source, repository]) mkdirSync(folder);
  for (const part of ['dist', 'schemas']) cpSync(join(ROOT, part), join(source, part), { recursive: true });
  const { name, version, bin, engines } = JSON.parse(text('package.json'));
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name, version, bin, engines }));
  run('npm', ['pack', '--silent', '--pack-destination', repository], source);
  tarball = join(repository, TARBALL);
  run('npm', ['install', '--prefix', '.', '--no-audit', `./${TARBALL}`], repository);
  rmSync(join(repository, 'node_modules'), { recursive: true });
  await writeProject(repository, '.');
  run('git', ['init', '--quiet'], repository);
}, 60_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The example of `init`, launched, in sandboxes called staging and production. */
async function writeProject(folder: string, project: string): Promise<void> {
  await command(folder, ['init', project]);
  const file = (name: string) => join(folder, project, name);
  const edit = (name: string, change: (text: string) => string) =>
    writeFileSync(file(name), change(readFileSync(file(name), 'utf8')));
  const environment = (name: string) =>
    `  ${name}: { sandbox: {}, custom_variables: [FIRST_NAME, COMPANY], lead_lists: { installers: 12 } }\n`;
  const environments = ['production', 'staging'].map(environment).join('');
  edit('campaignctl.yaml', () => `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n${environments}`);
  edit('campaigns/spring.yaml', (text) => text.replace('status: paused', 'status: running'));
}

/** The variables of a fresh machine. Nothing listens on port 9. */
function fresh(cache: string): Record<string, string> {
  const paths = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  return {
    PATH: [dirname(process.execPath), ...paths].join(delimiter),
    HOME: home,
    npm_config_cache: cache,
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
  };
}

function run(program: string, words: string[], cwd: string): void {
  execFileSync(program, words, { cwd, env: fresh(join(home, 'cache')), stdio: 'pipe' });
}

let github: FakeGithub;
let gitlab: FakeGitlab;
let machine: string;
/** A clone of the repository. */
let clone: string;
let artifacts: string;
let env: Record<string, string>;
beforeEach(async () => {
  [github, gitlab] = await Promise.all([fakeGithub(), fakeGitlab()]);
  machine = mkdtempSync(join(home, 'machine-'));
  [clone, artifacts] = [join(machine, 'clone'), join(machine, 'artifacts')];
  mkdirSync(artifacts);
  cpSync(join(home, 'repository'), clone, { recursive: true });
  const event = join(machine, 'event.json');
  writeFileSync(event, JSON.stringify({ pull_request: { number: 12 } }));
  env = {
    ...fresh(join(machine, 'cache')),
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: 'acme/mailings',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: event,
  };
});
afterEach(() => Promise.all([github.close(), gitlab.close()]));

/** Returns the command that failed, if any, and the output. */
async function runJob(
  { steps, env: around = {} }: { steps: Step[]; env?: Record<string, string> },
  matrix: Record<string, string> = {},
): Promise<{ failed: string | null; log: string }> {
  const outputs: Record<string, { outputs: Record<string, string> }> = {};
  const context = { matrix, secrets: {}, github: { token: GITHUB_TOKEN, server_url: '' }, steps: outputs };
  const fill = (value: string) => filled(value, context);
  const ended: { failed: string | null; log: string } = { failed: null, log: '' };
  for (const step of steps) {
    if (ended.failed !== null && step.if !== 'always()') continue;
    if (step.run === undefined) {
      outputs[step.id ?? ''] = { outputs: borrow(step, { folder: clone, artifacts, fill }) };
      continue;
    }
    const own = Object.fromEntries(
      Object.entries({ ...around, ...step.env }).map(([name, value]) => [name, fill(value)]),
    );
    const { code, output } = await bash(fill(step.run), clone, { ...env, ...own });
    ended.log += output;
    if (code !== 0) ended.failed ??= step.run;
  }
  return ended;
}

/** Runs the scripts of a job on GitLab. */
async function runGitlab(job: Record<string, unknown>, more: Record<string, string> = {}) {
  const { before_script = [], script = [], variables = {} } = Object(job);
  return bash([...before_script, ...script].join('\n'), clone, {
    ...env,
    ...Object(variables),
    GITLAB_CI: 'true',
    CI_API_V4_URL: gitlab.api,
    CI_PROJECT_ID: '77',
    CI_MERGE_REQUEST_IID: '5',
    CI_JOB_URL: JOB,
    GITLAB_TOKEN,
    ...more,
  });
}

const JOB = 'https://git.example.com/acme/mailings/-/jobs/41';

/** The first three lines that are not empty. */
function firstLines(body = ''): string[] {
  return body
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, 3);
}

const linkTo = (page: string) => `**[Every email as it will look, on one page](<${page}>)**`;

/** A complete page with the second email. */
const PAGE = /^<!doctype html>[\s\S]*Just an address is enough[\s\S]*<\/html>\s*$/;

describe.skipIf(!has('bash'))('with an empty cache and without an installed program', () => {
  it('the workflow in docs/pipelines.md installs campaignctl, and links the page that it uploads', async () => {
    const [, block] = /```yaml\n(# \.github\/workflows\/[\s\S]*?)```/.exec(text('docs/pipelines.md')) ?? [];
    const { jobs }: Workflow = parse(block ?? '');
    expect(await runJob(Object(jobs.campaigns))).toMatchObject({ failed: null });
    expect(firstLines(github.remarks[0]?.body)).toEqual([
      '<!-- campaignctl:campaignctl.yaml:production -->',
      expect.stringMatching(/^### Plan for `production`: /),
      linkTo(`${ARTIFACTS}/plan.html`),
    ]);
    expect(readFileSync(join(artifacts, 'plan.html'), 'utf8')).toMatch(PAGE);
  });

  it('no step runs a program that was not installed, nor sends anything', async () => {
    const [, block] = /```yaml\n(# \.github\/workflows\/[\s\S]*?)```/.exec(text('docs/pipelines.md')) ?? [];
    const { jobs }: Workflow = parse(block ?? '');
    const steps = Object(jobs.campaigns).steps.filter(({ run = '' }: Step) => !run.startsWith('npm ci'));
    expect(await runJob({ ...Object(jobs.campaigns), steps })).toMatchObject({
      failed: 'npx --no campaignctl validate',
    });
    expect([existsSync(join(clone, 'plan.json')), github.arrived]).toEqual([false, []]);
  });

  it('the action installs the tarball, links the page, and launches the campaign with a blank in its name', async () => {
    const runner = openRunner();
    try {
      cpSync(clone, runner.project, { recursive: true });
      // The runner adds what the action installs to its own path.
      const { PATH: _, ...variables } = env;
      const use = (inputs: Record<string, string>, event: string) =>
        runner.use(
          { version: tarball, environment: 'staging', token: GITHUB_TOKEN, ...inputs },
          { ...variables, GITHUB_EVENT_NAME: event },
        );
      const planned = await use({}, 'pull_request');
      expect(planned, planned.log).toMatchObject({ failed: null, outputs: { 'exit-code': '2' } });
      expect(firstLines(github.remarks[0]?.body)[2]).toBe(linkTo(planned.outputs['page-url'] ?? ''));
      const page = readFileSync(join(runner.artifacts, 'campaignctl-plan-staging.html'), 'utf8');
      expect(page).toMatch(PAGE);
      const refused = await use({ mode: 'apply', allow: 'launch="Spring"' }, 'push');
      expect(refused).toMatchObject({ failed: 'Apply', outputs: { 'exit-code': '3' } });
      const applied = await use({ mode: 'apply', allow: 'launch="Spring installers"' }, 'push');
      expect(applied, applied.log).toMatchObject({ failed: null, outputs: { 'exit-code': '0' } });
      expect(applied.log).toContain('✓ launch the campaign');
    } finally {
      runner.close();
    }
  });

  it('the jobs of GitLab link the page, and apply the plan with an approval for a name with a blank', async () => {
    // As the file says: to launch from there, remove --hold launch, and add --allow launch.
    const edited = (name: string) =>
      parse(
        JSON.stringify(gitlabJob(name))
          .replace(' --hold launch', '')
          .replace(' --yes', ' --yes --allow launch=\\"Spring installers\\"'),
      );
    const planned = await runGitlab(edited('plan-staging'));
    expect(planned, planned.output).toMatchObject({ code: 0 });
    expect(firstLines(gitlab.notes[0]?.body)).toEqual([
      '<!-- campaignctl:campaignctl.yaml:staging -->',
      expect.stringMatching(/^### Plan for `staging`: /),
      linkTo(`${JOB}/artifacts/file/plan-staging.html`),
    ]);
    expect(readFileSync(join(clone, 'plan-staging.html'), 'utf8')).toMatch(PAGE);
    const applied = await runGitlab(edited('apply-staging'));
    expect(applied, applied.output).toMatchObject({ code: 0 });
    expect(applied.output).toContain('✓ launch the campaign');
  });

  describe('several projects, one of them with an error,', () => {
    let service: TestService;
    const REST = `schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: S
  steps: [{ email_subject: Hi, email_body: Just an address is enough., wait_in_days: 2 }]
leads: { ids: [1] }
status: running
`;
    beforeEach(async () => {
      rmSync(join(clone, 'campaignctl.yaml'));
      service = await startService(shaped({}), { campaigns: [], templates: [] });
      for (const client of ['a', 'b']) {
        const live = `production: { base_url: "${service.url}", token_env: TOKEN_OF_SERVICE }`;
        await writeFiles(join(clone, 'clients', client), {
          'campaignctl.yaml': `version: 1\nmanifests: ["*.yaml"]\nenvironments: { ${live} }\n`,
          'spring.yaml': `name: Spring of ${client}\n${REST}`,
        });
      }
      await writeFiles(clone, { 'clients/broken/campaignctl.yaml': 'version: 1\nmanifest: x\n' });
      env.TOKEN_OF_SERVICE = TOKEN;
    });
    afterEach(() => service.close());

    const HEADS = [
      '<!-- campaignctl:./:* -->',
      expect.stringMatching(/^### 3 projects: 2 planned, 1 failed/),
    ];

    it('have one page on GitHub', async () => {
      const { jobs }: Workflow = parse(text('examples/ci/projects/github/plan.yml'));
      for (const shard of ['1', '2', '3', '4']) await runJob(Object(jobs.plan), { shard });
      rmSync(join(clone, 'plans'), { recursive: true });
      const { failed, log } = await runJob(Object(jobs.report));
      expect(failed, log).toMatch(/^npx --no campaignctl comment /);
      expect(firstLines(github.remarks[0]?.body)).toEqual([...HEADS, linkTo(`${ARTIFACTS}/plans.html`)]);
      expect(readFileSync(join(artifacts, 'plans.html'), 'utf8')).toMatch(PAGE);
    });

    it('have one page on GitLab', async () => {
      const { install, plan, report } = parse(text('examples/ci/projects/gitlab/.gitlab-ci.yml'));
      expect(await runGitlab(install)).toMatchObject({ code: 0 });
      for (const CI_NODE_INDEX of ['1', '2', '3', '4'])
        await runGitlab(plan, { CI_NODE_INDEX, CI_NODE_TOTAL: '4' });
      const { code, output } = await runGitlab(report);
      expect(code, output).toBe(1);
      expect(firstLines(gitlab.notes[0]?.body)).toEqual([
        ...HEADS,
        linkTo(`${JOB}/artifacts/file/plans.html`),
      ]);
      expect(readFileSync(join(clone, 'plans.html'), 'utf8')).toMatch(PAGE);
    });

    it('are applied without their launches, after a merge on GitLab', async () => {
      const jobs = parse(text('examples/ci/projects/gitlab/.gitlab-ci.yml'));
      expect(await runGitlab(jobs.install)).toMatchObject({ code: 0 });
      const branch = { CI_COMMIT_BRANCH: 'main', CI_NODE_INDEX: '1', CI_NODE_TOTAL: '1' };
      await runGitlab(jobs['production-plan'], branch);
      const { output } = await runGitlab({ ...jobs['.apply'], ...jobs.production }, branch);
      expect(output).toMatch(/^3 projects: 2 done, 1 failed\n +2 created, 0 unchanged · 2 launches held$/m);
    });
  });
});
