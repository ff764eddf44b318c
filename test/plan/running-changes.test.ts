import { expect, it } from 'vitest';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { Json } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE } from '../../src/model/state.js';
import { planSpring } from '../support/works.js';

/** What a plan says of changes that reach people without a launch. */
function said(status: string, cap: Json | undefined, spec: Partial<CampaignSpec>) {
  const shown = { status, ...(cap === undefined ? {} : { max_emails_per_day: cap }) };
  const [campaign] = planSpring({ spec, shown, recorded: CREATED_STATE }).plan.campaigns;
  const { raised_cap, lowered_cap, running_schedule } = campaign ?? {};
  return { raised_cap, lowered_cap, running_schedule };
}

const capped = (max_emails_per_day: number | null) => ({ settings: { max_emails_per_day } });
const schedule = {
  days: ['monday' as const],
  start_time: '09:00',
  end_time: '17:00',
  timezone: 'Europe/Paris',
};

it.each<[string, Json | undefined, number | null, object]>([
  ['active', 10, 20, { raised_cap: { from: 10, to: 20 } }],
  ['active', 10, null, { raised_cap: { from: 10, to: 'unlimited' } }],
  ['active', 500, 20, { lowered_cap: { from: 500, to: 20 } }],
  ['active', undefined, 20, { raised_cap: { from: null, to: 20 } }],
  ['active', null, 20, { lowered_cap: { from: 'unlimited', to: 20 } }],
  ['odd', 20, 10, { lowered_cap: { from: 20, to: 10 } }],
  ['active', 20, 20, {}],
  ['paused', 20, 10, {}],
])('the changed cap of a campaign with status %s is in the plan: %j, %j', (status, from, to, expected) => {
  expect(said(status, from, capped(to))).toEqual(expected);
  expect(said(status, from, { ...capped(to), status: 'paused' })).toEqual({});
});

it('another setting is not taken for the cap', () => {
  expect(said('active', 20, { settings: { max_new_leads_per_day: 50 } })).toEqual({});
});

it.each([
  ['active', { running_schedule: { sure: true } }],
  ['odd', { running_schedule: { sure: false } }],
  ['paused', {}],
])('the changed schedule of a campaign with status %s is in the plan', (status, expected) => {
  expect(said(status, 20, { schedule })).toEqual(expected);
  expect(said(status, 20, { schedule, status: 'paused' })).toEqual({});
});

const EMAIL = { email_subject: 'Hi', email_body: 'Hello', wait_in_days: 3 };
const emails = (subject: string, title = 'Spring') => ({
  sequence: { title, steps: [{ ...EMAIL, email_subject: subject }] },
});

it.each<[string, Partial<CampaignSpec>, ServiceBehaviour['sequence_repost'], object | undefined]>([
  ['active', emails('Other'), 'replace', { emails: 'changed', sure: true }],
  ['active', emails('Other'), 'unknown', { emails: 'old', sure: true }],
  ['odd', emails('Other'), 'unknown', { emails: 'old', sure: false }],
  ['paused', emails('Other'), 'replace', undefined],
  ['active', { ...emails('Other'), status: 'paused' }, 'replace', undefined],
  ['active', { ...emails('Hi'), settings: { plain_text: true } }, 'replace', undefined],
  ['active', emails('Hi', 'Summer'), 'replace', undefined],
])(
  'changed emails of a campaign with status %s: %j, on a service that posts again: %s',
  (status, spec, sequence_repost, expected) => {
    const row = { id: 1, ...EMAIL, thread_reply: false, variant: false, variant_from_step: null };
    const [campaign] = planSpring({
      ...{ spec, shown: { status }, recorded: CREATED_STATE, service: { sequence_repost } },
      sequence: { title: 'Spring', steps: [row] },
    }).plan.campaigns;
    expect(campaign?.running_emails).toEqual(expected);
  },
);
