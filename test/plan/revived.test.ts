import { describe, expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { replan } from '../../src/plan/order.js';
import { revivedEmails } from '../../src/plan/revived.js';
import { codes, liveContext, newContext } from '../support/context.js';
import { INSTALLERS, NEWS, PARTNERS, QUESTION, ROW_1, ROW_2, ROW_A } from '../support/emails.js';

const OFF = { active: false };

/** The problems of a new campaign with these emails, in place of one that shows these rows. */
function problems(steps: NonNullable<CampaignSpec['sequence']>['steps'], rows: (typeof ROW_1)[]) {
  const successor = newContext({ sequence: { title: 'Summer', steps } });
  const old = liveContext({}, { sequence: { title: null, steps: rows } });
  const asked = replan(successor, ['sequence']).steps;
  return revivedEmails(old, successor.spec, asked);
}

describe('an email that was switched off in the replaced campaign', () => {
  it.each([
    ['as a step', [QUESTION, NEWS], [ROW_1, { ...ROW_2, ...OFF }]],
    ['as another step', [{ ...NEWS, thread_reply: false }, QUESTION], [ROW_1, { ...ROW_2, ...OFF }]],
    ['as a variant', [{ ...NEWS, variants: [INSTALLERS] }], [ROW_1, { ...ROW_A, ...OFF }]],
  ])('is mailed again only once approved: %s', (_, steps, rows) => {
    expect(codes(problems(steps, rows))).toEqual(['hazard revives-inactive-step']);
  });

  it.each([
    ['left out', [QUESTION], [ROW_1, { ...ROW_2, ...OFF }]],
    ['written anew', [QUESTION, { ...NEWS, email_body: 'Other' }], [ROW_1, { ...ROW_2, ...OFF }]],
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

  it('names the emails', () => {
    expect(problems([QUESTION, NEWS], [ROW_1, { ...ROW_2, ...OFF }])).toEqual([
      {
        code: 'revives-inactive-step',
        severity: 'hazard',
        message:
          'In campaign 42 "Spring installers", which this one replaces, these emails are switched off, and this one would mail them: "Any news?".',
        hint: 'Remove them from the manifest if they are not to be sent. If they are, accept with --allow revives-inactive-step.',
      },
    ]);
  });
});
