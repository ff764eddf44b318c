import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import { liveCampaign } from '../../src/model/live.js';
import type { CampaignPlan, Cap, OtherCampaign } from '../../src/model/outputs.js';
import { NO_RESULTS } from '../../src/model/results.js';
import { CREATED_STATE, type StateEntry } from '../../src/model/state.js';
import { planHazards } from '../../src/plan/hazards.js';
import { planVolume } from '../../src/plan/volume.js';
import { withFacts } from '../../src/sections/target.js';
import { entryOf, listedCampaign } from '../support/campaigns.js';
import { liveContext } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { campaignPlan, NOT_COMPARED, step } from '../support/plans.js';
import { plannedOf } from '../support/works.js';

const row = (id: number, status: string, cap: Cap): ListedCampaign => ({
  ...listedCampaign(id, `Campaign ${id}`, status),
  numbers: { results: NO_RESULTS, cap },
});
const launch = step('status', { id: 'launch' });
const pause = step('status', { id: 'pause' });
const planned = (id: number | null, cap: number | null | undefined, more: Partial<CampaignPlan> = {}) => {
  const spec = cap === undefined ? {} : { settings: { max_emails_per_day: cap } };
  return {
    ...plannedOf(withFacts(liveContext(spec, {}), { id })),
    plan: campaignPlan(`Campaign ${id}`, { id, ...more }),
  };
};

/** The volume in words, and the codes of its problems. */
function volume(
  listed: ListedCampaign[],
  campaigns: ReturnType<typeof planned>[],
  { capacity = 1000 as number | null, removed = [] as OtherCampaign[], entries = [] as StateEntry[] } = {},
) {
  const context = deepFreeze({ environment: { ...environment(), capacity }, listed, entries });
  const works = campaigns.map((work) => ({
    ...work,
    target: withFacts(work.target, {
      live: liveCampaign(null, {
        row: listed.find(({ id }) => id === work.target.id) ?? null,
        othersShowStatus: false,
      }),
    }),
  }));
  const result = planVolume(deepFreeze(works), deepFreeze(removed), context);
  const problems = planHazards({
    campaigns: [],
    removed: [],
    listed,
    entries: [],
    unkept: null,
    volume: result,
  });
  return [
    result?.volume.running,
    result?.volume.cap,
    ...problems.map(({ code, severity }) => (severity === 'hazard' ? code : `${severity} ${code}`)),
  ];
}

const removed: OtherCampaign = {
  ...{ id: 3, name: 'Campaign 3', manifest: 'a.yaml', outside: false, status: 'active', running: true },
  ...{ basis: 'shown', max_emails_per_day: 50, step: pause },
};

describe('the volume after a plan', () => {
  it('is not computed without a capacity', () => {
    expect(volume([row(1, 'active', 5000)], [], { capacity: null })).toEqual([undefined, undefined]);
  });

  it('uses the caps in manifests for managed campaigns, and those in the list for others', () => {
    const listed = [row(1, 'active', 100), row(2, 'active', 200), row(3, 'paused', 400)];
    expect(volume(listed, [planned(1, 150), planned(3, 400)])).toEqual([2, 350]);
    expect(volume(listed, [planned(1, undefined)])).toEqual([2, 300]);
  });

  it('is over capacity if the plan launches a campaign too many', () => {
    const listed = [row(1, 'active', 800), row(2, 'paused', 300)];
    expect(volume(listed, [planned(2, 300, { steps: [launch] })])).toEqual([2, 1100, 'over-capacity']);
    expect(volume(listed, [planned(null, 200, { steps: [launch] })])).toEqual([2, 1000]);
    expect(volume(listed, [planned(null, null, { steps: [launch] })])).toEqual([2, 800, 'over-capacity']);
  });

  it('is over capacity if the plan raises a cap', () => {
    expect(volume([row(1, 'active', 800)], [planned(1, 1200)])).toEqual([1, 1200, 'over-capacity']);
    expect(volume([row(1, 'active', 800)], [planned(1, null)])).toEqual([1, 0, 'over-capacity']);
  });

  it('is a warning if it was already above the capacity and the plan does not raise it', () => {
    const listed = [row(1, 'active', 2000), row(2, 'active', 500)];
    expect(volume(listed, [planned(1, 1800)])).toEqual([2, 2300, 'warning over-capacity']);
    expect(volume(listed, [planned(1, 1800), planned(null, 100, { steps: [launch] })])).toEqual([
      3,
      2400,
      'warning over-capacity',
    ]);
    expect(volume([row(1, 'active', 'unlimited')], [planned(1, 5000)])).toEqual([
      1,
      5000,
      'warning over-capacity',
    ]);
  });

  it('omits campaigns that the plan pauses', () => {
    const listed = [row(1, 'active', 800), row(2, 'active', 100), row(3, 'active', 50)];
    const replaces = { id: 2, name: 'Campaign 2', status: 'active', running: true, ...NOT_COMPARED };
    const successor = planned(null, 100, { replaces, steps: [launch] });
    const works = [planned(1, 800, { steps: [pause] }), successor];
    expect(volume(listed, works, { removed: [removed, { ...removed, id: 2 }] })).toEqual([1, 100]);
    expect(volume(listed, works, { removed: [{ ...removed, step: null }] })).toEqual([3, 250]);
  });

  it('is raised by each campaign without a cap that did not run before', () => {
    const listed = [row(1, 'active', 'unlimited'), row(2, 'active', 500), row(3, 'paused', 'unlimited')];
    const third = planned(3, undefined, { steps: [launch] });
    expect(volume(listed, [third])).toEqual([3, 500, 'over-capacity']);
    const both = [row(1, 'active', 'unlimited'), row(2, 'active', 'unlimited')];
    const capped = planned(null, 100, { steps: [launch] });
    expect(volume(both, [capped])).toEqual([3, 100, 'warning over-capacity']);
  });

  it('uses the last set status if the service shows none', () => {
    const launched = { ...CREATED_STATE, status: 'running' as const, has_run: true };
    const hidden = [1, 2].map((id) => ({ ...row(id, '', 100 * id), status: null }));
    const entries = [{ ...entryOf(2, 'b.yaml', 'Campaign 2'), recorded: launched }];
    const work = planned(1, 150);
    const set = { ...work, target: withFacts(work.target, { recorded: launched }) };
    expect(volume(hidden, [set], { entries })).toEqual([2, 350]);
    expect(volume(hidden, [set])).toEqual([1, 150]);
  });

  it('says "at least" if the list shows no caps', () => {
    const listed = [listedCampaign(1, 'Campaign 1', 'active')];
    const context = { environment: { ...environment(), capacity: 100 }, listed, entries: [] };
    const result = planVolume([planned(null, 200, { steps: [launch] })], [], context);
    expect(result?.volume).toMatchObject({ running: 2, cap: 200, not_shown: 1 });
    const [problem] = planHazards({
      campaigns: [],
      removed: [],
      listed,
      entries: [],
      unkept: null,
      volume: result,
    });
    expect(problem?.message).toContain('at least 200');
    expect(problem?.message).toContain('"Campaign 1" cap not known');
  });

  it('counts campaigns whose status is not shown apart, because they may be sending', () => {
    const listed = [1, 2, 3].map((id) => listedCampaign(id, `Campaign ${id}`, null));
    const context = { environment: { ...environment(), capacity: 500 }, listed, entries: [] };
    const volumeOf = (works: ReturnType<typeof planned>[]) => planVolume(works, [], context)?.volume;
    const created = planned(null, 200, { steps: [launch] });
    expect(volumeOf([created])).toMatchObject({ running: 1, cap: 200, unclear: 3 });
    expect(volumeOf([planned(1, 200, { steps: [pause] })])).toMatchObject({ running: 0, unclear: 2 });
    const listedWith = [row(1, 'paused', 100), row(2, 'active', 100)];
    const shown = planVolume([created], [], { ...context, listed: listedWith });
    expect(shown?.volume).not.toHaveProperty('unclear');
  });

  it('says whether holding the launches is enough, and which campaigns have the highest caps', () => {
    const listed = [row(1, 'active', 800), row(2, 'paused', 300)];
    const message = (running: ListedCampaign[]) => {
      const context = { environment: { ...environment(), capacity: 1000 }, listed: running, entries: [] };
      const result = planVolume([planned(2, 300, { steps: [launch] })], [], context);
      const whole = { campaigns: [], removed: [], listed: running, entries: [], unkept: null };
      return planHazards({ ...whole, volume: result })[0]?.message;
    };
    expect(message(listed)).toMatch(
      /With all launches held: up to 800 emails a day, within the capacity, so that this needs no approval\. The largest: "Campaign 1" 800, "[^"]+" 300 \(launched by this plan\)\.$/,
    );
    expect(message([row(1, 'active', 1100), row(2, 'paused', 300)])).toContain('still above the capacity');
  });

  it('names every campaign that it counts, the highest cap first', () => {
    const caps: Cap[] = [10, null, 30, 'unlimited', 50, 60, 70];
    const listed = caps.map((cap, at) => row(at + 1, 'active', cap));
    const context = { environment: { ...environment(), capacity: 1000 }, listed, entries: [] };
    const { campaigns = [], running } = planVolume([], [], context)?.volume ?? {};
    expect(campaigns.map(({ cap }) => cap)).toEqual(['unlimited', 70, 60, 50, 30, 10, null]);
    expect(running).toBe(campaigns.length);
  });
});
