/** A probe of a service that shows late what it took, or shows no status of drafts: it concludes nothing that is wrong there. */
import { describe, expect, test } from 'vitest';
import { isObject, type Json } from '../../src/model/json.js';
import type { Exchange, Wire } from '../../src/service/index.js';
import { fakeClock } from '../support/clock.js';
import type { Service } from '../support/service/service.js';
import { type Shape, shaped } from '../support/service/shape.js';
import { wireTo } from '../support/service/wire.js';
import { expectedOf, type Probing, probing, valuesOf } from './scratch.js';

/** A wire on which schedules and sequences show what was written `lag` milliseconds ago, and not yet what was written since. */
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
        const old = before.find((one) => one.path === path && one.until > clock.elapsed());
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

describe.each(SECONDS)('what is written shows after %i seconds', (seconds) => {
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

/** A wire on which records and rows of drafts have no status, or one that says nothing. */
function quietWire(service: Service, how: 'null' | 'absent'): Wire {
  const wire = wireTo(service);
  const quiet = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(quiet);
    if (!isObject(value)) return value;
    const { status, ...rest } = value;
    const own = Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, quiet(one ?? null)]));
    if (status === undefined) return own;
    if (status !== 'draft') return { ...own, status };
    return how === 'null' ? { ...own, status: null } : own;
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
    'is not one that shows none, where another campaign shows one: %s',
    (how) =>
      probing(shaped({ rows: 'id-name' }), async (at) => {
        expect(await statusOf(at, how)).toBe('shown');
      }),
  );

  test('is not known to show none where all campaigns are drafts', () =>
    probing(shaped({ rows: 'id-name' }), async (at) => {
      for (const one of [...at.others, ...at.service.store.campaigns]) one.status = 'draft';
      expect(await statusOf(at, 'null')).toBe(null);
    }));

  test('nor where there is no other campaign', () =>
    probing(shaped({ status: 'hidden' }), async (at) => {
      at.others.splice(0);
      at.service.store.campaigns.splice(0);
      expect(valuesOf(await at.probe()).status).toBe(null);
    }));
});
