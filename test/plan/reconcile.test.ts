import { expect, it } from 'vitest';
import type { Change } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import {
  CREATED_STATE,
  type PendingOperations,
  type RecordedState,
  type SentStep,
} from '../../src/model/state.js';
import { fingerprint, specFingerprint } from '../../src/plan/fingerprint.js';
import { problem } from '../../src/plan/messages.js';
import {
  isCreatedBy,
  isPendingFor,
  NO_EFFECT,
  orphaned,
  reconcile,
  recordSent,
} from '../../src/plan/reconcile.js';
import { sentChanges } from '../../src/sections/applies.js';
import { leads } from '../../src/sections/leads.js';
import { newTarget, withFacts } from '../../src/sections/target.js';
import { campaign, listedCampaign } from '../support/campaigns.js';
import { type Known, liveContext, newContext, type Shown } from '../support/context.js';
import { environment } from '../support/environment.js';
import { step } from '../support/plans.js';
import { weekOf } from '../support/service/store.js';
import { planSection } from '../support/works.js';

const SETTING = { section: 'settings', path: 'max_emails_per_day', kind: 'update', note: null } as const;

const recorded = { ...CREATED_STATE, at_defaults: false, total_leads: 100 };
const context = liveContext(
  { leads: { lists: [5, 9], ids: [7, 8] } },
  { campaign: { id: 42, total_leads: 300 } },
  { recorded },
);

function after(id: string, result: SentStep['result'], had: Partial<RecordedState> = {}) {
  const sent = leads
    .plan(context)
    .steps.filter((step) => step.id === id)
    .map((step) => ({
      ...{ at: '2026-03-02T06:00:00Z', age: 0, visible_in: null, result, total_leads: 100 },
      step: { ...step, section: 'leads' as const },
    }));
  const operations: PendingOperations = {
    ...{ run: 'r', at: '2026-03-02T06:00:00Z', who: 'ada@desk', manifest: 'spring.yaml', name: 'Spring' },
    ...{ id: 42, spec: specFingerprint(context.spec), changes: [], sent },
  };
  const before = withFacts(context, { recorded: { ...recorded, ...had } });
  const known = reconcile([operations], before).target.recorded;
  const { problems } = planSection(leads, withFacts(context, { recorded: known }));
  return { total: known.total_leads, reasons: problems.map(({ message }) => message.split('.')[0]) };
}

const unknown = (what: string) => [`The campaign may already have ${what}`];

it('what is shown is not attributed to a run that died before it read it', () => {
  expect(after('leads/list-5', 'done')).toEqual({
    total: 100,
    reasons: unknown('lead list 9 and 2 individual leads (7, 8)'),
  });
  expect(after('leads/list-5', 'unknown')).toEqual({
    total: 100,
    reasons: unknown('lead lists 5, 9 and 2 individual leads (7, 8)'),
  });
});

it('individual leads that the run attached explain at most their number', () => {
  expect(after('leads/batch-1', 'done')).toEqual({ total: 102, reasons: unknown('lead lists 5, 9') });
  expect(after('leads/batch-1', 'unknown').total).toBe(100);
});

it('leads that the entry already contains explain nothing more', () => {
  const had = { attached: { lists: [], ids: [7, 8] }, total_leads: 102 };
  expect(after('leads/batch-1', 'done', had)).toEqual({
    total: 102,
    reasons: unknown('lead lists 5, 9'),
  });
});

it('an attachment by the run does not prove what else is attached if its entry is lost', () => {
  const had = { total_leads: 300 };
  expect(after('leads/list-5', 'done', had).reasons).toEqual([]);
  expect(after('leads/list-5', 'done', { ...had, known: false }).reasons).toEqual(
    unknown('lead list 9 and 2 individual leads (7, 8)'),
  );
});

function launched(shown: string | null, spec = 'another', id: 'launch' | 'pause' = 'launch') {
  const live = liveContext(
    { status: id === 'launch' ? 'running' : 'paused' },
    { campaign: { id: 42, ...(shown === null ? {} : { status: shown }) } },
    { recorded: CREATED_STATE },
  );
  const step = { id, title: id, section: 'status' as const, method: 'PATCH' as const, path: '', body: null };
  const change = { section: 'status' as const, path: '', kind: 'add' as const, from: null, to: 'running' };
  const operations: PendingOperations = {
    ...{ run: 'r', at: '2026-03-02T06:00:00Z', who: 'ada@desk', manifest: 'spring.yaml', name: 'Spring' },
    ...{ id: 42, spec: spec === 'same' ? fingerprint(live.spec) : spec },
    changes: [{ ...change, note: null }],
    sent: [
      {
        ...{ at: '2026-03-02T06:00:00Z', age: 0, visible_in: null, result: 'unknown', total_leads: null },
        step: { ...step, stage: step.id, irreversible: true },
      },
    ],
  };
  const { target: after, problems } = reconcile([operations], live);
  const [finding = ''] = /not show|no status|took effect/.exec(problems[0]?.message ?? '') ?? [];
  return [finding, after.recorded.status, after.recorded.has_run];
}

it('a launch or a pause is recognised by a known status that is shown, whatever happened to the manifest', () => {
  for (const spec of ['same', 'another']) {
    expect(launched(null, spec)).toEqual(['no status', null, true]);
    expect(launched(null, spec, 'pause')).toEqual(['no status', null, false]);
    expect(launched('active', spec)).toEqual(['took effect', 'running', true]);
    expect(launched('draft', spec)).toEqual(['not show', null, true]);
    expect(launched('blorped', spec)).toEqual(['not show', null, true]);
    expect(launched('paused', spec, 'pause')).toEqual(['took effect', 'paused', false]);
    expect(launched('active', spec, 'pause')).toEqual(['not show', null, false]);
  }
});

it('what a run that died has changed is recorded once, even if the entry was saved', () => {
  const live = liveContext(
    { settings: { max_emails_per_day: 250 } },
    { campaign: { id: 42, max_emails_per_day: 250 } },
    { recorded },
  );
  const changes = [{ ...SETTING, from: 300, to: 250 }];
  const sent = (result: SentStep['result']): SentStep => ({
    ...{ at: '2026-03-02T06:00:00Z', age: 0, visible_in: null, result, total_leads: null },
    step: step('settings'),
  });
  const died = (result: SentStep['result']): PendingOperations => ({
    ...{ run: 'r', at: '2026-03-02T06:00:00Z', who: 'ada@desk', commit: 'c0ffee' },
    ...{ manifest: 'spring.yaml', name: 'Spring', id: 42, spec: fingerprint(live.spec), changes },
    sent: [sent(result)],
  });
  const apply = {
    ...{ run: 'r', at: '2026-03-02T06:00:00Z', who: 'ada@desk', commit: 'c0ffee' },
    changes: sentChanges(changes, [step('settings')]),
  };
  for (const result of ['done', 'in_doubt', 'unknown'] as const) {
    const { target: after } = reconcile([died(result)], live);
    expect(after.recorded.applies).toEqual([apply]);
    expect(reconcile([died(result)], after).target.recorded.applies).toEqual([apply]);
  }
  expect(reconcile([died('failed')], live).target.recorded.applies).toBeUndefined();
});

it('the requests of a run keep their order if the clock is set back meanwhile', () => {
  const live = liveContext(
    { leads: { lists: [1], ids: [] }, status: 'running' },
    { campaign: { id: 42 } },
    { recorded },
  );
  const sentAt = (at: string, done: SentStep['step']): SentStep => ({
    ...{ at, age: 0, visible_in: null, result: 'done', total_leads: null },
    step: done,
  });
  const died: PendingOperations = {
    ...{ run: 'r', at: '2026-03-02T06:00:00Z', who: 'ada@desk', manifest: 'spring.yaml', name: 'Spring' },
    ...{ id: 42, spec: '', changes: [] },
    sent: [
      sentAt('2026-03-02T06:00:00Z', step('campaign', { id: 'create' })),
      sentAt(
        '2026-03-01T06:00:01Z',
        step('leads', {
          id: 'leads/list-1',
          path: '/api/campaigns/42/leads/attach-lead-list',
          body: { lead_list_id: 1 },
        }),
      ),
      sentAt('2026-03-01T06:00:02Z', step('status', { id: 'launch' })),
    ],
  };
  const { attached, status } = reconcile([died], live).target.recorded;
  expect({ attached, status }).toEqual({ attached: { lists: [1], ids: [] }, status: 'running' });
});

const HOURS = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' } as const;
const SPEC: Partial<CampaignSpec> = {
  settings: { max_emails_per_day: 250 },
  schedule: { days: ['monday'], ...HOURS },
};
const MONDAY = { ...weekOf(['monday']), ...HOURS };
const RECORD = { id: 42, max_emails_per_day: 300 };
const EMAIL = { id: 1, order: 1, email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1 };

interface Died {
  /** Without an outcome, unless they have one. */
  sent: (Pick<SentStep, 'step'> & Partial<SentStep>)[];
  shown?: Shown;
  spec?: Partial<CampaignSpec>;
  operations?: Partial<PendingOperations>;
  isNew?: boolean;
  known?: Known;
}

/** What the plan says of each request of a run that died. */
function findings({ sent, shown = {}, spec = SPEC, operations = {}, isNew = false, known }: Died): string[] {
  const target = isNew
    ? newContext(spec)
    : liveContext(spec, { campaign: RECORD, ...shown }, { recorded, ...known });
  const died: PendingOperations = {
    ...{ run: 'r', at: '2026-03-02T06:00:00Z', who: 'ada@desk', manifest: 'spring.yaml', name: 'Spring' },
    ...{ id: 42, spec: specFingerprint(target.spec), changes: [] },
    sent: sent.map((each) => ({
      ...{ at: '2026-03-02T06:00:00Z', age: 0, visible_in: null, result: 'unknown', total_leads: null },
      ...each,
    })),
    ...operations,
  };
  const [problem] = reconcile([died], target).problems;
  if (problem === undefined) return [];
  const [, found = problem.message] = /outcome of its requests\. (.*)\.$/.exec(problem.message) ?? [];
  return found.split('; ').map((text) => text.replace(/^".*?": /, ''));
}

const TOOK_EFFECT = 'the service shows that it took effect';
const NO_STATUS = 'the service shows no status';
const BEHIND = 'an earlier request had no effect, so the launch was not sent';
const CHANGED =
  'it is unknown whether it took effect, because the manifest has been changed or removed since';
const UPDATE = { step: step('settings') };
const POST = { step: step('schedule') };
const EMAILS = { step: step('sequence') };
const LAUNCH = { step: step('status', { id: 'launch' }) };
const CREATE = { step: step('campaign', { id: 'create' }) };

const TITLE: Change = { ...SETTING, section: 'sequence', path: 'title', from: 'Old', to: 'Spring' };
const TEXTS = { email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1, thread_reply: false };
const VARIANT = { email_subject: 'Hey', email_body: 'Hello' };
/** The service hides the title. */
const RETITLED: Died = {
  sent: [{ step: step('sequence', { body: { title: 'Spring' } }) }],
  spec: { sequence: { title: 'Spring', steps: [TEXTS] } },
  shown: { sequence: { steps: [{ ...TEXTS, id: 1, order: 1 }] } },
  known: {
    service: { sequence_repost: 'replace' },
    recorded: { ...recorded, applied: { sequence: { title: 'Old' } } },
  },
};

it.each<[string, Died, string[]]>([
  [
    'an update that is shown',
    { sent: [UPDATE], shown: { campaign: { ...RECORD, max_emails_per_day: 250 } } },
    [TOOK_EFFECT],
  ],
  ['an update that is not shown', { sent: [UPDATE] }, [NO_EFFECT]],
  [
    'an update of a setting that is hidden',
    {
      sent: [{ step: step('settings', { body: { max_emails_per_day: 250 } }) }],
      shown: { campaign: { id: 42 } },
    },
    [NO_EFFECT],
  ],
  ['a schedule that is shown', { sent: [POST], shown: { schedule: MONDAY } }, [TOOK_EFFECT]],
  ['a schedule of which none is shown', { sent: [POST], shown: { schedule: null } }, [NO_EFFECT]],
  [
    'a schedule for a manifest that has changed',
    { sent: [POST], shown: { schedule: MONDAY }, operations: { spec: 'another' } },
    [CHANGED],
  ],
  [
    'a schedule for a manifest that has none any more',
    { sent: [POST], shown: { schedule: MONDAY }, spec: { settings: { max_emails_per_day: 250 } } },
    [CHANGED],
  ],
  [
    'leads',
    { sent: [{ step: step('leads', { id: 'leads/list-5' }) }] },
    ['the service does not show which leads are attached'],
  ],
  [
    'requests with a known outcome',
    {
      sent: [
        { ...UPDATE, result: 'done' },
        { ...POST, result: 'failed' },
      ],
    },
    [],
  ],
  ['a launch after emails that failed', { sent: [{ ...EMAILS, result: 'failed' }, LAUNCH] }, [BEHIND]],
  [
    'a launch after emails that are not there',
    { sent: [{ ...EMAILS, result: 'done' }, LAUNCH], shown: { sequence: null } },
    [BEHIND],
  ],
  [
    'a launch after emails that are there',
    { sent: [{ ...EMAILS, result: 'done' }, LAUNCH], shown: { sequence: { steps: [EMAIL] } } },
    [NO_STATUS],
  ],
  [
    'a launch after a failure, of a campaign with a status',
    { sent: [{ ...EMAILS, result: 'failed' }, LAUNCH], shown: { campaign: { ...RECORD, status: 'draft' } } },
    [NO_EFFECT],
  ],
  [
    'a pause after a failure',
    { sent: [{ ...EMAILS, result: 'failed' }, { step: step('status', { id: 'pause' }) }] },
    [NO_STATUS],
  ],
  [
    'a creation that nothing shows',
    { sent: [CREATE], isNew: true },
    ['the service has no campaign with that name, so the request had no effect'],
  ],
  ['emails of a campaign that does not exist', { sent: [EMAILS], isNew: true }, [CHANGED]],
  [
    'the creation of this campaign',
    { sent: [CREATE], shown: { sequence: { steps: [EMAIL] } } },
    ['it exists as campaign 42'],
  ],
  [
    'a creation without a response, of a campaign that is new and unused',
    { sent: [CREATE], operations: { id: null, listed_ids: [41] } },
    ['it exists as campaign 42'],
  ],
  [
    'a creation without a response, with a campaign that may have leads',
    { sent: [CREATE], operations: { id: null, listed_ids: [42] } },
    ['campaign 42 has that name, and may have leads'],
  ],
  [
    'a creation without a response, with a campaign that has leads',
    {
      sent: [CREATE],
      shown: { campaign: { ...RECORD, total_leads: 1 } },
      operations: { id: null, listed_ids: [] },
    },
    ['campaign 42 has that name, and already has leads'],
  ],
  [
    'a creation without a response, with a campaign that has emails',
    { sent: [CREATE], shown: { sequence: { steps: [EMAIL] } }, operations: { id: null, listed_ids: [] } },
    ['campaign 42 has that name, and already has a sequence'],
  ],
  [
    'emails with a new title, of which the emails are shown',
    { ...RETITLED, operations: { changes: [{ ...TITLE, path: 'steps[0].email_subject' }] } },
    [TOOK_EFFECT],
  ],
  [
    'emails that the service does not replace',
    { ...RETITLED, known: { recorded: { ...recorded, applied: { sequence: { title: 'Old' } } } } },
    [NO_EFFECT],
  ],
  [
    'emails without their variants, which are sent later',
    {
      ...RETITLED,
      spec: {
        sequence: {
          title: 'Spring',
          steps: [{ ...TEXTS, variants: [VARIANT] }],
        },
      },
      known: {},
    },
    [TOOK_EFFECT],
  ],
  [
    'a new title that is not shown',
    { ...RETITLED, operations: { changes: [{ ...SETTING, from: 300, to: 250 }, TITLE] } },
    [NO_EFFECT],
  ],
  [
    'variants after emails with a new title, which the service hides',
    {
      sent: [
        { step: step('sequence', { body: { title: 'Spring' } }), result: 'done' },
        { step: step('sequence', { id: 'variants', stage: 'variants' }) },
      ],
      spec: { sequence: { title: 'Spring', steps: [{ ...TEXTS, variants: [VARIANT] }] } },
      shown: {
        sequence: {
          steps: [
            { ...TEXTS, id: 1, order: 1 },
            { ...TEXTS, ...VARIANT, id: 2, order: null, variant: true, variant_from_step: 1 },
          ],
        },
      },
      known: { recorded: { ...recorded, applied: { sequence: { title: 'Old' } } } },
    },
    [TOOK_EFFECT],
  ],
  [
    'a schedule after emails that failed',
    { sent: [{ ...EMAILS, result: 'failed' }, POST], shown: { schedule: MONDAY } },
    [TOOK_EFFECT],
  ],
  [
    'a launch after an update of a campaign without emails',
    { sent: [{ ...UPDATE, result: 'done' }, LAUNCH], shown: { sequence: null } },
    [NO_STATUS],
  ],
])('the plan says what became of %s', (_, died, found) => {
  expect(findings(died)).toEqual(found);
});

it('requests of two runs count in the order in which they were sent', () => {
  const status = (first: 'launch' | 'pause', minutes: number) => {
    const at = (minute: number) => `2026-03-02T06:${String(minute).padStart(2, '0')}:00Z`;
    const died = (id: 'launch' | 'pause', minute: number): PendingOperations => ({
      ...{ run: id, at: at(0), who: 'ada@desk', manifest: 'spring.yaml', name: 'Spring', id: 42 },
      ...{ spec: '', changes: [] },
      sent: [
        {
          ...{ at: at(minute), age: 0, visible_in: null, result: 'done', total_leads: null },
          step: step('status', { id }),
        },
      ],
    });
    const second = first === 'launch' ? 'pause' : 'launch';
    const target = liveContext({ status: 'running' }, { campaign: { id: 42 } }, { recorded });
    // The order of the runs does not matter.
    return [
      reconcile([died(first, 0), died(second, minutes)], target),
      reconcile([died(second, minutes), died(first, 0)], target),
    ].map((reconciled) => reconciled.target.recorded.status);
  };
  expect(status('launch', 20)).toEqual(['paused', 'paused']);
  expect(status('pause', 20)).toEqual(['running', 'running']);
});

const at = (minute: number) => `2026-03-02T06:${String(minute).padStart(2, '0')}:00Z`;
const sentAt = (minute: number, sent: SentStep['step'], result: SentStep['result'] = 'done'): SentStep => ({
  ...{ at: at(minute), age: 0, visible_in: null, result, total_leads: null },
  step: sent,
});
const run = (sent: SentStep[], more: Partial<PendingOperations> = {}): PendingOperations => ({
  ...{ run: 'r', at: at(0), who: 'ada@desk', manifest: 'spring.yaml', name: 'Spring', id: 42, spec: '' },
  ...{ changes: [], sent, ...more },
});

it('a pause that the entry has is not undone by a launch that a run sent before it', () => {
  const paused: RecordedState = { ...recorded, status: 'paused', status_at: at(30), paused: at(30) };
  const target = liveContext({ status: 'running' }, { campaign: { id: 42 } }, { recorded: paused });
  const { status, has_run } = reconcile([run([sentAt(0, LAUNCH.step)])], target).target.recorded;
  expect({ status, has_run }).toEqual({ status: 'paused', has_run: true });
});

it('the entry of a campaign that a run has created is known to contain all of its leads', () => {
  const target = liveContext({}, { campaign: { id: 42 } }, { recorded: { known: false } });
  expect(reconcile([run([sentAt(0, CREATE.step)])], target).target.recorded.known).toBe(true);
});

it('a creation without a response and without a campaign is recorded as nothing', () => {
  const target = newContext(SPEC);
  const { recorded: known } = reconcile(
    [run([sentAt(0, CREATE.step, 'unknown')], { id: null })],
    target,
  ).target;
  expect(known).toEqual({ ...target.recorded, seen: null });
});

it.each<[string, SentStep[], boolean]>([
  ['a creation', [sentAt(0, CREATE.step), sentAt(1, UPDATE.step)], true],
  ['a creation without a recorded outcome', [sentAt(0, CREATE.step, 'unknown')], true],
  ['a creation that failed', [sentAt(0, CREATE.step, 'failed')], false],
  ['an update', [sentAt(0, UPDATE.step)], false],
])('a run may have created a campaign if it sent a creation that did not fail: %s', (_, sent, isCreated) => {
  expect(isCreatedBy(run(sent))).toBe(isCreated);
});

it('requests are for the campaign with their id or, before they have one, with their name', () => {
  const isFor = (id: number | null, campaign: { id: number | null; name: string }) =>
    isPendingFor(run([], { id }), campaign);
  expect(isFor(42, { id: 42, name: 'Autumn' })).toBe(true);
  expect(isFor(42, { id: 41, name: 'Spring' })).toBe(false);
  expect(isFor(null, { id: 42, name: 'Spring' })).toBe(true);
  expect(isFor(null, { id: 42, name: 'Autumn' })).toBe(false);
});

it('a status is recorded with its time only once it is certain', () => {
  const pause = { step: step('status', { id: 'pause' }), total_leads: null, at: at(5) };
  const before = { ...recorded, status: 'running' as const, status_at: at(0) };
  expect(recordSent(before, pause, 'done')).toMatchObject({ status: 'paused', status_at: at(5) });
  expect(recordSent(before, pause, 'in_doubt').status_at).not.toBe(at(5));
});

it('the number of leads stays unknown if it was unknown before some were attached', () => {
  const attach = { step: step('leads', { body: { lead_ids: [7, 8] } }), total_leads: null, at: at(0) };
  expect(recordSent({ ...recorded, total_leads: null }, attach, 'done').total_leads).toBeNull();
  expect(recordSent(recorded, attach, 'done').total_leads).toBe(102);
});

it.each<[string, Partial<PendingOperations>, { isClaimed?: boolean }, number[] | null]>([
  ['in doubt', { sent: [sentAt(0, UPDATE.step), sentAt(1, POST.step, 'in_doubt')] }, {}, [7]],
  ['without a recorded outcome', { sent: [sentAt(0, POST.step, 'unknown')] }, {}, [7]],
  ['that all have an outcome', { sent: [sentAt(0, UPDATE.step), sentAt(1, POST.step, 'failed')] }, {}, null],
  ['for a campaign of the plan', {}, { isClaimed: true }, null],
  ['for a name that a manifest has', { name: 'Summer' }, {}, null],
  ['from a file that was not read', { manifest: 'autumn.yaml' }, {}, null],
])('requests of a run for a name that no manifest has any more are reported: %s', (_, more, given, ids) => {
  const died = run([sentAt(0, CREATE.step, 'unknown')], { id: null, ...more });
  const target = {
    ...newTarget(campaign('spring.yaml', { name: 'Summer' }), environment()),
    pending: given.isClaimed === true ? [died] : [],
  };
  const listed = [listedCampaign(7, 'Spring'), listedCampaign(8, 'Autumn')];
  expect(orphaned([died], [target], listed)).toEqual(
    ids === null ? [] : [problem('unfinished-run/orphaned', died, ids)],
  );
});
