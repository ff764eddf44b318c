import { describe, expect, it } from 'vitest';
import type { Hazard } from '../../src/model/environment.js';
import type { Action, CampaignPlan, Plan, Problem } from '../../src/model/outputs.js';
import { refusals, withApprovals } from '../../src/plan/approvals.js';
import { planHazards } from '../../src/plan/hazards.js';
import { deepFreeze } from '../support/freeze.js';
import { campaignPlan, planOf, step } from '../support/plans.js';

const STEP = step('settings');

function part(name: string, action: Action, problems: Problem[] = []): CampaignPlan {
  const steps = action === 'create' || action === 'change' ? [STEP] : [];
  return campaignPlan(name, { id: action === 'create' ? null : 1, action, steps, problems });
}

function campaigns(counts: Partial<Record<Action, number>>): CampaignPlan[] {
  return Object.entries(counts).flatMap(([action, count]) =>
    Array.from({ length: count }, (_, index) => part(`${action} ${index}`, action as Action)),
  );
}

/** The hazards of a plan of these campaigns, in a workspace with as many live ones. */
function massChange(campaigns: readonly CampaignPlan[], live: number): Problem[] {
  const listed = Array.from({ length: live }, (_, index) => ({ id: index + 1, name: `Live ${index}` }));
  return planHazards({ campaigns, listed, entries: [], unkept: null, volume: null });
}

describe('a mass change', () => {
  it('is said with its share and the way to accept it', () => {
    expect(massChange(deepFreeze(campaigns({ change: 26, none: 14 })), 40)).toEqual([
      {
        code: 'mass-change',
        severity: 'hazard',
        message: '26 of 40 campaigns (65%) would change at once.',
        hint: 'Check the environment and the files. If this is intended, pass --allow mass-change. To plan single campaigns, use --target NAME.',
      },
    ]);
  });

  it.each<[string, Parameters<typeof campaigns>[0], number, boolean]>([
    ['25 campaigns, however many that is of all', { change: 25 }, 25, false],
    ['26 campaigns', { change: 26 }, 26, true],
    ['30 %, however many', { change: 30, none: 70 }, 100, false],
    ['over 30 %', { change: 31, none: 69 }, 100, true],
    ['creations in an empty workspace', { create: 100 }, 0, false],
    ['creations beside unchanged ones in an empty list', { create: 30, none: 5 }, 0, false],
    ['creations in a workspace that is not empty', { create: 26 }, 1, true],
    ['creations and one change', { create: 26, change: 1 }, 0, true],
    ['blocked ones, of which nothing is sent', { blocked: 26, none: 1 }, 27, false],
    ['nothing at all', {}, 0, false],
  ])('%s', (_, counts, live, expected) => {
    expect(massChange(campaigns(counts), live).length > 0).toBe(expected);
  });

  it('is none where an empty workspace is filled, also if something of a new campaign is blocked', () => {
    const partly = { ...part('Spring', 'blocked'), id: null, steps: [STEP] };
    expect(massChange([...campaigns({ create: 100 }), partly], 0)).toEqual([]);
  });
});

describe('refusals', () => {
  const hazard = (code: string, message = code): Problem => ({ code, severity: 'hazard', message, hint: '' });
  const blocked: Problem = { ...hazard('sequence-exists'), severity: 'blocked' };
  const plan: Plan = deepFreeze(
    planOf(
      [
        part('Spring', 'change', [hazard('launch', 'first'), hazard('reset-unreadable'), blocked]),
        part('Winter', 'change', [hazard('launch', 'second'), hazard('reset-unreadable')]),
      ],
      { problems: [hazard('mass-change')] },
    ),
  );

  const said = (message: string, ...campaigns: (CampaignPlan | undefined)[]) => ({
    message,
    hint: '',
    places: [],
    blocks: [],
    campaigns,
  });
  const [spring, winter] = plan.campaigns;

  it('are the hazards that nothing accepts, one entry a kind, each message with its campaigns', () => {
    const group = { severity: 'hazard', accepted_by: null };
    expect(refusals(plan)).toEqual([
      { ...group, code: 'mass-change', messages: [said('mass-change')] },
      { ...group, code: 'launch', messages: [said('first', spring), said('second', winter)] },
      { ...group, code: 'reset-unreadable', messages: [said('reset-unreadable', spring, winter)] },
    ]);
  });

  it('are none for what is accepted, and only for that', () => {
    const accepting = (...hazards: Hazard[]): Plan => {
      const approvals = hazards.map((hazard) => ({ hazard, by: `--allow ${hazard}` }));
      return {
        ...plan,
        problems: withApprovals(plan.problems, approvals),
        campaigns: plan.campaigns.map((one) => ({
          ...one,
          problems: withApprovals(one.problems, approvals),
        })),
      };
    };
    expect(refusals(accepting('launch', 'rename')).map(({ code }) => code)).toEqual([
      'mass-change',
      'reset-unreadable',
    ]);
    expect(refusals(accepting('launch', 'mass-change', 'reset-unreadable'))).toEqual([]);
  });
});
