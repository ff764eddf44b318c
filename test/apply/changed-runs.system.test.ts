/** Runs with `--refresh changed`: what they read, what they say of the rest, and what they keep for the next one. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApplyResult, Plan } from '../../src/model/outputs.js';
import { openProject } from '../../src/operations/project.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { startService, type TestService, TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import type { StoredCampaign } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';

/** Two pages of the list. */
const NUMBER = 17;
const NAMES = Array.from({ length: NUMBER }, (_, index) => `Campaign ${String(index + 10)}`);

const manifest = (name: string, cap: number, more: object = {}) =>
  JSON.stringify({
    name,
    settings: { max_emails_per_day: cap, max_new_leads_per_day: 1 },
    schedule: { days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    sequence: { title: name, steps: [{ email_subject: 'Hi', email_body: 'Hi', wait_in_days: 3 }] },
    status: 'paused',
    ...more,
  });

interface Scene {
  folder: string;
  service: TestService;
  run(...argv: string[]): ReturnType<typeof command>;
  /** Runs, and gives the paths that were asked for. */
  asks(...argv: string[]): Promise<string[]>;
  write(name: string, cap: number, more?: object): Promise<void>;
  live(name: string): TestService['store']['campaigns'][number];
}

let service: TestService;
/** The service and the state after all campaigns were applied once. */
let applied: { campaigns: StoredCampaign[]; state: Record<string, string> };
const STATE = '.campaignctl/state/production';

const runIn = (folder: string, ...argv: string[]) =>
  command(folder, argv, undefined, undefined, { wire: wireTo(service, service.url) });
const filesOf = (more: object) => ({
  'campaignctl.yaml': JSON.stringify({
    version: 1,
    manifests: ['*.yaml'],
    environments: { production: { base_url: service.url, token_env: 'CAMPAIGNS_TOKEN' } },
  }),
  ...Object.fromEntries(NAMES.map((name) => [`${name}.yaml`, manifest(name, 100, more)])),
});

beforeAll(async () => {
  const shape = shaped({ updated: 'shown', totals: 'shown', reputation: 'shown', title: 'shown' });
  service = await startService(shape, { campaigns: [], templates: [] });
  await withFolder(async (folder) => {
    await writeFiles(folder, filesOf({}));
    expect(await runIn(folder, 'apply', '--yes')).toMatchObject({ code: 0 });
    const state: Record<string, string> = {};
    for (const file of await readdir(join(folder, STATE), { recursive: true }))
      if (file.includes('.json'))
        state[join(STATE, file)] = await readFile(join(folder, STATE, file), 'utf8');
    applied = { campaigns: structuredClone(service.store.campaigns), state };
  });
});
afterAll(() => service.close());

async function inScene(work: (scene: Scene) => Promise<void>, more: object = {}): Promise<void> {
  service.store.campaigns.splice(0, Number.POSITIVE_INFINITY, ...structuredClone(applied.campaigns));
  await withFolder(async (folder) => {
    await writeFiles(folder, { ...filesOf(more), ...applied.state });
    const run = (...argv: string[]) => runIn(folder, ...argv);
    const asks = async (...argv: string[]) => {
      const first = service.requests.length;
      expect(await run(...argv)).toMatchObject({ code: 0 });
      return service.requests.slice(first).map(({ method, path }) => `${method} ${path}`);
    };
    const live = (name: string) => {
      const found = service.store.campaigns.find((one) => one.name === name);
      if (found === undefined) throw new Error(`no campaign ${name}`);
      return found;
    };
    const write = (name: string, cap: number, other = more) =>
      writeFile(join(folder, `${name}.yaml`), manifest(name, cap, other));
    if (Object.keys(more).length > 0) expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    await work({ folder, service, run, asks, write, live });
  });
}

const CHANGED = ['--refresh', 'changed'];
const PAGES = Array.from({ length: Math.ceil(NUMBER / 15) }, () => 'GET /api/campaigns');
const [ONE = '', TWO = '', THREE = ''] = NAMES;

/** The requests that read these campaigns whole. */
function readsOf(...live: { id: number }[]): string[] {
  const parts = ({ id }: { id: number }) =>
    ['', '/schedule', '/sequence-steps'].map((part) => `GET /api/campaigns/${id}${part}`);
  return [...PAGES, ...live.flatMap(parts)].sort();
}

test('two of many changed: the pages of the list and six requests, and every view says so', () =>
  inScene(async ({ folder, run, asks, write, live }) => {
    // An apply that has nothing to do is the first to see them with their rows of the list.
    await run('apply', '--yes');
    expect(await asks('plan', ...CHANGED)).toEqual(PAGES);
    const none = await run('plan', ...CHANGED);
    await write(ONE, 200);
    Object.assign(live(TWO).settings, { max_emails_per_day: 300 });
    expect((await asks('plan', ...CHANGED)).sort()).toEqual(readsOf(live(ONE), live(TWO)));
    const view = async (...flags: string[]) =>
      (await run('plan', ...CHANGED, ...flags)).out.replaceAll(/http:\S+\d/g, 'https://send.example.com');
    const plan = JSON.parse(await view('--json')) as Plan;
    expect(plan).toMatchObject({
      mode: 'changed',
      summary: { create: 0, change: 2, blocked: 0, unchanged: 0, not_read: NUMBER - 2, requests: 2 },
    });
    const all = JSON.parse((await run('plan', '--json')).out) as Plan;
    const isRead = ({ name }: { name: string }) => name === ONE || name === TWO;
    expect(plan.campaigns.filter(isRead)).toEqual(all.campaigns.filter(isRead));
    expect(plan.fingerprint).not.toBe(all.fingerprint);
    const said =
      '15 campaigns were not read (--refresh changed): neither the manifests nor the list shows a change. Drift in them does not show.';
    expect(none.out.replaceAll(/http:\S+\d/g, 'https://send.example.com')).toBe(
      `Plan for production (https://send.example.com)

  No changes in 0 campaigns that were read.
  17 campaigns were not read (--refresh changed): neither the manifests nor the list shows a change.
    Drift in them does not show.
`,
    );
    expect((await view()).split('\n').slice(0, 5).join('\n')).toBe(
      `Plan for production (https://send.example.com)

  2 to change, 0 unchanged, 15 not read · 1 changed outside campaignctl · 2 requests
  15 campaigns were not read (--refresh changed): neither the manifests nor the list shows a change.
    Drift in them does not show.`,
    );
    expect((await view('--format', 'markdown')).split('\n').slice(0, 3)).toEqual([
      '### Plan for `production`: 2 to change, 0 unchanged, 15 not read · 1 changed outside campaignctl · 2 requests',
      '',
      said,
    ]);
    expect(await view('--format', 'html')).toContain(`<p class="headline">${said}</p>`);
    const many = await command(folder, ['plan', '--recursive', ...CHANGED]);
    expect(many.out.replace(/\s+/g, ' ')).toContain(said);
  }));

test('campaigns with the same leads are read where leads are attached, or may be mailed, and only there', () =>
  inScene(
    async ({ run, asks, write, live }) => {
      await run('apply', '--yes');
      await write(ONE, 200);
      expect((await asks('plan', ...CHANGED)).sort()).toEqual(readsOf(live(ONE)));
      const others = NAMES.slice(1).map((name) => `GET /api/campaigns/${live(name).id}`);
      const reads = [...readsOf(live(ONE)), ...others].sort();
      await write(ONE, 100, { leads: { lists: [7] }, status: 'running' });
      expect((await asks('plan', ...CHANGED)).sort()).toEqual(reads);
      await run('forget', `${live(ONE).id}`, '--yes');
      await write(ONE, 100);
      expect((await asks('plan', ...CHANGED)).sort()).toEqual(reads);
    },
    { leads: { lists: [7] } },
  ));

test('campaigns that others have replaced are read until that is done, and once they send again', () =>
  inScene(async ({ run, asks, write, live }) => {
    await run('apply', '--yes');
    const successor = { name: 'Successor', leads: { ids: [7] }, status: 'running' };
    await write(ONE, 100, { ...successor, replaces: ONE });
    expect(await run('apply', '--yes', '--allow', 'launch')).toMatchObject({ code: 0 });
    await run('apply', '--yes');
    const by_hand = JSON.parse((await run('plan', '--json')).out).by_hand;
    expect(by_hand).toMatchObject([{ campaign: ONE, does: 'delete' }]);
    const pages = Array.from({ length: Math.ceil((NUMBER + 1) / 15) }, () => 'GET /api/campaigns');
    expect(await asks('plan', ...CHANGED)).toEqual(pages);
    expect(JSON.parse((await run('plan', '--json', ...CHANGED)).out)).toMatchObject({
      summary: { not_read: NUMBER, removed: 0 },
      by_hand,
    });
    live(ONE).status = 'active';
    const again = JSON.parse((await run('plan', '--json', ...CHANGED)).out);
    expect(again).toMatchObject({ summary: { not_read: NUMBER - 1, pause: 1 } });
    live(ONE).status = 'draft';
    // Without that line, the old one is left over.
    await write(ONE, 100, successor);
    await run('apply', '--yes');
    await run('apply', '--yes');
    expect(await asks('plan', ...CHANGED)).toEqual(pages);
    expect(JSON.parse((await run('plan', '--json', ...CHANGED)).out).by_hand).toEqual(by_hand);
    live(ONE).status = 'active';
    expect(await asks('plan', ...CHANGED)).toEqual([...pages, `GET /api/campaigns/${live(ONE).id}`]);
  }));

test('a dry run says what it left unread', () =>
  inScene(async ({ run, write }) => {
    await run('apply', '--yes');
    await write(ONE, 200);
    const dry = ['apply', '--dry-run', ...CHANGED];
    const { out, err } = await run(...dry, '--json');
    expect(JSON.parse(out)).toMatchObject({ summary: { not_read: NUMBER - 1, requests: 1 } });
    expect(err).toContain('16 campaigns were not read (--refresh changed)');
    expect(JSON.parse((await run('apply', '--dry-run', '--json')).out)).toMatchObject({
      summary: { not_read: 0 },
    });
  }));

test('an apply says what it left unread, and keeps what it saw where that is another', () =>
  inScene(async ({ folder, run, asks, write, live }) => {
    const state = join(folder, '.campaignctl', 'state', 'production');
    const times = async () => {
      const files = (await readdir(state)).filter((name) => name.endsWith('.json'));
      const found = await Promise.all(files.map(async (name) => [name, (await stat(join(state, name))).ino]));
      return Object.fromEntries(found) as Record<string, number>;
    };
    await run('apply', '--yes');
    const first = await times();
    await run('apply', '--yes');
    expect(await times()).toEqual(first);
    await write(ONE, 200);
    const ended = await run('apply', '--yes', ...CHANGED);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.out).toContain('1 campaign done, 16 not read.');
    const { id } = live(ONE);
    const file = `${id}.json`;
    const { [file]: _now, ...others } = await times();
    const { [file]: _first, ...before } = first;
    expect(others).toEqual(before);
    // What was sent shows in the list from now on: the next run reads it once more.
    expect((await asks('plan', ...CHANGED)).sort()).toEqual(readsOf(live(ONE)));
    const result = JSON.parse((await run('apply', '--yes', '--json', ...CHANGED)).out) as ApplyResult;
    expect(result.summary).toEqual({
      ...{ campaigns: NUMBER, unchanged: 1, not_read: NUMBER - 1, done: 0, incomplete: 0, blocked: 0 },
    });
    expect(await asks('plan', ...CHANGED)).toEqual(PAGES);
    const { seen } = JSON.parse(await readFile(join(state, file), 'utf8'));
    expect(seen).toMatchObject({ listed: { name: ONE, status: 'draft', total_leads: 0 } });
  }));

test('what failed, is blocked, or was found otherwise is not seen any more', () =>
  inScene(async ({ folder, service, run, write, live }) => {
    const seenOf = async (name: string) => {
      const file = join(folder, '.campaignctl', 'state', 'production', `${live(name).id}.json`);
      return JSON.parse(await readFile(file, 'utf8')).seen;
    };
    await run('apply', '--yes');
    for (const name of [ONE, TWO, THREE]) expect(await seenOf(name)).not.toBeNull();
    await write(ONE, 200);
    const path = `/api/campaigns/${live(ONE).id}/update`;
    service.answerThen('PATCH', path, { status: 422, body: { message: 'No.' }, effect: false });
    expect(await run('apply', '--yes')).toMatchObject({ code: 4 });
    expect(await seenOf(ONE)).toBeNull();
    // The sequence cannot be changed, and nothing is sent.
    const [step] = live(TWO).steps;
    if (step) step.email_body = 'Hello';
    expect(await run('apply', '--yes', '--target', TWO)).toMatchObject({ code: 4 });
    expect(await seenOf(TWO)).toBeNull();
    Object.assign(live(THREE).settings, { max_emails_per_day: 300 });
    expect(await run('import', '--update', THREE)).toMatchObject({ code: 0 });
    expect(await seenOf(THREE)).toBeNull();
  }));

test('the row of a pinned campaign is read before its record, and kept', () =>
  inScene(async ({ folder, service, run, live }) => {
    const { id } = live(ONE);
    service.store.campaigns.splice(0, service.store.campaigns.length, live(ONE));
    for (const name of NAMES.slice(1)) await rm(join(folder, `${name}.yaml`));
    await rm(join(folder, '.campaignctl'), { recursive: true });
    await writeFile(join(folder, `${ONE}.yaml`), manifest(ONE, 100).replace('{', `{"id":${id},`));
    const first = service.requests.length;
    await run('apply', '--yes');
    expect(service.requests[first]?.path).toBe('/api/campaigns');
    const file = join(folder, '.campaignctl', 'state', 'production', `${id}.json`);
    const kept = JSON.parse(await readFile(file, 'utf8'));
    expect(kept.seen).toMatchObject({ listed: { name: ONE } });
    await run('apply', '--yes');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(kept);
  }));

test('a plan never writes the state', () =>
  inScene(async ({ folder, run }) => {
    const state = join(folder, '.campaignctl', 'state', 'production');
    const texts = async () => {
      const files = (await readdir(state)).filter((name) => name.endsWith('.json'));
      return Promise.all(files.sort().map((name) => readFile(join(state, name), 'utf8')));
    };
    const before = await texts();
    await run('plan', ...CHANGED);
    await run('plan');
    expect(await texts()).toEqual(before);
  }));

test('a saved plan is applied reading the same campaigns, and refused when anything moved', () =>
  inScene(async ({ run, asks, write, live }) => {
    await write(ONE, 200);
    // None was seen yet: all are read, now and by the apply of this plan.
    expect(await run('plan', ...CHANGED, '--out', 'early.json')).toMatchObject({ code: 0 });
    await run('apply', '--yes', '--target', TWO);
    const early = await run('apply', '--plan', 'early.json', '--dry-run');
    expect(early).toMatchObject({ code: 0, err: expect.stringContaining('1 request, none sent') });
    await write(ONE, 100);
    await run('apply', '--yes');
    await write(ONE, 200);
    await run('plan', ...CHANGED, '--out', 'plan.json');
    const { settings } = live(THREE);
    settings.max_emails_per_day = 7;
    const stale = await run('apply', '--plan', 'plan.json', '--yes');
    expect(stale).toMatchObject({ code: 3, err: expect.stringContaining('plan-stale') });
    expect(stale.err).toContain(`${THREE}: it was not read for the plan, and now has a change`);
    settings.max_emails_per_day = 100;
    const more = await run('apply', '--plan', 'plan.json', '--yes', ...CHANGED);
    expect(more).toMatchObject({
      code: 1,
      err: expect.stringContaining('--plan and --refresh cannot be combined'),
    });
    const asked = await asks('apply', '--plan', 'plan.json', '--yes');
    const whole = asked.filter((path) => path.endsWith('/schedule'));
    expect(new Set(whole)).toEqual(new Set([`GET /api/campaigns/${live(ONE).id}/schedule`]));
  }));

test('a saved plan is refused where what it left unread was read again since', () =>
  inScene(async ({ run, write, live }) => {
    await run('apply', '--yes');
    await write(ONE, 200);
    await run('plan', ...CHANGED, '--out', 'plan.json');
    // Leads are not managed: the list shows a change, and another apply finds nothing to do.
    live(THREE).lists.push(9);
    await run('apply', '--yes', '--target', THREE);
    const stale = await run('apply', '--plan', 'plan.json', '--yes');
    expect(stale).toMatchObject({ code: 3, err: expect.stringContaining('plan-stale') });
  }));

test('a drift is not looked for among some', () =>
  inScene(async ({ run, service }) => {
    const first = service.requests.length;
    const refused = await run('plan', '--drift', ...CHANGED);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('--drift cannot be combined with --refresh changed');
    expect(service.requests.length).toBe(first);
  }));

test('a program may ask for it', () =>
  inScene(async ({ folder, run, write }) => {
    await run('apply', '--yes');
    await write(ONE, 200);
    const project = await openProject({ cwd: folder, variables: { CAMPAIGNS_TOKEN: TOKEN } });
    const { summary } = await project.plan({ refresh: 'changed' });
    expect(summary).toMatchObject({ change: 1, not_read: NUMBER - 1 });
    expect(await project.apply({ refresh: 'changed' })).toMatchObject({
      result: 'done',
      summary: { done: 1, not_read: NUMBER - 1 },
    });
    await expect(project.plan({ refresh: 'some' as 'all' })).rejects.toThrow(/option refresh of plan/);
    const both = project.apply({ refresh: 'changed', plan: 'plan.json' });
    await expect(both).rejects.toThrow('A saved plan is applied as is.');
  }));

test('on a branch, what was seen is one commit, and nothing where nothing is another', () =>
  inScene(async ({ folder, service, run, write }) => {
    const git = (...argv: string[]) => execFileSync('git', argv, { cwd: folder, encoding: 'utf8' }).trim();
    const production = {
      base_url: service.url,
      token_env: 'CAMPAIGNS_TOKEN',
      state: { backend: 'git', id: 'acme' },
    };
    git('init', '--quiet');
    git('init', '--quiet', '--bare', 'remote.git');
    git('remote', 'add', 'origin', join(folder, 'remote.git'));
    await writeFiles(folder, {
      'campaignctl.yaml': JSON.stringify({ version: 1, manifests: ['*.yaml'], environments: { production } }),
    });
    expect(await run('state', 'migrate')).toMatchObject({ code: 0, err: '' });
    /** The number of entries that each commit of a run changes, the last one first. */
    const commits = async (...flags: string[]) => {
      const log = () =>
        git('-C', 'remote.git', 'log', '--all', '--name-only', '--format=commit %H').split('commit ');
      const before = new Set(log().map((text) => text.slice(0, 40)));
      expect(await run('apply', '--yes', ...flags)).toMatchObject({ code: 0 });
      return log()
        .filter((text) => text !== '' && !before.has(text.slice(0, 40)))
        .map((text) => text.match(/^\d+\.json$/gm)?.length ?? 0);
    };
    expect(await commits()).toEqual([NUMBER, 0]);
    expect(await commits()).toEqual([0, 0]);
    await write(ONE, 200);
    expect((await commits(...CHANGED))[0]).toBe(1);
    expect(await commits(...CHANGED)).toEqual([1, 0]);
    expect(await commits(...CHANGED)).toEqual([0, 0]);
  }));
