import { describe, expect, it } from 'vitest';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { Json } from '../../src/model/json.js';
import { NOT_KNOWN } from '../../src/model/outputs.js';
import type { ResolvedSequence } from '../../src/model/spec.js';
import { UNKNOWN_STATE } from '../../src/model/state.js';
import { NOT_SHOWN } from '../../src/sections/section.js';
import { sequence } from '../../src/sections/sequence.js';
import { codes, IN_SYNC, liveContext, NOT_MANAGED, newContext } from '../support/context.js';
import {
  change,
  INSTALLERS,
  NEWS,
  PARTNERS,
  PLAIN,
  plan,
  post,
  QUESTION,
  ROW_1,
  ROW_2,
  ROW_A,
  ROW_B,
  sent,
  VARIED,
  variant,
  whole,
} from '../support/emails.js';

const BLOCKED = 'blocked sequence-exists';

/** Posted emails carry the title; the current title is unknown. */
const UNTOLD = change('title', 'update', null, 'Spring sequence', NOT_KNOWN);

describe('a sequence for a campaign without one', () => {
  const added = change('', 'add', null, {
    title: 'Spring sequence',
    steps: [whole(QUESTION, [INSTALLERS, PARTNERS]), whole(NEWS)],
  });
  const base = [sent(QUESTION, { order: 1 }), sent(NEWS, { order: 2 })];
  const nothing = { title: null, steps: [] };

  it('is created with title and order in each step', () => {
    expect(plan(PLAIN, null)).toEqual({
      changes: [change('', 'add', null, { title: 'Spring sequence', steps: [whole(QUESTION), whole(NEWS)] })],
      problems: [],
      steps: [post('sequence', 'create the sequence of 2 emails', base)],
      live: nothing,
    });
  });

  it('is posted with base steps first, then variants by the ids of their steps', () => {
    expect(plan(VARIED, null)).toEqual({
      changes: [added],
      problems: [],
      steps: [
        post('sequence', 'create the sequence of 2 emails', base),
        post('variants', 'add 2 variants', [variant(INSTALLERS, '{step 1}'), variant(PARTNERS, '{step 1}')]),
      ],
      live: nothing,
    });
  });

  it('is sent in one request if variants refer to steps by order', () => {
    expect(plan(VARIED, null, { service: { variant_reference: 'order' } })).toEqual({
      changes: [added],
      problems: [],
      steps: [
        post('sequence', expect.stringMatching(/^create .* 2 emails and 2 variants/), [
          ...base,
          variant(INSTALLERS, 1),
          variant(PARTNERS, 1),
        ]),
      ],
      live: nothing,
    });
  });

  it('is planned in the same way for a new campaign', () => {
    expect(sequence.plan(newContext({ sequence: PLAIN }))).toMatchObject({
      changes: [{ path: '', kind: 'add' }],
      steps: [{ id: 'sequence', path: '/api/campaigns/{campaign_id}/sequence-steps' }],
    });
  });

  it('is also planned if the service shows an empty list of steps', () => {
    expect(plan(PLAIN, []).steps.map(({ id }) => id)).toEqual(['sequence']);
  });

  it('lets variants inherit the wait and the thread from their step', () => {
    const { email_subject, email_body } = INSTALLERS;
    const variants = [
      { email_subject, email_body },
      { email_subject, email_body, wait_in_days: 9, thread_reply: false },
    ];
    const written = { title: 'Spring sequence', steps: [QUESTION, { ...NEWS, variants }] };
    expect(plan(written, null).steps[1]?.body?.sequence_steps).toEqual([
      variant({ ...INSTALLERS, wait_in_days: 4, thread_reply: true }, '{step 2}'),
      variant({ ...INSTALLERS, wait_in_days: 9, thread_reply: false }, '{step 2}'),
    ]);
  });

  it('is neither managed nor read if it is not declared', () => {
    expect(sequence.plan(liveContext({}, {}))).toEqual(NOT_MANAGED);
    expect(sequence.reads({ name: 'Spring installers' })).toEqual([]);
    expect(sequence.reads({ name: 'Spring installers', sequence: PLAIN })).toEqual(['sequence']);
  });
});

describe('a sequence that differs', () => {
  const stored = [ROW_1, ROW_2, ROW_A];
  const edited = (step: Partial<typeof QUESTION>): ResolvedSequence => ({
    title: 'Spring sequence',
    steps: [{ ...QUESTION, ...step, variants: [INSTALLERS] }, NEWS],
  });
  const LIVE_BODY = '<p>Hi {FIRST_NAME},</p>';

  it.each<[string, ResolvedSequence, unknown[]]>([
    [
      'in a body',
      edited({ email_body: '<p>Hello</p>' }),
      [change('steps[0].email_body', 'update', LIVE_BODY, '<p>Hello</p>')],
    ],
    [
      'in several fields',
      edited({ email_subject: 'A word', wait_in_days: 2, thread_reply: true }),
      [
        change('steps[0].email_subject', 'update', QUESTION.email_subject, 'A word'),
        change('steps[0].wait_in_days', 'update', 3, 2),
        change('steps[0].thread_reply', 'update', false, true),
      ],
    ],
    [
      'in the subject of a step that is no reply, where Re: is the author’s own',
      edited({ email_subject: 'question' }),
      [change('steps[0].email_subject', 'update', QUESTION.email_subject, 'question')],
    ],
    [
      'in white space inside a text',
      edited({ email_body: '<p>Hi  {FIRST_NAME},</p>' }),
      [change('steps[0].email_body', 'update', LIVE_BODY, '<p>Hi  {FIRST_NAME},</p>')],
    ],
    [
      'in a variant',
      {
        title: 'Spring sequence',
        steps: [{ ...QUESTION, variants: [{ ...INSTALLERS, wait_in_days: 6 }] }, NEWS],
      },
      [change('steps[0].variants[0].wait_in_days', 'update', 3, 6)],
    ],
    [
      'by a step less',
      { title: 'Spring sequence', steps: [{ ...QUESTION, variants: [INSTALLERS] }] },
      [
        change(
          'steps[1]',
          'remove',
          whole({ ...NEWS, email_subject: 'Re: Any news?', email_body: '<p>Any news, {FIRST_NAME}?</p>' }),
          null,
        ),
      ],
    ],
    [
      'by a variant less',
      { title: 'Spring sequence', steps: [QUESTION, NEWS] },
      [change('steps[0].variants[0]', 'remove', { ...INSTALLERS, email_body: LIVE_BODY }, null)],
    ],
  ])('is blocked, whether posting appends or is refused or nothing is known: %s', (_, written, changes) => {
    for (const sequence_repost of ['unknown', 'append', 'refuse'] as const)
      expect(plan(written, stored, { service: { sequence_repost } })).toMatchObject({
        changes,
        problems: [BLOCKED],
        steps: [],
      });
  });

  it('differs if Re: precedes the subject of an email that is not a reply', () => {
    const rows = [{ ...ROW_1, email_subject: 'Re: {FIRST_NAME}, a question' }, ROW_2];
    expect(plan(PLAIN, rows).changes).toEqual([
      change('steps[0].email_subject', 'update', 'Re: {FIRST_NAME}, a question', '{FIRST_NAME}, a question'),
    ]);
  });

  it('is posted whole if posting replaces it', () => {
    const service = { sequence_repost: 'replace', variant_reference: 'order' } as const;
    expect(plan(edited({ wait_in_days: 2 }), stored, { service })).toMatchObject({
      changes: [UNTOLD, change('steps[0].wait_in_days', 'update', 3, 2)],
      problems: [],
      steps: [
        post('sequence', expect.stringMatching(/^replace .* 2 emails and 1 variant/), [
          sent({ ...QUESTION, wait_in_days: 2 }, { order: 1 }),
          sent(NEWS, { order: 2 }),
          variant(INSTALLERS, 1),
        ]),
      ],
    });
  });

  it.each(['replace', 'refuse'] as const)(
    'has a warning if its variants need a second request that the service would %s',
    (sequence_repost) => {
      const problems = (variant_reference: 'step_id' | 'order') =>
        plan(VARIED, null, { service: { sequence_repost, variant_reference } }).problems;
      expect([problems('step_id'), problems('order')]).toEqual([['warning variants-apart'], []]);
    },
  );
});

describe('a sequence to which steps are only added', () => {
  const LAST = { ...NEWS, email_subject: 'Last call', thread_reply: false };
  const longer: ResolvedSequence = { title: 'Spring sequence', steps: [QUESTION, NEWS, LAST] };
  const changes = [change('steps[2]', 'add', null, whole(LAST))];

  it('is blocked until the project file says that posting appends', () => {
    expect(plan(longer, [ROW_1, ROW_2])).toMatchObject({ changes, problems: [BLOCKED], steps: [] });
  });

  it('is posted with only the new steps if posting appends', () => {
    expect(plan(longer, [ROW_1, ROW_2], { service: { sequence_repost: 'append' } })).toMatchObject({
      changes: [UNTOLD, ...changes],
      problems: [],
      steps: [post('sequence', 'append 1 email', [sent(LAST, { order: 3 })])],
    });
  });

  it('is posted with variants of new and of old steps if posting appends', () => {
    const { steps, problems } = plan(
      {
        title: 'Spring sequence',
        steps: [{ ...QUESTION, variants: [INSTALLERS, PARTNERS] }, NEWS, { ...LAST, variants: [NEWS] }],
      },
      [ROW_1, ROW_2, ROW_A],
      { service: { sequence_repost: 'append' } },
    );
    expect(problems).toEqual([]);
    expect(steps).toEqual([
      post('sequence', 'append 1 email', [sent(LAST, { order: 3 })]),
      post('variants', 'add 2 variants', [variant(PARTNERS, 174), variant(NEWS, '{step 3}')]),
    ]);
  });

  it('is posted with the second of two equal variants if one exists', () => {
    const written = {
      title: 'Spring sequence',
      steps: [{ ...QUESTION, variants: [INSTALLERS, INSTALLERS] }, NEWS],
    };
    expect(plan(written, [ROW_1, ROW_2, ROW_A], { service: { sequence_repost: 'append' } })).toMatchObject({
      changes: [UNTOLD, change('steps[0].variants[1]', 'add', null, INSTALLERS)],
      steps: [post('variants', 'add 1 variant', [variant(INSTALLERS, 174)])],
    });
  });

  it('is blocked if variants of existing steps would have to refer to them by order', () => {
    const written = {
      title: 'Spring sequence',
      steps: [{ ...QUESTION, variants: [INSTALLERS, PARTNERS] }, NEWS],
    };
    const service = { sequence_repost: 'append', variant_reference: 'order' } as const;
    expect(plan(written, [ROW_1, ROW_2, ROW_A], { service })).toMatchObject({
      problems: [BLOCKED],
      steps: [],
    });
  });
});

describe('base steps that match but lack their variants', () => {
  const missing = [
    change('steps[0].variants[0]', 'add', null, INSTALLERS),
    change('steps[0].variants[1]', 'add', null, PARTNERS),
  ];

  it('are completed with only the variants', () => {
    expect(plan(VARIED, [ROW_2, ROW_1])).toMatchObject({
      changes: [UNTOLD, ...missing],
      problems: [],
      steps: [post('variants', 'add 2 variants', [variant(INSTALLERS, 174), variant(PARTNERS, 174)])],
    });
  });

  it('are blocked if variants can only be sent together with their steps', () => {
    const service = { variant_reference: 'order' } as const;
    expect(plan(VARIED, [ROW_1, ROW_2], { service })).toMatchObject({
      changes: missing,
      problems: [BLOCKED],
      steps: [],
    });
  });

  it('are blocked if some variants exist, because then no run stopped in between', () => {
    expect(plan(VARIED, [ROW_1, ROW_2, ROW_A])).toMatchObject({
      changes: [change('steps[0].variants[1]', 'add', null, PARTNERS)],
      problems: [BLOCKED],
      steps: [],
    });
  });
});

describe('the title of a sequence', () => {
  const rows = [ROW_1, ROW_2];
  const was = { applied: { sequence: { title: 'Winter sequence' } } };

  it('is not compared if it is neither shown nor recorded', () => {
    expect(plan(PLAIN, rows)).toMatchObject(IN_SYNC);
    expect(plan(PLAIN, rows, { title: ' ' }).changes).toEqual([]);
  });

  it('is compared if it is shown, whatever is recorded', () => {
    expect(plan(PLAIN, rows, { title: 'Spring sequence ', recorded: was }).changes).toEqual([]);
    expect(plan(PLAIN, rows, { title: 'Winter sequence' })).toMatchObject({
      changes: [change('title', 'update', 'Winter sequence', 'Spring sequence')],
      problems: [BLOCKED],
      steps: [],
    });
  });

  it('is compared with the last applied one if it is not shown', () => {
    expect(plan(PLAIN, rows, { recorded: was })).toMatchObject({
      changes: [change('title', 'update', 'Winter sequence', 'Spring sequence', NOT_SHOWN)],
      problems: [BLOCKED],
      steps: [],
    });
  });

  it('is replaced with the whole sequence if posting replaces', () => {
    const { steps } = plan(PLAIN, rows, {
      title: 'Winter sequence',
      service: { sequence_repost: 'replace' },
    });
    expect(steps.map(({ title }) => title)).toEqual(['replace the sequence with 2 emails']);
  });

  it('is recorded once the sequence has been sent', () => {
    const [step] = plan(PLAIN, null).steps;
    if (step === undefined) throw new Error('a step was expected');
    expect(sequence.recordStep(UNKNOWN_STATE, step, 'done').applied).toEqual({
      sequence: { title: 'Spring sequence' },
    });
    expect(sequence.recordStep(UNKNOWN_STATE, step, 'in_doubt')).toEqual(UNKNOWN_STATE);
  });
});

describe('an email that is switched off in the web app', () => {
  const off = { active: false };
  const differs = (written: ResolvedSequence, rows: Json, service: Partial<ServiceBehaviour> = {}) => {
    const context = liveContext(
      { sequence: written },
      { sequence: { title: null, steps: rows } },
      { service },
    );
    const { changes, problems, steps } = sequence.plan(context);
    const byHand = sequence.byHand(context).map(({ path, from, to }) => [path, from, to]);
    return { changes, problems: codes(problems), steps: steps.map(({ id }) => id), byHand };
  };
  const inSync = { ...IN_SYNC, byHand: [] };

  it.each<[string, Json, string]>([
    ['a step', [ROW_1, { ...ROW_2, ...off }], 'steps[1].active'],
    ['a step, said in another way', [ROW_1, { ...ROW_2, active: '0' }], 'steps[1].active'],
  ])('is a task by hand, and no edit of the sequence: %s', (_, rows, path) => {
    expect(differs(PLAIN, rows)).toEqual({
      ...{ changes: [], problems: ['warning step-inactive'], steps: [] },
      byHand: [[path, false, true]],
    });
  });

  it('is a task by hand as a variant', () => {
    expect(differs(VARIED, [ROW_1, { ...ROW_A, ...off }, ROW_B, ROW_2]).byHand).toEqual([
      ['steps[0].variants[0].active', false, true],
    ]);
  });

  it('does not prevent other emails from being appended', () => {
    const [first, second] = PLAIN.steps;
    if (first === undefined || second === undefined) throw new Error('two steps were expected');
    const more = { ...PLAIN, steps: [first, second, { ...second, email_subject: 'Last one' }] };
    const { steps, problems } = differs(more, [ROW_1, { ...ROW_2, ...off }], { sequence_repost: 'append' });
    expect({ steps, problems }).toEqual({ steps: ['sequence'], problems: ['warning step-inactive'] });
  });

  it('is active by default', () => {
    const { active: _, ...unsaid } = ROW_2;
    expect(differs(PLAIN, [ROW_1, unsaid])).toEqual(inSync);
    expect(differs(PLAIN, [ROW_1, { ...ROW_2, active: null }])).toEqual(inSync);
  });

  it.each<[string, ResolvedSequence, Json]>([
    ['a step', { ...PLAIN, steps: PLAIN.steps.slice(1) }, [{ ...ROW_1, ...off }, ROW_2]],
    ['the last step', { ...PLAIN, steps: PLAIN.steps.slice(0, 1) }, [ROW_1, { ...ROW_2, ...off }]],
    ['variants', PLAIN, [ROW_1, { ...ROW_A, ...off }, { ...ROW_B, ...off }, ROW_2]],
  ])('need not be in the manifest: %s', (_, written, rows) => {
    expect(differs(written, rows)).toEqual(inSync);
  });

  it('is not replaced by an edited one', () => {
    const [first] = PLAIN.steps;
    if (first === undefined) throw new Error('a step was expected');
    const edited = { ...PLAIN, steps: [first, { ...NEWS, email_body: '<p>Other news</p>' }] };
    const service = { sequence_repost: 'append' as const };
    const { problems, steps } = differs(edited, [ROW_1, { ...ROW_2, ...off }], service);
    expect({ problems, steps }).toEqual({
      problems: ['blocked sequence-exists', 'warning step-inactive'],
      steps: [],
    });
  });

  it('is omitted from an imported manifest', () => {
    const rows = [ROW_1, { ...ROW_A, ...off }, ROW_B, { ...ROW_2, ...off }];
    const { section, remarks } = sequence.toManifest(
      liveContext({}, { sequence: { title: 'Spring sequence', steps: rows } }),
    );
    expect(remarks.map(({ text }) => text)).toEqual([
      expect.stringMatching(/: "Installers at \{COMPANY\}", "Re: Any news\?"$/),
    ]);
    expect(differs(section as unknown as ResolvedSequence, rows)).toEqual(inSync);
  });
});
