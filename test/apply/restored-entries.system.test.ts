import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HAZARD_NAMES } from '../../src/model/approvals.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { Ran } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import type { Service } from '../support/service/service.js';
import { openStore } from '../support/state.js';
import { Death, killer, POINTS } from '../system/trust/killer.js';
import { applying } from './spring.js';

type Entries = ReadonlyMap<string, string>;

interface Project {
  folder: string;
  service: Service;
  /** Applies with all approvals except for `repeat-attach`. */
  apply(...specs: Partial<CampaignSpec>[]): Promise<Ran>;
  /** Applies in a process that is killed. */
  die(struck: ReturnType<typeof killer>, ...specs: Partial<CampaignSpec>[]): Promise<void>;
  entries(): Promise<Entries>;
  restore(entries: Entries): Promise<void>;
  /** Archives all closed journals but the newest ones. */
  archive(kept: number): Promise<void>;
}

const isEntry = (name: string) => /^\d+\.json$/.test(name);
const EVERYTHING_ELSE = HAZARD_NAMES.filter((hazard) => hazard !== 'repeat-attach');

function withProject(body: (project: Project) => Promise<void>): Promise<void> {
  const allow = EVERYTHING_ELSE.map((hazard) => ({ hazard, by: 'test' }));
  return applying({ shape: { totals: 'hidden' } }, async ({ service, folder, apply }) => {
    const options = (specs: Partial<CampaignSpec>[]) => ({
      environment: { ...environment(), allow },
      refuses: true,
      campaigns: specs.map((spec) => campaign(`${spec.name}.yaml`, spec)),
    });
    await body({
      folder,
      service,
      apply: (...specs) => apply({}, options(specs)),
      // It may exit before that point.
      die: (struck, ...specs) =>
        apply({}, { ...options(specs), ...struck }).then(
          () => {},
          (error: unknown) => expect(error).toBeInstanceOf(Death),
        ),
      async entries() {
        const names = (await readdir(folder).catch(() => [])).filter(isEntry);
        const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
        return new Map(names.map((name, at) => [name, texts[at] ?? '']));
      },
      async restore(entries) {
        for (const name of (await readdir(folder)).filter(isEntry))
          if (!entries.has(name)) await rm(join(folder, name));
        for (const [name, text] of entries) await writeFile(join(folder, name), text);
      },
      archive: (kept) => openStore(folder, environment().base_url).archive({ journals: kept, runs: 99 }),
    });
  });
}

const codesOf = ({ plan }: Ran) => plan.campaigns.flatMap(({ problems }) => problems.map(({ code }) => code));

test('an entry that is older than a finished run is brought up to date from its journal', () =>
  withProject(async ({ folder, service, apply, entries, restore }) => {
    await apply({ name: 'Spring', leads: { lists: [1] } });
    const older = await entries();
    await apply({ name: 'Spring', leads: { lists: [1, 2], ids: [5] } });
    const newest = await openStore(folder, environment().base_url).readAll();
    await restore(older);
    const [entry] = await openStore(folder, environment().base_url).readAll();
    expect(entry?.recorded.attached).toEqual({ lists: [1, 2], ids: [5] });
    expect(entry?.recorded.attached).toEqual(newest[0]?.recorded.attached);
    const again = await apply({ name: 'Spring', leads: { lists: [1, 2], ids: [5] } });
    expect([again.result, again.plan.summary.requests, codesOf(again)]).toEqual(['done', 0, []]);
    expect(service.store.campaigns[0]).toMatchObject({ lists: [1, 2], leads: [5] });
  }));

test('a pause in a journal is not attributed to others', () =>
  withProject(async ({ apply, entries, restore }) => {
    const spring: Partial<CampaignSpec> = {
      name: 'Spring',
      schedule: { days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
      sequence: {
        title: 'Spring',
        steps: [{ email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1, thread_reply: false }],
      },
      leads: { lists: [1] },
    };
    await apply({ ...spring, status: 'running' });
    const older = await entries();
    await apply({ ...spring, status: 'paused' });
    await restore(older);
    const { plan } = await apply({ ...spring, status: 'running' });
    expect(JSON.stringify(plan)).not.toContain('outside campaignctl');
    expect(plan.campaigns[0]?.changes.map(({ origin }) => origin)).not.toContain('service');
  }));

test('leads that a person has removed by hand are not restored to the entry from older journals', () =>
  withProject(async ({ folder, apply }) => {
    await apply({ name: 'Spring', leads: { lists: [1, 2] } });
    const store = openStore(folder, environment().base_url);
    const [entry] = await store.readAll();
    if (entry === undefined) throw new Error('there is no entry');
    await store.save({ ...entry, recorded: { ...entry.recorded, attached: { lists: [1], ids: [] } } });
    const [after] = await openStore(folder, environment().base_url).readAll();
    expect(after?.recorded.attached.lists).toEqual([1]);
  }));

const SPRING = (...lists: number[]) => ({ name: 'Spring', leads: { lists } });

test('an entry that is older than archived runs counts as unknown: attaching needs approval', () =>
  withProject(async ({ folder, service, apply, entries, restore, archive }) => {
    await apply(SPRING(1));
    const older = await entries();
    await apply(SPRING(1, 2));
    await apply(SPRING(1, 2, 3));
    const newest = await entries();
    await archive(1);
    expect(codesOf(await apply(SPRING(1, 2, 3)))).toEqual([]);
    await restore(older);
    const [entry] = await openStore(folder, environment().base_url).readAll();
    // The third run still has its journal.
    expect(entry?.recorded).toMatchObject({
      known: false,
      attached: { lists: [1, 3] },
      last: null,
      seen: null,
    });
    expect(codesOf(await apply(SPRING(1, 2, 3)))).toEqual(['repeat-attach']);
    expect(service.store.campaigns[0]?.lists).toEqual([1, 2, 3]);
    // Another archiving keeps it unknown.
    await archive(0);
    expect(codesOf(await apply(SPRING(1, 2, 3)))).toEqual(['repeat-attach']);
    await restore(newest);
    expect(codesOf(await apply(SPRING(1, 2, 3)))).toEqual([]);
  }));

test('an entry that is older only than runs with a journal is brought up to date', () =>
  withProject(async ({ service, apply, entries, restore, archive }) => {
    await apply(SPRING(1));
    await apply(SPRING(1, 2));
    const older = await entries();
    await apply(SPRING(1, 2, 3));
    await archive(1);
    await restore(older);
    const again = await apply(SPRING(1, 2, 3));
    expect([again.plan.summary.requests, codesOf(again)]).toEqual([0, []]);
    // Archiving the run writes what it changed to the restored entry.
    await restore(older);
    await archive(0);
    const last = await apply(SPRING(1, 2, 3, 4));
    expect([last.result, codesOf(last)]).toEqual(['done', []]);
    expect(service.store.campaigns[0]?.lists).toEqual([1, 2, 3, 4]);
  }));

test('a restored entry still has what later applies changed, until they are archived', () =>
  withProject(async ({ folder, apply, entries, restore, archive }) => {
    const cap = (max_emails_per_day: number) => ({ name: 'Spring', settings: { max_emails_per_day } });
    const applies = async () => {
      const [entry] = await openStore(folder, environment().base_url).readAll();
      return entry?.recorded.applies ?? [];
    };
    await apply(cap(300));
    const older = await entries();
    const [first] = await applies();
    await apply(cap(250));
    await apply(cap(200));
    const all = await applies();
    expect(all).toHaveLength(3);
    await restore(older);
    expect(await applies()).toEqual(all);
    expect(codesOf(await apply(cap(250)))).toContain('undoes-apply');
    await archive(0);
    await restore(older);
    expect(await applies()).toEqual([first]);
  }));

test('the files of an older checkout do not hide that runs were archived', () =>
  withProject(async ({ folder, service, apply, archive }) => {
    for (const last of [1, 2, 3]) await apply(SPRING(...[1, 2, 3].slice(0, last)));
    await archive(1);
    await cp(folder, `${folder}-old`, { recursive: true });
    for (const last of [4, 5, 6]) await apply(SPRING(...[1, 2, 3, 4, 5, 6].slice(0, last)));
    await archive(1);
    await cp(`${folder}-old`, folder, { recursive: true });
    expect(codesOf(await apply(SPRING(1, 2, 3, 4, 5, 6)))).toEqual(['repeat-attach']);
    expect(service.store.campaigns[0]?.lists).toEqual([1, 2, 3, 4, 5, 6]);
  }));

test('a run that clocks date before an archived one is not forgotten', () =>
  withProject(async ({ folder, service, apply, entries, restore, archive }) => {
    await apply(SPRING(1));
    const journals = join(folder, 'journal');
    const [name = ''] = await readdir(journals);
    // As on a machine whose clock is ahead.
    const ahead = async () => {
      const text = await readFile(join(journals, name), 'utf8');
      const later = name.replace('run-0', 'run-9');
      await writeFile(join(journals, later), text.replaceAll(name.slice(0, 10), later.slice(0, 10)));
      await rm(join(journals, name));
      const entry = await readFile(join(folder, '101.json'), 'utf8');
      await writeFile(join(folder, '101.json'), entry.replace(name.slice(0, 10), later.slice(0, 10)));
    };
    await ahead();
    const older = await entries();
    await apply(SPRING(1, 2));
    await archive(0);
    await restore(older);
    expect(codesOf(await apply(SPRING(1, 2)))).toEqual(['repeat-attach']);
    expect(service.store.campaigns[0]?.lists).toEqual([1, 2]);
  }));

test('a forgotten campaign can be adopted, and an old entry of it counts as unknown', () =>
  withProject(async ({ folder, service, apply, entries, restore, archive }) => {
    await apply(SPRING(1));
    const older = await entries();
    await apply(SPRING(1, 2));
    const newer = await entries();
    await openStore(folder, environment().base_url).remove(101);
    await archive(0);
    for (const restored of [older, newer, new Map()]) {
      await restore(restored);
      expect(codesOf(await apply(SPRING(1, 2, 3)))).toContain('repeat-attach');
    }
    await apply({ name: 'Spring', settings: { max_emails_per_day: 7 } });
    const [entry] = await openStore(folder, environment().base_url).readAll();
    expect(entry?.recorded).toMatchObject({ known: false, last: { how: 'apply' } });
    expect(service.store.campaigns[0]?.lists).toEqual([1, 2]);
  }));

const NAMES = ['Spring', 'Summer'];
const lists = fc.subarray([1, 2, 3, 4]);
const ids = fc.subarray([11, 12, 13]);
/**
 * `lost`: attachments whose responses are lost. `killed`: where the process dies. `back`: number of versions by which each
 * entry is rolled back; `null`: it is lost. `archived`: number of journals that are kept.
 */
const applied = fc.record({
  leads: fc.tuple(fc.record({ lists, ids }), fc.record({ lists, ids })),
  only: fc.constantFrom(null, null, 0, 1),
  lost: fc.constantFrom(0, 0, 0, 0, 1),
  killed: fc.option(fc.record({ point: fc.constantFrom(...POINTS), nth: fc.integer({ min: 1, max: 6 }) }), {
    freq: 3,
  }),
  back: fc.array(fc.option(fc.nat({ max: 4 }), { freq: 20 }), { minLength: 2, maxLength: 2 }),
  archived: fc.option(fc.nat({ max: 3 })),
});

/** The entries after the last run, some replaced with those of earlier runs. */
function older(versions: readonly Entries[], back: readonly (number | null)[]): Entries {
  const files = [...(versions.at(-1)?.keys() ?? [])];
  return new Map(
    files.flatMap((file, at) => {
      const steps = back[at] ?? null;
      if (steps === null) return [];
      const texts = versions.flatMap((entries) => entries.get(file) ?? []);
      return [[file, texts.at(-1 - steps) ?? texts[0] ?? ''] as const];
    }),
  );
}

const CASES = Number(process.env.TRUST_CASES ?? 20);

test('whichever older entries are restored, nothing is attached twice without approval', {
  timeout: 600_000,
}, async () => {
  let attached = 0;
  const history = fc.array(applied, { minLength: 3, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(history, (runs) =>
      withProject(async ({ service, apply, die, entries, restore, archive }) => {
        const versions: Entries[] = [];
        for (const { leads, only, lost, killed, back, archived } of runs) {
          const answer = { effect: true, status: 502, body: {} };
          if (lost > 0) service.answerThen('POST', '/api/campaigns/101/leads/attach-lead-list', answer);
          const specs = NAMES.map((name, at) => ({ name, leads: leads[at] ?? { lists: [] } }));
          const asked = specs.filter((_, at) => only === null || at === only);
          if (killed === null) await apply(...asked);
          else await die(killer(killed.point, killed.nth), ...asked);
          service.calm();
          if (archived !== null) await archive(archived);
          versions.push(await entries());
          await restore(older(versions, back));
        }
        for (const { lists, leads } of service.store.campaigns) {
          expect(lists).toEqual([...new Set(lists)]);
          expect(leads).toEqual([...new Set(leads)]);
          attached += lists.length + leads.length;
        }
      }),
    ),
    { numRuns: CASES, seed: Number(process.env.TRUST_SEED ?? 20261124), endOnFailure: true },
  );
  expect(attached).toBeGreaterThan(5 * CASES);
});
