import { describe, expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { campaignHazards } from '../../src/plan/hazards.js';
import { replan } from '../../src/plan/order.js';
import { codes, liveContext, newContext } from '../support/context.js';
import { INSTALLERS, NEWS, PARTNERS, QUESTION, ROW_1, ROW_2, ROW_A } from '../support/emails.js';
import { plannedWork } from '../support/works.js';

const OFF = { active: false };

/** The problems of a new campaign with these emails, in place of one that shows these rows. */
function problems(steps: NonNullable<CampaignSpec['sequence']>['steps'], rows: (typeof ROW_1)[]) {
  const successor = newContext({ sequence: { title: 'Summer', steps } });
  const old = liveContext({}, { sequence: { title: null, steps: rows } });
  const work = { ...plannedWork(successor, replan(successor, ['sequence'])), waitsFor: plannedWork(old) };
  return campaignHazards(work, { owners: new Map(), works: [work] }).filter(
    ({ code }) => code === 'revives-inactive-step',
  );
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

  it('is named', () => {
    const [hazard] = problems([QUESTION, NEWS], [ROW_1, { ...ROW_2, ...OFF }]);
    expect(hazard?.message).toContain('"Any news?"');
  });
});
