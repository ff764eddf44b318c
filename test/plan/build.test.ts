import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/model/environment.js';
import { Failure } from '../../src/model/failure.js';
import type { Json } from '../../src/model/json.js';
import type { CampaignPlan, PlanProblem, Step } from '../../src/model/outputs.js';
import { NO_RESULTS } from '../../src/model/results.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, NO_LEADS, type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { buildPlan } from '../../src/plan/build.js';
import type { PlanInput } from '../../src/plan/campaign.js';
import { fingerprint } from '../../src/plan/fingerprint.js';
import { ALL } from '../../src/plan/input.js';
import { requiredAnswers } from '../../src/plan/match.js';
import { problem } from '../../src/plan/messages.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { type Answers, answer, codes } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { NO_CONTENT } from '../support/plans.js';
import { DEFAULT_SETTINGS, weekOf } from '../support/service/store.js';
import { planInput, targetOf } from '../support/works.js';

const SETTINGS = { ...DEFAULT_SETTINGS, max_new_leads_per_day: 200 };
const EMAIL = { email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1 };
const LAST = { ...EMAIL, email_subject: 'Still interested?' };
const ROW = { id: 1, order: 1, ...EMAIL, thread_reply: false };
const SEQUENCE: CampaignSpec['sequence'] = { title: 'Spring sequence', steps: [EMAIL] };
const OTHER_EMAILS = { sequence: { title: null, steps: [{ ...ROW, wait_in_days: 2 }] } };
const HOURS = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' as const };
const MONDAY = { ...HOURS, days: ['monday' as const] };
const SHOWN_MONDAY = { ...HOURS, ...weekOf(['monday']) };

/** A campaign that has been read, with its status and other facts. */
function live(
  id: number,
  spec: Partial<CampaignSpec>,
  shown: { status?: string | null; settings?: Json; schedule?: Json; sequence?: Json; leads?: object } = {},
): Target {
  const { status = 'draft', settings = SETTINGS, schedule, sequence, leads = {} } = shown;
  const name = spec.name ?? `Campaign ${id}`;
  const at = `GET /api/campaigns/${id}`;
  const answers: Answers = {
    campaign: answer(at, settings === null ? null : { id, name, status, settings, ...leads }),
    schedule: answer(`${at}/schedule`, schedule),
    sequence: answer(`${at}/sequence-steps`, sequence),
  };
  const manifest = campaign(`${id}.yaml`, { name, ...spec });
  return targetOf({ campaign: manifest, id, listed: listedCampaign(id, name, status), answers });
}

function fresh(name: string, spec: Partial<CampaignSpec> = {}): Target {
  const manifest = campaign(`${name}.yaml`, { name, ...spec });
  return targetOf({ campaign: manifest, id: null, listed: null, answers: null });
}

function build(works: Target[], more: Partial<PlanInput> = {}) {
  const input = {
    environment: environment(),
    targets: works.map((work) =>
      targetOf({ ...work, answers: null, environment: more.environment ?? work.environment }, more.pending),
    ),
    entries: [],
    listed: [1, 2, 3].map((id) => listedCampaign(id, `Other ${id}`, null)),
    pending: [],
    now: Date.UTC(2026, 2, 2),
  };
  return buildPlan(deepFreeze(planInput({ ...input, ...more })));
}

const stepsOf = ({ steps }: Pick<CampaignPlan, 'steps'>) => steps.map(({ id }) => id);
const originsOf = (plan: CampaignPlan | undefined) => plan?.changes.map(({ origin }) => origin);
const entriesOf = (recorded: RecordedState) => [{ ...entryOf(1, '1.yaml', 'Campaign 1'), recorded }];
const HOLD = { selection: { ...ALL, hold: ['launch' as const] } };
const NOTHING = {
  ...{ create: 0, change: 0, unchanged: 0, not_read: 0, blocked: 0, launch: 0 },
  ...{ pause: 0, removed: 0, requests: 0 },
};

describe('a plan', () => {
  it('counts campaigns by action, and requests', () => {
    const { plan, works } = build([
      fresh('New', { settings: { plain_text: true }, status: 'running' }),
      live(1, { settings: { max_emails_per_day: 200 } }),
      live(2, { status: 'paused' }, { status: 'active' }),
      live(3, { settings: { max_emails_per_day: 1000 } }),
      live(4, { sequence: SEQUENCE }, OTHER_EMAILS),
      live(5, { sequence: SEQUENCE, settings: { plain_text: true } }, OTHER_EMAILS),
    ]);
    const counts = { create: 1, change: 2, unchanged: 1, blocked: 2, launch: 1, pause: 1, requests: 6 };
    expect(plan.summary).toEqual({ ...NOTHING, ...counts });
    expect(plan.campaigns.map((each) => [each.name, each.id, each.action, stepsOf(each)])).toEqual([
      ['New', null, 'create', ['create', 'settings', 'launch']],
      ['Campaign 1', 1, 'change', ['settings']],
      ['Campaign 2', 2, 'change', ['pause']],
      ['Campaign 3', 3, 'none', []],
      ['Campaign 4', 4, 'blocked', []],
      ['Campaign 5', 5, 'blocked', ['settings']],
    ]);
    expect(works.map((work) => work.plan)).toEqual(plan.campaigns);
  });

  it('says nothing of a campaign that was not read but what the state has', () => {
    const manifest = campaign('1.yaml', { name: 'Campaign 1', settings: { plain_text: true } });
    const unread = targetOf({
      campaign: manifest,
      id: 1,
      listed: listedCampaign(1, 'Campaign 1'),
      answers: null,
    });
    const { plan, works } = build([unread], { entries: entriesOf(CREATED_STATE) });
    expect(plan.campaigns[0]).toMatchObject({ action: 'not_read', changes: [], steps: [], problems: [] });
    expect(works[0]?.sections).toEqual({ seen: null });
  });

  it('counts each campaign once, as blocked if anything is blocked', () => {
    const wanted = fc.record(
      {
        settings: fc.constantFrom({ plain_text: true }, { plain_text: false }),
        sequence: fc.constant(SEQUENCE),
        status: fc.constantFrom('running' as const, 'paused' as const),
      },
      { requiredKeys: [] },
    );
    const looked = fc.oneof(
      wanted.map((spec) => (id: number) => fresh(`New ${id}`, spec)),
      fc
        .tuple(
          wanted,
          fc.constantFrom({}, OTHER_EMAILS),
          fc.constantFrom('draft', 'active', 'paused', 'archived'),
        )
        .map(
          ([spec, shown, status]) =>
            (id: number) =>
              live(id, spec, { ...shown, status }),
        ),
    );
    fc.assert(
      fc.property(fc.array(looked, { maxLength: 9 }), fc.boolean(), (makers, holdLaunch) => {
        const { summary, campaigns } = build(
          makers.map((make, index) => make(index + 1)),
          holdLaunch ? HOLD : {},
        ).plan;
        const { create, change, blocked, unchanged } = summary;
        expect(create + change + blocked + unchanged).toBe(campaigns.length);
        for (const { action, problems } of campaigns)
          expect(action === 'blocked').toBe(problems.some(({ severity }) => severity === 'blocked'));
      }),
      { numRuns: Number(process.env.TRUST_CASES ?? 40) },
    );
  });

  it('is one plain value that names its environment and service', () => {
    const { plan } = build([live(1, { settings: { max_emails_per_day: 200 } })]);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    expect(plan).toEqual({
      version: 1,
      environment: 'production',
      base_url: 'https://send.example.com',
      fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      mode: 'all',
      summary: { ...NOTHING, change: 1, requests: 1 },
      problems: [],
      removed: [],
      replaced: [],
      by_hand: [],
      campaigns: [
        {
          manifest: '1.yaml',
          name: 'Campaign 1',
          id: 1,
          action: 'change',
          changes: [
            {
              ...{ section: 'settings', path: 'max_emails_per_day', kind: 'update', from: 1000, to: 200 },
              ...{ note: null, origin: null },
            },
          ],
          steps: [
            {
              ...{ id: 'settings', stage: 'settings', section: 'settings', title: 'update the settings' },
              ...{ method: 'PATCH', path: '/api/campaigns/1/update' },
              body: { ...SETTINGS, max_emails_per_day: 200 },
              irreversible: false,
            },
          ],
          problems: [],
          content: {
            before: { ...NO_CONTENT, settings: SETTINGS },
            after: { ...NO_CONTENT, settings: { max_emails_per_day: 200 } },
          },
          impact: null,
          last: null,
        },
      ],
    });
  });

  it('shows the origin of a change and its date, which are part of the fingerprint', () => {
    const spec = { name: 'Campaign 1', settings: { max_emails_per_day: 200 } };
    const last = { at: '2026-05-12T08:00:00Z', how: 'import' as const, spec };
    const refreshed = [live(1, spec)];
    const known = build(refreshed, { entries: entriesOf({ ...UNKNOWN_STATE, last }) }).plan;
    const [first] = known.campaigns;
    expect([first?.last, originsOf(first)]).toEqual([
      { at: '2026-05-12T08:00:00Z', how: 'import' },
      ['service'],
    ]);
    const unknown = build(refreshed, { entries: entriesOf(UNKNOWN_STATE) }).plan;
    expect(originsOf(unknown.campaigns[0])).toEqual([null]);
    expect(known.fingerprint).not.toBe(unknown.fingerprint);
  });

  it('shows no origin for a change that an unfinished run may have made', () => {
    const spec = { name: 'Campaign 1', settings: { max_emails_per_day: 200 } };
    const last = { at: '2026-05-12T08:00:00Z', how: 'apply' as const, spec };
    const entries = entriesOf({ ...UNKNOWN_STATE, last });
    const update = {
      ...{
        id: 'settings',
        stage: 'settings' as const,
        section: 'settings' as const,
        title: 'update the settings',
      },
      ...{ method: 'PATCH' as const, path: '/api/campaigns/1/update', body: {}, irreversible: false },
    };
    const operations = {
      ...{ manifest: '1.yaml', name: 'Campaign 1', id: 1, spec: 'sha256:other', changes: [] },
      ...{ run: 'run-1', at: '2026-05-13T08:00:00Z', who: 'ada@desk' },
    };
    const origins = (step: Step) => {
      const unsent = { age: 0, visible_in: null, result: 'failed' as const, total_leads: null };
      const pending = [{ ...operations, sent: [{ at: operations.at, step, ...unsent }] }];
      return originsOf(build([live(1, spec)], { entries, pending }).plan.campaigns[0]);
    };
    expect(origins(update)).toEqual([null]);
    expect(origins({ ...update, id: 'schedule', stage: 'schedule', section: 'schedule' })).toEqual([
      'service',
    ]);
  });

  it('contains both sides of a changed campaign in full, in one form', () => {
    const spec: Partial<CampaignSpec> = {
      ...{ settings: { max_emails_per_day: 200 }, schedule: MONDAY, sequence: SEQUENCE },
      ...{ leads: { lists: [77] }, status: 'paused' },
    };
    const whole = {
      schedule: { window: MONDAY, template: null, save_as_template: false },
      leads: { lists: [77], ids: [] },
    };
    const steps = [{ ...EMAIL, thread_reply: false, variants: [] }];
    const desired = {
      ...whole,
      settings: { max_emails_per_day: 200 },
      sequence: { title: 'Spring sequence', steps },
      status: 'paused',
    };
    const shown = {
      status: 'Paused',
      schedule: { ...SHOWN_MONDAY, start_time: '09:00:00' },
      sequence: { title: null, steps: [ROW] },
    };
    const recorded = { ...UNKNOWN_STATE, known: true, attached: { lists: [77], ids: [] } };
    const entries = entriesOf(recorded);
    const { campaigns } = build([live(1, spec, shown), fresh('New', spec)], { entries }).plan;
    expect(campaigns.map(({ content }) => content)).toMatchObject([
      {
        before: { ...whole, settings: SETTINGS, sequence: { title: null, steps }, status: 'Paused' },
        after: desired,
      },
      { before: null, after: desired },
    ]);
  });

  it('shows the known effects of a launch, which do not affect the fingerprint', () => {
    const spec: Partial<CampaignSpec> = {
      ...{ settings: { max_emails_per_day: 200 }, schedule: MONDAY, sequence: SEQUENCE },
      ...{ leads: { ids: [1, 7] }, status: 'running' },
    };
    const shown = { leads: { total_leads: 398 } };
    const sequence = { title: null, steps: [ROW] };
    const refreshed = live(1, spec, { ...shown, schedule: SHOWN_MONDAY, sequence });
    const listed = live(2, { ...spec, leads: { lists: [5] } }, { schedule: SHOWN_MONDAY, sequence });
    const works = [refreshed, listed, live(3, { settings: { max_emails_per_day: 7 } })];
    const { plan } = build(works);
    const impact = {
      ...{ resumed: false, lists: [], list_names: [], ids: [1, 7] },
      ...{ leads: 400, people: 400, partway: 0, unknown_lists: [], and_more: false },
      ...{ emails_per_day: 200, first_day: 200, emails: 400 },
      ...{ can_unsubscribe: false, open_tracking: false },
      ...{ first: '2026-03-02T09:00:00+01:00', last: '2026-03-09T17:00:00+01:00' },
      ...{ sending_days: 2, timezone: 'Europe/Paris' },
      days: [
        { date: '2026-03-02', emails: 200 },
        { date: '2026-03-09', emails: 200 },
      ],
    };
    expect(plan.campaigns.map((candidate) => candidate.impact)).toEqual([
      impact,
      {
        ...impact,
        lists: [5],
        list_names: ['5'],
        ids: [],
        ...{ leads: null, people: 0, unknown_lists: ['5'], and_more: true, first_day: 200 },
        emails: null,
        last: null,
        sending_days: null,
        days: [],
      },
      null,
    ]);
    expect(plan.summary).toMatchObject({ launch: 2 });
    const later = build(works, { now: Date.UTC(2026, 5, 1) }).plan;
    expect(later.campaigns[0]?.impact?.first).toBe('2026-06-01T09:00:00+02:00');
    expect(later.campaigns[0]?.impact?.days[0]?.date).toBe('2026-06-01');
    expect(later.fingerprint).toBe(plan.fingerprint);
  });

  it.each<[string, Partial<CampaignSpec>, Json, object]>([
    [
      'no cap if the manifest removes it',
      { settings: { max_emails_per_day: null } },
      SETTINGS,
      { emails_per_day: 'unlimited' },
    ],
    ['the cap that the service shows if the manifest sets none', {}, SETTINGS, { emails_per_day: 1000 }],
    [
      'the known people and the list of unknown size that is attached',
      { leads: { lists: [5] } },
      { ...SETTINGS, total_leads: 10, total_leads_contacted: 8 },
      { leads: 10, people: 2, partway: 8, unknown_lists: ['5'], and_more: true, first_day: 1000 },
    ],
    [
      'the leads of the state if the service shows no number',
      { leads: { ids: [4, 5] } },
      SETTINGS,
      { leads: 2, people: 2, partway: 0, unknown_lists: [], and_more: true },
    ],
    [
      'a first day that new leads a day limit',
      { settings: { max_new_leads_per_day: 3 } },
      { ...SETTINGS, total_leads: 10, total_leads_contacted: 0 },
      { people: 10, first_day: 3 },
    ],
  ])('the impact of a launch has %s', (_, spec, settings, impact) => {
    const work = live(1, { ...spec, status: 'running' }, { settings, leads: settings as object });
    const [campaign] = build([work]).plan.campaigns;
    expect(campaign?.impact).toMatchObject(impact);
  });

  const TEN = { total_leads: 10, total_leads_contacted: 0 };
  const FOUR_OF_TEN = { ...TEN, total_leads_contacted: 4 };
  const RESUMED = { status: 'paused', leads: FOUR_OF_TEN };
  const limited = (max_new_leads_per_day: number) => ({ ...SETTINGS, max_new_leads_per_day });
  it.each<[string, Partial<CampaignSpec>, Parameters<typeof live>[2], object]>([
    [
      'no end while the size of a list is unknown',
      { leads: { lists: [5] } },
      { leads: TEN },
      { people: 10, and_more: true, emails: 10, last: null, sending_days: null },
    ],
    [
      'no end if it is a resume',
      {},
      RESUMED,
      { resumed: true, people: 6, partway: 4, emails: 6, first_day: 10, last: null, sending_days: null },
    ],
    [
      'a first day on which new leads do not limit a resume',
      {},
      { ...RESUMED, settings: limited(3) },
      { first_day: 10 },
    ],
    [
      'a first day on which they limit another launch',
      {},
      { leads: TEN, settings: limited(3) },
      { first_day: 3 },
    ],
    [
      'no people if the service does not show who was contacted',
      {},
      { status: 'paused', leads: { total_leads: 10 } },
      { resumed: true, people: null, partway: null, emails: null, first_day: 1000 },
    ],
    [
      'no documented limit if the service hides that of a live campaign',
      {},
      { leads: { ...TEN, total_leads: 3000 }, settings: { max_emails_per_day: 5000 } },
      { emails_per_day: 5000, first_day: 3000 },
    ],
    [
      'the settings that the service shows',
      {},
      { settings: { ...SETTINGS, can_unsubscribe: true, open_tracking: true } },
      { can_unsubscribe: true, open_tracking: true },
    ],
    [
      'the settings of the manifest',
      { settings: { can_unsubscribe: true, open_tracking: false } },
      { settings: { ...SETTINGS, open_tracking: true } },
      { can_unsubscribe: true, open_tracking: false },
    ],
    [
      'an end after the waits between the emails',
      { sequence: { title: 'Spring', steps: [{ ...EMAIL, wait_in_days: 8 }, LAST] } },
      { leads: TEN, sequence: null },
      { emails: 20, sending_days: 2, last: '2026-03-16T17:00:00+01:00' },
    ],
    [
      'unknown settings if the service hides them',
      {},
      { settings: {} },
      { can_unsubscribe: null, open_tracking: null },
    ],
  ])('a launch that is read has %s', (_, spec, shown, impact) => {
    const emails = { schedule: MONDAY, sequence: SEQUENCE };
    const live1 = { schedule: SHOWN_MONDAY, sequence: { title: null, steps: [ROW] }, ...shown };
    const [campaign] = build([live(1, { ...emails, ...spec, status: 'running' }, live1)]).plan.campaigns;
    expect(campaign?.impact).toMatchObject({ first: '2026-03-02T09:00:00+01:00', ...impact });
  });

  it('the leads of the state and of the manifest count once if the service shows no number', () => {
    const attached = { lists: [], ids: [1, 2] };
    const entries = entriesOf({ ...UNKNOWN_STATE, known: true, attached });
    const [campaign] = build([live(1, { leads: { ids: [2, 3] }, status: 'running' })], { entries }).plan
      .campaigns;
    expect(campaign?.impact).toMatchObject({ leads: 3, people: 3, and_more: true });
  });

  it('a list that is attached again comes on top of the known people', () => {
    const spec = { leads: { lists: [{ list: 77, refill: 2 }] }, status: 'running' as const };
    const shown = { total_leads: 10, total_leads_contacted: 8 };
    const recorded = { ...UNKNOWN_STATE, known: true, attached: { lists: [77], ids: [] }, total_leads: 10 };
    const planned = (leads: object, here = environment()) =>
      build([live(1, spec, { settings: SETTINGS, leads })], {
        environment: here,
        entries: entriesOf(recorded),
      }).plan.campaigns[0];
    const FR = 'installers-fr (id 77)';
    const refill = { lists: [77], list_names: [FR], has_others: false, skips: false };
    expect(planned(shown)).toMatchObject({
      impact: { leads: 10, people: 2, partway: 8, unknown_lists: [], refilled_lists: [FR], and_more: true },
      refill: { ...refill, leads: 10 },
    });
    // Without a number, the whole list is unknown.
    const unshown = planned({});
    expect(unshown).toMatchObject({
      impact: { leads: null, people: 0, unknown_lists: [FR], and_more: true },
      refill: { ...refill, leads: null },
    });
    const others = { lists: [78, ...spec.leads.lists] };
    const more = build([live(1, { ...spec, leads: others }, { settings: SETTINGS, leads: shown })], {
      entries: entriesOf(recorded),
    });
    expect(more.plan.campaigns[0]?.refill).toEqual({ ...refill, has_others: true, leads: 10 });
    const skipping = planned(shown, environment({ attach_repeat: 'safe' }));
    expect(skipping?.refill).toEqual({ ...refill, skips: true, leads: 10 });
    expect(unshown?.impact).not.toHaveProperty('refilled_lists');
  });

  it.each<[string, CampaignSpec['leads'], Partial<RecordedState>, boolean]>([
    ['no others', {}, {}, false],
    ['an attached list', {}, { attached: { lists: [77, 42], ids: [] } }, true],
    ['a list that may be attached', {}, { doubtful: { lists: [42], ids: [] } }, true],
    ['a list that is attached now', { lists: [{ list: 77, refill: 2 }, 42] }, {}, true],
    ['individual leads', {}, { attached: { lists: [77], ids: [5] } }, true],
    ['a state that does not know all', {}, { known: false }, true],
  ])(
    'the number of leads may be that of a list that is attached again, with %s',
    (_, leads, more, has_others) => {
      const spec = { leads: { lists: [{ list: 77, refill: 2 }], ...leads } };
      const attached = { lists: [77], ids: [] };
      const recorded = { ...UNKNOWN_STATE, known: true, attached, total_leads: 200, ...more };
      const works = [live(1, spec, { settings: SETTINGS, leads: { total_leads: 200 } })];
      const [campaign] = build(works, { entries: entriesOf(recorded) }).plan.campaigns;
      expect(campaign?.refill).toMatchObject({ lists: [77], leads: 200, has_others });
    },
  );

  it.each<[string, CampaignSpec['settings'], object]>([
    ['both', undefined, { emails_per_day: null, first_day: 1000, sending_days: 3 }],
    [
      'the new leads',
      { max_emails_per_day: 2000 },
      { emails_per_day: 2000, first_day: 1000, sending_days: 3 },
    ],
    [
      'the emails',
      { max_new_leads_per_day: 2000 },
      { emails_per_day: null, first_day: 1000, sending_days: 3 },
    ],
    [
      'none',
      { max_emails_per_day: null, max_new_leads_per_day: null },
      { emails_per_day: 'unlimited', first_day: 2500, sending_days: 1 },
    ],
  ])('a new campaign has the documented limits that its manifest leaves out: %s', (_, settings, impact) => {
    const leads = { ids: Array.from({ length: 2500 }, (__, at) => at + 1) };
    const spec = { ...(settings && { settings }), schedule: MONDAY, sequence: SEQUENCE, leads };
    const [campaign] = build([fresh('New', { ...spec, status: 'running' })]).plan.campaigns;
    const flags = { can_unsubscribe: false, open_tracking: false };
    expect(campaign?.impact).toMatchObject({ people: 2500, ...flags, ...impact });
  });

  it.each([10, 11, 12])(
    'leads that may be attached already count as further people, so that no more are mailed than are shown: %i of the service',
    (total) => {
      const spec = { leads: { ids: [1, 2, 3, 4] }, status: 'running' as const };
      const work = live(1, spec, { leads: { total_leads: total } });
      const recorded: RecordedState = {
        ...{ ...UNKNOWN_STATE, known: true, total_leads: 10 },
        ...{ attached: { lists: [77], ids: [1] }, doubtful: { lists: [], ids: [2, 3] } },
      };
      const [campaign] = build([work], { entries: entriesOf(recorded) }).plan.campaigns;
      expect(campaign?.impact).toMatchObject({ leads: total + 3, people: total + 3 });
    },
  );

  it.each<[string, { status?: string; leads?: object }, boolean]>([
    ['may have run', { status: 'paused' }, true],
    ['has sent emails', { status: 'paused', leads: { emails_sent: 3 } }, true],
    ['has contacted nobody', { status: 'paused', leads: { total_leads_contacted: 0 } }, false],
    ['failed', { status: 'failed' }, false],
    ['is a draft', {}, false],
  ])('the launch of a campaign that is not in the state and %s: a resume or not', (_, shown, resumed) => {
    const [campaign] = build([live(1, { status: 'running' }, shown)]).plan.campaigns;
    const title = resumed ? 'resume the campaign' : 'launch the campaign';
    expect(campaign?.steps.map((step) => step.title)).toEqual([title]);
    expect(campaign?.impact?.resumed).toBe(resumed);
  });

  it('shows the emails and the dates of a launch that the manifest does not manage', () => {
    const shown = { schedule: SHOWN_MONDAY, sequence: { title: 'Live', steps: [ROW] } };
    const [launch] = build([live(1, { status: 'running' }, shown)]).plan.campaigns;
    expect(launch?.changes.map(({ section }) => section)).toEqual(['status']);
    expect(launch?.content?.after.sequence?.steps).toMatchObject([EMAIL]);
    expect(launch?.impact).toMatchObject({ first: '2026-03-02T09:00:00+01:00', timezone: 'Europe/Paris' });
    const [other] = build([live(1, { settings: { plain_text: true } }, shown)]).plan.campaigns;
    expect(other?.content?.after.sequence).toBeNull();
  });

  describe.each<[string, Partial<CampaignSpec>]>([
    ['that the manifest manages', { sequence: { title: 'Spring', steps: [EMAIL, LAST, LAST] } }],
    ['that the manifest does not manage', {}],
  ])('a launch of emails %s', (_, spec) => {
    const launched = (sequence: Json[], more: object = {}) => {
      const wanted: Partial<CampaignSpec> = { ...spec, schedule: MONDAY, status: 'running' };
      const shown = { schedule: SHOWN_MONDAY, sequence: { title: null, steps: sequence }, ...more };
      const leads = { total_leads: 10, total_leads_contacted: 0 };
      return build([live(1, wanted, { leads, ...shown })]).plan.campaigns[0];
    };
    const rows = [ROW, { ...ROW, ...LAST, id: 2, order: 2 }, { ...ROW, ...LAST, id: 3, order: 3 }];
    const off = (...places: number[]) =>
      rows.map((row, at) => (places.includes(at) ? { ...row, active: false } : row));
    const switches = (campaign: CampaignPlan | undefined) =>
      campaign?.content?.after.sequence?.steps.map(({ active }) => active ?? true);

    it('does not count those that are switched off, and marks them', () => {
      const whole = launched(rows);
      const part = launched(off(1));
      expect([whole?.impact?.emails, whole?.impact?.sending_days]).toEqual([30, 3]);
      expect([part?.impact?.emails, part?.impact?.sending_days]).toEqual([20, 2]);
      expect([switches(whole), switches(part)]).toEqual([
        [true, true, true],
        [true, false, true],
      ]);
      expect(part?.content?.before?.sequence?.steps[1]).toMatchObject({ ...LAST, active: false });
    });

    it('counts all emails if the service shows all emails of a draft as switched off', () => {
      const draft = launched(off(0, 1, 2));
      expect([draft?.impact?.emails, switches(draft)]).toEqual([30, [true, true, true]]);
      const leads = { total_leads: 10, total_leads_contacted: 3 };
      const resumed = launched(off(0, 1, 2), { status: 'paused', leads });
      expect([resumed?.impact?.emails, switches(resumed)]).toEqual([null, [false, false, false]]);
    });
  });

  it('counts a step of which only the variant is switched on', () => {
    const variant = { ...ROW, ...LAST, id: 2, order: null, variant: true, variant_from_step: 1 };
    const steps = (...active: boolean[]) => [
      { ...ROW, active: active[0] ?? true },
      { ...variant, active: active[1] ?? true },
      { ...ROW, id: 3, order: 2 },
    ];
    const spec: Partial<CampaignSpec> = {
      sequence: { title: 'Spring', steps: [{ ...EMAIL, variants: [LAST] }, EMAIL] },
      status: 'running',
    };
    const emailsOf = (...active: boolean[]) => {
      const shown = { sequence: { title: null, steps: steps(...active) }, leads: { total_leads: 10 } };
      const [campaign] = build([live(1, spec, shown)]).plan.campaigns;
      const [step] = campaign?.content?.after.sequence?.steps ?? [];
      return [campaign?.impact?.emails, step?.active, step?.variants[0]?.active];
    };
    expect(emailsOf(true, false)).toEqual([20, undefined, false]);
    expect(emailsOf(false, true)).toEqual([20, false, undefined]);
  });

  it('omits the port of the sandbox, which differs at every start', () => {
    const sandbox = { sandbox: { profile: 'documented' as const }, base_url: 'http://127.0.0.1:4711' };
    const { plan } = build([live(1, {})], { environment: { ...environment(), ...sandbox } });
    expect(plan.base_url).toBe('sandbox');
  });

  it('uses the state of a campaign, by its id', () => {
    const recorded = { ...UNKNOWN_STATE, known: true, attached: { lists: [77], ids: [] } };
    const refreshed = [live(1, { leads: { lists: [77] } }), live(2, { leads: { lists: [77] } })];
    const { plan } = build(refreshed, { entries: [{ id: 1, manifest: '9.yaml', name: 'Other', recorded }] });
    expect(plan.campaigns.map(({ action, problems }) => [action, codes(problems)])).toEqual([
      ['none', []],
      ['change', ['hazard repeat-attach']],
    ]);
  });

  it('has a hazard for its size', () => {
    const many = Array.from({ length: 26 }, (_, index) =>
      live(index + 1, { settings: { plain_text: true } }),
    );
    expect(codes(build(many).plan.problems)).toEqual(['hazard mass-change']);
  });
});

describe('the problems of a plan', () => {
  const known = (id: number, recorded: Partial<RecordedState>) => ({
    ...entryOf(id, `${id}.yaml`, `Campaign ${id}`),
    recorded: { ...CREATED_STATE, has_run: true, ...recorded },
  });

  it('name an apply at work', () => {
    const other = { holder: 'ada', certain: true };
    expect(codes(build([], { other }).plan.problems)).toEqual(['warning apply-at-work']);
  });

  it('name the statuses that were last set, in one note, if the service shows none', () => {
    const hidden = (id: number, spec: Partial<CampaignSpec>) => live(id, spec, { status: null });
    const [running, paused] = [{ status: 'running' as const }, { status: 'paused' as const }];
    const works = [
      hidden(1, running),
      hidden(2, paused),
      hidden(3, running),
      hidden(4, {}),
      hidden(5, paused),
    ];
    const unread = { ...hidden(6, running), reads: null, live: null };
    const entries = [
      ...[known(1, running), known(2, paused), known(3, running), known(4, running)],
      ...[known(5, { has_run: false }), known(6, running)],
    ];
    const names = [
      ['running, as last set', ['Campaign 1', 'Campaign 3']],
      ['paused, as last set', ['Campaign 2']],
    ] as const;
    expect(build([...works, unread], { entries }).plan.problems).toEqual([
      problem('status-not-shown', names),
    ]);
    const shown = works
      .slice(0, 3)
      .map(({ id, spec }) =>
        live(Number(id), spec, { status: spec.status === 'running' ? 'active' : 'paused' }),
      );
    expect(build(shown, { entries }).plan.problems).toEqual([]);
  });

  it('say how to start over in a sandbox, where the web app is the advice', () => {
    const noted = (attached: boolean, sandbox: Environment['sandbox'] = { profile: 'documented' }) => {
      const recorded = { known: true, has_run: false, attached: { lists: attached ? [9] : [], ids: [] } };
      const spec = { leads: { lists: [5] }, status: 'running' as const };
      const { works } = build([live(1, { sequence: SEQUENCE }, OTHER_EMAILS), live(2, spec), live(3, spec)], {
        environment: { ...environment(), sandbox },
        entries: [known(2, recorded), known(3, { ...recorded, attached: NO_LEADS })],
      });
      const problems = works.flatMap(({ plan }) => plan.problems);
      return problems.filter(({ hint }) => hint.includes('A sandbox has no web app')).map(({ code }) => code);
    };
    expect(noted(false)).toEqual(['sequence-exists']);
    expect(noted(true)).toEqual(['sequence-exists', 'cannot-detach', 'shared-leads']);
    expect(noted(true, null)).toEqual([]);
  });
});

describe('a launch', () => {
  const HELD = { at: '2026-03-01', status: 'Odd' };

  it('is withheld while part of its campaign is blocked, and then needs no approval', () => {
    const { plan } = build([
      live(1, { sequence: SEQUENCE, settings: { plain_text: true }, status: 'running' }, OTHER_EMAILS),
    ]);
    const [campaign] = plan.campaigns;
    expect(campaign && stepsOf(campaign)).toEqual(['settings']);
    expect(codes(campaign?.problems ?? [])).toEqual(['blocked sequence-exists', 'warning launch-withheld']);
    expect(campaign?.changes.map(({ section }) => section)).toEqual(['settings', 'sequence', 'status']);
    expect(plan.summary.launch).toBe(0);
  });

  it('can be held, and the rest is planned', () => {
    const refreshed = [
      live(1, { settings: { plain_text: true }, status: 'running' }),
      live(2, { status: 'running' }),
    ];
    const { plan } = build(refreshed, HOLD);
    expect(plan.campaigns.map((each) => [stepsOf(each), codes(each.problems)])).toEqual([
      [['settings'], ['warning launch-held']],
      [[], ['warning launch-held']],
    ]);
    expect(plan.summary).toMatchObject({ launch: 0, requests: 1, blocked: 0 });
  });

  it('that is all that is held still counts as a change', () => {
    const { plan } = build([live(2, { status: 'running' })], HOLD);
    expect(plan.campaigns[0]).toMatchObject({ action: 'change', steps: [] });
    expect(plan.summary).toMatchObject({ change: 1, unchanged: 0 });
  });

  it.each<[string, Target, (string | object)[]]>([
    [
      'a new campaign',
      fresh('New', { status: 'running', leads: { ids: [1] } }),
      ['warning launch-needs-senders'],
    ],
    ['one that exists', live(1, { status: 'running' }), ['hazard launch', 'hazard no-leads']],
  ])('waits for senders that a person attaches, in %s', (_, target, problems) => {
    const here = environment({ senders: 'by_hand' });
    const { plan } = build([{ ...target, environment: here }], { environment: here });
    expect(codes(plan.campaigns[0]?.problems ?? [])).toEqual(problems);
    expect(plan.summary.launch).toBe(problems.length - 1);
  });

  it.each<[string, Partial<PlanInput>, string[]]>([
    ['planned', {}, ['blocked same-name', 'warning launch-withheld']],
    ['held', HOLD, ['warning same-name', 'warning launch-held']],
  ])('is blocked by a namesake only if it is %s', (_, more, problems) => {
    const namesake = { code: 'same-name', severity: 'warning', message: '', hint: '' } as const;
    const { plan } = build([{ ...live(1, { status: 'running' }), problems: [namesake] }], more);
    expect(codes(plan.campaigns[0]?.problems ?? [])).toEqual(problems);
  });

  it.each<[string, Partial<CampaignSpec>, string | undefined]>([
    ['still wanted', { status: 'running', settings: { plain_text: true } }, '2026-03-01'],
    ['not wanted any more', { status: 'paused', settings: { plain_text: true } }, undefined],
    ['not in the manifest any more', { settings: { plain_text: true } }, undefined],
  ])('that an earlier apply held is named with its time only if it is %s', (_, spec, at) => {
    const entries = entriesOf({ ...CREATED_STATE, launch_held: HELD });
    const { plan } = build([live(1, spec, { status: 'Odd' })], { entries });
    expect(plan.campaigns[0]?.launch_held).toBe(at);
  });

  it('is a hazard otherwise, and comes last', () => {
    const { plan } = build([fresh('New', { sequence: SEQUENCE, leads: { ids: [1] }, status: 'running' })]);
    expect(plan.campaigns.map((each) => [stepsOf(each), codes(each.problems)])).toEqual([
      [['create', 'sequence', 'leads/batch-1', 'launch'], ['hazard launch']],
    ]);
  });

  it('does not affect a pause if held', () => {
    const { plan } = build([live(1, { status: 'paused' }, { status: 'active' })], {
      ...HOLD,
      entries: [entryOf(1, '1.yaml', 'Campaign 1')],
    });
    expect(plan.campaigns[0]).toMatchObject({ steps: [{ id: 'pause' }], problems: [] });
  });
});

describe('a campaign that is gone', () => {
  it('gets no request, so its hazards do not refuse other campaigns', () => {
    const wanted: Partial<CampaignSpec> = { settings: { plain_text: true }, leads: { lists: [77] } };
    const { plan } = build([live(1, { ...wanted, status: 'running' }, { status: 'archived' })]);
    const [{ action, steps, problems } = { problems: [] }] = plan.campaigns;
    expect([action, steps]).toEqual(['blocked', []]);
    expect(codes(problems)).toContain('blocked campaign-gone');
    expect(codes(problems).filter((code) => code.startsWith('hazard'))).toEqual([]);
    expect(plan.summary).toMatchObject({ blocked: 1, requests: 0, unchanged: 0 });
  });
});

describe('an error that prevents a plan', () => {
  function failure(refreshed: Target[]): Failure {
    try {
      build(refreshed);
    } catch (error) {
      if (error instanceof Failure) return error;
    }
    throw new Error('a Failure was expected');
  }

  it('is a pinned campaign that the service does not have', () => {
    const pinned = { ...live(8, { name: 'Spring installers', id: 8 }, { settings: null }), listed: null };
    const { code, message, hint, exitCode } = failure([live(1, {}), pinned]);
    expect({ code, message, hint, exitCode }).toEqual({
      code: 'pinned-not-found',
      message: expect.stringMatching(/"Spring installers" .* campaign 8/),
      hint: expect.stringContaining('environment production'),
      exitCode: 1,
    });
  });

  it('lists all matching errors at once, each once', () => {
    const wrong = (id: number, message: string) => {
      const problem = { code: 'claimed-twice' as const, severity: 'error' as const, message, hint: '' };
      return { ...live(id, {}), problems: [problem] };
    };
    const { message, others } = failure([wrong(1, 'Same.'), wrong(2, 'Same.'), wrong(3, 'Other.')]);
    expect([message, ...others.map((other) => other.message)]).toEqual(['Same.', 'Other.']);
  });

  it('is not a hazard, a warning or a blocked change', () => {
    const hazard = {
      code: 'missing' as const,
      severity: 'hazard' as const,
      message: 'It is gone.',
      hint: '',
    };
    const { plan } = build([{ ...fresh('New'), problems: [hazard] }]);
    expect(plan.campaigns[0]).toMatchObject({ action: 'create', problems: [hazard] });
  });
});

describe('what is read for a plan', () => {
  it.each<[string, Partial<CampaignSpec>, string[]]>([
    ['nothing but the list', {}, []],
    ['the campaign for leads, to know their number', { leads: { lists: [77] } }, ['campaign']],
    ['the campaign, once, for settings and status', { settings: {}, status: 'paused' }, ['campaign']],
    ['the campaign of a pin, to know that it is there', { id: 8 }, ['campaign']],
    ['schedule and sequence alone', { schedule: MONDAY, sequence: SEQUENCE }, ['schedule', 'sequence']],
    [
      'all of it',
      { id: 8, settings: {}, schedule: MONDAY, sequence: SEQUENCE },
      ['campaign', 'schedule', 'sequence'],
    ],
  ])('is %s', (_, spec, answers) => {
    expect(requiredAnswers({ name: 'Spring installers', ...spec })).toEqual(answers);
  });
});

describe('the fingerprint of a plan', () => {
  const spec = { settings: { max_emails_per_day: 200 } };
  const print = (refreshed: Target[], more: Partial<PlanInput> = {}) =>
    build(refreshed, more).plan.fingerprint;
  const base = print([live(1, spec)]);

  it('is the same for the same plan and live state, whatever the order of keys and unknown fields', () => {
    const turned = Object.fromEntries(Object.entries(SETTINGS).reverse());
    expect(print([live(1, spec, { settings: { ...turned, uuid: 'x' } })])).toBe(base);
    expect(
      print([live(1, { settings: { max_emails_per_day: 200 } })], {
        listed: [listedCampaign(9, 'Other 9', null)],
      }),
    ).toBe(base);
  });

  const held = { ...spec, status: 'running' as const };
  it.each<[string, Target[], Partial<PlanInput>?]>([
    ['a different value in the manifest', [live(1, { settings: { max_emails_per_day: 201 } })]],
    [
      'a different live value that is not changed',
      [live(1, spec, { settings: { ...SETTINGS, plain_text: true } })],
    ],
    ['a different status', [live(1, spec, { status: 'active' })]],
    ['a different campaign', [live(2, spec)]],
    ['a further campaign', [live(1, spec), live(2, {})]],
    ['a different environment', [live(1, spec)], { environment: { ...environment(), name: 'staging' } }],
    [
      'a different service',
      [live(1, spec)],
      { environment: { ...environment(), base_url: 'https://other.example.com' } },
    ],
    ['a launch that is held', [live(1, held)], HOLD],
  ])('differs with %s', (_, works, more = {}) => {
    expect(print(works, more)).not.toBe(base);
  });

  it('of an unchanged campaign, covers the settings that the manifest manages', () => {
    const seen = (spec: Partial<CampaignSpec>) => Object(build([live(1, spec)]).works[0]?.sections).settings;
    expect(seen({ settings: { max_emails_per_day: 1000 } })).toEqual({ max_emails_per_day: 1000 });
    expect(seen({ settings: { max_emails_per_day: 200 } })).toEqual(SETTINGS);
    expect(seen({})).toBeNull();
  });

  it('is the same if other campaigns are above the capacity anyway', () => {
    const limited = { environment: { ...environment(), capacity: 300 } };
    const running = (cap: number): Partial<PlanInput> => ({
      ...limited,
      listed: [{ ...listedCampaign(9, 'Other', 'active'), numbers: { results: NO_RESULTS, cap } }],
    });
    const plan = build([live(1, spec)], running(500)).plan;
    expect(plan.problems.map(({ code }) => code)).toEqual(['over-capacity']);
    expect(plan.fingerprint).toBe(print([live(1, spec)], running(600)));
  });

  it.each<[string, Target[], 'launch' | 'mass-change']>([
    ['a campaign', [live(1, held)], 'launch'],
    ['the whole plan', Array.from({ length: 26 }, (_, at) => live(at + 1, spec)), 'mass-change'],
  ])('covers the file that accepts a hazard of %s, but neither its line nor a flag', (_, works, hazard) => {
    const accepted = (by: string | null, from: 'allow' | 'approvals' = 'allow') => {
      const accepting = by === null ? [] : [{ hazard, by }];
      const more =
        from === 'allow' ? { environment: { ...environment(), allow: accepting } } : { approvals: accepting };
      const { plan } = build(works, more);
      const problems = [...plan.problems, ...plan.campaigns.flatMap((campaign) => campaign.problems)];
      const found = problems.filter(({ code }) => code === hazard).map(({ accepted_by }) => accepted_by);
      expect(found).toEqual([by]);
      return plan.fingerprint;
    };
    const asked = accepted(null);
    expect(accepted('--allow', 'approvals')).toBe(asked);
    const inFile = accepted('campaignctl.yaml:7');
    expect(inFile).not.toBe(asked);
    expect(accepted('campaignctl.yaml:12')).toBe(inFile);
    expect(accepted('agency.yaml:7')).not.toBe(inFile);
  });

  it('covers warnings about the whole plan, except those about files of this machine', () => {
    const warned = (code: PlanProblem['code']) => {
      const warning = { code, severity: 'warning' as const, message: 'Message.', hint: 'Hint.' };
      const { plan } = build([live(1, spec)], { warnings: [warning] });
      expect(codes(plan.problems)).toEqual([`warning ${code}`]);
      return plan.fingerprint === base;
    };
    expect((['near-match', 'no-match', 'launch-held'] as const).map(warned)).toEqual([true, true, false]);
  });

  it('covers that the capacity is exceeded by this plan', () => {
    const raised = (cap: number) => ({
      ...live(1, { settings: { max_emails_per_day: cap } }, { status: 'active' }),
      isOurs: true,
    });
    const listed = [listedCampaign(1, 'Campaign 1', 'active')];
    const here = { ...environment(), capacity: 1100 };
    const [below, above] = [1050, 1150].map(
      (cap) => build([raised(cap)], { environment: here, listed }).plan,
    );
    expect([below, above].map((plan) => codes(plan?.problems ?? []))).toEqual([[], ['hazard over-capacity']]);
    const unlimited = build([raised(1150)], { listed }).plan;
    expect(unlimited.fingerprint).not.toBe(above?.fingerprint);
  });

  it('sees live content that the plan does not show', () => {
    const manifest = { sequence: SEQUENCE };
    const shown = (id: number) => ({ sequence: { title: null, steps: [{ ...ROW, id }] } });
    expect(print([live(1, manifest, shown(5))])).not.toBe(print([live(1, manifest, shown(6))]));
  });
});

describe('a fingerprint', () => {
  it('is the SHA-256 of the value as JSON with sorted keys', () => {
    expect(fingerprint({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });

  it('does not depend on the order of keys, at any depth', () => {
    const value = {
      name: 'Spring',
      steps: [{ id: 'settings', body: { plain_text: true, open_tracking: null } }],
    };
    const turned = {
      steps: [{ body: { open_tracking: null, plain_text: true }, id: 'settings' }],
      name: 'Spring',
    };
    expect(fingerprint(turned)).toBe(fingerprint(value));
    expect(fingerprint(JSON.parse(JSON.stringify(value)))).toBe(fingerprint(value));
  });

  it('depends on values, on their types and on the order of lists', () => {
    const values = [[1, 2], [2, 1], ['1', 2], { 0: 1, 1: 2 }, [1, 2, null], [[1, 2]], null, ''];
    expect(new Set(values.map(fingerprint)).size).toBe(values.length);
  });
});
