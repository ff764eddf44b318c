import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import type { SectionName } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { keepDrift } from '../../src/plan/drift.js';
import { campaignHazards } from '../../src/plan/hazards.js';
import { recordShown, recordStep, replan } from '../../src/sections/all.js';
import { listedCampaign } from '../support/campaigns.js';
import { codes, liveContext, newContext } from '../support/context.js';
import { INSTALLERS, NEWS, PARTNERS, PLAIN, QUESTION, ROW_1, ROW_2, ROW_A } from '../support/emails.js';
import { plannedOf, planSpring } from '../support/works.js';

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
  status?: string | null;
  sent?: number;
  steps?: Json;
  recorded?: Partial<RecordedState>;
  repost?: 'append' | 'unknown';
}

const contextOf = ({ status = 'draft', sent, steps = null, recorded = {}, repost = 'append' }: Shown) =>
  liveContext(
    SPEC,
    {
      campaign: {
        id: 42,
        ...(status !== null && { status }),
        ...(sent === undefined ? {} : { emails_sent: sent }),
      },
      sequence: steps,
    },
    { recorded, service: { sequence_repost: repost } },
  );

function problemsOf(shown: Shown) {
  return hazardsOf(contextOf(shown), ['sequence']);
}

function hazardsOf(context: Target, sections: SectionName[]) {
  const work = plannedOf(context, replan(context, sections));
  return campaignHazards(work, { owners: new Map(), works: [work], history: null }).filter(({ code }) =>
    code.endsWith('-missing'),
  );
}

const KNOWN = { sequence: { steps: 3, variants: 1 } };

describe('a sequence that is missing', () => {
  it.each<[string, Shown]>([
    ['the service shows no step and the state has some', { recorded: { ...CREATED_STATE, ...KNOWN } }],
    [
      'the service shows a step less',
      { recorded: KNOWN, steps: sequence(row(1, FIRST), variantRow, row(2, SECOND)) },
    ],
    [
      'the service shows a variant less',
      { recorded: KNOWN, steps: sequence(row(1, FIRST), row(2, SECOND), row(3, THIRD)) },
    ],
    ['a campaign that is not in the state runs', { status: 'active' }],
    ['a campaign that is not in the state has ended', { status: 'completed' }],
    ['a campaign that is not in the state is paused', { status: 'paused' }],
    ['a launch was in doubt', { status: 'paused', recorded: { ...CREATED_STATE, has_run: true } }],
    ['emails were sent', { recorded: CREATED_STATE, sent: 3 }],
  ])('needs approval if %s', (_, shown) => {
    expect(codes(problemsOf(shown))).toEqual(['hazard sequence-missing']);
  });

  it.each<[string, Shown]>([
    ['a draft', {}],
    ['a draft of which a launch was in doubt', { recorded: { ...CREATED_STATE, has_run: true } }],
    ['a campaign that was created here and never ran', { status: 'paused', recorded: CREATED_STATE }],
    ['a sequence that is whole', { status: 'active', recorded: KNOWN, steps: WHOLE }],
    [
      'steps that are new in the manifest',
      { recorded: { sequence: { steps: 1, variants: 1 } }, steps: sequence(row(1, FIRST), variantRow) },
    ],
  ])('needs none for %s', (_, shown) => {
    expect(problemsOf(shown)).toEqual([]);
  });

  it('is a warning if nothing can be posted', () => {
    const steps = sequence(row(1, FIRST), variantRow, row(2, SECOND));
    const [problem] = problemsOf({ recorded: KNOWN, steps, repost: 'unknown' });
    expect(problem).toMatchObject({ severity: 'warning' });
    expect(problem?.message).toMatch(/3 emails and 1 variant.* 2 emails and 1 variant/);
    expect(problem?.hint).not.toContain('--allow');
  });
});

const LAST = { at: '2026-05-12T08:00:00Z', how: 'apply' as const, spec: { name: 'Spring installers' } };

it.each<[string, Shown, string]>([
  [
    'the state',
    { recorded: { ...CREATED_STATE, ...KNOWN, last: LAST } },
    'According to the state, this campaign has 3 emails and 1 variant (last in sync 2026-05-12T08:00:00Z)',
  ],
  [
    'the state, without a date',
    { recorded: { sequence: { steps: 3, variants: 0 } } },
    'According to the state, this campaign has 3 emails,',
  ],
  [
    'its status',
    { status: 'completed' },
    'This campaign has run (its status is "completed"), so it should have emails',
  ],
  [
    'another status',
    { status: 'paused' },
    'This campaign may have run (its status is "paused"), so it should',
  ],
  [
    'its numbers',
    { status: 'paused', recorded: CREATED_STATE, sent: 3 },
    'This campaign has run (its status is "paused")',
  ],
  [
    'nothing but its launch',
    { status: null, recorded: { ...CREATED_STATE, status: 'running', has_run: true } },
    'This campaign may have run, so it should',
  ],
])('a missing sequence is reported with what contradicts it: %s', (_, shown, message) => {
  const [problem] = problemsOf(shown);
  expect(problem?.message).toContain(message);
  expect(problem?.message).toContain('no emails (');
});

it('emails that are added to those of a campaign that ran are not missing ones, and replace none', () => {
  const context = contextOf({ status: 'active', steps: sequence(row(1, FIRST), variantRow) });
  const work = plannedOf(context, replan(context, ['sequence']));
  expect(work.plan.steps.map(({ stage }) => stage)).toEqual(['sequence']);
  const found = campaignHazards(work, { owners: new Map(), works: [work], history: null });
  expect(codes(found)).toEqual([]);
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
  ])('needs approval if %s', (_, recorded, status) => {
    expect(codesOf(recorded, status)).toEqual(['hazard schedule-missing']);
  });

  it('is reported with what contradicts it', () => {
    const shown = { campaign: { id: 42, status: 'draft' }, schedule: null };
    const recorded = { ...CREATED_STATE, schedule_seen: true };
    const [problem] = hazardsOf(liveContext({ schedule: HOURS }, shown, { recorded }), ['schedule']);
    expect(problem?.message).toMatch(/^According to the state, this campaign has a schedule, but GET /);
  });

  it('needs none for a draft without one', () => {
    expect(codesOf({}, 'draft')).toEqual([]);
  });
});

describe('an error status for a campaign that exists', () => {
  const codesOf = (section: 'sequence' | 'schedule', recorded: RecordedState) => {
    const context = liveContext(
      { schedule: HOURS, sequence: SPEC.sequence },
      { campaign: { id: 42, status: 'draft' }, schedule: null, sequence: null },
      { recorded },
    );
    const part = { is: 'none-shown', endpoint: 'GET', answered: 'HTTP 400' } as const;
    const live = context.live && { ...context.live, [section]: part };
    return codes(hazardsOf({ ...context, live }, [section]));
  };

  it.each(['sequence', 'schedule'] as const)(
    'is no proof that there is none, unless campaignctl created it: %s',
    (section) => {
      expect(codesOf(section, UNKNOWN_STATE)).toEqual([`hazard ${section}-missing`]);
      expect(codesOf(section, { ...UNKNOWN_STATE, known: true })).toEqual([`hazard ${section}-missing`]);
      expect(codesOf(section, CREATED_STATE)).toEqual([]);
    },
  );
});

describe('the recorded number of emails', () => {
  const shownIn = (steps: Json, known: RecordedState['sequence']) =>
    recordShown(contextOf({ steps, recorded: { sequence: known } })).sequence;

  it('is the number shown when in sync', () => {
    expect(shownIn(WHOLE, null)).toEqual({ steps: 3, variants: 1 });
    expect(shownIn(WHOLE, { steps: 5, variants: 0 })).toEqual({ steps: 3, variants: 1 });
  });

  it('does not decrease because of one response', () => {
    expect(shownIn(sequence(row(1, FIRST)), { steps: 3, variants: 1 })).toEqual({ steps: 3, variants: 1 });
    expect(shownIn(null, { steps: 3, variants: 1 })).toEqual({ steps: 3, variants: 1 });
    expect(shownIn(null, null)).toBeNull();
  });

  /** The recorded numbers of emails after each step, recorded twice as after a killed run. */
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
        recorded = recordStep(recorded, step, effect);
        return recorded.sequence;
      });
  };

  it('includes accepted requests', () => {
    const base = { steps: 3, variants: 0 };
    expect(knownAfter(null, null)).toEqual([base, base, KNOWN.sequence, KNOWN.sequence]);
    const appended = { steps: 3, variants: 1 };
    expect(knownAfter(sequence(row(1, FIRST), variantRow), { steps: 1, variants: 1 })).toEqual([
      appended,
      appended,
    ]);
  });

  it('does not include requests in doubt', () => {
    expect(knownAfter(null, null, 'in_doubt')).toEqual([null, null, null, null]);
    expect(knownAfter(null, { steps: 5, variants: 0 }, 'in_doubt').at(-1)).toEqual({ steps: 3, variants: 0 });
  });
});

const NAME = 'Spring installers';
const EMAIL = { email_subject: 'Hello', email_body: 'Worth a look?', wait_in_days: 3 };

interface Given {
  status: string | null;
  createdAs?: { has_run: boolean };
  sent?: number;
  repost?: 'replace' | 'append' | 'unknown';
  body?: string;
}

/** The hazards of a plan for a campaign with one email whose body differs in the manifest. */
function hazards(given: Given): string[] {
  const { status, createdAs: initial, sent, repost = 'replace', body = 'Have a look.' } = given;
  const title = 'Spring';
  const row = { ...EMAIL, id: 901, order: 1, variant: false, variant_from_step: null, thread_reply: false };
  const { plan } = planSpring({
    spec: { sequence: { title, steps: [{ ...EMAIL, email_body: body }] } },
    ...{ listed: listedCampaign(42, NAME, status), sequence: { title, steps: [row] } },
    shown: sent === undefined ? null : { status, emails_sent: sent },
    ...(initial && { recorded: { ...CREATED_STATE, ...initial } }),
    service: { sequence_repost: repost },
  });
  const all = plan.campaigns.flatMap(({ problems }) => problems);
  return all.filter(({ code }) => code === 'replace-sequence').map(({ severity }) => severity);
}

describe('emails that are replaced', () => {
  it.each<[string, Given]>([
    ['a campaign that sends', { status: 'active' }],
    ['one that was paused', { status: 'paused' }],
    ['one that has sent everything', { status: 'completed' }],
    ['one whose status is not known', { status: 'odd' }],
    ['one without a status that the state does not know', { status: null }],
    ['one that has run from here and is a draft again', { status: 'draft', createdAs: { has_run: true } }],
    [
      'one that was created here and launched in the web app',
      { status: 'active', createdAs: { has_run: false } },
    ],
    [
      'one that was created here, and launched and paused in the web app',
      { status: 'paused', createdAs: { has_run: false }, sent: 12 },
    ],
  ])('need approval in %s', (_, situation) => {
    expect(hazards(situation)).toEqual(['hazard']);
  });

  it.each<[string, Given]>([
    ['a draft', { status: 'Draft' }],
    ['one that was created here and never ran', { status: null, createdAs: { has_run: false } }],
    ['a campaign of which nothing changes', { status: 'active', body: EMAIL.email_body }],
    ['a service that does not replace them', { status: 'active', repost: 'append' }],
    ['a service of which it is not known', { status: 'active', repost: 'unknown' }],
  ])('need none in %s', (_, setup) => {
    expect(hazards(setup)).toEqual([]);
  });
});

const OFF = { active: false };

/** The problems of a new campaign with these emails that replaces one with these rows. */
function problems(steps: NonNullable<CampaignSpec['sequence']>['steps'], rows: (typeof ROW_1)[]) {
  const successor = newContext({ sequence: { title: 'Summer', steps } });
  const old = liveContext({}, { sequence: { title: null, steps: rows } });
  const work = { ...plannedOf(successor, replan(successor, ['sequence'])), waitsFor: plannedOf(old) };
  return campaignHazards(work, { owners: new Map(), works: [work], history: null }).filter(
    ({ code }) => code === 'revives-inactive-step',
  );
}

describe('an email that was switched off in the replaced campaign', () => {
  it.each([
    ['as a step', [QUESTION, NEWS], [ROW_1, { ...ROW_2, ...OFF }]],
    ['as another step', [{ ...NEWS, thread_reply: false }, QUESTION], [ROW_1, { ...ROW_2, ...OFF }]],
    ['as a variant', [{ ...NEWS, variants: [INSTALLERS] }], [ROW_1, { ...ROW_A, ...OFF }]],
  ])('is sent again only with approval: %s', (_, steps, rows) => {
    expect(codes(problems(steps, rows))).toEqual(['hazard revives-inactive-step']);
  });

  it.each([
    ['left out', [QUESTION], [ROW_1, { ...ROW_2, ...OFF }]],
    ['rewritten', [QUESTION, { ...NEWS, email_body: 'Other' }], [ROW_1, { ...ROW_2, ...OFF }]],
    [
      'also an email that is on',
      [QUESTION],
      [
        { ...ROW_1, ...OFF },
        { ...ROW_1, id: 178, order: 2 },
      ],
    ],
    ['on', [QUESTION, { ...NEWS, variants: [PARTNERS] }], [ROW_1, ROW_2]],
  ])('needs no approval if it is %s', (_, steps, rows) => {
    expect(problems(steps, rows)).toEqual([]);
  });

  it('is named', () => {
    const [hazard] = problems([QUESTION, NEWS], [ROW_1, { ...ROW_2, ...OFF }]);
    expect(hazard?.message).toMatch(/campaign 42 "Spring installers".*"Any news\?"/);
  });
});

/** The plan of an applied campaign whose second email is now on or off. */
function planOf(active: boolean) {
  const spec = { name: NAME, sequence: PLAIN };
  const last = { at: '2026-05-12T08:00:00Z', how: 'apply' as const, spec };
  const sequence = { title: null, steps: [ROW_1, { ...ROW_2, active }] };
  return planSpring({ spec, shown: null, sequence, recorded: { ...CREATED_STATE, last } }).plan;
}

it('an email that was switched off in the web app is drift that a person must undo, not a change', () => {
  const plan = planOf(false);
  expect(plan.summary).toMatchObject({ unchanged: 1, change: 0, blocked: 0, requests: 0 });
  expect(plan.by_hand).toEqual([
    {
      ...{ campaign: NAME, id: 42, manifest: 'spring.yaml', does: 'update', section: 'sequence' },
      ...{ path: 'steps[1].active', place: 'sequence, step 2: active', from: false, to: true },
    },
  ]);
  const drift = keepDrift(plan, new Map());
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

it('an email that is on is not drift', () => {
  expect(keepDrift(planOf(true), new Map()).campaigns).toEqual([]);
});
