import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { History, ProjectsReport } from '../../src/model/reports.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { faultsOf } from '../support/schema.js';
import { oneLine } from '../support/texts.js';

/** Commands that work offline, over several projects. */

const CLIENTS = ['acorn', 'birch', 'cedar', 'dune'];

const project = (more = '') => `version: 1
manifests: [campaigns/*.yaml]
default_environment: production
environments:
  staging: { sandbox: {} }
  production: { sandbox: {}${more} }
`;

const manifest = (client: string, more = '') => `name: Spring of ${client}
sequence:
  title: Spring
  steps: [{ email_subject: "Hello from ${client}", email_body: Hi, wait_in_days: 1 }]
${more}`;

const FILES = Object.fromEntries(
  CLIENTS.flatMap((client) => [
    [`${client}/campaignctl.yaml`, project()],
    [`${client}/campaigns/spring.yaml`, manifest(client)],
  ]),
);

type Run = (line: string, width?: number) => ReturnType<typeof command>;

/** Four valid projects, and other files. */
const withClients = (files: Record<string, string>, use: (run: Run) => Promise<void>) =>
  withFolder(async (folder) => {
    await writeFiles(folder, { ...FILES, ...files });
    await use((line, width = 80) => command(folder, line.split(' '), {}, undefined, { width }));
  });

describe('validate', () => {
  test('says in one line that all projects are valid', () =>
    withClients({}, async (run) => {
      expect(await run('validate --recursive')).toEqual({
        code: 0,
        out: '4 projects: 4 valid · 4 manifests valid.\n',
        err: '',
      });
    }));

  test('shows only projects with findings', () =>
    withClients(
      {
        'birch/campaigns/spring.yaml': manifest('birch', 'status: on\n'),
        'dune/campaigns/spring.yaml': manifest('dune').replace(
          'email_body: Hi',
          'email_body: "Hi {FIRST_NAM}"',
        ),
      },
      async (run) => {
        const { code, out } = await run('validate --recursive');
        expect(code).toBe(1);
        expect(out).not.toContain('━━ acorn');
        await expect(out).toMatchFileSnapshot('golden/many-validated.txt');
      },
    ));
});

describe('history', () => {
  test('finds a run by the name that a narrow terminal shows', () =>
    withClients({}, async (run) => {
      await run('apply -C acorn --yes');
      const [shown = ''] = /\d{8}T\d+-?\w*…/.exec((await run('history -C acorn')).out) ?? [];
      expect(await run(`history -C acorn ${shown}`)).toMatchObject({
        code: 0,
        out: expect.stringContaining('create the campaign'),
      });
    }));

  test('is one table over projects', () =>
    withClients({ 'cedar/campaignctl.yaml': 'nope: 1\n' }, async (run) => {
      await run('apply --recursive --yes');
      const { code, out } = await run('history --recursive');
      expect(code).toBe(1);
      expect(out).toMatch(/^Runs on production in 4 projects: 3 read, 1 failed$/m);
      const rows = out.match(/^ {2}\w+ +\d{4}-\d\d-\d\d \d\d:\d\dZ {2}apply .* done$/gm) ?? [];
      expect(rows.map((row) => row.trim().split(' ')[0]).sort()).toEqual(['acorn', 'birch', 'dune']);
      expect(out).toContain('1 project without a history\n\ncedar\n');
      const json = await run('history --recursive --json');
      expect(faultsOf('projects', json.out)).toEqual([]);
      const { projects } = JSON.parse(json.out) as {
        projects: { project: string; result: History | null }[];
      };
      expect(projects.map(({ result }) => result?.runs.length)).toEqual([1, 1, undefined, 1]);
    }));

  test('of one run needs its project', () =>
    withClients({}, async (run) => {
      const { code, err } = await run('history 2026 --recursive');
      expect([code, err]).toEqual([1, expect.stringContaining('cannot be combined with 2026')]);
    }));
});

test.each(['list', 'history'])('%s shows all environments if a project has no default', (name) =>
  withClients({ 'acorn/campaignctl.yaml': STAGES }, async (run) => {
    const { code, out } = await run(`${name} --recursive`);
    expect(code).toBe(0);
    const places = oneLine(out).match(/\b(?:acorn|birch) \((?:staging|production)\)/g) ?? [];
    expect([...new Set(places)]).toEqual(['acorn (staging)', 'acorn (production)', 'birch (production)']);
  }),
);

const STAGES = `version: 1
manifests: [campaigns/*.yaml]
environments:
  production: { sandbox: {}, require_applied: staging }
  staging: { sandbox: {} }
`;

test.each(['list', 'history', 'plan', 'plan --format markdown', 'preview', 'validate'])(
  '%s shows an error that projects share once',
  (line) =>
    withFolder(async (folder) => {
      const broken = CLIENTS.map((client) => [`${client}/campaignctl.yaml`, 'nope: 1\n']);
      await writeFiles(folder, Object.fromEntries(broken));
      const { out } = await command(folder, [...line.split(' '), '--recursive'], {});
      expect(out.match(/^- ✗|unknown-key/gm)?.length).toBe(1);
      expect(out.replaceAll('`', '')).toContain('acorn, birch, cedar, dune');
      expect(out).not.toContain('acorn/campaignctl.yaml');
    }),
);

test('a report of failures only ends with its number of projects', () =>
  withFolder(async (folder) => {
    const broken = CLIENTS.slice(0, 3).map((client) => [`${client}/campaignctl.yaml`, `nope: "${client}"\n`]);
    await writeFiles(folder, Object.fromEntries(broken));
    const { out } = await command(folder, ['history', '--recursive'], {}, undefined, { width: 60 });
    expect(out.split('\n').length).toBeGreaterThan(30);
    expect(out).toMatch(/\n\nRuns on 3 projects: 3 failed\n$/);
  }));

describe('compare', () => {
  const STAGED = 'environments: { staging: { settings: { max_emails_per_day: 20 } } }\n';

  test('shows only projects with differences', () =>
    withClients(
      {
        'birch/campaigns/spring.yaml': manifest('birch', `settings: { max_emails_per_day: 50 }\n${STAGED}`),
        'dune/campaignctl.yaml': project().replace('  staging: { sandbox: {} }\n', ''),
      },
      async (run) => {
        const { code, out } = await run('compare staging production --recursive');
        expect(code).toBe(1);
        await expect(out).toMatchFileSnapshot('golden/many-compared.txt');
        const json = (await run('compare staging production --recursive --json')).out;
        expect(faultsOf('projects', json)).toEqual([]);
        const { exit_code, projects }: ProjectsReport = JSON.parse(json);
        expect([exit_code, projects.map(({ project, error }) => [project, error?.code ?? null])]).toEqual([
          1,
          [...['acorn', 'birch', 'cedar'].map((name) => [name, null]), ['dune', 'unknown-environment']],
        ]);
        for (const { result } of projects)
          if (result !== null) expect(faultsOf('compare', JSON.stringify(result))).toEqual([]);
        for (const format of ['markdown', 'html'])
          expect((await run(`compare staging production --recursive -f ${format}`)).out).toContain(
            'birch: Spring of birch',
          );
      },
    ));

  test('says in one line that all are the same, whatever CAMPAIGNCTL_ENV is', () =>
    withFolder(async (folder) => {
      await writeFiles(folder, FILES);
      const words = ['compare', 'staging', 'production', '--recursive'];
      expect(await command(folder, words, { CAMPAIGNCTL_ENV: 'staging' })).toEqual({
        code: 0,
        out: '4 projects: 4 compared · 4 campaigns: 4 the same\n',
        err: '',
      });
    }));

  test.each(['campaigns/spring.yaml', '--target Spring'])('of all projects takes no %s', (word) =>
    withClients({}, async (run) => {
      const { code, err } = await run(`compare staging production ${word} --recursive`);
      expect([code, err]).toEqual([1, expect.stringContaining('--recursive applies to whole projects')]);
    }),
  );
});

describe('preview', () => {
  test('is one page over projects, with their campaigns, and with what cannot be shown', () =>
    withClients({ 'cedar/campaigns/spring.yaml': 'name: [\n' }, async (run) => {
      const { code, out, err } = await run('preview --recursive');
      expect(code).toBe(1);
      expect(err).toMatch(/^cedar: cedar\/campaigns\/spring\.yaml:1:7 {2}error .*\[yaml-syntax\]/s);
      expect(out).toContain('3 emails of 3 campaigns in 3 projects');
      for (const client of ['acorn', 'birch', 'dune']) {
        expect(out.match(new RegExp(`<h[23]>${client}</h[23]>`, 'g'))).toEqual([
          `<h3>${client}</h3>`,
          `<h2>${client}</h2>`,
        ]);
        expect(out).toContain(`${client}/campaigns/spring.yaml`);
        expect(out).toContain(`Hello from ${client}`);
      }
      expect(out).toMatch(
        /1 project without a preview<\/h2><div class="group"><h3>cedar<\/h3>.*yaml-syntax/s,
      );
    }));

  test('needs no environment for a project with several', () => {
    const several = project().replace('default_environment: production\n', '');
    return withClients({ 'birch/campaignctl.yaml': several }, async (run) => {
      const { code, out, err } = await run('preview --recursive');
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('Several environments.');
      expect(out.match(/birch\/campaigns\/spring\.yaml/g)).toHaveLength(1);
    });
  });

  test.each(['--serve', '--live', '--leads leads.csv'])('of several projects refuses %s', (words) =>
    withClients({}, async (run) => {
      const { code, out, err } = await run(`preview --recursive ${words}`);
      const [option = ''] = words.split(' ');
      expect([code, out]).toEqual([1, '']);
      expect(err.replace(/\s+/g, ' ')).toContain(`it cannot be combined with ${option}.`);
    }),
  );
});

test('the commands in a project of a report name its folder', () =>
  withFolder(async (folder) => {
    const launched = manifest('birch', 'leads: { ids: [1] }\nstatus: running\n');
    await writeFiles(folder, { ...FILES, 'birch/campaigns/spring.yaml': launched });
    const run = (line: string) => command(folder, line.split(' '), {}, undefined, { width: 120 });
    const commands = (out: string) => out.match(/campaignctl (?:apply|pause|forget) .*/g);
    const refused = await run('apply --recursive --yes');
    expect([refused.code, commands(refused.out)]).toEqual([
      3,
      ['campaignctl apply -C birch --env production --allow launch="Spring of birch"'],
    ]);
    rmSync(join(folder, 'acorn/campaigns/spring.yaml'));
    const failed = await run('apply --recursive --yes --hold launch');
    expect(failed.code).toBe(1);
    const words = failed.out.replace(/\s+/g, ' ');
    expect(words).toContain('run campaignctl pause -C acorn "Spring of acorn" --env production.');
    expect(words).toContain('run campaignctl forget -C acorn "Spring of acorn" --env production.');
  }));
