import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import {
  CREATED_STATE,
  type PendingOperations,
  type RecordedState,
  type SentStep,
} from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { outstandingRequests } from '../../src/plan/outstanding.js';
import { NEW } from '../../src/sections/sending.js';
import { campaign, listedCampaign } from '../support/campaigns.js';
import { liveContext, type Shown } from '../support/context.js';
import { deepFreeze } from '../support/freeze.js';
import { step } from '../support/plans.js';
import { plannedOf } from '../support/works.js';

const NAME = 'Spring installers';
const FIRST = { email_subject: 'Hi', email_body: 'Hello', thread_reply: false };
const SECOND = { email_subject: 'Again', email_body: 'Hello again', thread_reply: true };
const row = (id: number, email: object) =>
  ({ id, order: id, wait_in_days: 3, variant: false, variant_from_step: null, ...email }) as JsonObject;
const HOURS = {
  ...{ monday: true, tuesday: false, wednesday: false, thursday: false, friday: false, saturday: false },
  ...{ sunday: false, start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
};

const posted = (...emails: JsonObject[]) =>
  step('sequence', {
    body: { title: 'Spring', sequence_steps: emails.map((email, at) => ({ order: at + 1, ...email })) },
  });
const POST = posted(FIRST, SECOND);
const UPDATE = step('settings', { body: { max_emails_per_day: 200, plain_text: true } });
const SCHEDULE = step('schedule', { body: { ...HOURS, save_as_template: false } });
const LAUNCH = step('status', { id: 'launch' });
const PAUSE = step('status', { id: 'pause' });
const CREATE = step('campaign', { id: 'create' });
const ATTACH = step('leads', { id: 'leads/batch-1', body: { lead_ids: [1] } });

interface Given {
  shown?: Shown;
  spec?: Partial<CampaignSpec>;
  recorded?: Partial<RecordedState>;
  operations?: Partial<PendingOperations>;
  isPlanned?: boolean;
  /** Default: the target has the request. */
  planned?: (pending: PendingOperations) => Partial<Target>;
}

/** The milliseconds for which the plan waits for an accepted request; `null` if it does not. */
function wait(...request: Parameters<typeof awaited>): number | null {
  return awaited(...request)?.wait ?? null;
}

function awaited(sent: Partial<SentStep> & Pick<SentStep, 'step'>, given: Given = {}) {
  const { shown = {}, spec = {}, recorded = CREATED_STATE, operations = {}, isPlanned = true } = given;
  const { planned = (pending) => ({ campaign: campaign('new.yaml', { name: 'New' }), pending: [pending] }) } =
    given;
  const request = { at: '', age: 10_000, visible_in: 50_000, total_leads: null, result: 'done' as const };
  const pending: PendingOperations = {
    ...{ run: 'r', at: '2026-03-02T06:00:00Z', who: 'ada@desk', manifest: 'spring.yaml', name: NAME, id: 42 },
    ...{ spec: '', changes: [], sent: [{ ...request, ...sent }] },
    ...operations,
  };
  const listed = shown.listed === undefined ? [] : [shown.listed];
  const context = liveContext(spec, { campaign: { id: 42, name: NAME }, ...shown }, { recorded });
  const work = plannedOf(context);
  const works = isPlanned ? [{ ...work, target: { ...work.target, ...planned(pending) } }] : [];
  return outstandingRequests([deepFreeze(pending)], deepFreeze(works), listed)[0];
}

it.each<[string, Partial<SentStep> & Pick<SentStep, 'step'>, Shown, Shown]>([
  [
    'emails',
    { step: POST },
    { sequence: { steps: [row(1, FIRST), row(2, { ...SECOND, email_subject: 'Re: Again' })] } },
    { sequence: { steps: [row(1, FIRST)] } },
  ],
  [
    'replies, and subjects that only look like one',
    { step: posted({ ...FIRST, email_subject: 'Re: Hi' }, { ...SECOND, email_subject: 'Re: Again' }) },
    {
      sequence: {
        steps: [
          row(1, { ...FIRST, email_subject: 'Re: Hi' }),
          row(2, { ...SECOND, email_subject: 'Re: Again' }),
        ],
      },
    },
    {
      sequence: {
        steps: [row(1, { ...FIRST, email_subject: 'Re: Hi' }), row(2, { ...SECOND, email_body: 'Old' })],
      },
    },
  ],
  [
    'equal emails',
    { step: posted(FIRST, FIRST) },
    { sequence: { steps: [row(1, FIRST), row(2, FIRST)] } },
    { sequence: { steps: [row(1, FIRST)] } },
  ],
  [
    'a variant with the texts of its email',
    { step: posted(FIRST, { ...FIRST, order: null, variant: true, variant_from_step: 1 }) },
    { sequence: { steps: [row(1, FIRST), row(2, { ...FIRST, variant: true, variant_from_step: 1 })] } },
    { sequence: { steps: [row(1, FIRST)] } },
  ],
  ['emails of which none is shown', { step: POST }, {}, { sequence: null }],
  ['a schedule', { step: SCHEDULE }, { schedule: HOURS }, { schedule: { ...HOURS, monday: false } }],
  [
    'a schedule from a template',
    { step: step('schedule', { body: { schedule_id: 3 } }) },
    { schedule: HOURS },
    { schedule: null },
  ],
  ['a schedule of which none is shown', { step: SCHEDULE }, {}, { schedule: null }],
  [
    'settings',
    { step: UPDATE },
    { campaign: { id: 42, max_emails_per_day: '200', plain_text: 1 } },
    { campaign: { id: 42, max_emails_per_day: 1000 } },
  ],
  [
    'settings that are never shown',
    { step: UPDATE },
    { campaign: { id: 42 } },
    { campaign: { id: 42, plain_text: false } },
  ],
  [
    'a launch',
    { step: LAUNCH },
    { campaign: { id: 42, status: 'active' } },
    { campaign: { id: 42, status: 'draft' } },
  ],
  [
    'a pause',
    { step: PAUSE },
    { campaign: { id: 42, status: 'paused' } },
    { campaign: { id: 42, status: 'active' } },
  ],
  ['a creation', { step: CREATE }, { listed: listedCampaign(42, NAME) }, {}],
  [
    'a creation, by its id if that is known',
    { step: CREATE },
    { listed: listedCampaign(42, 'Renamed') },
    { listed: listedCampaign(43, NAME) },
  ],
])(
  '%s: awaited for the rest of the minute only while the service does not show them',
  (_, sent, shown, missing) => {
    expect(wait(sent, { shown })).toBeNull();
    expect(wait(sent, { shown: missing })).toBe(40_000);
  },
);

it('a request without a recorded outcome has the whole minute, unless it is old', () => {
  const unknown = { step: POST, result: 'unknown', visible_in: null } as const;
  const shown = { sequence: null };
  expect(wait({ ...unknown, age: 0 }, { shown })).toBe(60_000);
  expect(wait({ ...unknown, age: 11 * 60_000 }, { shown })).toBeNull();
  expect(wait({ step: POST, age: 70_000 }, { shown })).toBeNull();
  expect(wait({ step: POST, result: 'failed' }, { shown })).toBeNull();
});

it('what the service cannot show is not awaited: leads, and a status that it never showed', () => {
  expect(wait({ step: ATTACH })).toBeNull();
  expect(wait({ step: LAUNCH })).toBeNull();
  const inDoubt = { ...CREATED_STATE, has_run: true, status: null };
  expect(wait({ step: LAUNCH }, { recorded: inDoubt })).toBeNull();
  expect(wait({ step: LAUNCH }, { recorded: { ...inDoubt, has_run: null } })).toBeNull();
  expect(wait({ step: LAUNCH }, { recorded: { ...inDoubt, status_shown: true } })).toBe(40_000);
  const isGone = (pending: PendingOperations) => ({ id: null, live: null, status: NEW, pending: [pending] });
  expect(wait({ step: LAUNCH }, { planned: isGone })).toBeNull();
});

it('a campaign that is not planned is not awaited', () => {
  expect(wait({ step: POST }, { shown: { sequence: null }, isPlanned: false })).toBeNull();
});

it('a request that belongs to no target is that of the campaign with its manifest or its name', () => {
  const waits = (manifest: string, name: string) =>
    wait(
      { step: POST },
      {
        shown: { sequence: null },
        planned: () => ({ campaign: campaign(manifest, { name }), pending: [] }),
      },
    );
  expect(waits('spring.yaml', 'Spring 2')).toBe(40_000);
  expect(waits('new.yaml', NAME)).toBe(40_000);
  expect(waits('new.yaml', 'Spring 2')).toBeNull();
});

it('a campaign of that name that existed before is not the created one', () => {
  const operations = { id: null, listed_ids: [42] };
  expect(wait({ step: CREATE }, { shown: { listed: listedCampaign(42, NAME) }, operations })).toBe(40_000);
  expect(wait({ step: CREATE }, { shown: { listed: listedCampaign(43, NAME) }, operations })).toBeNull();
  expect(wait({ step: CREATE }, { shown: { listed: listedCampaign(43, 'Autumn') }, operations })).toBe(
    40_000,
  );
});

it('the request that is awaited is named with its campaign and its run', () => {
  expect(awaited({ step: POST }, { shown: { sequence: null } })).toEqual({
    ...{ title: 'set the sequence', campaign: NAME, wait: 40_000 },
    run: { who: 'ada@desk', at: '2026-03-02T06:00:00Z' },
  });
});
