/** Probes of services that lag, or show no status for drafts. They draw no wrong conclusions. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, type Json } from '../../src/model/json.js';
import { isScratch } from '../../src/model/scratch.js';
import type { Exchange, Wire } from '../../src/service/wire.js';
import { fakeClock } from '../support/clock.js';
import { scene } from '../support/machines.js';
import type { Service } from '../support/service/service.js';
import { CHOICES, mixedShapes, type Shape, SINGLE_CHANGES, shaped } from '../support/service/shape.js';
import { wireTo } from '../support/service/wire.js';
import { expectedOf, journalsOf, type Probing, probing, valuesOf } from './scratch.js';

/** A wire on which schedules and sequences lag behind writes by `lag` milliseconds. */
function lateWire(service: Service, lag: number, clock: ReturnType<typeof fakeClock>): Wire {
  const wire = wireTo(service);
  const shown = new Set<string>();
  const before: { path: string; until: number; answer: Exchange }[] = [];
  return {
    close: () => wire.close(),
    async exchange(request, ...more) {
      const { method, path } = request;
      const isLate = /\/(?:schedule|sequence-steps)$/.test(path);
      if (method === 'GET' && isLate) {
        shown.add(path);
        const old = before.find((each) => each.path === path && each.until > clock.elapsed());
        return old?.answer ?? wire.exchange(request, ...more);
      }
      if (isLate) {
        const answer = await wire.exchange({ ...request, method: 'GET', body: null }, ...more);
        before.push({ path, until: clock.elapsed() + lag, answer });
      }
      return wire.exchange(request, ...more);
    },
  };
}

const SECONDS = [3, 7, 20, 60];
const SHAPES: Partial<Shape>[] = [
  {},
  { scheduleRepost: 'refuse' },
  { scheduleRepost: 'ignore' },
  { sequenceRepost: 'replace' },
  { sequenceRepost: 'refuse' },
  { variants: 'order' },
];

describe.each(SECONDS)('writes become visible after %i seconds', (seconds) => {
  test.each(SHAPES)('%j', (change) => {
    const shape = shaped(change);
    return probing(shape, async ({ service, probe }) => {
      const clock = fakeClock();
      const { findings, complete } = await probe({ clock, wire: lateWire(service, seconds * 1000, clock) });
      const expected = expectedOf(shape);
      for (const { key, value } of findings)
        if (value !== null) expect([key, value]).toEqual([key, expected[key]]);
      expect(complete).toBe(true);
      if (seconds < 7)
        expect(findings.map(({ key, value }) => [key, value])).toEqual(Object.entries(expected));
    });
  });
});

/** A wire on which records and rows of drafts have no status, or an empty one. */
function quietWire(service: Service, how: 'null' | 'absent'): Wire {
  const wire = wireTo(service);
  const quiet = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(quiet);
    if (!isObject(value)) return value;
    const { status, ...rest } = value;
    const local = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, quiet(item ?? null)]));
    if (status === undefined) return local;
    if (status !== 'draft') return { ...local, status };
    return how === 'null' ? { ...local, status: null } : local;
  };
  return {
    close: () => wire.close(),
    async exchange(request, ...more) {
      const answer = await wire.exchange(request, ...more);
      if (answer.kind !== 'answered' || answer.bytes.length === 0) return answer;
      return { ...answer, bytes: Buffer.from(JSON.stringify(quiet(JSON.parse(answer.bytes.toString())))) };
    },
  };
}

describe('a service that shows no status of drafts', () => {
  const statusOf = async ({ service, probe }: Probing, how: 'null' | 'absent') =>
    valuesOf(await probe({ wire: quietWire(service, how) })).status;

  test.each(['null', 'absent'] as const)(
    'is not one without statuses, if another campaign shows one: %s',
    (how) =>
      probing(shaped({ rows: 'id-name' }), async (at) => {
        expect(await statusOf(at, how)).toBe('shown');
      }),
  );

  test('is not known to hide statuses if all campaigns are drafts', () =>
    probing(shaped({ rows: 'id-name' }), async (at) => {
      for (const campaign of [...at.others, ...at.service.store.campaigns]) campaign.status = 'draft';
      expect(await statusOf(at, 'null')).toBe(null);
    }));

  test('nor if there is no other campaign', () =>
    probing(shaped({ status: 'hidden' }), async (at) => {
      at.others.splice(0);
      at.service.store.campaigns.splice(0);
      expect(valuesOf(await at.probe()).status).toBe(null);
    }));
});

// Probes as processes of the built program, with the state on a shared branch.
test(
  'a probe that is killed with its machine is closed by the next apply on another machine',
  () =>
    scene(async ({ service, machine, write }) => {
      const [first, second] = [await machine(), await machine()];
      const running = first.start('probe', '--env', 'production', '--yes');
      await write(3);
      process.kill(-running.pid, 'SIGKILL');
      await running.ended;
      const applied = await second.run('apply', '--yes', '--lock-timeout', '60');
      expect([applied.code, applied.err]).toEqual([0, expect.any(String)]);
      expect(applied.out).toContain('unfinished-probe');
      const plan = JSON.parse((await second.run('plan', '--json')).out);
      expect([plan.problems, plan.removed, plan.summary.requests]).toEqual([[], [], 0]);
      const names = service.store.campaigns.map(({ name }) => name);
      expect(names.filter((name) => !isScratch(name))).toEqual(['Spring', 'Summer']);
      expect(names.length).toBe(3);
      const { summary } = JSON.parse((await second.run('list', '--json')).out);
      expect([summary.scratch, summary.removed]).toEqual([1, 0]);
    }),
  120_000,
);

test(
  'conclusions of a probe are written to the project file, and the plan uses them',
  () =>
    scene(async ({ machine }) => {
      const first = await machine();
      const { code, out } = await first.run('probe', '--yes', '--write');
      expect([code, out]).toEqual([0, expect.stringContaining('Written into campaignctl.yaml')]);
      expect(readFileSync(join(first.folder, 'campaignctl.yaml'), 'utf8')).toContain(
        'sequence_repost: append',
      );
      expect((await first.run('apply', '--yes')).code).toBe(0);
    }),
  120_000,
);

/** Conclusions depend only on these, so each is tested separately; the other choices are mixed. */
const DECISIVE: (keyof Shape)[] = [
  'status',
  'rows',
  'noStatus',
  'scheduleRepost',
  'sequenceRepost',
  'variants',
];
const OTHERS = (Object.keys(CHOICES) as (keyof Shape)[]).filter((name) => !DECISIVE.includes(name));

async function finds(shape: Shape): Promise<void> {
  await probing(shape, async ({ folder, service, others, probe }) => {
    const result = await probe();
    expect(valuesOf(result)).toEqual(expectedOf(shape));
    expect([result.complete, result.problems]).toEqual([true, []]);
    const created = service.store.campaigns.filter(({ id }) =>
      others.every((campaign) => campaign.id !== id),
    );
    expect(result.campaigns).toEqual(created.map(({ id, name }) => ({ id, name })));
    expect(result.requests).toBe(service.writes().length);
    const [journal, ...more] = journalsOf(folder);
    expect([journal?.open, more]).toEqual([false, []]);
    for (const { value, evidence } of result.findings) if (value !== null) expect(evidence).not.toEqual([]);
  });
}

describe('a probe determines how the service behaves', () => {
  const decisive = SINGLE_CHANGES.filter((change) => DECISIVE.some((name) => name in change));
  test.each([{}, ...decisive, ...mixedShapes(OTHERS)])('%j', (change) => finds(shaped(change)));

  const reposts = CHOICES.sequenceRepost.flatMap((sequenceRepost) =>
    CHOICES.variants.map((variants) => ({ sequenceRepost, variants })),
  );
  test.each(reposts)('%j', (change) => finds(shaped(change)));

  test('in any shape', () => {
    const drawn = Object.entries(CHOICES).map(([name, choices]) => [
      name,
      fc.constantFrom<unknown>(...choices),
    ]);
    const shape = fc.record(Object.fromEntries(drawn)) as fc.Arbitrary<Shape>;
    return fc.assert(fc.asyncProperty(shape, finds), { numRuns: Number(process.env.TRUST_CASES ?? 20) });
  });
});
