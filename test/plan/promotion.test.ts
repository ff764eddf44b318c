import { describe, expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type LastApplied, UNKNOWN_STATE } from '../../src/model/state-entry.js';
import { unapplied } from '../../src/plan/index.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { campaignPlan } from '../support/plans.js';

const FILE = 'campaigns/spring.yaml';
const steps = (body: string) => [{ email_subject: 'A question', email_body: body, wait_in_days: 3 }];
const spec = (most: number, body = 'Worth a look?'): CampaignSpec => ({
  name: 'Spring installers',
  settings: { max_emails_per_day: most },
  sequence: { title: 'Spring', steps: steps(body) },
});
const last = (applied: CampaignSpec): LastApplied => ({
  at: '2026-05-12T08:00:00.000Z',
  how: 'apply',
  spec: applied,
});
const record = (applied: CampaignSpec | null, more: object = {}) => ({
  id: 7,
  manifest: FILE,
  name: 'Spring installers',
  recorded: { ...UNKNOWN_STATE, last: applied === null ? null : last(applied) },
  ...more,
});

interface Case {
  production?: CampaignSpec;
  staging?: CampaignSpec | null;
  entries: ReturnType<typeof record>[];
  action?: 'change' | 'none' | 'blocked';
}

function messages({
  production = spec(1000),
  staging = spec(200),
  entries,
  action = 'change',
}: Case): string[] {
  const plan = campaignPlan('Spring installers', { manifest: FILE, action });
  const stage = {
    environment: { ...environment(), name: 'staging' },
    campaigns: staging === null ? [] : [campaign(FILE, staging)],
    entries,
  };
  return unapplied([{ plan, campaign: campaign(FILE, production) }], environment(), stage).map(
    ({ message }) => message,
  );
}

const refusal = (reason: string) => [
  `"Spring installers" (${FILE}) has not been applied to staging with the same content: ${reason}.`,
];

describe('a campaign that has to have been applied elsewhere before', () => {
  it.each<[string, Case]>([
    ['is as it was applied there, with caps of its own', { entries: [record(spec(200))] }],
    [
      'has names of its own',
      {
        production: {
          ...spec(1000),
          name: 'Live',
          sequence: { title: 'Live', steps: steps('Worth a look?') },
        },
        entries: [record(spec(200))],
      },
    ],
    [
      'was applied there and not launched',
      { staging: { ...spec(200), status: 'running' }, entries: [record(spec(200))] },
    ],
    ['was applied there from another file', { entries: [record(spec(200), { manifest: 'old.yaml' })] }],
    ['was brought over from there', { entries: [record(null), record(spec(200), { id: 8 })] }],
    [
      'is pinned there and called otherwise',
      { staging: { ...spec(200), id: 7 }, entries: [record({ ...spec(200), id: 7 }, { name: 'Old' })] },
    ],
    ['does not differ from its manifest', { entries: [], action: 'none' }],
  ])('passes if it %s', (_, given) => {
    expect(messages(given)).toEqual([]);
  });

  it.each<[string, Case, string]>([
    ['nothing was applied', { entries: [] }, 'it was never applied to staging from here'],
    [
      'only others were applied',
      { entries: [record(spec(200), { name: 'Other' })] },
      'it was never applied to staging from here',
    ],
    [
      'it was never read back as written',
      { entries: [record(null)] },
      `${FILE} is not as it was applied to staging`,
    ],
    [
      'the manifest has changed since',
      { staging: spec(300), entries: [record(spec(200))] },
      `${FILE} is not as it was applied to staging`,
    ],
    [
      'part of it was blocked there',
      { entries: [record({ name: 'Spring installers', settings: { max_emails_per_day: 200 } })] },
      `${FILE} is not as it was applied to staging`,
    ],
    [
      'its emails are its own',
      { production: spec(1000, 'Worth a call?'), entries: [record(spec(200))] },
      'for production the manifest says something else than for staging: sequence.steps[0].email_body',
    ],
    [
      'it has hours and settings of its own',
      {
        production: {
          ...spec(1000),
          settings: { max_emails_per_day: 1000, can_unsubscribe: false },
          schedule: { template: 3 },
        },
        entries: [record(spec(200))],
      },
      'for production the manifest says something else than for staging: settings.can_unsubscribe, schedule.template',
    ],
    ['the manifest is wrong there', { staging: null, entries: [] }, 'its manifest has errors for staging'],
    ['it is blocked here', { entries: [], action: 'blocked' }, 'it was never applied to staging from here'],
  ])('is refused where %s', (_, given, reason) => {
    expect(messages(given)).toEqual(refusal(reason));
  });
});
