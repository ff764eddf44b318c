import { expect, it } from 'vitest';
import { CREATED_STATE } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import { keepDrift } from '../../src/plan/drift.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { answer } from '../support/context.js';
import { PLAIN, ROW_1, ROW_2 } from '../support/emails.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { workOf } from '../support/works.js';

const NAME = 'Spring installers';

/** The plan of a campaign that was applied, and of which the second email is on or off now. */
function planOf(active: boolean) {
  const spec = { name: NAME, sequence: PLAIN };
  const refreshed = {
    campaign: campaign('spring.yaml', spec),
    ...{ id: 42, listed: listedCampaign(42, NAME) },
    answers: {
      ...{ campaign: null, schedule: null },
      sequence: answer('GET /api/campaigns/42/sequence-steps', {
        title: null,
        steps: [ROW_1, { ...ROW_2, active }],
      }),
    },
  };
  const last = { at: '2026-05-12T08:00:00Z', how: 'apply' as const, spec };
  const entry = { ...entryOf(42, 'spring.yaml'), recorded: { ...CREATED_STATE, last } };
  const rest = { templates: null, listed: [refreshed.listed], entries: [entry], pending: [], now: 0 };
  return buildPlan(deepFreeze({ environment: environment(), works: [workOf(refreshed)], ...rest })).plan;
}

it('an email that was switched off in the web app is drift to undo by hand, and no change to apply', () => {
  const plan = planOf(false);
  expect(plan.summary).toMatchObject({ unchanged: 1, change: 0, blocked: 0, requests: 0 });
  expect(plan.by_hand).toEqual([
    {
      ...{ campaign: NAME, id: 42, manifest: 'spring.yaml', does: 'update', section: 'sequence' },
      ...{ path: 'steps[1].active', place: 'sequence, step 2: active', from: false, to: true },
    },
  ]);
  const drift = keepDrift(plan, new Set());
  expect(drift.summary.change).toBe(1);
  expect(drift.campaigns.map(({ changes }) => changes)).toEqual([
    [
      {
        ...{ section: 'sequence', path: 'steps[1].active', kind: 'update', from: false, to: true },
        ...{ note: null, origin: 'service' },
      },
    ],
  ]);
});

it('an email that is on is no drift', () => {
  expect(keepDrift(planOf(true), new Set()).campaigns).toEqual([]);
});
