/** What the state and the result say of steps that were refused, ignored or not saved. */
import { expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { Ran } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import type { Service } from '../support/service/service.js';
import { active, draft } from '../support/service/store.js';
import { applying, entry42, KNOWN, LIVE_SCHEDULE, LIVE_STEP, NAME, SCHEDULE, SEQUENCE } from './spring.js';

const CAP = { max_emails_per_day: 200 };
const WEEKEND = { ...SCHEDULE, days: ['saturday' as const] };
const LIVE = { ...active(42, NAME), schedule: LIVE_SCHEDULE, title: 'Spring', steps: [LIVE_STEP] };
const REFUSED = { status: 422, body: { message: 'no' }, effect: false };
const outcomes = ({ campaigns }: Ran) =>
  campaigns[0]?.steps.map(({ id, result, detail }) => [id, result, detail]);

it('a schedule that the service ignores is not recorded as applied, and the pause before it was one', () =>
  applying({ shape: { scheduleRepost: 'ignore' }, campaigns: [structuredClone(LIVE)] }, async (at) => {
    await at.state.save(entry42());
    const spec = { settings: CAP, schedule: WEEKEND, sequence: SEQUENCE, status: 'paused' } as const;
    const ran = await at.apply(spec);
    const ignored = 'the service accepted every request but shows different values';
    expect(outcomes(ran)).toEqual([
      ['pause', 'done', null],
      ['settings', 'done', null],
      ['schedule', 'done', null],
      ['read-back', 'failed', ignored],
    ]);
    const { schedule: _, ...applied } = spec;
    const [entry] = await at.state.readAll();
    expect(entry?.recorded.last?.spec).toEqual({ name: NAME, ...applied });
  }));

it('emails that a person changes during the apply are not recorded as applied', () =>
  applying({ campaigns: [{ ...structuredClone(LIVE), status: 'draft' }] }, async (at) => {
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
  applying({ campaigns: [{ ...structuredClone(LIVE), status: 'draft' }] }, async (at) => {
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
