/** `--refresh changed`: which campaigns are read, how the others are reported, and what is recorded for the next run. */

import { execFileSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApplyResult } from '../../../src/model/reports.js';
import { openProject } from '../../../src/operations/library.js';
import { EMPTY_APPLY_SUMMARY } from '../../support/apply.js';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';

const NAMES = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Omega'];
const [ALPHA = '', BETA = '', GAMMA = ''] = NAMES;
const LEADS = 'leads: { lists: [7] }\nstatus: paused\n';

const manifest = (name: string, cap: number, more = 'status: paused\n') => `name: ${name}
settings: { max_emails_per_day: ${cap}, max_new_leads_per_day: 1 }
${SCHEDULE}sequence: { title: ${name}, steps: [{ email_subject: Hi, email_body: Hi, wait_in_days: 3 }] }
${more}`;

interface Scene extends Project {
  set(name: string, cap: number, more?: string): Promise<void>;
  /** Runs a command, and returns the paths that it reads below /api/campaigns, sorted. */
  asks(line: string): Promise<string[]>;
  fileOf(name: string): string;
  seen(name: string): Promise<unknown>;
}

/** A project with applied campaigns. The next apply is the first that reads them in the list. */
const applied = (use: (scene: Scene) => Promise<void>, more?: string, environment = '') =>
  withProject(
    {
      shape: { updated: 'shown', totals: 'shown', reputation: 'shown', title: 'shown', pageSize: 3 },
      environment,
      files: Object.fromEntries(NAMES.map((name) => [`campaigns/${name}.yaml`, manifest(name, 100, more)])),
    },
    async (project) => {
      const { exits, live, read, service, write } = project;
      const fileOf = (name: string) => `.campaignctl/state/production/${live(name).id}.json`;
      if (environment === '') await exits(0, 'apply --yes');
      await use({
        ...project,
        fileOf,
        set: (name, cap, other = more) => write({ [`campaigns/${name}.yaml`]: manifest(name, cap, other) }),
        seen: async (name) => JSON.parse(await read(fileOf(name))).seen,
        async asks(line) {
          const first = service.requests.length;
          await exits(0, line);
          return service.requests
            .slice(first)
            .map(({ path }) => path.replace('/api/campaigns', ''))
            .sort();
        },
      });
    },
  );

const PAGES = ['', ''];
const PLAN = 'plan --refresh changed';
const APPLY = 'apply --yes --refresh changed';
const readsOf = (...live: { id: number }[]) =>
  [
    ...PAGES,
    ...live.flatMap(({ id }) => ['', '/schedule', '/sequence-steps'].map((part) => `/${id}${part}`)),
  ].sort();

test('two changed campaigns cost the pages of the list and six requests, and every view counts the others', () =>
  applied(async ({ exits, run, plan, asks, set, live, service, fileOf, read }) => {
    await exits(0, 'apply --yes');
    const before = await Promise.all(NAMES.map((name) => read(fileOf(name))));
    expect(await asks(PLAN)).toEqual(PAGES);
    const view = async (flags: string) =>
      (await run(`${PLAN} ${flags}`)).out.replaceAll(service.url, 'https://send.example.com');
    const none = await view('');
    await set(ALPHA, 200);
    live(BETA).settings.max_emails_per_day = 300;
    expect(await asks(PLAN)).toEqual(readsOf(live(ALPHA), live(BETA)));
    const changed = await plan('--refresh changed');
    expect(changed).toMatchObject({
      mode: 'changed',
      summary: { create: 0, change: 2, blocked: 0, unchanged: 0, not_read: 3, requests: 2 },
    });
    const all = await plan();
    const isRead = ({ name }: { name: string }) => name === ALPHA || name === BETA;
    expect(changed.campaigns.filter(isRead)).toEqual(all.campaigns.filter(isRead));
    expect(changed.fingerprint).not.toBe(all.fingerprint);
    const views = [none, await view(''), await view('--format markdown'), await view('--recursive')];
    const heads = views.map((text) => text.split('\n').slice(0, 5).join('\n'));
    await expect(heads.join('\n\n')).toMatchFileSnapshot('golden/refresh-changed.txt');
    expect(await view('--format html')).toContain('3 campaigns were not read');
    // No plan writes the state.
    expect(await Promise.all(NAMES.map((name) => read(fileOf(name))))).toEqual(before);
  }));

test('campaigns with the same leads are read only if leads are attached or may be mailed', () =>
  applied(async ({ exits, asks, set, live }) => {
    await exits(0, 'apply --yes');
    await set(ALPHA, 200);
    expect(await asks(PLAN)).toEqual(readsOf(live(ALPHA)));
    const all = [...readsOf(live(ALPHA)), ...NAMES.slice(1).map((name) => `/${live(name).id}`)].sort();
    await set(ALPHA, 100, 'leads: { lists: [7] }\nstatus: running\n');
    expect(await asks(PLAN)).toEqual(all);
    await exits(0, `forget ${live(ALPHA).id} --yes`);
    await set(ALPHA, 100);
    expect(await asks(PLAN)).toEqual(all);
  }, LEADS));

test('a replaced campaign is read while it sends, and not while it is paused', () =>
  applied(async ({ exits, asks, live, write }) => {
    const replace = async (key: string) => {
      const text = manifest('Successor', 100, `${key}leads: { ids: [7] }\nstatus: running\n`);
      await write({ [`campaigns/${ALPHA}.yaml`]: text });
      await exits(0, 'apply --yes --allow launch');
      await exits(0, 'apply --yes');
    };
    await replace(`replaces: ${ALPHA}\n`);
    expect(await asks(PLAN)).toEqual(PAGES);
    // Without that key, the old campaign is only in the state.
    await replace('');
    expect(await asks(PLAN)).toEqual(PAGES);
    live(ALPHA).status = 'active';
    expect(await asks(PLAN)).toEqual([...PAGES, `/${live(ALPHA).id}`]);
  }));

test('an apply, a dry run and the library count unread campaigns, and an apply records what it saw', () =>
  applied(async ({ exits, asks, fileOf, folder, live, plan, seen, set }) => {
    const inodes = () => Promise.all(NAMES.map(async (name) => (await stat(join(folder, fileOf(name)))).ino));
    await exits(0, 'apply --yes');
    const before = await inodes();
    await exits(0, 'apply --yes');
    expect(await inodes()).toEqual(before);
    await set(ALPHA, 200);
    const rehearsed = await exits(0, 'apply --dry-run --json --refresh changed');
    expect(JSON.parse(rehearsed.out)).toMatchObject({ summary: { not_read: 4, requests: 1 } });
    expect(rehearsed.err).toContain('4 campaigns were not read');
    const project = await openProject({ cwd: folder, variables: { CAMPAIGNS_TOKEN: TOKEN } });
    expect(await project.plan({ refresh: 'changed' })).toMatchObject({ summary: { change: 1, not_read: 4 } });
    await expect(project.plan({ refresh: 'some' as 'all' })).rejects.toThrow(/option refresh of plan/);
    await expect(project.apply({ refresh: 'changed', plan: 'p.json' })).rejects.toThrow('A saved plan');
    expect((await exits(0, APPLY)).out).toContain('1 changed, 4 not read, 0 unchanged.');
    expect((await inodes()).slice(1)).toEqual(before.slice(1));
    // The list shows the changes, so the next run reads the campaign again.
    expect(await asks(PLAN)).toEqual(readsOf(live(ALPHA)));
    const result: ApplyResult = JSON.parse((await exits(0, `${APPLY} --json`)).out);
    expect(result.summary).toEqual({
      ...EMPTY_APPLY_SUMMARY,
      ...{ campaigns: 5, unchanged: 1, not_read: 4 },
    });
    expect(await asks(PLAN)).toEqual(PAGES);
    expect(await seen(ALPHA)).toMatchObject({ listed: { name: ALPHA, status: 'draft', total_leads: 0 } });
    expect((await plan()).summary.not_read).toBe(0);
  }));

test('a campaign that failed, is blocked or was imported differently counts as not seen', () =>
  applied(async ({ exits, live, seen, service, set }) => {
    await exits(0, 'apply --yes');
    for (const name of [ALPHA, BETA, GAMMA]) expect(await seen(name)).not.toBeNull();
    await set(ALPHA, 200);
    const path = `/api/campaigns/${live(ALPHA).id}/update`;
    service.answerThen('PATCH', path, { status: 422, body: { message: 'No.' }, effect: false });
    await exits(4, 'apply --yes');
    // Its sequence cannot be changed, and nothing is sent.
    for (const step of live(BETA).steps) step.email_body = 'Hello';
    await exits(4, `apply --yes --target ${BETA}`);
    live(GAMMA).settings.max_emails_per_day = 300;
    await exits(0, `import --update ${GAMMA}`);
    expect(await Promise.all([ALPHA, BETA, GAMMA].map(seen))).toEqual([null, null, null]);
  }));

test('the row of a pinned campaign is read before its record, and kept', () =>
  applied(async ({ exits, fileOf, live, read, seen, service, write }) => {
    const { id } = live(ALPHA);
    service.store.campaigns.splice(0, NAMES.length, live(ALPHA));
    await write({
      '.campaignctl': null,
      campaigns: null,
      [`campaigns/${ALPHA}.yaml`]: `id: ${id}\n${manifest(ALPHA, 100)}`,
    });
    const first = service.requests.length;
    await exits(0, 'apply --yes');
    expect(service.requests[first]?.path).toBe('/api/campaigns');
    expect(await seen(ALPHA)).toMatchObject({ listed: { name: ALPHA } });
    const kept = await read(fileOf(ALPHA));
    await exits(0, 'apply --yes');
    expect(await read(fileOf(ALPHA))).toEqual(kept);
  }));

test('a saved plan is applied by reading the same campaigns, and refused if any other has since changed or been read', () =>
  applied(async ({ asks, exits, live, set }) => {
    await set(ALPHA, 200);
    // None has been seen yet, so all are read, now and when this plan is applied.
    await exits(0, `${PLAN} --out early.json`);
    await exits(0, `apply --yes --target ${BETA}`);
    expect((await exits(0, 'apply --plan early.json --dry-run')).err).toContain('1 request, none sent');
    await set(ALPHA, 100);
    await exits(0, 'apply --yes');
    await set(ALPHA, 200);
    await exits(0, `${PLAN} --out plan.json`);
    const stale = async () => (await exits(3, 'apply --plan plan.json --yes')).err;
    live(GAMMA).settings.max_emails_per_day = 7;
    const err = await stale();
    expect(err).toContain('[plan-stale]');
    expect(err).toContain(`${GAMMA}: was not read`);
    live(GAMMA).settings.max_emails_per_day = 100;
    expect((await exits(1, `${APPLY} --plan plan.json`)).err).toContain('[usage]');
    const asked = await asks('apply --plan plan.json --yes');
    expect(new Set(asked.filter((path) => path.endsWith('/schedule')))).toEqual(
      new Set([`/${live(ALPHA).id}/schedule`]),
    );
    await exits(0, 'apply --yes');
    await set(ALPHA, 300);
    await exits(0, `${PLAN} --out plan.json`);
    // Leads are not managed. The list shows a change, and another apply has nothing to do.
    live(GAMMA).lists.push(9);
    await exits(0, `apply --yes --target ${GAMMA}`);
    expect(await stale()).toContain('[plan-stale]');
  }));

test('--drift cannot be combined with --refresh changed', () =>
  applied(async ({ exits, service }) => {
    const first = service.requests.length;
    expect(await exits(1, `${PLAN} --drift`)).toMatchObject({
      out: '',
      err: expect.stringContaining('[usage]'),
    });
    expect(service.requests.length).toBe(first);
  }));

test('on a branch, seen campaigns are recorded in one commit, or none if nothing changed', () =>
  applied(
    async ({ exits, folder, set }) => {
      const git = (line: string) =>
        execFileSync('git', line.split(' '), { cwd: folder, encoding: 'utf8' }).trim();
      for (const line of ['init -q', 'init -q --bare remote.git', 'remote add origin ./remote.git'])
        git(line);
      const log = () => git('-C remote.git log --all --name-only --format=commit%H').split('commit');
      /** Numbers of entries changed by each commit of an apply, newest first. */
      const commits = async (line: string) => {
        const before = new Set(log());
        await exits(0, line);
        return log()
          .filter((text) => !before.has(text))
          .map((text) => text.match(/^\d+\.json$/gm)?.length ?? 0);
      };
      await exits(0, 'apply --yes');
      expect(await commits('apply --yes')).toEqual([5, 0]);
      expect(await commits('apply --yes')).toEqual([0, 0]);
      await set(ALPHA, 200);
      expect((await commits(APPLY))[0]).toBe(1);
      expect(await commits(APPLY)).toEqual([1, 0]);
      expect(await commits(APPLY)).toEqual([0, 0]);
    },
    undefined,
    '    state: { backend: git, id: acme }\n',
  ));
