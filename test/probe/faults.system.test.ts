/**
 * Probes with lost and wrong responses, killed and interrupted. A probe claims only what it has seen, and creates nothing
 * twice.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProbeResult } from '../../src/model/reports.js';
import { command } from '../support/command.js';
import { fault } from '../support/service/faults.js';
import { CHOICES, type Shape, shaped } from '../support/service/shape.js';
import { Death, killer, POINTS } from '../system/trust/killer.js';
import { expectedOf, journalsOf, type Probing, probing, serving, valuesOf } from './scratch.js';

/** A service on which a probe sends all its requests: two campaigns, eight writes. */
const LONGEST = shaped({ variants: 'order' });
const WRITES = [1, 2, 3, 4, 5, 6, 7, 8];

/** Conclusions match the service, and everything that was created is reported. */
function expectTrue(
  result: ProbeResult,
  shape: Shape,
  { service, others }: Probing,
  before: readonly number[] = [],
): void {
  const expected = expectedOf(shape);
  for (const [topic, value] of Object.entries(valuesOf(result)))
    if (value !== null) expect([topic, value]).toEqual([topic, expected[topic]]);
  const created = service.store.campaigns.filter(
    ({ id }) => others.every((campaign) => campaign.id !== id) && !before.includes(id),
  );
  const shown = new Map(result.campaigns.map(({ name, id }) => [name, id]));
  for (const { id, name } of created) expect([null, id]).toContain(shown.get(name));
  expect(created.every(({ name }) => shown.has(name))).toBe(true);
  expect(result.complete || result.problems.length > 0).toBe(true);
}

describe('a lost or wrong response', () => {
  const drawn = Object.entries(CHOICES).map(([name, choices]) => [
    name,
    fc.constantFrom<unknown>(...choices),
  ]);
  const anyShape = fc.record(Object.fromEntries(drawn)) as fc.Arbitrary<Shape>;
  const shape = fc.oneof(fc.constant(LONGEST), anyShape);
  const faults = fc.array(fc.tuple(fc.integer({ min: 1, max: 45 }), fault), { minLength: 1, maxLength: 4 });

  test('leads to no wrong conclusion and creates nothing twice, and the next apply closes the journal', () =>
    fc.assert(
      fc.asyncProperty(shape, faults, async (local, all) => {
        await probing(local, async (at) => {
          for (const [number, what] of all) at.service.answerAt(number, what);
          const result = await at.probe().catch(() => null);
          if (result !== null) expectTrue(result, local, at);
          at.service.calm();
          const before = at.service.store.campaigns.map(({ id }) => id);
          const again = await at.probe();
          expectTrue(again, local, at, before);
          expect(again.complete).toBe(true);
          expect(journalsOf(at.folder).some(({ open }) => open)).toBe(false);
        });
      }),
      { numRuns: Number(process.env.TRUST_CASES ?? 40) },
    ));

  // A lost refusal proves nothing.
  const lost: Record<number, object> = { 6: { variant_reference: null } };
  test.each(WRITES)('to write %i that took effect does not change the conclusions', (nth) =>
    probing(LONGEST, async (at) => {
      const { service } = at;
      // The requests of an undisturbed probe show which request is that write.
      await at.probe();
      const before = service.requests.length;
      const values = service.requests.flatMap(({ method }, place) => (method === 'GET' ? [] : [place + 1]));
      service.answerAt(before + (values[nth - 1] ?? 0), { reset: true, effect: true });
      const result = await at.probe();
      expect(service.calm()).toBe(1);
      expect(valuesOf(result)).toEqual({ ...expectedOf(LONGEST), ...(lost[nth] ?? {}) });
    }),
  );

  test('to a creation without effect ends the probe, and it is not sent again', () =>
    probing(LONGEST, async ({ service, probe, folder }) => {
      service.answerThen('POST', '/api/campaigns', { reset: true, effect: false });
      const result = await probe();
      expect([result.complete, result.requests, service.writes().length]).toEqual([false, 1, 1]);
      expect(result.campaigns).toEqual([{ id: null, name: expect.any(String) }]);
      expect(result.problems.map(({ code }) => code)).toEqual(['probe-stopped']);
      expect(journalsOf(folder).map(({ open }) => open)).toEqual([true]);
    }));
});

describe('a probe that is killed', () => {
  // A probe records the effect of a write only with its outcome.
  const points = POINTS.filter((point) => point !== 'once it has its effect');
  const cases = WRITES.flatMap((nth) => points.map((point) => [nth, point] as const));

  test.each(cases)('at write %i, %s, leaves nothing that an apply would mistake for its own', (nth, point) =>
    probing(LONGEST, async (at) => {
      const { folder, service, others } = at;
      await expect(at.probe({ store: killer(point, nth).store })).rejects.toBeInstanceOf(Death);
      const created = service.store.campaigns.filter(({ id }) => others.every((other) => other.id !== id));
      expect(created.length).toBe(
        nth > 7 || (nth === 7 && !/^before it is|^once it is/.test(point))
          ? 2
          : nth > 1 || !/^before it is|^once it is/.test(point)
            ? 1
            : 0,
      );
      // The next probe closes pending requests, and says so.
      const again = await at.probe();
      expect(again.complete).toBe(true);
      const remaining = again.problems.filter(({ code }) => code === 'unfinished-probe');
      const isOpen = nth > 1 || point !== 'before it is noted';
      expect(remaining.length).toBe(
        isOpen ? (nth > 7 || (nth === 7 && point !== 'before it is noted') ? 2 : 1) : 0,
      );
      expect(journalsOf(folder).filter(({ open, lines }) => open && lines.length > 2)).toEqual([]);
    }),
  );

  test('is closed by the next apply, which says so and changes nothing', () =>
    serving(LONGEST, async ({ folder, service, probe }) => {
      await expect(probe({ store: killer('before its outcome is noted', 4).store })).rejects.toBeInstanceOf(
        Death,
      );
      const writes = service.writes().length;
      const plan = JSON.parse((await command(folder, ['plan', '--json'])).out);
      expect(plan.problems.map(({ code }: { code: string }) => code)).toEqual(['unfinished-probe']);
      expect([plan.removed, plan.summary.requests, plan.campaigns.length]).toEqual([[], 0, 1]);
      const { code } = await command(folder, ['apply', '--yes']);
      expect([code, service.writes().length, journalsOf(folder).map(({ open }) => open)]).toEqual([
        0,
        writes,
        [false],
      ]);
      const planNow = async () => JSON.parse((await command(folder, ['plan', '--json'])).out);
      const [scratch] = service.store.campaigns.filter(({ name }) => name.startsWith('campaignctl probe'));
      const { id = 0, name: campaign = '' } = scratch ?? {};
      const whole = { section: null, path: '', place: '', from: scratch?.status, to: null };
      expect(await planNow()).toMatchObject({
        ...{ problems: [], removed: [] },
        by_hand: [{ campaign, id, manifest: 'campaignctl probe', does: 'delete', ...whole }],
      });
      expect((await command(folder, ['plan'])).out).toMatch(/^ {4}\[ \] .*probe/m);
      if (scratch !== undefined) scratch.status = 'archived';
      expect((await planNow()).by_hand).toEqual([]);
    }));

  test('is not treated as a campaign of the project by list and import, with or without the state', () =>
    serving(LONGEST, async ({ folder, probe }) => {
      await expect(probe({ store: killer('before its outcome is noted', 4).store })).rejects.toBeInstanceOf(
        Death,
      );
      const { campaigns, summary } = JSON.parse((await command(folder, ['list', '--json'])).out);
      expect(campaigns.map(({ status }: { status: string }) => status)).toEqual([
        'unmanaged',
        'scratch',
        'managed',
      ]);
      expect([summary.scratch, summary.removed]).toEqual([1, 0]);
      const { out } = await command(folder, ['import', '--all']);
      expect(out).toMatch(/ id 11: .*campaigns\/spring.yaml.*\n.* id 101: .*probe/);
      expect(out).toContain('1 campaign imported, 2 skipped.');
    }));
});
