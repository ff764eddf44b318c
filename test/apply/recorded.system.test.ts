/** What the state and the result say of steps that were refused, ignored or not saved. */
import { expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { ApplyEvent, ApplySummary } from '../../src/model/reports.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { RecordedState } from '../../src/model/state.js';
import { EMPTY_APPLY_SUMMARY, type Ran } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import type { Service } from '../support/service/service.js';
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

it.each<[string, [at: number, status: string | null][], string | null, seconds: number]>([
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
])('a campaign that %s after its pause', (_, statuses, detail, seconds) =>
  applying({ campaigns: [active(42, NAME)] }, async ({ service, state, apply }) => {
    await state.save(entry42({ ...KNOWN, status: 'running', has_run: true }));
    const path = '/api/campaigns/42/pause';
    service.answerThen('PATCH', path, { status: 200, body: { data: {} }, effect: false });
    const clock = fakeClock();
    const began = clock.elapsed();
    const passed = () => (clock.elapsed() - began) / 1000;
    const show = () => {
      const now = statuses.filter(([at]) => at <= passed()).at(-1);
      for (const campaign of service.store.campaigns)
        if (now !== undefined) Object.assign(campaign, { status: now[1] });
    };
    const sleep: typeof clock.sleep = async (ms) => {
      await clock.sleep(ms);
      show();
    };
    const emit = ({ type }: ApplyEvent) => type === 'step-ended' && show();
    const ran = await apply({ status: 'paused' }, { clock: { ...clock, sleep }, emit });
    expect([outcomes(ran), passed()]).toEqual([
      [
        ['pause', 'done', null],
        ['read-back', seconds === 60 ? 'failed' : 'done', detail],
      ],
      seconds,
    ]);
  }),
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
