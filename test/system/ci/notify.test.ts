import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { command, writeFiles } from '../../support/command.js';
import { listenOn } from '../../support/listen.js';
import { PROGRAM } from '../../support/program.js';
import { projectFile, SCHEDULE } from '../../support/project.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';
import { gitlab, has, ROOT, text, type Workflow } from './files.js';
import { bash, filled, openRunner, type Runner } from './runner.js';

/** The pipelines that post to a chat: their scripts run with the program, a service and a webhook. */

const GITHUB: Workflow = parse(text('examples/ci/notify/github.yml'));
const GITLAB = parse(text('examples/ci/notify/gitlab.yml'));
const ALL_ON_GITHUB: Workflow = parse(text('examples/ci/notify/projects-github.yml'));
const ALL_ON_GITLAB = parse(text('examples/ci/notify/projects-gitlab.yml'));

const NAME = 'Spring <!channel> @all [here](https://evil.example)';
const SHOWN = 'Spring !channel @\u2060all herehttps: //evil.example';
const MANIFEST = `name: "${NAME}"
${SCHEDULE}sequence:
  title: Spring
  steps: [{ email_subject: Secret offer, email_body: Hello, wait_in_days: 3 }]
leads: { ids: [1] }
status: paused
`;
const LINK = 'https://ci.example/acme/mailings/actions/runs/7';

let runner: Runner;
let service: TestService;
let shape: Shape;
let webhook: Awaited<ReturnType<typeof listenOn>>;
let messages: { text: string }[];
/** The status with which the webhook answers. */
let answer: number;
let env: Record<string, string>;
beforeEach(async () => {
  runner = openRunner();
  shape = shaped({});
  service = await startService(shape, { campaigns: [], templates: [] });
  [messages, answer] = [[], 200];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    expect(request.headers['content-type']).toBe('application/json');
    if (answer === 200) messages.push(JSON.parse(body));
    response.writeHead(answer).end('private answer');
  });
  webhook = await listenOn(server);
  await writeFiles(runner.project, {
    'campaignctl.yaml': projectFile().replace('{url}', service.url),
    'campaigns/spring.yaml': MANIFEST,
  });
  const bin = join(runner.project, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  const program = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program('campaignctl', `exec '${process.execPath}' '${PROGRAM}' "$@"`);
  program('npx', `shift 2; exec '${process.execPath}' '${PROGRAM}' "$@"`);
  for (const folder of ['.github', 'ci'])
    cpSync(join(ROOT, 'examples/ci/notify/notify.mjs'), join(mkdirp(runner.project, folder), 'notify.mjs'));
  env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: runner.project,
    CAMPAIGNS_TOKEN: TOKEN,
  };
});
afterEach(async () => {
  await Promise.all([service.close(), webhook.close()]);
  runner.close();
});

function mkdirp(...parts: string[]): string {
  const folder = join(...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
}

interface Job {
  code: number | null;
  log: string;
}

/** Runs a job of the platform, then its step that posts, which must never fail. */
type Jobs = Record<'apply' | 'nightly', () => Promise<Job>>;

async function post(script: string, more: Record<string, string>, log: string): Promise<string> {
  const { code, output } = await bash(script, runner.project, { ...env, ...more });
  expect([code, output]).toEqual([0, expect.any(String)]);
  return log + output;
}

function onGithub(): Jobs {
  const step = GITHUB.jobs.drift?.steps.find(({ name }) => name === 'Post the result to a chat');
  expect(step?.if).toBe('always()');
  const use = async (mode: string): Promise<Job> => {
    const inputs = { version: 'installed', environment: 'production', mode, 'service-token': TOKEN };
    const used = await runner.use({
      ...inputs,
      ...(mode === 'plan' ? { comment: 'false' } : { report: 'json' }),
    });
    const context = {
      matrix: { environment: 'production' },
      secrets: { CHAT_WEBHOOK: `${webhook.url}/private` },
      steps: { campaigns: { outputs: used.outputs } },
    };
    const given = Object.entries(step?.env ?? {}).map(([name, value]) => [name, filled(value, context)]);
    const github = {
      GITHUB_SERVER_URL: 'https://ci.example',
      GITHUB_REPOSITORY: 'acme/mailings',
      GITHUB_RUN_ID: '7',
    };
    const more = { ...github, ...Object.fromEntries(given) };
    const code = Number(used.outputs['exit-code']);
    return { code, log: mode === 'plan' ? '' : await post(step?.run ?? '', more, used.log) };
  };
  return {
    nightly: () => use('drift'),
    async apply() {
      await use('plan');
      return use('apply');
    },
  };
}

function onGitlab(): Jobs {
  const more = {
    CAMPAIGNCTL_ENV: 'production',
    OTHER_TOKEN: 'NONE',
    CI_JOB_URL: LINK,
    CI_PROJECT_URL: 'https://ci.example/acme/mailings',
    CI_SERVER_URL: 'https://ci.example',
    CHAT_WEBHOOK: `${webhook.url}/private`,
  };
  const run = async (job: string): Promise<Job> => {
    rmSync(join(runner.project, 'reports'), { recursive: true, force: true });
    const { code, output } = await bash(GITLAB[job].script.join('\n'), runner.project, { ...env, ...more });
    return { code, log: await post(GITLAB['.notify'].after_script.join('\n'), more, output) };
  };
  return {
    nightly: () => run('drift'),
    async apply() {
      await command(runner.project, ['plan', '--out', 'plan-production.json']);
      return run('.apply');
    },
  };
}

function edit(from: string, to: string): void {
  const file = join(runner.project, 'campaigns/spring.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}

/** The messages since the last call. */
function posted(): string[] {
  return messages.splice(0).map(({ text }) => text);
}

describe.skipIf(!has('bash') || !has('curl') || process.platform !== 'linux')(
  'a pipeline with messages',
  () => {
    it.each([
      ['GitHub', onGithub],
      ['GitLab', onGitlab],
    ])(
      'on %s posts what was applied and what needs a person, and no content',
      async (_, open) => {
        const { apply, nightly } = open();
        const all: string[] = [];
        const next = () => {
          const texts = posted();
          all.push(...texts);
          return texts;
        };
        expect(await nightly()).toMatchObject({ code: 0 });
        expect(next()).toEqual([]);
        expect(await apply()).toMatchObject({ code: 0 });
        expect(next()).toEqual([`*apply, production: done*\n1 done\n${LINK}`]);
        expect(await apply()).toMatchObject({ code: 0 });
        expect(next()).toEqual([]);

        edit('paused', 'running');
        expect(await apply()).toMatchObject({ code: 3 });
        expect(next()).toEqual([
          `*apply, production: refused, nothing was sent*\nNeeds a person: launch\n${LINK}`,
        ]);
        edit('running', 'paused');

        const live = service.store.campaigns[0]?.schedule;
        Object.assign(service.store.campaigns[0] ?? {}, { schedule: { ...live, end_time: '12:00' } });
        expect((await nightly()).code).toBe(2);
        expect(next()).toEqual([
          expect.stringContaining(
            `*drift, production: changed outside campaignctl*\nNeeds a person: ${SHOWN} (drift)\n`,
          ),
        ]);
        Object.assign(service.store.campaigns[0] ?? {}, { schedule: live });

        shape.scheduleRepost = 'refuse';
        edit('"17:00"', '"18:00"');
        expect(await apply()).toMatchObject({ code: 4 });
        const incomplete = `*apply, production: incomplete*\n1 incomplete\nNeeds a person: ${SHOWN} (incomplete)\n${LINK}`;
        expect(next()).toEqual([incomplete]);

        // A webhook that fails changes nothing but the log.
        answer = 500;
        const failed = await apply();
        expect([failed.code, next()]).toEqual([4, []]);
        expect(failed.log).toMatch(/The result was not posted/);
        expect(failed.log).not.toMatch(/private/);
        answer = 200;

        rmSync(join(runner.project, 'campaignctl.yaml'));
        await nightly();
        expect(next().join()).toMatch(/^\*(campaignctl, production: no report|drift, production: failed)/);
        expect(all.join('\n')).not.toMatch(new RegExp(`Secret offer|Hello|${TOKEN}|private|[<>]`));
      },
      120_000,
    );

    const step = (name: string) =>
      ALL_ON_GITHUB.jobs.list?.steps.find((each) => each.name === name)?.run ?? '';
    it.each([
      ['GitHub', step('List the campaigns of all projects'), step('Post the result to a chat')],
      ['GitLab', ALL_ON_GITLAB.nightly.script.join('\n'), ALL_ON_GITLAB.nightly.after_script.join('\n')],
    ])(
      'on %s lists all projects every night',
      async (_, list, postIt) => {
        const more = {
          ...{ CAMPAIGNCTL_ENV: 'production', CI_JOB_URL: LINK, CHAT_WEBHOOK: `${webhook.url}/private` },
          STATE_TOKEN: 'none',
        };
        const nightly = async () => {
          const { code } = await bash(list, runner.project, { ...env, ...more });
          await post(postIt, more, '');
          return code;
        };
        expect([await nightly(), posted()]).toEqual([0, []]);
        writeFileSync(join(runner.project, 'campaignctl.yaml'), 'version: 1\noops: 1\n');
        expect([await nightly(), posted()]).toEqual([
          1,
          [`*list, ., production: failed*\nNeeds a person: invalid-project\n${LINK}`],
        ]);
      },
      60_000,
    );

    it('on GitHub, has the step that docs/notifications.md shows for applies', () => {
      const [, block = ''] = /```yml\n([\s\S]*?)```/.exec(text('docs/notifications.md')) ?? [];
      const [used, shown] = parse(block);
      const step = GITHUB.jobs.drift?.steps.at(-1);
      expect({ ...shown, env: { ...shown.env, CAMPAIGNCTL_ENV: '' } }).toEqual({
        ...step,
        env: { ...step?.env, CAMPAIGNCTL_ENV: '' },
      });
      expect(used).toMatchObject({ id: 'campaigns', with: { mode: 'apply', report: 'json' } });
    });

    it('on GitHub, has the steps that docs/notifications.md shows for applies of many projects', () => {
      const [, [, block = ''] = []] = [...text('docs/notifications.md').matchAll(/```yml\n([\s\S]*?)```/g)];
      const [used, shown] = parse(block);
      const { jobs }: Workflow = parse(text('examples/ci/projects/github/apply.yml'));
      const plain = used.run.replace('mkdir -p reports\n', '').replace(' --json > reports/apply.json', '');
      expect(plain).toBe(jobs.staging?.steps.at(-1)?.run);
      expect(shown).toEqual(ALL_ON_GITHUB.jobs.list?.steps.at(-1));
    });

    it('on GitLab, has the jobs of the pipeline that init writes, with reports and the step that posts', () => {
      const without = (job: { script: string[]; extends: string[] }) => ({
        ...job,
        extends: job.extends[0],
        script: job.script.map((line) =>
          line.replace('mkdir -p reports\n', '').replaceAll(/ --json > reports\/\w+\.json/g, ''),
        ),
      });
      expect(GITLAB['.apply'].extends).toEqual(['.campaignctl', '.notify']);
      expect(without(GITLAB['.apply'])).toEqual(gitlab['.apply']);
      expect(without(GITLAB.drift)).toEqual(gitlab.drift);
    });

    it('on GitHub, has the nightly job that init writes, with reports and the step that posts', () => {
      const { name, on, jobs, ...rest }: Workflow = parse(text('examples/ci/github/drift.yml'));
      const steps = GITHUB.jobs.drift?.steps ?? [];
      expect([GITHUB.name, GITHUB.on, GITHUB.permissions, GITHUB.env]).toEqual([
        name,
        on,
        rest.permissions,
        rest.env,
      ]);
      expect(steps.slice(0, 1)).toEqual(jobs.drift?.steps.slice(0, 1));
      const { report, ...input } = steps[1]?.with ?? {};
      expect([report, { ...steps[1], with: input }]).toEqual(['json', jobs.drift?.steps[1]]);
      expect([steps.length, steps[2]?.if]).toEqual([4, jobs.drift?.steps[2]?.if]);
      expect(JSON.stringify(steps.slice(0, 3))).not.toContain('CHAT_WEBHOOK');
    });
  },
);

describe('a message', () => {
  const tell = async (...reports: object[]) => {
    const names = reports.map((_, at) => `list${at}.json`);
    for (const [at, name] of names.entries())
      writeFileSync(join(runner.project, name), JSON.stringify(reports[at]));
    const ended = await bash(`node ci/notify.mjs ${names.join(' ')} 2> /dev/null`, runner.project, {
      ...env,
      CI_JOB_URL: LINK,
    });
    return ended.output === '' ? null : JSON.parse(ended.output).text.split('\n');
  };

  it('of several projects has a line for each that needs a person', async () => {
    const inventory = (...names: string[]) => ({
      environment: 'live',
      problems: [],
      campaigns: names.map((name) => ({ name, problems: [{ code: 'launch-held' }] })),
    });
    const projects = [
      { project: 'clients/a', environment: 'live', exit_code: 0, result: inventory(), error: null },
      { project: 'clients/b', environment: 'live', exit_code: 2, result: inventory('Fair'), error: null },
      {
        project: 'clients/c',
        environment: 'live',
        exit_code: 1,
        result: null,
        error: { code: 'token-refused', others: [] },
      },
    ];
    expect(await tell({ projects })).toEqual([
      '*list0, clients/b, live: needs attention*',
      'Needs a person: Fair (launch-held)',
      '*list0, clients/c, live: failed*',
      'Needs a person: token-refused',
      LINK,
    ]);
  });

  it('has the sentence of a policy on results, and names projects without a file', async () => {
    const message = '4% of 1,000 emails bounced, more than 3%. Above 3%, mail providers block the @senders.';
    const campaigns = [{ name: 'Fair', problems: [{ code: 'policy/results', message }] }];
    const result = { environment: 'live', problems: [], campaigns };
    const lost = { projects: [{ project: 'clients/gone', environment: 'live' }], unread: [] };
    const projects = [{ project: 'clients/a', environment: 'live', exit_code: 2, result, error: null }];
    expect(await tell({ projects, lost })).toEqual([
      '*list0, clients/a, live: needs attention*',
      'Needs a person: Fair (4% of 1,000 emails bounced, more than 3%. Above 3%, mail providers block the @\u2060senders.)',
      '*list0, clients/gone, live: no project file, but campaigns may still send*',
      LINK,
    ]);
  });

  it('has no link outside of GitHub and GitLab', async () => {
    const report = { environment: 'live', problems: [{ code: 'over-capacity' }], campaigns: [] };
    writeFileSync(join(runner.project, 'list.json'), JSON.stringify(report));
    const { output } = await bash('node ci/notify.mjs list.json 2> /dev/null', runner.project, env);
    expect(JSON.parse(output).text).toBe('*list, live: needs attention*\nNeeds a person: over-capacity');
  });

  it('of an apply counts launches, and names tasks by hand and what is not approved', async () => {
    const launch = { id: 'launch', result: 'done' };
    const report = {
      ...{ environment: 'live', result: 'incomplete' },
      summary: { campaigns: 3, done: 1, incomplete: 1, blocked: 0, unchanged: 1, not_read: 0 },
      problems: [
        { code: 'launch', accepted_by: '--allow launch' },
        { code: 'unkept-state', accepted_by: null },
      ],
      by_hand: [{ campaign: 'Old', does: 'delete' }],
      campaigns: [
        { name: 'Spring', result: 'done', steps: [launch] },
        { name: 'Fair', result: 'incomplete', steps: [{ ...launch, result: 'in_doubt' }] },
      ],
    };
    expect(await tell(report)).toEqual([
      '*list0, live: incomplete*',
      '1 done, 1 launched, 1 incomplete, 1 unchanged',
      'Needs a person: Fair (incomplete), unkept-state, Old (by hand: delete)',
      LINK,
    ]);
  });

  it('of drift names changed campaigns, and those that still send without a manifest', async () => {
    const problems = [{ code: 'drift-unknown' }];
    const drift = { mode: 'drift', environment: 'live', problems, campaigns: [], removed: [], replaced: [] };
    expect(await tell(drift)).toBeNull();
    const removed = [
      { name: 'Old', running: true },
      { name: 'Older', running: false },
    ];
    expect(await tell({ ...drift, campaigns: [{ name: 'Spring', problems }], removed })).toEqual([
      '*list0, live: changed outside campaignctl*',
      'Needs a person: Spring (drift), Old (still sending)',
      LINK,
    ]);
    // A campaign whose manifest was removed was not changed in the service.
    expect(await tell({ ...drift, removed })).toEqual([
      '*list0, live: needs attention*',
      'Needs a person: Old (still sending)',
      LINK,
    ]);
  });

  it('names at most ten campaigns, each in one short line', async () => {
    const campaigns = Array.from({ length: 12 }, (_, at) => ({
      name: `${at}\n${'x'.repeat(100)}`,
      problems: [{ code: 'gone' }],
    }));
    const [, needs, ...rest] = await tell({ environment: 'live', problems: [], campaigns });
    expect(rest).toEqual([LINK]);
    expect(needs).toMatch(/^Needs a person: 0 x{57}… \(gone\), .*, and 2 more$/);
  });

  it('says if there is no report', async () => {
    const ended = await bash('node ci/notify.mjs none.json 2> /dev/null', runner.project, env);
    expect(JSON.parse(ended.output).text).toBe('*none: no report. Look at the log.*');
  });
});
