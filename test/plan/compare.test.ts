import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/model/environment.js';
import type { Change } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type LastApplied, UNKNOWN_STATE } from '../../src/model/state.js';
import { compareEnvironments } from '../../src/plan/compare.js';
import { needsPromotion, promotionRefusal } from '../../src/plan/promotion.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { campaignPlan, step as planStep } from '../support/plans.js';
import { spec } from '../support/specs.js';

const production = environment();
const staging: Environment = {
  ...production,
  name: 'staging',
  lead_lists: { 'installers-fr': 12, 'installers-de': 78 },
  schedule_templates: { 'office-hours': 1, weekend: 2 },
};
const live = { ...production, schedule_templates: { 'office-hours': 3, weekend: 4 } };

function compared(from: Partial<CampaignSpec>, to: Partial<CampaignSpec>) {
  const sides = deepFreeze([
    { environment: staging, campaigns: [campaign('spring.yaml', from)] },
    { environment: live, campaigns: [campaign('spring.yaml', to)] },
  ] as const);
  return compareEnvironments(...sides);
}

/** "~ settings max_emails_per_day: 200 → 1000" */
function changeText({ section, path, kind, from, to, note }: Change): string {
  const sign = { add: '+', remove: '-', update: '~' }[kind];
  const values = kind === 'add' ? [to] : kind === 'remove' ? [from] : [from, to];
  const value = values.map((side) => JSON.stringify(side)).join(' → ');
  return `${sign} ${section} ${path}: ${value}${note === null ? '' : ` (${note})`}`;
}

function brief(from: Partial<CampaignSpec>, to: Partial<CampaignSpec>) {
  return compared(from, to).campaigns[0]?.changes.map(changeText);
}

const step = { email_subject: 'Hi', email_body: 'Hello {FIRST_NAME}', wait_in_days: 3 };

describe('two environments', () => {
  it('are compared as a whole value', () => {
    const from = { settings: { max_emails_per_day: 200, plain_text: true } };
    const to = { id: 1042, settings: { max_emails_per_day: 1000, plain_text: false } };
    const setting = { section: 'settings', kind: 'update', note: null };
    expect(compared(from, to)).toEqual({
      ...{ version: 1, from: 'staging', to: 'production' },
      summary: { differs: 1, only_from: 0, only_to: 0, same: 0 },
      campaigns: [
        {
          manifest: 'spring.yaml',
          name: 'Spring installers',
          status: 'differs',
          changes: [
            { section: 'campaign', path: 'id', kind: 'add', from: null, to: 1042, note: null },
            { ...setting, path: 'max_emails_per_day', from: 200, to: 1000 },
            { ...setting, path: 'plain_text', from: true, to: false },
          ],
        },
      ],
    });
  });

  it('have their campaigns paired by manifest, whatever the name', () => {
    expect(brief({ name: 'Spring (test)' }, { name: 'Spring' })).toEqual([
      '~ campaign name: "Spring (test)" → "Spring"',
    ]);
  });

  it('may have campaigns that the other lacks', () => {
    const each = { environment: staging, campaigns: [campaign('a.yaml'), campaign('both.yaml')] };
    const other = { environment: production, campaigns: [campaign('both.yaml'), campaign('b.yaml')] };
    const { campaigns } = compareEnvironments(each, other);
    expect(campaigns.map(({ manifest, status }) => `${manifest} ${status}`)).toEqual([
      'a.yaml only_from',
      'b.yaml only_to',
      'both.yaml same',
    ]);
  });
});

describe('a difference', () => {
  it('is not a named list or template with a different id in each workspace', () => {
    const same = {
      schedule: { template: 'office-hours' },
      leads: { lists: ['installers-fr', 'installers-de'] },
    };
    expect(brief(same, same)).toEqual([]);
  });

  it('is who gets it, and whether it runs', () => {
    const from = { leads: { lists: ['installers-fr', 5], ids: [1, 2, 3] } };
    const to: Partial<CampaignSpec> = { leads: { lists: ['installers-de'], ids: [3, 4] }, status: 'running' };
    expect(brief(from, to)).toEqual([
      '~ leads lists: [5,"installers-fr"] → ["installers-de"]',
      '~ leads ids: [1,2,3] → [3,4]',
      '+ status : "running"',
    ]);
    const refilled = { leads: { lists: ['installers-fr', { list: 5, refill: 20261127 }], ids: [1, 2, 3] } };
    expect(brief(from, refilled)).toEqual([
      '~ leads lists: [5,"installers-fr"] → ["5 (refill 20261127)","installers-fr"]',
    ]);
    const turned = { leads: { lists: [5, 'installers-fr', 5], ids: [3, 2, 1] } };
    expect(brief(from, turned)).toEqual([]);
  });

  it('is a template with a different name, or hours instead of a template', () => {
    const [days, timezone] = [['monday' as const], 'Europe/Paris' as const];
    const hours = { days, start_time: '09:00', end_time: '17:00', timezone };
    expect(brief({ schedule: { template: 'office-hours' } }, { schedule: { template: 'weekend' } })).toEqual([
      '~ schedule template: "office-hours" → "weekend"',
    ]);
    expect(brief({ schedule: { template: 1 } }, { schedule: hours })).toEqual([
      '- schedule template: 1',
      '+ schedule days: ["monday"]',
      '+ schedule start_time: "09:00"',
      '+ schedule end_time: "17:00"',
      '+ schedule timezone: "Europe/Paris"',
      '+ schedule save_as_template: false',
    ]);
  });

  it('is every text, field by field, and an added or removed step or variant', () => {
    const from = {
      sequence: { title: 'A', steps: [{ ...step, variants: [{ email_subject: 'V', email_body: 'v' }] }] },
    };
    const to = { sequence: { title: 'A', steps: [{ ...step, email_body: 'Hello' }, step] } };
    const variant = { email_subject: 'V', email_body: 'v', wait_in_days: 3, thread_reply: false };
    expect(brief(from, to)).toEqual([
      '~ sequence steps[0].email_body: "Hello {FIRST_NAME}" → "Hello"',
      `- sequence steps[0].variants[0]: ${JSON.stringify(variant)}`,
      `+ sequence steps[1]: ${JSON.stringify({ ...step, thread_reply: false, variants: [] })}`,
    ]);
  });

  it('is a section that one side does not manage, and not white space around a text', () => {
    const sequence = { title: 'A', steps: [step] };
    const spaced = { title: ' A', steps: [{ ...step, email_body: 'Hello {FIRST_NAME}\r\n' }] };
    expect(compared({ sequence }, { sequence: spaced }).campaigns).toMatchObject([{ status: 'same' }]);
    expect(brief({ settings: { plain_text: true } }, {})).toEqual(['- settings plain_text: true']);
  });
});

const MIRROR = { add: 'remove', remove: 'add', update: 'update' } as const;

const RUNS = { numRuns: Number(process.env.TRUST_CASES ?? 50) };

describe('any two specs', () => {
  const sameLists = { ...staging, name: 'other', lead_lists: production.lead_lists };
  const twin = { ...sameLists, schedule_templates: production.schedule_templates };

  it('are the same as themselves', () => {
    fc.assert(
      fc.property(spec, (each) => {
        const campaigns = [campaign('spring.yaml', each)];
        const same = compareEnvironments(
          deepFreeze({ environment: production, campaigns }),
          deepFreeze({ environment: twin, campaigns }),
        );
        expect(same.campaigns).toMatchObject([{ status: 'same' }]);
      }),
      RUNS,
    );
  });

  it('differ as much in one direction as in the other', () => {
    fc.assert(
      fc.property(spec, spec, (item, other) => {
        const there = compared(item, other).campaigns[0];
        const back = compareEnvironments(
          { environment: live, campaigns: [campaign('spring.yaml', other)] },
          { environment: staging, campaigns: [campaign('spring.yaml', item)] },
        ).campaigns[0];
        const mirrored = (changes: readonly Change[] = []) =>
          changes.map(({ kind, from, to, ...rest }) => ({ ...rest, kind: MIRROR[kind], from: to, to: from }));
        const sorted = (changes: readonly Change[] = []) =>
          changes
            .map(({ section, path, kind, from, to }) => JSON.stringify([section, path, kind, from, to]))
            .sort();
        expect(sorted(mirrored(back?.changes))).toEqual(sorted(there?.changes));
        expect(back?.status).toBe(there?.status);
      }),
      RUNS,
    );
  });
});

const FILE = 'campaigns/spring.yaml';
const steps = (body: string) => [{ email_subject: 'A question', email_body: body, wait_in_days: 3 }];
const promoted = (most: number, body = 'Worth a look?'): CampaignSpec => ({
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
}

/** The reason against applying the manifest to production, without the fix. */
function reason({ production = promoted(1000), staging = promoted(200), entries }: Case): string | null {
  const earlier = { environment: { ...environment(), name: 'staging' }, campaigns: [], entries };
  const before = staging === null ? undefined : campaign(FILE, staging);
  const refusal = promotionRefusal(campaign(FILE, production), before, {
    environment: environment(),
    earlier,
  });
  expect(refusal === null || [refusal.code, refusal.severity].join()).toEqual(
    refusal === null || 'not-promoted,error',
  );
  return refusal === null ? null : refusal.message;
}

const APPLIED = [record(promoted(200))];
const MONDAY: CampaignSpec['schedule'] = {
  ...{ days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
};
const TEMPLATE = { schedule: { template: 'office-hours' } };

describe('a campaign that must first be applied to a different environment', () => {
  it.each<[string, Case]>([
    ['is as it was applied there, with separate caps', { entries: APPLIED }],
    [
      'has separate names',
      {
        production: {
          ...promoted(1000),
          name: 'Live',
          sequence: { title: 'Live', steps: steps('Worth a look?') },
        },
        entries: APPLIED,
      },
    ],
    [
      'was applied there and not launched',
      { staging: { ...promoted(200), status: 'running' }, entries: APPLIED },
    ],
    ['was applied there from another file', { entries: [record(promoted(200), { manifest: 'old.yaml' })] }],
    ['was brought over from there', { entries: [record(null), record(promoted(200), { id: 8 })] }],
    [
      'is pinned there and called otherwise',
      {
        staging: { ...promoted(200), id: 7 },
        entries: [record({ ...promoted(200), id: 7 }, { name: 'Old' })],
      },
    ],
    [
      'has the id of another template, other leads and another status',
      {
        staging: { ...promoted(200), schedule: { template: 1 }, leads: { lists: [12] } },
        production: {
          ...{ ...promoted(1000), ...TEMPLATE, id: 1042 },
          ...{ leads: { lists: [77], ids: [1] }, status: 'running' },
        },
        entries: [record({ ...promoted(200), schedule: { template: 1 }, leads: { lists: [12] } })],
      },
    ],
    [
      'has the id of a template here and its name there',
      {
        staging: { ...promoted(200), ...TEMPLATE },
        production: { ...promoted(1000), schedule: { template: 4 } },
        entries: [record({ ...promoted(200), ...TEMPLATE })],
      },
    ],
    ['has replaced a campaign there', { entries: [record({ ...promoted(200), replaces: 'Spring 2025' })] }],
    [
      'was applied there to one of two campaigns of its name',
      { entries: [record(promoted(300)), record(promoted(200), { id: 8 })] },
    ],
    [
      'has a value of refill for production only',
      { production: { ...promoted(1000), leads: { lists: [{ list: 77, refill: 2 }] } }, entries: APPLIED },
    ],
    [
      'was applied there with other line ends, Unicode forms and surrounding white space',
      {
        production: promoted(1000, '\nCaf\u00e9?\nWorth a look?'),
        staging: promoted(200, 'Cafe\u0301?\r\nWorth a look?\r\n'),
        entries: [record(promoted(200, 'Cafe\u0301?\rWorth a look? '))],
      },
    ],
  ])('passes if it %s', (_, testCase) => {
    expect(reason(testCase)).toBeNull();
  });

  it.each<[string[], boolean]>([
    [[], false],
    [['pause'], false],
    [['pause', 'settings'], true],
    [['launch'], true],
  ])('with the steps %j, it needs promotion: %s', (ids, expected) => {
    const steps = ids.map((id) => planStep('settings', { id }));
    expect(needsPromotion(campaignPlan('Spring', { steps }))).toBe(expected);
  });

  const never = 'Not applied to staging: the state of staging does not contain this campaign.';
  const changed = (places: string) => `Not applied to staging: ${places} from what was last applied there.`;
  it.each<[string, Case, string]>([
    ['nothing was applied', { entries: [] }, never],
    ['only others were applied', { entries: [record(promoted(200), { name: 'Other' })] }, never],
    [
      'only a campaign of its name was applied, and it is pinned to another',
      { staging: { ...promoted(200), id: 8 }, entries: APPLIED },
      never,
    ],
    [
      'it was pinned since',
      { staging: { ...promoted(200), id: 7 }, entries: APPLIED },
      changed('id differs'),
    ],
    [
      'it was never read back as written',
      { entries: [record(null)] },
      'Not applied to staging: no apply there has read this campaign back as its manifest says.',
    ],
    [
      'the manifest has changed since',
      { staging: promoted(300), entries: APPLIED },
      changed('settings.max_emails_per_day differs'),
    ],
    [
      'a value of refill has changed since',
      {
        staging: { ...promoted(200), leads: { lists: [{ list: 12, refill: 2 }] } },
        entries: [record({ ...promoted(200), leads: { lists: [{ list: 12, refill: 1 }] } })],
      },
      changed('leads.lists differs'),
    ],
    [
      'part of it was blocked there',
      { entries: [record({ name: 'Spring installers', settings: { max_emails_per_day: 200 } })] },
      changed('sequence.title, sequence.steps differ'),
    ],
    [
      'the manifest is wrong there',
      { staging: null, entries: [] },
      'Not applied to staging: this manifest describes no valid campaign there.',
    ],
  ])('is refused where %s', (_, situation, expected) => {
    expect(reason(situation)).toEqual(expected);
  });

  it.each<[string, Partial<CampaignSpec>, string]>([
    ['its emails are its own', promoted(1000, 'Worth a call?'), 'sequence step 1: email_body differs'],
    [
      'it has separate hours and settings',
      { settings: { max_emails_per_day: 1000, can_unsubscribe: false }, schedule: { template: 3 } },
      'settings.can_unsubscribe, schedule.template differ',
    ],
    [
      'a section is managed here only',
      { settings: { max_emails_per_day: 1000, plain_text: true } },
      'settings.plain_text differs',
    ],
  ])('is refused where %s', (_, more, places) => {
    const production = { ...promoted(1000), ...more };
    expect(reason({ production, entries: APPLIED })).toBe(
      `Not applied to staging with this content: ${places} between staging and production.`,
    );
  });

  it.each<[string, Case, string]>([
    [
      'its template has another name',
      {
        staging: { ...promoted(200), ...TEMPLATE },
        production: { ...promoted(1000), schedule: { template: 'weekend' } },
        entries: [record({ ...promoted(200), ...TEMPLATE })],
      },
      'schedule.template',
    ],
    [
      'its days are others',
      {
        staging: { ...promoted(200), schedule: MONDAY },
        production: { ...promoted(1000), schedule: { ...MONDAY, days: ['friday'] } },
        entries: [record({ ...promoted(200), schedule: MONDAY })],
      },
      'schedule.days',
    ],
    [
      'a section is managed there only',
      {
        production: { name: 'Spring installers', settings: { max_emails_per_day: 1000 } },
        entries: APPLIED,
      },
      'sequence.steps',
    ],
  ])('is refused where %s', (_, entry, place) => {
    expect(reason(entry)).toBe(
      `Not applied to staging with this content: ${place} differs between staging and production.`,
    );
  });
});
