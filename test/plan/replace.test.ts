import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { CREATED_STATE } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { answer } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { workOf } from '../support/works.js';

const NAME = 'Spring installers';
const EMAIL = { email_subject: 'Hello', email_body: 'Worth a look?', wait_in_days: 3 };

interface Given {
  status: string | null;
  /** Whether the state knows that it was made here, and whether it has run since. */
  made?: { has_run: boolean };
  repost?: 'replace' | 'append' | 'unknown';
  body?: string;
}

/** The codes of hazards of a plan for a campaign with one email, of which the manifest has another body. */
function hazards({ status, made, repost = 'replace', body = 'Have a look.' }: Given): string[] {
  const at = 'GET /api/campaigns/42';
  const steps: Json = [
    { ...EMAIL, id: 901, order: 1, variant: false, variant_from_step: null, thread_reply: false },
  ];
  const title = 'Spring';
  const one = {
    campaign: campaign('spring.yaml', {
      name: NAME,
      sequence: { title, steps: [{ ...EMAIL, email_body: body }] },
    }),
    ...{ id: 42, listed: listedCampaign(42, NAME, status) },
    answers: { campaign: null, schedule: null, sequence: answer(`${at}/sequence-steps`, { title, steps }) },
  };
  const entries = made ? [{ ...entryOf(42, 'spring.yaml'), recorded: { ...CREATED_STATE, ...made } }] : [];
  const rest = { templates: null, listed: [one.listed], pending: [], now: 0 };
  const where = environment({ sequence_repost: repost });
  const { plan } = buildPlan(deepFreeze({ environment: where, works: [workOf(one)], entries, ...rest }));
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
    ['one that has run from here and is a draft again', { status: 'draft', made: { has_run: true } }],
    ['one that was made here and launched elsewhere', { status: 'active', made: { has_run: false } }],
  ])('need approval in %s', (_, given) => {
    expect(hazards(given)).toEqual(['hazard']);
  });

  it.each<[string, Given]>([
    ['a draft', { status: 'Draft' }],
    ['one that was made here and never ran', { status: null, made: { has_run: false } }],
    ['a campaign of which nothing changes', { status: 'active', body: EMAIL.email_body }],
    ['a service that does not replace them', { status: 'active', repost: 'append' }],
    ['a service of which it is not known', { status: 'active', repost: 'unknown' }],
  ])('need none in %s', (_, given) => {
    expect(hazards(given)).toEqual([]);
  });
});
