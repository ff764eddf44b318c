/** What the state and the result say of steps that were refused, ignored or not saved. */
import { expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { ApplyEvent, ApplySummary } from '../../src/model/reports.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { RecordedState } from '../../src/model/state.js';
import { NO_EFFECT } from '../../src/plan/reconcile.js';
import type { Store } from '../../src/state/store.js';
import { EMPTY_APPLY_SUMMARY, type Ran } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import type { Fault, Service } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { active, draft, type StoredCampaign } from '../support/service/store.js';
import { applying, entry42, KNOWN, LIVE_SCHEDULE, LIVE_STEP, NAME, SCHEDULE, SEQUENCE } from './spring.js';

const CAP = { max_emails_per_day: 200 };
const WEEKEND = { ...SCHEDULE, days: ['saturday' as const] };
const LIVE = { ...active(42, NAME), schedule: LIVE_SCHEDULE, title: 'Spring', steps: [LIVE_STEP] };
const DRAFT = { ...LIVE, status: 'draft' };
const DIFFERENT = 'the service accepted every request but shows different values';
const REFUSED = { status: 422, body: { message: 'no' }, effect: false };
const outcomes = ({ campaigns }: Ran) =>
  campaigns[0]?.steps.map(({ id, result, detail }) => [id, result, detail]);

it('a schedule that the service ignores is not recorded as applied, and the pause before it was one', () =>
  applying({ shape: { scheduleRepost: 'ignore' }, campaigns: [structuredClone(LIVE)] }, async (at) => {
    await at.state.save(entry42());
    const spec = { settings: CAP, schedule: WEEKEND, sequence: SEQUENCE, status: 'paused' } as const;
    const ran = await at.apply(spec);
    expect(outcomes(ran)).toEqual([
      ['pause', 'done', null],
      ['settings', 'done', null],
      ['schedule', 'done', null],
      ['read-back', 'failed', DIFFERENT],
    ]);
    const { schedule: _, ...applied } = spec;
    const [entry] = await at.state.readAll();
    expect(entry?.recorded.last?.spec).toEqual({ name: NAME, ...applied });
  }));

const UNKNOWN =
  'the service accepted the pause but shows "asleep", which is not a known status: check in its web app that the campaign has stopped, and add the word under service.statuses in the project file';

type Statuses = [at: number, status: string | null][];

/** Pauses campaign 42. `statuses`: as shown from so many seconds after the request on. Returns the outcomes and the seconds. */
function pausing(fault: Fault, statuses: Statuses, shape: Partial<Shape> = {}, isGone = false) {
  return applying({ campaigns: [active(42, NAME)], shape }, async ({ service, state, apply }) => {
    await state.save(entry42({ ...KNOWN, status: 'running', has_run: true }));
    service.answerThen('PATCH', '/api/campaigns/42/pause', fault);
    const clock = fakeClock();
    const began = clock.elapsed();
    const passed = () => (clock.elapsed() - began) / 1000;
    const show = () => {
      const now = statuses.filter(([at]) => at <= passed()).at(-1);
      for (const campaign of service.store.campaigns)
        if (now !== undefined) Object.assign(campaign, { status: now[1] });
      if (isGone) service.store.campaigns = [];
    };
    const sleep: typeof clock.sleep = async (ms) => {
      await clock.sleep(ms);
      show();
    };
    const emit = ({ type }: ApplyEvent) => type === 'step-ended' && show();
    const store = (real: Store): Store => ({
      ...real,
      async begin(...asked) {
        const journal = await real.begin(...asked);
        const conclude: typeof journal.conclude = async (conclusion) => {
          show();
          await journal.conclude(conclusion);
        };
        return { ...journal, conclude };
      },
    });
    const ran = await apply({ status: 'paused' }, { clock: { ...clock, sleep }, emit, store });
    return [outcomes(ran), passed()];
  });
}

it.each<[string, Statuses, string | null, seconds: number]>([
  ['is shown as paused', [[0, 'paused']], null, 0],
  ['remains as it was', [], DIFFERENT, 60],
  ['is shown with an unknown word', [[0, 'asleep']], UNKNOWN, 60],
  ['is shown without a status from then on', [[0, null]], 'paused; the service shows no status', 5],
  [
    'is shown without a status for two seconds, then as it was',
    [
      [0, null],
      [2, 'active'],
    ],
    DIFFERENT,
    60,
  ],
])('a campaign that %s after its pause', async (_, statuses, detail, seconds) => {
  expect(await pausing({ status: 200, body: { data: {} }, effect: false }, statuses)).toEqual([
    [
      ['pause', 'done', null],
      ['read-back', seconds === 60 ? 'failed' : 'done', detail],
    ],
    seconds,
  ]);
});

const LOST =
  'no response to PATCH /api/campaigns/42/pause: the connection was closed before the response was complete (environment production, base_url https://send.example.com, token in CAMPAIGNS_TOKEN)';

it.each<[string, Statuses, Partial<Shape>, isGone: boolean, detail: string, seconds: number]>([
  ['as paused', [[0, 'paused']], {}, false, 'the read-back shows that it took effect', 0],
  ['as paused 20 s later', [[20, 'paused']], {}, false, 'the read-back shows that it took effect', 20],
  ['as it was', [], {}, false, NO_EFFECT, 60],
  ['with an unknown word', [[0, 'asleep']], {}, false, NO_EFFECT, 60],
  ['without the status that it had', [[0, null]], {}, false, NO_EFFECT, 60],
  ['without a status, as always', [], { status: 'hidden' }, false, 'the service shows no status', 0],
  ['no longer', [], { status: 'hidden' }, true, NO_EFFECT, 60],
])(
  'a campaign that is shown %s after a pause without a response',
  async (_, statuses, shape, isGone, detail, seconds) => {
    const isDone = seconds < 60 && shape.status === undefined;
    expect(await pausing({ reset: true, effect: false }, statuses, shape, isGone)).toEqual([
      [
        ['pause', isDone ? 'done' : 'in_doubt', `${LOST}; ${detail}`],
        isDone ? ['read-back', 'done', null] : ['read-back', 'not_run', null],
      ],
      seconds,
    ]);
  },
);

it('a value that is not kept is said beside another difference', () =>
  applying({ shape: { scheduleRepost: 'ignore' }, campaigns: [structuredClone(DRAFT)] }, async (at) => {
    await at.state.save(entry42());
    at.service.behave({ ignores: ['unsubscribe_text'] });
    const settings = { unsubscribe_text: 'Leave' };
    const notKept = 'not kept by the service: settings.unsubscribe_text (sent "Leave", shown none)';
    const detailOf = async (spec: Partial<CampaignSpec>) =>
      outcomes(await at.apply(spec))
        ?.at(-1)
        ?.at(2);
    expect(await detailOf({ settings, schedule: WEEKEND })).toBe(`${DIFFERENT}; ${notKept}`);
    expect(await detailOf({ settings: { unsubscribe_text: 'Leave', plain_text: true } })).toBe(null);
    expect(await detailOf({ settings: { unsubscribe_text: 'Go' } })).toBe(notKept.replace('Leave', 'Go'));
  }));

it('emails that a person changes during the apply are not recorded as applied', () =>
  applying({ campaigns: [structuredClone(DRAFT)] }, async (at) => {
    await at.state.save(entry42());
    const edit = ({ store }: Service) => {
      for (const { steps } of store.campaigns) for (const step of steps) step.email_subject = 'Other';
    };
    const spec = { settings: CAP, schedule: SCHEDULE, sequence: SEQUENCE, status: 'running' } as const;
    const ran = await at.apply(spec, { emit: ({ type }) => type === 'step-ended' && edit(at.service) });
    expect(ran.campaigns[0]?.steps.map(({ id, result }) => [id, result])).toEqual([
      ['settings', 'done'],
      ['read-back', 'failed'],
      ['launch', 'not_run'],
    ]);
    const [entry] = await at.state.readAll();
    expect(entry?.recorded.last?.spec).toEqual({ name: NAME, settings: CAP, schedule: SCHEDULE });
  }));

it('a refused attachment explains no leads', () =>
  applying(
    { shape: { totals: 'shown' }, campaigns: [{ ...draft(42, NAME), leads: [1, 2, 3] }] },
    async (at) => {
      await at.state.save(entry42({ ...KNOWN, total_leads: 0 }));
      at.service.answerThen('POST', '/api/campaigns/42/leads/attach-lead-list', REFUSED);
      const { result } = await at.apply({ leads: { lists: [77] } });
      const [entry] = await at.state.readAll();
      expect([result, entry?.recorded.total_leads, entry?.recorded.attached_at]).toEqual([
        'incomplete',
        0,
        null,
      ]);
    },
  ));

it('a step that was accepted before a refused one remains open', () =>
  applying({ campaigns: [draft(42, NAME)] }, async (at) => {
    await at.state.save(entry42());
    at.service.answerThen('POST', '/api/campaigns/42/schedule', REFUSED);
    await at.apply({ settings: CAP, schedule: SCHEDULE });
    expect((await at.state.pending()).map(({ id, name }) => [id, name])).toEqual([[42, NAME]]);
  }));

it.each([
  ['shows', 'content', 'done', 'done'],
  ['does not show', 'ids-only', 'in_doubt', 'not_run'],
] as const)(
  'a template whose request was lost was applied only if the service %s its hours',
  (_, templates, result, readBack) =>
    applying({ shape: { templates }, campaigns: [structuredClone(DRAFT)] }, async (at) => {
      await at.state.save(entry42());
      at.service.store.templates.push({ id: 3, ...LIVE_SCHEDULE, start_time: '08:00' });
      at.service.answerThen('POST', '/api/campaigns/42/create-schedule-from-template', {
        reset: true,
        effect: true,
      });
      const ran = await at.apply({ settings: CAP, schedule: { template: 3 } });
      expect(outcomes(ran)?.map(([id, ended]) => [id, ended])).toEqual([
        ['settings', 'done'],
        ['schedule', result],
        ['read-back', readBack],
      ]);
    }),
);

it('the effect of a request that was lost is awaited although the service shows no status', () =>
  applying({ shape: { status: 'hidden' }, campaigns: [structuredClone(DRAFT)] }, async (at) => {
    await at.state.save(entry42());
    const clock = fakeClock();
    at.service.behave({ lag: 12_000 }, clock.elapsed);
    at.service.answerThen('POST', '/api/campaigns/42/schedule', { reset: true, effect: true });
    const ran = await at.apply({ schedule: WEEKEND }, { clock });
    expect(outcomes(ran)?.map(([id, ended]) => [id, ended])).toEqual([
      ['schedule', 'done'],
      ['read-back', 'done'],
    ]);
  }));

it('an entry that cannot be saved makes the campaign incomplete, and its last step says why', () =>
  applying({ campaigns: [draft(42, NAME)] }, async (at) => {
    await at.state.save(entry42());
    const failure = new Failure({ code: 'state-unusable', message: 'The disk is full.', hint: '' });
    const ran = await at.apply(
      { settings: CAP },
      { store: (real) => ({ ...real, save: () => Promise.reject(failure) }) },
    );
    expect([ran.result, outcomes(ran)]).toEqual([
      'incomplete',
      [
        ['settings', 'done', null],
        ['read-back', 'done', 'The disk is full.'],
      ],
    ]);
  }));

it('a campaign that is blocked after some of its steps remains with the others', () =>
  applying({ campaigns: [structuredClone(DRAFT)] }, async (at) => {
    await at.state.save(entry42());
    const steps = SEQUENCE.steps.map((step) => ({ ...step, email_subject: 'Other' }));
    const { campaigns } = await at.apply({ settings: CAP, sequence: { ...SEQUENCE, steps } });
    expect(campaigns).toMatchObject([
      { result: 'blocked', remaining: [{ section: 'sequence', path: 'steps[0].email_subject' }] },
    ]);
  }));

it('a removed campaign without a step is no part of the result', () =>
  applying({ campaigns: [draft(42, NAME), draft(41, 'Winter')] }, async (at) => {
    await at.state.save(entry42());
    await at.state.save({ ...entry42(), id: 41, manifest: 'winter.yaml', name: 'Winter' });
    const { summary } = await at.apply({ settings: CAP });
    expect(summary).toMatchObject({ campaigns: 1, unchanged: 0, done: 1, changed: 1 });
  }));

it('a successor is recorded once it is complete, and then has no successor', () =>
  applying(
    { shape: { scheduleRepost: 'ignore' }, campaigns: [draft(42, NAME), draft(43, 'Old')] },
    async (at) => {
      const { service, state } = at;
      for (const one of service.store.campaigns) one.schedule = structuredClone(LIVE_SCHEDULE);
      await state.save({ ...entry42({ ...KNOWN, superseded_by: 43 }) });
      await state.save({ ...entry42(), id: 43, manifest: 'old.yaml', name: 'Old' });
      const succession = async () =>
        (await state.readAll()).map(({ id, recorded }) => [id, recorded.superseded_by ?? null]);
      const apply = (schedule: typeof SCHEDULE | typeof WEEKEND) =>
        at.apply({}, { campaigns: [campaign('spring.yaml', { name: NAME, replaces: 'Old', schedule })] });
      expect((await apply(WEEKEND)).result).toBe('incomplete');
      expect(await succession()).toEqual([
        [42, 43],
        [43, null],
      ]);
      expect((await apply(SCHEDULE)).result).toBe('done');
      expect(await succession()).toEqual([
        [42, null],
        [43, 42],
      ]);
    },
  ));

const LAUNCH: Partial<CampaignSpec> = { schedule: SCHEDULE, sequence: SEQUENCE, status: 'running' };
const RAN: RecordedState = { ...KNOWN, status: 'paused', has_run: true, launched: true };

it.each<[string, StoredCampaign[], RecordedState, boolean, Partial<ApplySummary>]>([
  ['created and launched', [], KNOWN, false, { created: 1, launched: 1 }],
  ['launched for the first time', [DRAFT], KNOWN, false, { changed: 1, launched: 1 }],
  ['resumed', [{ ...DRAFT, status: 'paused' }], RAN, false, { changed: 1, resumed: 1 }],
  ['not launched, because the service refuses it', [DRAFT], KNOWN, true, { done: 0, incomplete: 1 }],
])('the summary counts a campaign that is %s', (_, live, recorded, isRefused, counts) =>
  applying({ campaigns: structuredClone(live) }, async ({ service, state, apply }) => {
    if (live.length > 0) await state.save(entry42(recorded));
    if (isRefused) service.answerThen('PATCH', '/api/campaigns/42/resume', REFUSED);
    const { summary } = await apply(LAUNCH);
    expect(summary).toEqual({ ...EMPTY_APPLY_SUMMARY, campaigns: 1, done: 1, ...counts });
  }),
);
