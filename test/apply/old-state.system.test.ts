import { cp, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Service } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { draft } from '../support/service/store.js';
import { applying, entry42, NAME } from './spring.js';

/** One campaign, created with this state, applied repeatedly with different lists, a minute apart. */
interface Runs {
  service: Service;
  /** Attaches these lists with all approvals. Returns the hazards and what was attached. */
  apply(...lists: number[]): Promise<{ hazards: string[]; attached: number[] }>;
  /** Saves the current state. Returns a function that restores it. */
  keep(): Promise<() => Promise<void>>;
}

/**
 * Where the lead count is shown, and whether the campaign is pinned, so that only a record without the count requires the
 * list.
 */
interface Where {
  totals: Shape['totals'];
  pin: { id?: number };
}

async function withRuns(
  { totals, pin }: Where,
  status: string,
  body: (runs: Runs) => Promise<void>,
): Promise<void> {
  const campaigns = [{ ...draft(42, NAME), status }];
  await applying({ shape: { totals }, campaigns }, async ({ service, folder, state, ...at }) => {
    await state.save(entry42());
    const apply = async (...lists: number[]) => {
      const before = service.writes().length;
      const { plan } = await at.apply({ ...pin, leads: { lists } });
      const hazards = (plan.campaigns[0]?.problems ?? [])
        .filter(({ severity }) => severity === 'hazard')
        .map(({ code }) => code);
      const writes = service.writes().slice(before);
      const attached = writes.map(({ body }) => (body as { lead_list_id: number }).lead_list_id);
      return { hazards, attached };
    };
    const keep = async () => {
      await cp(folder, `${folder}-kept`, { recursive: true });
      return async () => {
        await rm(folder, { recursive: true });
        await cp(`${folder}-kept`, folder, { recursive: true });
      };
    };
    await body({ service, apply, keep });
  });
}

describe.each<Where>([
  { totals: 'shown', pin: {} },
  { totals: 'listed', pin: {} },
  { totals: 'listed', pin: { id: 42 } },
  { totals: 'zero', pin: {} },
  { totals: 'zero', pin: { id: 42 } },
])('where the number of leads shows as $totals, pinned: $pin', (where) => {
  it('a list that an old state of a sending campaign does not know is attached again only with approval', () =>
    withRuns(where, 'active', async ({ apply, keep }) => {
      expect(await apply(42)).toEqual({ hazards: ['attach-running'], attached: [42] });
      expect(await apply(42, 43)).toEqual({ hazards: ['attach-running'], attached: [43] });
      expect(await apply(42, 43)).toEqual({ hazards: [], attached: [] });
      const restore = await keep();
      expect(await apply(42, 43, 44)).toEqual({ hazards: ['attach-running'], attached: [44] });
      await restore();
      expect((await apply(42, 43, 44)).hazards).toEqual(['repeat-attach', 'attach-running']);
    }));

  it('an old state with an outdated count explains only that many leads, and an apply in between updates it', () =>
    withRuns(where, 'active', async ({ service, apply, keep }) => {
      let now = 0;
      service.behave({ lag: 20_000 }, () => now);
      expect(await apply(42)).toEqual({ hazards: ['attach-running'], attached: [42] });
      const restore = await keep();
      now += 60_000;
      expect(await apply(42)).toEqual({ hazards: [], attached: [] });
      expect(await apply(42, 43)).toEqual({ hazards: ['attach-running'], attached: [43] });
      now += 60_000;
      await restore();
      expect((await apply(42, 43)).hazards).toEqual(['repeat-attach', 'attach-running']);
    }));

  it('leads that an idle campaign did not keep do not explain later ones, before and after another apply', () =>
    withRuns(where, 'paused', async ({ service, apply }) => {
      const accepted = { effect: false, status: 200, body: { data: { success: true } } };
      service.answerThen('POST', '/api/campaigns/42/leads/attach-lead-list', accepted);
      expect(await apply(42)).toEqual({ hazards: [], attached: [42] });
      service.store.campaigns[0]?.lists.push(43);
      expect(await apply(42)).toEqual({ hazards: [], attached: [] });
      expect(await apply(42, 43)).toEqual({ hazards: ['repeat-attach'], attached: [43] });
    }));

  it('leads that were added by hand need one approval, and an apply without leads does not count them as its own', () =>
    withRuns(where, 'paused', async ({ service, apply }) => {
      await apply(42);
      service.store.campaigns[0]?.lists.push(99);
      expect(await apply(42)).toEqual({ hazards: [], attached: [] });
      expect(await apply(42, 43)).toEqual({ hazards: ['repeat-attach'], attached: [43] });
      expect(await apply(42, 43, 44)).toEqual({ hazards: [], attached: [44] });
    }));

  it('a run that attached one of two lists and failed records the lead count', () =>
    withRuns(where, 'paused', async ({ service, apply }) => {
      const path = '/api/campaigns/42/leads/attach-lead-list';
      const accepted = { effect: true, status: 200, body: { data: { success: true } } };
      service.answerThen('POST', path, accepted);
      service.answerThen('POST', path, { effect: false, status: 422, body: { message: 'no such list' } });
      await apply(42, 43);
      expect((await apply(42, 43)).hazards).toEqual([]);
    }));
});
