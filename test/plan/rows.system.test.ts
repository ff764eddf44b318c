/** List rows that stand for records. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { serviceAddress } from '../../src/model/environment.js';
import type { JsonObject } from '../../src/model/json.js';
import { SETTING_NAMES } from '../../src/model/sections.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { Refresh } from '../../src/plan/refresh.js';
import { openReader, type Reader } from '../../src/service/index.js';
import { SCHEDULE, SEQUENCE } from '../apply/spring.js';
import { run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import { environment as environmentOf } from '../support/environment.js';
import { withFolder } from '../support/folder.js';
import { openService, type Service, TOKEN } from '../support/service/service.js';
import { type Shape, shaped } from '../support/service/shape.js';
import { wireTo } from '../support/service/wire.js';
import { service as anyService, spec as anySpec, WORKSPACE } from '../support/specs.js';
import { openStore } from '../support/state.js';
import { readPlan } from '../support/works.js';

const URL = 'https://send.example.com';

interface Scene {
  service: Service;
  apply(specs: readonly CampaignSpec[]): Promise<unknown>;
  /** The plan, and the paths of campaigns that were read. `adjust` changes what the reader shows. */
  plan(
    specs: readonly CampaignSpec[],
    more?: { adjust?: (reader: Reader) => Reader; drift?: boolean },
  ): Promise<{ planned: Refresh; read: string[] }>;
}

const manifestsOf = (specs: readonly CampaignSpec[]) =>
  specs.map((spec, at) => campaign(`campaigns/${at}.yaml`, spec));

const scene = (
  { shape, environment = environmentOf() }: { shape: Shape; environment?: ReturnType<typeof environmentOf> },
  use: (scene: Scene) => Promise<void>,
) =>
  withFolder(async (top) => {
    const service = openService(shape, structuredClone(WORKSPACE));
    const folder = `${top}/state`;
    const shared = { environment, ...{ url: URL, token: TOKEN, folder } };
    await use({
      service,
      apply: (specs) => run({ ...shared, campaigns: manifestsOf(specs), wire: () => wireTo(service) }),
      async plan(specs, { adjust = (reader: Reader) => reader, drift = false } = {}) {
        const store = openStore(folder, serviceAddress(environment));
        const state = { entries: await store.readAll(), pending: await store.pending() };
        const before = service.requests.length;
        const reader = openReader({
          ...{ baseUrl: URL, token: TOKEN, parallelism: 2, requestsPerMinute: null, trace: null },
          ...{ names: { environment: 'production', tokenVariable: null }, wire: wireTo(service) },
          clock: fakeClock(),
        });
        const given = { environment, campaigns: manifestsOf(specs), ...state };
        const planned = await readPlan(adjust(reader), given, { drift });
        const read = service.requests.slice(before).flatMap(({ path }) => {
          const [, place] = /^\/api\/campaigns\/(\d+.*)$/.exec(path) ?? [];
          return place ?? [];
        });
        return { planned, read };
      },
    });
  });

/** A reader whose rows never stand for records. */
function withoutRecords(reader: Reader): Reader {
  const campaigns = async () => (await reader.campaigns()).map(({ record: _, ...row }) => row);
  return { ...reader, campaigns };
}

const SPRING: CampaignSpec = {
  name: 'Spring',
  settings: { max_emails_per_day: 200 },
  schedule: SCHEDULE,
  sequence: SEQUENCE,
};
const SUMMER: CampaignSpec = { ...SPRING, name: 'Summer', status: 'paused' };
const BOTH = [SPRING, SUMMER];
const RECORDS = ['101', '102'];

/** Only the campaigns whose records were read. */
const recordsIn = ({ read }: { read: readonly string[] }) =>
  read.filter((place) => RECORDS.includes(place)).sort();

/** Two campaigns, applied one after the other, so that their ids are known, and found in sync. */
const applied = (use: (scene: Scene) => Promise<void>, shape: Partial<Shape> = {}) =>
  scene({ shape: shaped({ totals: 'shown', ...shape }) }, async (opened) => {
    for (const specs of [[SPRING], BOTH, BOTH]) await opened.apply(specs);
    await use(opened);
  });

test('an unchanged campaign takes two requests', () =>
  applied(async ({ plan }) => {
    const { planned, read } = await plan(BOTH);
    expect(planned.plan.summary).toMatchObject({ unchanged: 2 });
    expect(read.sort()).toEqual([
      ...['101/schedule', '101/sequence-steps'],
      ...['102/schedule', '102/sequence-steps'],
    ]);
  }));

describe('the record is read', () => {
  it('if the row differs from the manifest', () =>
    applied(async ({ plan }) => {
      const other = { ...SPRING, settings: { max_emails_per_day: 300 } };
      expect(recordsIn(await plan([other, SUMMER]))).toEqual(['101']);
      expect(recordsIn(await plan([SPRING, { ...SUMMER, status: 'running' }]))).toEqual(['102']);
    }));

  it('if another section differs', () =>
    applied(async ({ plan }) => {
      const other = { ...SUMMER, schedule: { ...SCHEDULE, start_time: '10:00' } };
      expect(recordsIn(await plan([SPRING, other]))).toEqual(['102']);
    }));

  it('if the status is not the one that the state last knew', () =>
    applied(async ({ plan, service }) => {
      for (const stored of service.store.campaigns)
        stored.status = stored.id === 101 ? 'active' : stored.status;
      expect(recordsIn(await plan(BOTH))).toEqual(['101']);
    }));

  it.each<Partial<Shape>>([{ rows: 'id-name' }, { totals: 'hidden' }, { status: 'hidden' }])(
    'if the row does not show everything: %j',
    (shape) => applied(async ({ plan }) => expect(recordsIn(await plan(BOTH))).toEqual(RECORDS), shape),
  );

  it('if the row does not show a setting of the manifest', () =>
    applied(async ({ plan }) => {
      const adjust = withoutSettings(['max_emails_per_day']);
      expect(recordsIn(await plan(BOTH, { adjust }))).toEqual(RECORDS);
      expect(recordsIn(await plan(BOTH, { adjust: withoutSettings(['plain_text']) }))).toEqual([]);
    }));

  it('if the row shows null, which may mean that the field is not filled', () =>
    scene({ shape: shaped({ totals: 'shown' }) }, async ({ apply, plan }) => {
      const specs = [{ ...SPRING, settings: { ...SPRING.settings, open_tracking: false } }];
      await apply(specs);
      await apply(specs);
      expect(recordsIn(await plan(specs))).toEqual([]);
      const adjust = withoutSettings(['open_tracking'], () => null);
      expect(recordsIn(await plan(specs, { adjust }))).toEqual(['101']);
    }));

  it('for drift', () =>
    applied(async ({ plan }) => expect(recordsIn(await plan(BOTH, { drift: true }))).toEqual(RECORDS)));

  it('for a campaign that the state does not contain, and for one that replaces another', () =>
    applied(async ({ plan, service }) => {
      const [spring] = service.store.campaigns;
      if (spring !== undefined) spring.name = 'Autumn';
      expect(recordsIn(await plan([{ ...SPRING, id: 101, name: 'Autumn' }, SUMMER]))).toEqual([]);
      expect(recordsIn(await plan([{ ...SUMMER, replaces: 101 }]))).toEqual(RECORDS);
    }));

  it('if a row cannot be read', () =>
    applied(async ({ plan }) => {
      const adjust = rowsWith({ plain_text: 'maybe' });
      expect(recordsIn(await plan(BOTH, { adjust }))).toEqual(RECORDS);
    }));
});

test('a stale row that differs is corrected by the record', () =>
  applied(async ({ plan }) => {
    const adjust = rowsWith({ max_emails_per_day: 7 });
    const { planned, read } = await plan(BOTH, { adjust });
    expect(planned.plan.summary).toMatchObject({ unchanged: 2 });
    expect(recordsIn({ read })).toEqual(RECORDS);
  }));

/** What a person may do to a campaign in the web app, or to its manifest. */
const change = fc.constantFrom(
  ...(['none', 'none', 'cap', 'text', 'launch', 'pause', 'archive', 'steps', 'schedule', 'leads'] as const),
);
const drawn = fc.record({
  service: anyService,
  totals: fc.constantFrom('hidden' as const, 'shown' as const, 'listed' as const, 'zero' as const),
  status: fc.constantFrom('shown' as const, 'hidden' as const, 'listed' as const),
  before: fc.tuple(anySpec, anySpec, anySpec),
  after: fc.array(fc.option(anySpec), { minLength: 3, maxLength: 3 }),
  changes: fc.tuple(change, change, change),
  again: fc.boolean(),
  /** Settings that rows do not show. */
  hidden: fc.oneof(fc.constant([]), fc.subarray([...SETTING_NAMES])),
});

/** Every row of the list shows these values. */
const rowsWith =
  (values: JsonObject) =>
  (reader: Reader): Reader => ({
    ...reader,
    async campaigns() {
      const rows = await reader.campaigns();
      return rows.map((row) => ({ ...row, record: { ...row.record, ...values } }));
    },
  });

/** A reader whose rows lack these settings. */
const withoutSettings =
  (hidden: readonly string[], instead?: () => null) =>
  (reader: Reader): Reader => ({
    ...reader,
    async campaigns() {
      const shown = (record: JsonObject): JsonObject =>
        Object.fromEntries(
          Object.entries(record).flatMap(([name, value]) => {
            if (!hidden.includes(name)) return [[name, value]];
            return instead === undefined ? [] : [[name, instead()]];
          }),
        );
      return (await reader.campaigns()).map(({ record, ...row }) =>
        record === undefined ? row : { ...row, record: shown(record) },
      );
    },
  });

function byHand(service: Service, changes: readonly string[]): void {
  for (const [at, what] of changes.entries()) {
    const stored = service.store.campaigns[at];
    if (stored === undefined) continue;
    if (what === 'cap') stored.settings.max_emails_per_day = 77;
    if (what === 'text') stored.settings.unsubscribe_text = 'Go away';
    if (what === 'launch') stored.status = 'active';
    if (what === 'pause') stored.status = 'paused';
    if (what === 'archive') stored.status = 'archived';
    if (what === 'steps') stored.steps.pop();
    if (what === 'schedule') stored.schedule = null;
    if (what === 'leads') stored.leads.push(901, 902);
  }
}

test('a plan from rows equals the plan from records', async () => {
  let fewer = 0;
  await fc.assert(
    fc.asyncProperty(drawn, async ({ service: { shape, behaviour }, totals, status, ...draw }) => {
      const environment = environmentOf(behaviour);
      const named = (specs: readonly CampaignSpec[]) =>
        specs.map((spec, at) => ({ ...spec, name: `C ${at}` }));
      await scene({ shape: { ...shape, totals, status }, environment }, async ({ service, apply, plan }) => {
        const before = named(draw.before);
        await apply(before);
        if (draw.again) await apply(before);
        byHand(service, draw.changes);
        const after = named(before.map((spec, at) => draw.after[at] ?? spec));
        const outcome = (planning: ReturnType<Scene['plan']>) =>
          planning.then(
            ({ planned, read }) => ({ plan: planned.plan, read }),
            (error: Error) => ({ plan: error.message, read: [] as string[] }),
          );
        const fromRows = await outcome(plan(after, { adjust: withoutSettings(draw.hidden) }));
        const fromRecords = await outcome(plan(after, { adjust: withoutRecords }));
        expect(fromRows.plan).toEqual(fromRecords.plan);
        expect(fromRows.read.length).toBeLessThanOrEqual(fromRecords.read.length);
        if (fromRows.read.length < fromRecords.read.length) fewer += 1;
      });
    }),
  );
  expect(fewer).toBeGreaterThan(0);
});
