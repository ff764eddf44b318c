import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Inventory } from '../../../src/model/reports.js';
import { command } from '../../support/command.js';
import { type Project, withProject, withService } from '../../support/project.js';
import { type TestService, TOKEN } from '../../support/service/service.js';
import { draft } from '../../support/service/store.js';
import { oneLine } from '../../support/texts.js';

/** The projects of `list --recursive --json`, in the order of their folders. */
function listedIn(json: string): { project: string; result: Inventory | null }[] {
  return JSON.parse(json).projects.toSorted(byFolder);
}

const byFolder = (a: { project: string }, b: { project: string }) => a.project.localeCompare(b.project);

/** The live status of each project's first campaign. */
const statusesIn = (json: string) => listedIn(json).map(({ result }) => result?.campaigns[0]?.live_status);

interface Projects extends Omit<Project, 'service'> {
  first: TestService;
  other: TestService;
  /** Runs a command for all projects with `--json`. Returns its exit code, and the exit code and error of each project. */
  parts(line: string, env?: Record<string, string>): Promise<(string | number)[]>;
}

const projectAt = (url: string, token: string, more = '') => `version: 1
manifests: ["*.yaml"]
environments:
  live: { base_url: "${url}", token_env: ${token}${more} }
`;

/**
 * Three projects with two services, a project with clients in the sandbox, and a broken one. The second token is not set.
 */
const withProjects = (use: (scene: Projects) => Promise<void>) =>
  withService({}, (other) =>
    withProject(
      {
        variables: { ONE_TOKEN: TOKEN },
        files: {
          'campaignctl.yaml': 'version: 1\n',
          'b/deep/summer.yaml': 'name: Summer\n---\nname: Late summer\n',
          'a/spring.yaml': 'name: Spring\n',
          'c/campaignctl.yaml': projectAt(other.url, 'OTHER_TOKEN'),
          'c/autumn.yaml': 'name: Autumn\n',
          'clients/campaignctl.yaml':
            'version: 1\nmanifests: ["*/*.yaml"]\nenvironments:\n  x: { sandbox: {}, manifests: [x/*.yaml] }\n  y: { sandbox: {}, manifests: [y/*.yaml] }\n',
          'clients/x/one.yaml': 'name: One\n',
          'clients/y/one.yaml': 'name: One\n',
          'broken/campaignctl.yaml': 'version: 1\nmanifests: []\n',
          'node_modules/p/campaignctl.yaml': 'version: 1\n',
          '.hidden/campaignctl.yaml': 'version: 1\n',
        },
      },
      async (project) => {
        const { folder, service, write } = project;
        await write({
          'campaignctl.yaml': null,
          'a/campaignctl.yaml': projectAt('{url}', 'ONE_TOKEN'),
          'b/deep/campaignctl.yaml': projectAt(
            '{url}',
            'ONE_TOKEN',
            ', limits: { requests_per_minute: 6000 }',
          ),
        });
        await use({
          ...{ ...project, first: service, other },
          async parts(line, env = { ONE_TOKEN: TOKEN }) {
            const { out } = await command(folder, [...line.split(' '), '--json'], env);
            const { exit_code, projects } = JSON.parse(out);
            return [exit_code, ...projects.map(partOf)];
          },
        });
      },
    ),
  );

type Part = { project: string; environment: string; exit_code: number; error: { code: string } };

const partOf = ({ project, environment, exit_code, error }: Part) =>
  [project, environment, exit_code, error?.code].join(' ').trim();

/** All projects as they end while the second token is missing; `changes`: those that end in another way. */
const ENDS = {
  a: 'a live 0',
  b: 'b/deep live 0',
  broken: 'broken  1 invalid-project',
  c: 'c live 1 no-token',
  x: 'clients x 0',
  y: 'clients y 0',
};
const ends = (changes: Partial<typeof ENDS> = {}) => [1, ...Object.values({ ...ENDS, ...changes })];

it('every project is planned with its service, and a broken one does not stop the others', () =>
  withProjects(async ({ first, other, parts }) => {
    const tokens = { ONE_TOKEN: TOKEN, OTHER_TOKEN: TOKEN };
    expect(await parts('plan --recursive', tokens)).toEqual(ends({ c: 'c live 0' }));
    for (const service of [first, other]) expect(service.requests.length).toBeGreaterThan(0);
  }));

it('all campaigns of every project are imported, and their plan is empty', () =>
  withProjects(async ({ first, other, folder, parts, write }) => {
    const alone = ['a/spring.yaml', 'c/autumn.yaml', 'b/deep', 'broken', 'clients'];
    for (const path of alone) rmSync(join(folder, path), { recursive: true });
    first.store.campaigns.push(draft(1, 'Spring'), draft(2, 'Late spring'));
    other.store.campaigns.push(draft(1, 'Autumn'));
    const tokens = { ONE_TOKEN: TOKEN, OTHER_TOKEN: TOKEN };
    const { code, out } = await command(folder, ['import', '--all', '--recursive'], tokens);
    expect(code).toBe(0);
    expect(out).toContain('  campaignctl plan -C a --env live\n');
    expect(out).toContain('2 projects: 2 read\n  3 campaigns imported\n');
    const update = await command(folder, ['import', '--update', '--all', '--recursive'], tokens);
    expect(update.out).toBe('2 projects: 2 read · nothing to update\n');
    expect(readdirSync(join(folder, 'a'))).toEqual(
      expect.arrayContaining(['late-spring.yaml', 'spring.yaml']),
    );
    expect(readdirSync(join(folder, 'c'))).toContain('autumn.yaml');
    const none = [0, 'a live 0', 'c live 0'];
    expect(await parts('plan --recursive --detailed-exitcode', tokens)).toEqual(none);
    await write({ 'a/spring.yaml': 'name: Spring\nsettings: { max_emails_per_day: 7 }\n' });
    expect(await parts('plan --recursive --detailed-exitcode', tokens)).toEqual([2, 'a live 2', 'c live 0']);
  }));

it('a project whose origin is not allowed sends nothing, and the others continue', () =>
  withProjects(async ({ first, other, parts }) => {
    const env = { ONE_TOKEN: TOKEN, OTHER_TOKEN: TOKEN, CAMPAIGNCTL_ORIGINS: first.url };
    expect(await parts('plan --recursive', env)).toContain('c live 1 origin-not-allowed');
    expect(first.requests.length).toBeGreaterThan(0);
    expect(other.requests).toEqual([]);
  }));

it('a failure in one project is reported with its folder, and the worst exit code is returned', () =>
  withProjects(async ({ exits, first, other, parts, run, statuses }) => {
    const shown = (out: string) =>
      out.replaceAll(first.url, 'https://one.example.com').replace(/plan `\w+`/g, 'plan `…`');
    const planned = await exits(1, 'plan --recursive');
    await expect(shown(planned.out)).toMatchFileSnapshot('golden/recursive.txt');
    const markdown = await run('plan --recursive --format markdown');
    await expect(shown(markdown.out)).toMatchFileSnapshot('golden/recursive.md');
    expect(first.writes()).toEqual([]);
    expect(await parts('apply --recursive --yes')).toEqual(ends());
    expect(Object.keys(statuses()).sort()).toEqual(['Late summer', 'Spring', 'Summer']);
    expect(other.requests).toEqual([]);
    expect(await parts('plan --recursive --detailed-exitcode')).toEqual(ends());
    expect((await run('list --recursive')).out).toContain('6 projects: 4 listed, 2 failed');
    const valid = await exits(1, 'validate --recursive --format github');
    expect(valid.out).toContain('::error file=broken/campaignctl.yaml');
  }));

it('shards cover each project once, and an empty shard is not a failure', () =>
  withProjects(async ({ exits, first: service, parts, run }) => {
    const first = await run('plan --recursive --shard 1/3');
    expect(first.err).toContain('Shard 1 of 3: 2 of 6 projects.');
    expect(await exits(0, 'apply --recursive --yes --shard 7/7')).toMatchObject({
      out: '0 projects\n',
      err: expect.stringMatching(/^Shard 7 of 7: 0 of 6 /),
    });
    expect(service.writes()).toEqual([]);
    const shards = [1, 2, 3].map((index) => parts(`apply --recursive --yes --shard ${index}/3`));
    const all = (await Promise.all(shards)).flatMap(([, ...projects]) => projects);
    expect(all.sort()).toEqual(Object.values(ENDS));
    expect(service.writes()).toHaveLength(3);
  }));

it('options for a single project are refused with several, and apply does not ask', () =>
  withProjects(async ({ exits, folder, first }) => {
    for (const line of ['apply --recursive', 'apply --recursive --shard 1/2', 'apply --env l* --chdir a']) {
      const { err } = await exits(3, line);
      expect(err).toContain('does not ask for confirmation');
      expect(err).toContain('[not-confirmed]');
    }
    for (const line of [
      'apply --recursive --yes --target Spring',
      'apply --recursive --yes a/spring.yaml',
      'apply --yes --shard 1/2',
      'plan --recursive --config a/campaignctl.yaml',
    ])
      await exits(1, line);
    expect(await command(join(folder, 'a/..', 'clients/x'), ['plan', '--recursive'])).toMatchObject({
      code: 1,
    });
    expect(first.requests).toEqual([]);
  }));

it('plans are saved for each project, shown in one report, and applied as reviewed', () =>
  withProjects(async ({ folder, first, parts, run, statuses, write }) => {
    for (const index of [1, 2, 3])
      expect((await run(`plan --recursive --shard ${index}/3 --out plans/`)).code).not.toBe(3);
    const files = readdirSync(join(folder, 'plans'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('.json')).sort()).toEqual([
      'a/live.plan.json',
      'b/deep/live.plan.json',
      'broken/campaignctl.plan.json',
      'c/live.plan.json',
      'campaignctl-plans.json',
      'clients/x.plan.json',
      'clients/y.plan.json',
    ]);
    expect(await parts('show plans', {})).toEqual(ends());
    expect(first.writes()).toEqual([]);
    await write({ 'a/new.yaml': 'name: New\n' });
    expect(await parts('apply --plan plans --yes')).toEqual(ends({ a: 'a live 3 plan-manifests-changed' }));
    expect(Object.keys(statuses()).sort()).toEqual(['Late summer', 'Summer']);
  }));

it('the last lines show the result of each project, with failure messages', () =>
  withProjects(async ({ run }) => {
    const { out } = await run('apply --recursive --yes');
    const results = out.slice(out.lastIndexOf('6 projects'));
    await expect(results).toMatchFileSnapshot('golden/recursive-results.txt');
  }));

it('a report names each project whose plan is missing, damaged or for a different environment, and none is applied', () =>
  withProjects(async ({ exits, folder, first, parts, run, write }) => {
    const plan = (line: string) => run(`plan --recursive ${line}`);
    const file = (name: string) => join(folder, 'plans', name);
    await plan('--shard 1/2 --out plans');
    const missing = {
      b: 'b/deep live 1 plans-incomplete',
      c: 'c live 1 plans-incomplete',
      y: 'clients y 1 plans-incomplete',
    };
    expect(await parts('show plans')).toEqual(ends(missing));
    await plan('--shard 2/2 --out plans');
    expect(await parts('show plans')).toEqual(ends());

    copyFileSync(file('clients/x.plan.json'), file('clients/y.plan.json'));
    writeFileSync(file('a/live.plan.json'), 'x');
    rmSync(file('b/deep/live.plan.json'));
    const faults = ends({ ...missing, a: 'a live 1 plan-file-unusable', c: ENDS.c });
    expect(await parts('show plans')).toEqual(faults);
    expect(await parts('apply --plan plans --yes')).toEqual(faults);
    expect(first.writes()).toEqual([]);

    // The old plan of a project that can no longer be planned is removed.
    await plan('--out plans');
    await write({ 'a/spring.yaml': 'nope: 1\n' });
    await plan('--out plans');
    expect((await parts('show plans'))[1]).toBe('a live 1 invalid-manifests');

    rmSync(file('campaignctl-plans.json'));
    for (const line of ['show plans', 'apply --plan plans --yes', 'comment plans --platform github'])
      expect((await exits(1, line)).err).toContain('[plans-incomplete]');
    expect(first.writes()).toEqual([]);
  }));

it('a project that could not be planned is not applied, even if it has since been corrected', () =>
  withProjects(async ({ first, parts, run, write }) => {
    await run('plan --recursive --out plans');
    await write({
      'broken/campaignctl.yaml': projectAt(first.url, 'ONE_TOKEN'),
      'broken/x.yaml': 'name: X\n',
    });
    expect(await parts('apply --plan plans --yes')).toEqual(ends());
    expect(first.writes()).toHaveLength(3);
  }));

it('a project that was added or removed since the plan is not applied', () =>
  withProjects(async ({ folder, first, parts, run, statuses, write }) => {
    await run('plan --recursive --out plans');
    await write({ 'd/x.yaml': 'name: X\n', 'd/campaignctl.yaml': projectAt(first.url, 'ONE_TOKEN') });
    rmSync(join(folder, 'a'), { recursive: true });
    expect((await run('apply --plan plans --yes --env live')).err).toContain('cannot be combined with --env');
    expect(first.writes()).toEqual([]);
    const applied = await parts('apply --plan plans --yes');
    expect(applied.slice(1, 3)).toEqual(['a live 1 file-not-found', 'b/deep live 0']);
    expect(Object.keys(statuses()).sort()).toEqual(['Late summer', 'Summer']);
  }));

it('a pattern selects each matching environment, but no sandbox', () =>
  withService({}, (b) => {
    const files = {
      'campaignctl.yaml': `version: 1
manifests: ["*.yaml", "!campaignctl.yaml"]
environments:
  try-staging: { sandbox: {} }
  a-staging: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN }
  b-staging: { base_url: "${b.url}", token_env: CAMPAIGNS_TOKEN }
  production: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN }
`,
      'spring.yaml': 'name: Spring\n',
    };
    return withProject({ files }, async ({ exits, run, service: a }) => {
      for (const [line, ...environments] of [
        ['plan --env *-staging', 'a-staging', 'b-staging'],
        ['list --env ?-staging', 'a-staging', 'b-staging'],
        ['validate --env a-*', 'a-staging'],
      ] as const) {
        const { projects } = JSON.parse((await exits(0, `${line} --json`)).out);
        expect(projects.map(({ environment }: Part) => environment)).toEqual(environments);
      }
      expect((await exits(1, 'plan --env *-live')).err).toContain('[unknown-environment]');
      const file = await exits(1, 'plan --env *-staging spring.yaml');
      expect(oneLine(file.err)).toContain('cannot be combined with spring.yaml');
      const { err } = await run('plan --env *-staging --out plans');
      expect(err).toContain('To apply, run campaignctl apply --plan plans --yes.');
      await exits(0, 'apply --plan plans --yes');
      expect([a.writes().length, b.writes().length]).toEqual([1, 1]);
    });
  }));

const RUNNING = (name: string) => `name: ${name}
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: Hello, email_body: Hello, wait_in_days: 1 }]
leads: { ids: [1, 2] }
status: running
`;

it('of two clients with a campaign of the same name, one launch is approved and the other is not', () =>
  withProject({}, async ({ folder, write }) => {
    const client = 'version: 1\nmanifests: ["*.yaml"]\nenvironments: { live: { sandbox: {} } }\n';
    await write({
      'campaignctl.yaml': null,
      ...Object.fromEntries(
        ['clients/acme', 'clients/birch'].flatMap((name) => [
          [`${name}/campaignctl.yaml`, client],
          [`${name}/spring.yaml`, RUNNING('Spring')],
        ]),
      ),
    });
    const run = (...argv: string[]) => command(folder, argv, {});
    const { out } = await run('plan', '--recursive');
    const [, flag = ''] = /--allow (launch="clients\/acme: Spring")/.exec(out) ?? [];
    expect(flag).not.toBe('');
    // Leads of different workspaces are different people, even if their ids are equal.
    expect(out).toContain('4 people · 4 emails');
    expect(out).not.toContain('--target');
    const page = (await run('plan', '--recursive', '-f', 'html')).out;
    expect(page).toContain('data-hold="--hold launch=&#34;clients/birch: Spring&#34;"');
    const allowed = ['apply', '--recursive', '--yes', '--allow', 'launch=clients/acme: Spring'];
    const partly = await run(...allowed, '--json');
    const codes = JSON.parse(partly.out).projects.map(({ exit_code }: { exit_code: number }) => exit_code);
    expect(codes).toEqual([0, 3]);
    expect((await run(...allowed, '--hold', 'launch=clients/birch: Spring')).code).toBe(0);
    expect(statusesIn((await run('list', '--recursive', '--json')).out)).toEqual(['active', 'draft']);
  }));

it('a hold that names no campaign of any project is an error before anything is planned', () =>
  withProject({}, async ({ folder, write }) => {
    const client = 'version: 1\nmanifests: ["*.yaml"]\nenvironments: { live: { sandbox: {} } }\n';
    await write({
      'campaignctl.yaml': null,
      'clients/bright/campaignctl.yaml': client,
      'clients/bright/intro.yaml': RUNNING('Intro'),
      'clients/acme/campaignctl.yaml': client,
      'clients/acme/spring.yaml': RUNNING('Spring'),
      'clients/broken/campaignctl.yaml': `${client}nope: 1\n`,
      'clients/wrong/campaignctl.yaml': client,
      'clients/wrong/fair.yaml': `${RUNNING('Fair')}nope: 1\n`,
    });
    const run = (line: string, hold: string) =>
      command(folder, [...line.split(' '), '--recursive', '--hold', `launch=${hold}`], {});
    const words = async (line: string, hold: string) => {
      const { code, out, err } = await run(line, hold);
      return [code, out, oneLine(err)];
    };
    const unknown = (hold: string, hint: string) => [
      1,
      '',
      expect.stringContaining(`No manifest has the name "${hold}" (--hold). → ${hint} [unknown-target]`),
    ];
    const near = 'Did you mean "clients/bright: Intro"?';
    for (const line of [
      'plan',
      'plan --out plans',
      'apply --yes --allow launch',
      'apply --dry-run',
      'apply --yes --allow launch --shard 1/2',
    ])
      expect(await words(line, 'clients/brigt: Intro')).toEqual(unknown('clients/brigt: Intro', near));
    expect(await words('plan', 'clients/bright: Intor')).toEqual(unknown('clients/bright: Intor', near));
    expect(await words('plan', 'Intor')).toEqual(unknown('Intor', 'Did you mean "Intro"?'));
    const pattern = await words('plan', 'clients/*: Intro');
    expect(pattern).toEqual([1, '', expect.stringContaining('a name that matches "clients/*: Intro"')]);
    const listed = listedIn((await command(folder, ['list', '--recursive', '--json'], {})).out);
    expect(listed.map(({ result }) => result?.summary.live)).toEqual([0, 0, undefined, undefined]);
    // What has errors launches nothing, and says so itself.
    for (const hold of ['Intro', 'Int*', 'clients/bright: Int*', 'clients/broken: Intro', 'Fair'])
      expect((await run('plan', hold)).err).not.toContain('unknown-target');
  }));

it('pause accepts the names of campaigns as reports over projects print them', () =>
  withProject({}, async ({ folder, write }) => {
    const client = 'version: 1\nmanifests: ["*.yaml"]\nenvironments: { live: { sandbox: {} } }\n';
    await write({
      'campaignctl.yaml': null,
      'clients/acme/campaignctl.yaml': client,
      'clients/acme/spring.yaml': RUNNING('Intro'),
      'clients/bright/campaignctl.yaml': client,
      'clients/bright/intro.yaml': RUNNING('Intro'),
    });
    const run = (...argv: string[]) => command(folder, argv, {});
    await run('apply', '--recursive', '--yes', '--allow', 'launch');
    const pause = (...names: string[]) => run('pause', '--recursive', '--yes', ...names);
    const misspelt = await pause('clients/brigt: Intro');
    expect([misspelt.code, oneLine(misspelt.err)]).toEqual([
      1,
      expect.stringContaining('Did you mean "clients/bright: Intro"?'),
    ]);
    const unknown = await pause('clients/bright: Intro', 'clients/acme: Spring');
    expect([unknown.code, oneLine(unknown.err)]).toEqual([
      4,
      expect.stringContaining('no campaign with the name or id "clients/acme: Spring"'),
    ]);
    const statuses = async () => statusesIn((await run('list', '--recursive', '--json')).out);
    expect(await statuses()).toEqual(['active', 'paused']);
    expect((await pause('clients/acme (live): Int*')).code).toBe(0);
    expect(await statuses()).toEqual(['paused', 'paused']);
  }));

it('commands for one of several projects run as they are printed', () =>
  withProject({}, async ({ folder, write }) => {
    const client =
      'version: 1\nmanifests: ["*.yaml"]\nenvironments: { live: { sandbox: {} }, test: { sandbox: {} } }\n';
    await write({
      'campaignctl.yaml': null,
      'clients/acme/campaignctl.yaml': client,
      'clients/acme/spring.yaml': RUNNING('Spring'),
      'clients/bright/campaignctl.yaml': client,
      'clients/bright/intro.yaml': RUNNING('Intro').replace('running', 'paused'),
    });
    const run = async (...argv: string[]) => {
      const { code, out, err } = await command(folder, argv, {});
      return { code, out: oneLine(out), err: oneLine(err) };
    };
    await run('apply', '--recursive', '--env', 'live', '--yes', '--hold', 'launch');
    const launch = 'run campaignctl apply -C clients/acme --env live --allow launch="Spring".';
    expect((await run('list', '--recursive', '--env', 'live')).out).toContain(launch);
    expect((await run('list', '-C', 'clients/acme', '--env', 'live')).out).toContain(launch);
    const json = JSON.parse((await run('list', '--recursive', '--env', 'live', '--json')).out);
    expect(json.projects[0].result.campaigns[0].problems[0].hint).toContain('launch="NAME"');
    await run('apply', '--recursive', '--env', 'live', '--yes', '--allow', 'launch');
    await write({
      'clients/acme/spring.yaml': RUNNING('Spring').replace('running', 'paused'),
      'clients/acme/summer.yaml': RUNNING('Summer').replace('[1, 2]', '[3]'),
    });
    for (const format of ['text', 'markdown', 'html']) {
      const { code, out } = await run('apply', '--recursive', '--env', 'live', '--yes', '-f', format);
      const [, pause] = /run (campaignctl pause .*?) --env live/.exec(out) ?? [];
      expect([code, pause?.replaceAll('&#34;', '"')]).toEqual([
        3,
        'campaignctl pause -C clients/acme "Spring"',
      ]);
    }
  }));
