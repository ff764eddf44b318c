import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import type { SectionName } from '../../src/model/outputs.js';
import { CREATED_STATE, type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import { campaignHazards } from '../../src/plan/hazards.js';
import { record, recordShown, replan } from '../../src/plan/order.js';
import type { CampaignContext } from '../../src/sections/index.js';
import { codes, liveContext } from '../support/context.js';
import { plannedWork } from '../support/works.js';

const HOURS = {
  ...{ days: ['monday' as const], start_time: '09:00', end_time: '17:00' },
  timezone: 'Europe/Paris' as const,
};
const [FIRST, SECOND, THIRD] = ['First', 'Second', 'Third'].map((email_subject) => ({
  ...{ email_subject, email_body: 'Worth a look?', wait_in_days: 3 },
}));
const variant = { email_subject: 'Other', email_body: 'Worth a look?' };
if (FIRST === undefined || SECOND === undefined || THIRD === undefined) throw new Error('three are expected');
const SPEC = { sequence: { title: 'Spring', steps: [{ ...FIRST, variants: [variant] }, SECOND, THIRD] } };

const row = (id: number, email: object, more: object = {}): Json =>
  ({ id, ...email, variant: false, variant_from_step: null, thread_reply: false, ...more }) as Json;
const variantRow = row(9, { ...variant, wait_in_days: 3 }, { variant: true, variant_from_step: 1 });
const sequence = (...steps: Json[]): Json => (steps.length === 0 ? null : { title: 'Spring', steps });
const WHOLE = sequence(row(1, FIRST), variantRow, row(2, SECOND), row(3, THIRD));

interface Shown {
  status?: string;
  sent?: number;
  steps?: Json;
  recorded?: Partial<RecordedState>;
  repost?: 'append' | 'unknown';
}

const contextOf = ({ status = 'draft', sent, steps = null, recorded = {}, repost = 'append' }: Shown) =>
  liveContext(
    SPEC,
    { campaign: { id: 42, status, ...(sent === undefined ? {} : { emails_sent: sent }) }, sequence: steps },
    { recorded, service: { sequence_repost: repost } },
  );

function problemsOf(shown: Shown) {
  return hazardsOf(contextOf(shown), ['sequence']);
}

function hazardsOf(context: CampaignContext, sections: SectionName[]) {
  const work = plannedWork(context, replan(context, sections));
  return campaignHazards(work, { owners: new Map(), works: [work] }).filter(
    ({ code }) => code === 'sequence-missing',
  );
}

const KNOWN = { sequence: { steps: 3, variants: 1 } };

describe('a sequence that is missing', () => {
  it.each<[string, Shown]>([
    ['none is shown of those that the state knows', { recorded: { ...CREATED_STATE, ...KNOWN } }],
    ['a step less is shown', { recorded: KNOWN, steps: sequence(row(1, FIRST), variantRow, row(2, SECOND)) }],
    [
      'a variant less is shown',
      { recorded: KNOWN, steps: sequence(row(1, FIRST), row(2, SECOND), row(3, THIRD)) },
    ],
    ['a campaign runs that the state does not know', { status: 'active' }],
    ['a campaign has ended that the state does not know', { status: 'completed' }],
    ['a campaign is paused that the state does not know', { status: 'paused' }],
    ['a launch was in doubt', { status: 'paused', recorded: { ...CREATED_STATE, has_run: true } }],
    ['emails were sent', { recorded: CREATED_STATE, sent: 3 }],
  ])('needs approval where %s', (_, shown) => {
    expect(codes(problemsOf(shown))).toEqual(['hazard sequence-missing']);
  });

  it.each<[string, Shown]>([
    ['a draft', {}],
    ['a draft of which a launch was in doubt', { recorded: { ...CREATED_STATE, has_run: true } }],
    ['a campaign that was made here and never ran', { status: 'paused', recorded: CREATED_STATE }],
    ['a sequence that is whole', { status: 'active', recorded: KNOWN, steps: WHOLE }],
    [
      'steps that are new in the manifest',
      { recorded: { sequence: { steps: 1, variants: 1 } }, steps: sequence(row(1, FIRST), variantRow) },
    ],
  ])('needs none for %s', (_, shown) => {
    expect(problemsOf(shown)).toEqual([]);
  });

  it('is a warning where nothing can be posted', () => {
    const steps = sequence(row(1, FIRST), variantRow, row(2, SECOND));
    const [problem] = problemsOf({ recorded: KNOWN, steps, repost: 'unknown' });
    expect(problem).toMatchObject({ severity: 'warning' });
    expect(problem?.message).toMatch(/3 emails and 1 variant.*sequence-steps shows 2 emails and 1 variant/);
    expect(problem?.hint).not.toContain('--allow');
  });
});

describe('a schedule that is missing', () => {
  const codesOf = (recorded: Partial<RecordedState>, status: string) => {
    const context = liveContext(
      { schedule: HOURS },
      { campaign: { id: 42, status }, schedule: null },
      { recorded },
    );
    return codes(hazardsOf(context, ['schedule']));
  };

  it.each<[string, Partial<RecordedState>, string]>([
    ['the state has seen one', { ...CREATED_STATE, schedule_seen: true }, 'draft'],
    ['the campaign is running', {}, 'active'],
  ])('needs approval where %s', (_, recorded, status) => {
    expect(codesOf(recorded, status)).toEqual(['hazard sequence-missing']);
  });

  it('needs none for a draft without one', () => {
    expect(codesOf({}, 'draft')).toEqual([]);
  });
});

describe('the emails that the state knows of', () => {
  const shownIn = (steps: Json, known: RecordedState['sequence']) =>
    recordShown(contextOf({ steps, recorded: { sequence: known } })).sequence;

  it('are those that are shown in sync', () => {
    expect(shownIn(WHOLE, null)).toEqual({ steps: 3, variants: 1 });
    expect(shownIn(WHOLE, { steps: 5, variants: 0 })).toEqual({ steps: 3, variants: 1 });
  });

  it('do not become fewer because of one answer', () => {
    expect(shownIn(sequence(row(1, FIRST)), { steps: 3, variants: 1 })).toEqual({ steps: 3, variants: 1 });
    expect(shownIn(null, { steps: 3, variants: 1 })).toEqual({ steps: 3, variants: 1 });
    expect(shownIn(null, null)).toBeNull();
  });

  /** The emails known after each step that this state of the service needs, recorded twice as after a killed run. */
  const knownAfter = (
    steps: Json,
    known: RecordedState['sequence'],
    effect: 'done' | 'in_doubt' = 'done',
  ) => {
    const context = contextOf({ steps, recorded: { sequence: known } });
    let recorded: RecordedState = { ...UNKNOWN_STATE, sequence: known };
    return replan(context, ['sequence'])
      .steps.flatMap((step) => [step, step])
      .map((step) => {
        recorded = record(recorded, step, effect);
        return recorded.sequence;
      });
  };

  it('are those of accepted requests', () => {
    const base = { steps: 3, variants: 0 };
    expect(knownAfter(null, null)).toEqual([base, base, KNOWN.sequence, KNOWN.sequence]);
    const appended = { steps: 3, variants: 1 };
    expect(knownAfter(sequence(row(1, FIRST), variantRow), { steps: 1, variants: 1 })).toEqual([
      appended,
      appended,
    ]);
  });

  it('are not those of requests in doubt', () => {
    expect(knownAfter(null, null, 'in_doubt')).toEqual([null, null, null, null]);
    expect(knownAfter(null, { steps: 5, variants: 0 }, 'in_doubt').at(-1)).toEqual({ steps: 3, variants: 0 });
  });
});
