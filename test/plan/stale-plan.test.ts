import { expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { CampaignPlan, Plan, PlanProblem } from '../../src/model/outputs.js';
import { fingerprint, planFingerprint } from '../../src/plan/fingerprint.js';
import { ALL } from '../../src/plan/input.js';
import { otherLive, refuseOtherSources, type SavedPlan, savePlan } from '../../src/plan/saved-plan.js';
import { newContext } from '../support/context.js';
import { campaignPlan, planOf } from '../support/plans.js';
import { plannedOf } from '../support/works.js';

interface Seen {
  campaigns: CampaignPlan[];
  /** The decoded values of each campaign. */
  live: Record<string, unknown>[];
  problems?: PlanProblem[];
}

function plansOf({ campaigns, live, problems = [] }: Seen) {
  const works = campaigns.map((plan, index) => ({
    ...plannedOf(newContext({ name: plan.name })),
    ...{ plan, sections: live[index] ?? {} },
  }));
  const { fingerprint: _, ...body } = { ...planOf(campaigns), problems };
  const plan: Plan = { ...body, fingerprint: planFingerprint(body, live.map(fingerprint), ALL) };
  return { plan, works };
}

const SOURCES = { 'campaignctl.yaml': 'ab', 'spring.yaml': 'cd' };

function saved(seen: Seen): SavedPlan {
  const origins = { selection: ALL, sources: SOURCES };
  const by = { who: 'ada@desk', project: 'campaignctl.yaml', commit: null, tool: '0.1.0' };
  return savePlan({ ...plansOf(seen), now: Date.UTC(2026, 2, 2, 6) }, origins, by);
}

const warning = (code: string) =>
  ({ code, severity: 'warning', message: 'Look.', hint: 'Do.', accepted_by: null }) as unknown as PlanProblem;
const campaigns = [campaignPlan('Spring'), campaignPlan('Autumn')];
const live = [{ settings: { max_emails_per_day: 200 } }, {}];
const SEEN: Seen = { campaigns, live };
const many = (of: number) => Object.fromEntries('abcdefg'.split('').map((name) => [name, of]));
const unread = campaignPlan('Spring', { action: 'not_read' });

it('a plan that still holds is not refused', () => {
  expect(otherLive(saved(SEEN), plansOf(SEEN))).toBeNull();
});

it.each<[string, Seen, Seen, string[]]>([
  [
    'a value of the service',
    SEEN,
    { campaigns, live: [{ settings: { max_emails_per_day: 700 } }, {}] },
    ['Spring: settings.max_emails_per_day was 200 and is now 700'],
  ],
  [
    'more than five values',
    { campaigns, live: [many(1), {}] },
    { campaigns, live: [many(2), {}] },
    [...'abcde'.split('').map((name) => `Spring: ${name} was 1 and is now 2`), 'Spring: and 2 more'],
  ],
  [
    'five values, one of them long, one of them gone',
    { campaigns, live: [{ a: 'x'.repeat(28), b: 'y'.repeat(29), c: 1, d: 1, e: 1 }, {}] },
    { campaigns, live: [{ a: 1, b: 1, c: 2, d: 2 }, {}] },
    [
      `Spring: a was "${'x'.repeat(28)}" and is now 1`,
      'Spring: b has changed',
      'Spring: c was 1 and is now 2',
      'Spring: d was 1 and is now 2',
      'Spring: e was 1 and is now not there',
    ],
  ],
  [
    'a status, of which only the word is named, and an email, counted from 1',
    {
      campaigns: [campaignPlan('Spring')],
      live: [{ status: { word: 'active', sends: 'yes' }, sequence: { steps: [{ email_subject: 'Hi' }] } }],
    },
    {
      campaigns: [campaignPlan('Spring')],
      live: [{ status: { word: 'paused', sends: 'no' }, sequence: { steps: [{ email_subject: 'Hello' }] } }],
    },
    [
      'Spring: the status was "active" and is now "paused"',
      'Spring: step 1: email_subject was "Hi" and is now "Hello"',
    ],
  ],
  [
    'a whole section',
    { campaigns: [campaignPlan('Spring')], live: [{ schedule: null }] },
    { campaigns: [campaignPlan('Spring')], live: [{ schedule: 1 }] },
    ['Spring: schedule was null and is now 1'],
  ],
  [
    'a finding of one campaign',
    SEEN,
    { campaigns: [campaignPlan('Spring', { problems: [warning('late')] }), campaigns[1] ?? unread], live },
    [expect.stringMatching(/^Spring: problems.* was not there and is now "late"$/)],
  ],
  [
    'a finding of the whole plan',
    SEEN,
    { ...SEEN, problems: [warning('mass-change')] },
    [expect.stringMatching(/^plan: problems.* was not there and is now "mass-change"$/)],
  ],
  [
    'a campaign that was not read, beside one that is not read again',
    { campaigns: [unread, { ...unread, name: 'Autumn' }], live: [{}, {}] },
    { campaigns: [campaignPlan('Spring'), { ...unread, name: 'Autumn' }], live: [{}, {}] },
    ['Spring: was not read for the plan, and now has changes'],
  ],
])('a stale plan tells what has changed: %s', (_, before, now, details) => {
  const refused = otherLive(saved(before), plansOf(now));
  expect(refused).toMatchObject({ code: 'plan-stale', exitCode: 3, details });
  expect(refused?.message).toMatch(/ since the plan was made \(2026-03-02T06:00:00\.000Z, ada@desk\)\.$/);
});

it.each<[string, Record<string, string>, { file: string } | null, object | null]>([
  ['nothing', SOURCES, null, null],
  [
    'manifests',
    { 'campaignctl.yaml': 'ab', 'summer.yaml': 'ef', 'autumn.yaml': 'gh' },
    null,
    {
      code: 'plan-manifests-changed',
      message: 'The manifests have changed since the plan was made (2026-03-02T06:00:00.000Z, ada@desk).',
      details: ['autumn.yaml is new', 'spring.yaml was removed', 'summer.yaml is new'],
    },
  ],
  [
    'the project file or the one that it extends, and a manifest',
    { 'campaignctl.yaml': 'xy', 'spring.yaml': 'xy' },
    { file: '../agency.yaml' },
    {
      code: 'plan-project-changed',
      message:
        'The project file campaignctl.yaml or ../agency.yaml, which it extends, has changed since the plan was made (2026-03-02T06:00:00.000Z, ada@desk).',
      details: [
        'campaignctl.yaml or ../agency.yaml, which it extends, has changed',
        'spring.yaml has changed',
      ],
    },
  ],
  [
    'the project file',
    { 'campaignctl.yaml': 'xy', 'spring.yaml': 'cd' },
    null,
    {
      code: 'plan-project-changed',
      message:
        'The project file campaignctl.yaml has changed since the plan was made (2026-03-02T06:00:00.000Z, ada@desk).',
      details: ['campaignctl.yaml has changed'],
    },
  ],
])('a plan is refused, with the files, if these have changed: %s', (_, sources, extended, refused) => {
  let thrown: unknown = null;
  try {
    refuseOtherSources(saved(SEEN), sources, { file: 'campaignctl.yaml', extended });
  } catch (error) {
    thrown = error;
  }
  if (refused === null) expect(thrown).toBeNull();
  else {
    expect(thrown).toBeInstanceOf(Failure);
    expect(thrown).toMatchObject({ ...refused, exitCode: 3 });
  }
});
