import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { Plan, PlannedChange, Step } from '../../src/model/outputs.js';
import type { Journal } from '../../src/state/journal.js';
import type { Store } from '../../src/state/store.js';
import { failureOf } from '../support/failure.js';
import { withFolder } from '../support/folder.js';
import { campaignPlan, planOf } from '../support/plans.js';
import { openStore } from '../support/state.js';

const ADDRESS = 'https://send.example.com';

const NAMED = { manifest: 'spring.yaml', name: 'Spring installers' };
const CREATE: Step = {
  ...{ id: 'create', stage: 'create', section: 'campaign', title: 'create the campaign', method: 'POST' },
  ...{ path: '/api/campaigns', body: { name: NAMED.name }, irreversible: true },
};
const ATTACH: Step = {
  ...{ id: 'leads/list-77', stage: 'leads', section: 'leads', title: 'attach lead list 77', method: 'POST' },
  ...{ path: '/api/campaigns/42/leads/attach-lead-list', body: { lead_list_id: 77 }, irreversible: true },
};
const CHANGES: PlannedChange[] = [
  { section: 'leads', path: 'lists', kind: 'add', from: null, to: [77], note: null, origin: null },
];
const PLAN: Plan = planOf([
  campaignPlan(NAMED.name, { ...NAMED, action: 'create', changes: CHANGES, steps: [CREATE, ATTACH] }),
]);
const AT = '2026-03-02T08:00:00.000Z';
const BY = { at: AT, who: 'ada@desk' };
const head = (run: string) => ({ run, environment: 'production', ...BY, commit: 'c0ffee', tool: '0.1.0' });
const start = (run = 'run-1') => ({ ...head(run), plan: PLAN, specs: { 'spring.yaml': 'sha256:spec' } });
const now = () => AT;
const intent = (step: Step, id: number | null = null) => ({
  ...{ ...NAMED, id, step },
  total_leads: step === ATTACH ? 12 : null,
});
const outcome = (step: Step, result: 'done' | 'failed' | 'in_doubt', id: number | null = 42) => ({
  ...{ ...NAMED, step: step.id, id, result, detail: null, visible_in: null },
});

const TRAIL = { run: 'run-1', ...BY, ...NAMED, spec: 'sha256:spec', changes: CHANGES };
const file = (folder: string) => join(folder, 'journal', 'run-1.open.jsonl');

/** Starts a run in a temporary folder. */
function started(
  use: (scene: { folder: string; store: Store; journal: Journal }) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    const store = openStore(folder, ADDRESS);
    await use({ folder, store, journal: await store.begin(start(), now) });
  });
}

describe('the journal of a run', () => {
  it('of a reconciled run leaves nothing to reconcile, and is kept as a record', () =>
    started(async ({ folder, store, journal }) => {
      await journal.intend(intent(CREATE));
      await journal.conclude(outcome(CREATE, 'done'));
      journal.reconciled(NAMED);
      await journal.end('done');
      expect(await readdir(join(folder, 'journal'))).toEqual(['run-1.jsonl']);
      expect(await store.pending()).toEqual([]);
      expect(await store.runs({ limit: 9, prefix: '' })).toEqual([
        {
          ...head('run-1'),
          fingerprint: PLAN.fingerprint,
          summary: PLAN.summary,
          ended: AT,
          result: 'done',
          pending: false,
          steps: [{ at: AT, ...NAMED, id: 42, step: CREATE, result: 'done', detail: null }],
        },
      ]);
    }));

  it('of a run that could not be announced leaves nothing to reconcile', () =>
    withFolder(async (folder) => {
      const store = openStore(folder, ADDRESS);
      const gone = new Failure({ code: 'state-remote', message: 'The remote is gone.', hint: '' });
      const keep = () => Promise.reject(gone);
      const { begin } = store.under({ check() {}, keep });
      expect((await failureOf(begin(start(), now))).message).toMatch(/^The remote is gone\. ./);
      expect(await store.pending()).toEqual([]);
      expect(await readdir(join(folder, 'journal'))).toEqual(['run-1.jsonl']);
      expect(await store.runs({ limit: 9, prefix: '' })).toMatchObject([{ result: 'incomplete', steps: [] }]);
    }));

  it('of a run that died contains every intent and the known outcomes', () =>
    started(async ({ folder, store, journal }) => {
      await journal.intend(intent(CREATE));
      await journal.conclude(outcome(CREATE, 'done'));
      await journal.intend(intent(ATTACH, 42));
      const noted = { at: AT, age: expect.any(Number), visible_in: null };
      const sent = [
        { ...noted, step: CREATE, result: 'done', total_leads: null },
        { ...noted, step: ATTACH, result: 'unknown', total_leads: 12 },
      ];
      expect(await openStore(folder, ADDRESS).pending()).toEqual([
        { ...TRAIL, commit: 'c0ffee', id: 42, sent },
      ]);
      expect(await store.runs({ limit: 9, prefix: '' })).toMatchObject([
        { result: 'died', ended: null, pending: true, steps: [{ result: 'done' }, { result: null }] },
      ]);
    }));

  it('contains the outcome of a write as soon as it was recorded', () =>
    started(async ({ folder, journal }) => {
      await journal.intend(intent(CREATE));
      const [before] = await openStore(folder, ADDRESS).pending();
      expect(before).toMatchObject({ id: null, sent: [{ step: CREATE, result: 'unknown' }] });
      await journal.conclude(outcome(CREATE, 'done'));
      const [after] = await openStore(folder, ADDRESS).pending();
      expect(after).toMatchObject({ id: 42, sent: [{ step: CREATE, result: 'done' }] });
    }));

  it('measures the age of a write only within the same boot', () =>
    started(async ({ folder, journal }) => {
      await journal.intend(intent(CREATE));
      const age = async () => (await openStore(folder, ADDRESS).pending())[0]?.sent[0]?.age ?? -1;
      const text = await readFile(file(folder), 'utf8');
      const hourAgo = Math.round(Number(process.hrtime.bigint()) / 1e6) - 3_600_000;
      const earlier = text.replace(/"uptime":\d+/, `"uptime":${hourAgo}`);
      await writeFile(file(folder), earlier);
      const known = text.includes('"boot":null') ? 0 : 3_600_000;
      expect(await age()).toBeGreaterThanOrEqual(known);
      await writeFile(file(folder), earlier.replace(/"boot":("[^"]*"|null)/, '"boot":"another one"'));
      expect(await age()).toBe(0);
      await writeFile(file(folder), earlier.replace(/,"boot":("[^"]*"|null),"uptime":-?\d+/, ''));
      expect(await age()).toBe(0);
    }));

  it('stays open after the state is rebased to a different address', () =>
    started(async ({ folder, journal }) => {
      await journal.intend(intent(CREATE));
      const moved = openStore(folder, 'https://other.example.com');
      expect(await failureOf(moved.pending())).toMatchObject({ code: 'state-of-other-service' });
      await moved.rebase();
      expect(await moved.pending()).toHaveLength(1);
    }));

  it('distinguishes a campaign from an earlier one of the same manifest', () =>
    started(async ({ store, journal }) => {
      const old = { ...intent(CREATE, 7), name: 'Old' };
      await journal.intend(intent(ATTACH, 42));
      await journal.intend(old);
      await journal.conclude({ ...outcome(CREATE, 'done', 7), name: 'Old' });
      const remaining = { ...NAMED, id: 42, sent: [{ step: ATTACH, result: 'unknown' }] };
      const both = await store.pending();
      expect(both).toMatchObject([remaining, { name: 'Old', id: 7, sent: [{ result: 'done' }] }]);
      journal.reconciled({ manifest: 'spring.yaml', name: 'Old' });
      await journal.end('incomplete');
      expect(await store.pending()).toMatchObject([remaining]);
      await store.closePending(both.slice(1));
      expect(await store.pending()).toMatchObject([remaining]);
    }));

  it('has nothing pending if all open requests have failed', () =>
    started(async ({ store, journal }) => {
      const isPending = async () => (await store.runs({ limit: 1, prefix: '' }))[0]?.pending;
      await journal.intend(intent(CREATE));
      expect(await isPending()).toBe(true);
      await journal.conclude(outcome(CREATE, 'failed'));
      expect(await isPending()).toBe(false);
      await journal.intend(intent(CREATE));
      await journal.conclude(outcome(CREATE, 'done'));
      expect(await isPending()).toBe(true);
    }));

  it('keeps only doubtful requests for the next run', () =>
    started(async ({ folder, store, journal }) => {
      await journal.intend(intent(ATTACH, 42));
      await journal.conclude(outcome(ATTACH, 'in_doubt'));
      await journal.intend({ ...intent(CREATE), manifest: 'autumn.yaml' });
      journal.reconciled({ manifest: 'autumn.yaml', name: 'Spring installers' });
      await journal.end('incomplete');
      const pending = await store.pending();
      expect(pending).toMatchObject([
        { manifest: 'spring.yaml', sent: [{ step: ATTACH, result: 'in_doubt' }] },
      ]);
      await store.closePending(pending);
      expect(await store.pending()).toEqual([]);
      expect(await readdir(join(folder, 'journal'))).toEqual(['run-1.jsonl']);
      expect(await store.runs({ limit: 9, prefix: 'run-1' })).toMatchObject([
        { result: 'incomplete', pending: false },
      ]);
    }));

  it('stays open while a campaign is not reconciled', () =>
    started(async ({ store, journal }) => {
      await journal.intend(intent(ATTACH, 42));
      await journal.intend({ ...intent(CREATE), manifest: 'autumn.yaml' });
      const pending = await store.pending();
      await store.closePending(pending.slice(0, 1));
      expect((await store.pending()).map(({ manifest }) => manifest)).toEqual(['autumn.yaml']);
    }));

  it('may end with an incomplete line, whose request was never sent', () =>
    started(async ({ folder, store, journal }) => {
      await journal.intend(intent(CREATE));
      await writeFile(file(folder), `${await readFile(file(folder), 'utf8')}{"type":"intent","at":"2026`);
      const pending = await store.pending();
      expect(pending).toMatchObject([{ sent: [{ step: CREATE }] }]);
      await store.closePending(pending);
      expect(await store.runs({ limit: 9, prefix: '' })).toMatchObject([{ steps: [{ step: CREATE }] }]);
      expect(await store.readAll()).toEqual([]);
    }));

  it.each([
    ['is not JSON', (lines: string[]) => lines.with(2, '{"type":"intent"')],
    ['is a conflict marker of git', (lines: string[]) => lines.with(2, '<<<<<<< HEAD')],
    ['has an unknown line', (lines: string[]) => lines.with(2, '{"type":"other"}')],
    ['has no step', (lines: string[]) => lines.with(2, lines[2]?.replace('"method"', '"m"') ?? '')],
    [
      'has an unknown result',
      (lines: string[]) => [
        ...lines.slice(0, -1),
        JSON.stringify({ type: 'outcome', ...outcome(CREATE, 'done'), at: AT, result: 'evil' }),
        '',
      ],
    ],
    ['stands where the run should', (lines: string[]) => lines.slice(1)],
    [
      'is of a later version',
      (lines: string[]) => lines.with(0, lines[0]?.replace('"version":1', '"version":2') ?? ''),
    ],
  ])('with a line that %s is an error that names the line, never a shorter journal', (_, damage) =>
    started(async ({ folder, store, journal }) => {
      await journal.intend(intent(CREATE));
      await journal.intend(intent(ATTACH, 42));
      await writeFile(file(folder), damage((await readFile(file(folder), 'utf8')).split('\n')).join('\n'));
      const failure = await failureOf(store.pending());
      expect(failure).toMatchObject({ code: 'state-corrupt', exitCode: 1 });
      expect(failure.message).toContain(file(folder));
    }),
  );

  it('that cannot begin is an error, and nothing may be sent', () =>
    withFolder(async (folder) => {
      await openStore(folder, ADDRESS).rebase();
      await writeFile(join(folder, 'journal'), 'a file');
      expect(await failureOf(openStore(folder, ADDRESS).begin(start(), now))).toMatchObject({
        code: 'state-unusable',
        exitCode: 1,
      });
    }));

  it('writes concurrent records together, and each is durable when its promise resolves', () =>
    started(async ({ folder, store, journal }) => {
      const ids = Array.from({ length: 100 }, (_, index) => index);
      await Promise.all(
        ids.map(async (id) => {
          await journal.intend({ ...intent(ATTACH, id), manifest: `${id}.yaml` });
          const text = await readFile(file(folder), 'utf8');
          expect(text).toContain(`"manifest":"${id}.yaml"`);
        }),
      );
      expect(await store.pending()).toHaveLength(100);
    }));

  it('can be read only by its owner', () =>
    withFolder(async (folder) => {
      await openStore(folder, ADDRESS).begin(start(), now);
      expect((await stat(file(folder))).mode & 0o077).toBe(0);
    }));
});
