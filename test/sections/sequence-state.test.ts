import { describe, expect, it } from 'vitest';
import { UnreadableAnswer } from '../../src/model/failure.js';
import type { Json } from '../../src/model/json.js';
import { sequence } from '../../src/sections/sequence.js';
import { IN_SYNC, liveContext } from '../support/context.js';
import {
  INSTALLERS,
  NEWS,
  PARTNERS,
  PLAIN,
  plan,
  QUESTION,
  ROW_1,
  ROW_2,
  ROW_A,
  ROW_B,
  row,
  VARIED,
} from '../support/emails.js';

describe('a sequence in sync', () => {
  const reply = (email_subject: string) => [ROW_1, { ...ROW_2, email_subject }];
  it.each<[string, Json[]]>([
    ['as sent', [ROW_1, ROW_2, ROW_A, ROW_B]],
    ['rows in any order', [ROW_B, ROW_2, ROW_A, ROW_1]],
    [
      'numbers as texts',
      [
        { ...ROW_1, id: '174', order: '1', wait_in_days: '3' },
        ROW_2,
        { ...ROW_A, variant_from_step: '174' },
        ROW_B,
      ],
    ],
    [
      'booleans as 0 and 1',
      [
        { ...ROW_1, variant: 0, thread_reply: 0 },
        { ...ROW_2, thread_reply: 1 },
        { ...ROW_A, variant: 1 },
        { ...ROW_B, variant: '1' },
      ],
    ],
    ['without order, by id', [{ ...ROW_2, order: null }, { ...ROW_1, order: null }, ROW_A, ROW_B]],
    ['variants in another order', [ROW_1, ROW_2, { ...ROW_A, id: 177 }, { ...ROW_B, id: 176 }]],
    [
      'variants that refer by order',
      [ROW_1, ROW_2, { ...ROW_A, variant_from_step: 1 }, { ...ROW_B, variant_from_step: 1 }],
    ],
    [
      'variants known by their reference alone',
      [{ ...ROW_1, variant: null }, ROW_2, { ...ROW_A, variant: null }, ROW_B],
    ],
    ['base steps with a reference of zero', [{ ...ROW_1, variant_from_step: 0 }, ROW_2, ROW_A, ROW_B]],
    [
      'variants that leave wait and thread to their step',
      [ROW_1, ROW_2, { ...ROW_A, wait_in_days: null, thread_reply: null }, ROW_B],
    ],
    ['other line ends', [{ ...ROW_1, email_body: '<p>Hi {FIRST_NAME},</p>\r\n' }, ROW_2, ROW_A, ROW_B]],
    [
      'more white space around',
      [{ ...ROW_1, email_subject: ' {FIRST_NAME}, a question ' }, ROW_2, ROW_A, ROW_B],
    ],
  ])('needs nothing: %s', (_, rows) => {
    expect(plan(VARIED, rows)).toMatchObject(IN_SYNC);
  });

  it.each(['Any news?', 'Re: Any news?', 're: Any news?', ' Re: Any news? '])(
    'needs nothing if a thread reply is stored as "%s"',
    (stored) => {
      expect(plan(PLAIN, reply(stored)).changes).toEqual([]);
    },
  );

  it('needs nothing if the author wrote Re: and the service added a second one', () => {
    const written = { ...PLAIN, steps: [QUESTION, { ...NEWS, email_subject: 'Re: Any news?' }] };
    expect(plan(written, reply('Re: Re: Any news?')).changes).toEqual([]);
    expect(plan(written, reply('Re: Any news?')).changes).toEqual([]);
  });

  it.each([
    ['Any news?', 'Re: Any news?'],
    ['Re: Any news?', 'Re: Any news?'],
    ['Re: Any news?', 'Re: Re: Any news?'],
  ])('pairs variants that differ only in Re:, stored as "%s" and "%s"', (...stored) => {
    const variants = ['Any news?', 'Re: Any news?'].map((email_subject) => ({ ...NEWS, email_subject }));
    const orders = [stored, [...stored].reverse()];
    for (const [first = '', second = ''] of orders) {
      const rows = [first, second].map((email_subject, index) =>
        row(180 + index, null, { ...NEWS, email_subject }, { variant: true, variant_from_step: 174 }),
      );
      for (const written of [variants, [...variants].reverse()]) {
        const sequence = { ...PLAIN, steps: [{ ...QUESTION, variants: written }, NEWS] };
        expect(plan(sequence, [ROW_1, ROW_2, ...rows]).changes).toEqual([]);
      }
    }
  });

  it('shows its canonical form', () => {
    expect(plan(VARIED, [ROW_B, ROW_2, ROW_A, ROW_1], { title: 'Spring sequence' }).live).toEqual({
      title: 'Spring sequence',
      steps: [
        {
          id: 174,
          ...QUESTION,
          email_body: '<p>Hi {FIRST_NAME},</p>',
          variants: [
            { id: 176, ...INSTALLERS, email_body: '<p>Hi {FIRST_NAME},</p>' },
            { id: 177, ...PARTNERS, email_body: '<p>Hi {FIRST_NAME},</p>' },
          ],
        },
        {
          id: 175,
          ...NEWS,
          email_subject: 'Re: Any news?',
          email_body: '<p>Any news, {FIRST_NAME}?</p>',
          variants: [],
        },
      ],
    });
  });

  it('interprets step references uniformly in a response: by order unless all are ids', () => {
    // Ids and orders overlap: 2 is the id of the first step and the order of the second.
    const rows = [
      row(2, 1, QUESTION),
      row(3, 2, { ...NEWS, email_subject: 'Re: Any news?' }),
      row(4, null, INSTALLERS, { variant: true, variant_from_step: 1 }),
      row(5, null, { ...NEWS, email_subject: 'Re: Still there?' }, { variant: true, variant_from_step: 2 }),
    ];
    const written = {
      title: 'Spring sequence',
      steps: [
        { ...QUESTION, variants: [INSTALLERS] },
        { ...NEWS, variants: [{ ...NEWS, email_subject: 'Still there?' }] },
      ],
    };
    expect(plan(written, rows).changes).toEqual([]);
  });
});

describe('a sequence that cannot be read', () => {
  const { email_body: _body, ...BODILESS } = ROW_2;
  const { id: _id, ...NAMELESS } = ROW_2;
  it.each<[string, Json[]]>([
    ['[1].email_body: ', [ROW_1, BODILESS]],
    ['[0].id: ', [NAMELESS]],
    ['[0].wait_in_days: ', [{ ...ROW_1, wait_in_days: 'soon' }]],
    ['[0].thread_reply: ', [{ ...ROW_1, thread_reply: null }]],
    ['[1].variant_from_step: it is missing from a variant', [ROW_1, { ...ROW_A, variant_from_step: null }]],
    ['[1].variant_from_step: it does not refer to a step', [ROW_1, { ...ROW_A, variant_from_step: 999 }]],
    ['[1]: ', [ROW_1, 'Spring']],
    ['[0].order: ', [{ ...ROW_1, order: 'first' }]],
  ])('is an error that names the field: %s', (field, rows) => {
    expect(() => plan(PLAIN, rows)).toThrow(`sequence_steps${field}`);
  });

  it.each<[string, Json]>([
    ['something else than steps', { title: 'Spring sequence' }],
    ['steps that are no list', { title: 'Spring sequence', steps: { 174: ROW_1 } }],
    ['a text', 'Spring sequence'],
  ])('is never taken for none: %s', (_, body) => {
    const subject = liveContext({ sequence: PLAIN }, { sequence: body });
    expect(() => sequence.plan(subject)).toThrow(UnreadableAnswer);
  });
});
