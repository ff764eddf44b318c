import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answers } from '../../src/model/answer.js';
import { Failure } from '../../src/model/failure.js';
import type { Json } from '../../src/model/json.js';
import type { Step } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import type { PlanInput } from '../../src/plan/campaign.js';
import { ALL, requiredAnswers } from '../../src/plan/match.js';
import type { CampaignWork } from '../../src/plan/work.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { answer, codes } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { NO_CONTENT } from '../support/plans.js';
import { DEFAULT_SETTINGS } from '../support/service/store.js';
import { workOf } from '../support/works.js';

const SETTINGS = { ...DEFAULT_SETTINGS, max_new_leads_per_day: 200 };
const ROW = {
  id: 1,
  order: 1,
  email_subject: 'Hi',
  email_body: 'Hello',
  wait_in_days: 1,
  thread_reply: false,
};
const SEQUENCE: CampaignSpec['sequence'] = {
  title: 'Spring sequence',
  steps: [{ email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1 }],
};

/** A campaign of the service as it was read: its status, and whatever else matters. */
function live(
  id: number,
  spec: Partial<CampaignSpec>,
  shown: { status?: string; settings?: Json; schedule?: Json; sequence?: Json } = {},
): CampaignWork {
  const { status = 'draft', settings = SETTINGS, schedule, sequence } = shown;
  const name = spec.name ?? `Campaign ${id}`;
  const at = `GET /api/campaigns/${id}`;
  const answers: Answers = {
    campaign: answer(at, settings === null ? null : { id, name, status, settings }),
    schedule: answer(`${at}/schedule`, schedule),
    sequence: answer(`${at}/sequence-steps`, sequence),
  };
  const manifest = campaign(`${id}.yaml`, { name, ...spec });
  return workOf({ campaign: manifest, id, listed: listedCampaign(id, name, status), answers });
}

function fresh(name: string, spec: Partial<CampaignSpec> = {}): CampaignWork {
  return workOf({
    campaign: campaign(`${name}.yaml`, { name, ...spec }),
    id: null,
    listed: null,
    answers: null,
  });
}

function build(works: CampaignWork[], more: Partial<PlanInput> = {}) {
  const input = {
    environment: environment(),
    works: works.map((work) => workOf({ ...work }, more.pending)),
    templates: null,
    entries: [],
    listed: [1, 2, 3].map((id) => listedCampaign(id, `Other ${id}`, null)),
    pending: [],

    now: Date.UTC(2026, 2, 2),
  };
  return buildPlan(deepFreeze({ ...input, ...more }));
}

describe('a plan', () => {
  it('counts campaigns by what happens to them, and requests', () => {
    const { plan, works } = build([
      fresh('New', { settings: { plain_text: true }, status: 'running' }),
      live(1, { settings: { max_emails_per_day: 200 } }),
      live(2, { status: 'paused' }, { status: 'active' }),
      live(3, { settings: { max_emails_per_day: 1000 } }),
      live(4, { sequence: SEQUENCE }, { sequence: { title: null, steps: [{ ...ROW, wait_in_days: 2 }] } }),
      live(
        5,
        { sequence: SEQUENCE, settings: { plain_text: true } },
        { sequence: { title: null, steps: [{ ...ROW, wait_in_days: 2 }] } },
      ),
    ]);
    expect(plan.summary).toEqual({
      create: 1,
      change: 2,
      unchanged: 1,
      not_read: 0,
      blocked: 2,
      launch: 1,
      launch_emails_per_day: null,
      pause: 1,
      removed: 0,
      requests: 6,
    });
    expect(
      plan.campaigns.map(({ name, id, action, steps }) => [name, id, action, steps.map((step) => step.id)]),
    ).toEqual([
      ['New', null, 'create', ['create', 'settings', 'launch']],
      ['Campaign 1', 1, 'change', ['settings']],
      ['Campaign 2', 2, 'change', ['pause']],
      ['Campaign 3', 3, 'none', []],
      ['Campaign 4', 4, 'blocked', []],
      ['Campaign 5', 5, 'blocked', ['settings']],
    ]);
    expect(works.map((work) => work.plan)).toEqual(plan.campaigns);
  });

  it('counts each campaign once, one with anything blocked as blocked', () => {
    const other = { sequence: { title: null, steps: [{ ...ROW, wait_in_days: 2 }] } };
    const wanted = fc.record(
      {
        settings: fc.constantFrom({ plain_text: true }, { plain_text: false }),
        sequence: fc.constant(SEQUENCE),
        status: fc.constantFrom('running' as const, 'paused' as const),
      },
      { requiredKeys: [] },
    );
    const looked = fc.oneof(
      wanted.map((spec) => (id: number) => fresh(`New ${id}`, spec)),
      fc
        .tuple(wanted, fc.constantFrom({}, other), fc.constantFrom('draft', 'active', 'paused', 'archived'))
        .map(
          ([spec, shown, status]) =>
            (id: number) =>
              live(id, spec, { ...shown, status }),
        ),
    );
    fc.assert(
      fc.property(fc.array(looked, { maxLength: 9 }), fc.boolean(), (makers, holdLaunch) => {
        const { summary, campaigns } = build(
          makers.map((make, index) => make(index + 1)),
          { selection: { ...ALL, hold: holdLaunch ? ['launch'] : [] } },
        ).plan;
        const { create, change, blocked, unchanged } = summary;
        expect(create + change + blocked + unchanged).toBe(campaigns.length);
        for (const { action, problems } of campaigns)
          expect(action === 'blocked').toBe(problems.some(({ severity }) => severity === 'blocked'));
      }),
    );
  });

  it('is one plain value that names its environment and service', () => {
    const { plan } = build([live(1, { settings: { max_emails_per_day: 200 } })]);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    expect(plan).toEqual({
      version: 1,
      environment: 'production',
      base_url: 'https://send.example.com',
      fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      mode: 'all',
      summary: {
        create: 0,
        change: 1,
        unchanged: 0,
        not_read: 0,
        blocked: 0,
        launch: 0,
        launch_emails_per_day: null,
        pause: 0,
        removed: 0,
        requests: 1,
      },
      problems: [],
      removed: [],
      by_hand: [],
      campaigns: [
        {
          manifest: '1.yaml',
          name: 'Campaign 1',
          id: 1,
          action: 'change',
          changes: [
            {
              section: 'settings',
              path: 'max_emails_per_day',
              kind: 'update',
              from: 1000,
              to: 200,
              note: null,
              origin: null,
            },
          ],
          steps: [
            {
              id: 'settings',
              section: 'settings',
              title: 'update the settings',
              method: 'PATCH',
              path: '/api/campaigns/1/update',
              body: { ...SETTINGS, max_emails_per_day: 200 },
              irreversible: false,
            },
          ],
          problems: [],
          content: {
            before: { ...NO_CONTENT, settings: SETTINGS },
            after: { ...NO_CONTENT, settings: { max_emails_per_day: 200 } },
          },
          impact: null,
          last: null,
        },
      ],
    });
  });

  it('says whose a change is and since when, which is part of its fingerprint', () => {
    const spec = { name: 'Campaign 1', settings: { max_emails_per_day: 200 } };
    const last = { at: '2026-05-12T08:00:00Z', how: 'import' as const, spec };
    const remembering = (recorded: RecordedState) => [
      { id: 1, manifest: '1.yaml', name: 'Campaign 1', recorded },
    ];
    const refreshed = [live(1, spec)];
    const known = build(refreshed, { entries: remembering({ ...UNKNOWN_STATE, last }) }).plan;
    const [first] = known.campaigns;
    expect([first?.last, first?.changes.map(({ origin }) => origin)]).toEqual([
      { at: '2026-05-12T08:00:00Z', how: 'import' },
      ['service'],
    ]);
    const unknown = build(refreshed, { entries: remembering(UNKNOWN_STATE) }).plan;
    expect(unknown.campaigns[0]?.changes.map(({ origin }) => origin)).toEqual([null]);
    expect(known.fingerprint).not.toBe(unknown.fingerprint);
  });

  it('does not say whose a change is that an unfinished run may have made', () => {
    const spec = { name: 'Campaign 1', settings: { max_emails_per_day: 200 } };
    const last = { at: '2026-05-12T08:00:00Z', how: 'apply' as const, spec };
    const entries = [{ id: 1, manifest: '1.yaml', name: 'Campaign 1', recorded: { ...UNKNOWN_STATE, last } }];
    const update = {
      id: 'settings',
      section: 'settings' as const,
      title: 'update the settings',
      method: 'PATCH' as const,
      path: '/api/campaigns/1/update',
      body: {},
      irreversible: false,
    };
    const operations = {
      manifest: '1.yaml',
      name: 'Campaign 1',
      id: 1,
      spec: 'sha256:other',
      changes: [],
      run: 'run-1',
      at: '2026-05-13T08:00:00Z',
      who: 'ada@desk',
    };
    const origins = (step: Step) => {
      const sent = [
        { at: operations.at, age: 0, visible_in: null, step, result: 'failed' as const, total_leads: null },
      ];
      const [planned] = build([live(1, spec)], { entries, pending: [{ ...operations, sent }] }).plan
        .campaigns;
      return planned?.changes.map(({ origin }) => origin);
    };
    expect(origins(update)).toEqual([null]);
    expect(origins({ ...update, id: 'schedule', section: 'schedule' })).toEqual(['service']);
  });

  it('holds the whole of both sides of a campaign that differs, in one form', () => {
    const hours = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' };
    const spec: Partial<CampaignSpec> = {
      settings: { max_emails_per_day: 200 },
      schedule: { ...hours, days: ['monday'] },
      sequence: SEQUENCE,
      leads: { lists: [77] },
      status: 'paused',
    };
    const email = { email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1, thread_reply: false };
    const whole = {
      schedule: {
        window: { ...hours, days: ['monday'] },
        template: null,
        save_as_template: false,
      },
      leads: { lists: [77], ids: [] },
    };
    const steps = [{ ...email, variants: [] }];
    const desired = {
      ...whole,
      settings: { max_emails_per_day: 200 },
      sequence: { title: 'Spring sequence', steps },
      status: 'paused',
    };
    const none = ['tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [day, 0]);
    const shown = {
      status: 'Paused',
      schedule: { ...Object.fromEntries(none), monday: 1, ...hours, start_time: '09:00:00' },
      sequence: { title: null, steps: [ROW] },
    };
    const recorded = { ...UNKNOWN_STATE, known: true, attached: { lists: [77], ids: [] } };
    const entries = [{ id: 1, manifest: '1.yaml', name: 'Campaign 1', recorded }];
    const { campaigns } = build([live(1, spec, shown), fresh('New', spec)], { entries }).plan;
    expect(campaigns.map(({ content }) => content)).toMatchObject([
      {
        before: { ...whole, settings: SETTINGS, sequence: { title: null, steps }, status: 'Paused' },
        after: desired,
      },
      { before: null, after: desired },
    ]);
  });

  it('says of a launch what it sets going, as far as that can be known, and nothing that changes its fingerprint', () => {
    const hours = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' };
    const days = Object.fromEntries(
      ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [
        day,
        day === 'monday' ? 1 : 0,
      ]),
    );
    const spec: Partial<CampaignSpec> = {
      settings: { max_emails_per_day: 200 },
      schedule: { ...hours, days: ['monday'] },
      sequence: SEQUENCE,
      leads: { ids: [1, 7] },
      status: 'running',
    };
    const shown = { settings: { ...SETTINGS, total_leads: 398 } };
    const sequence = { title: null, steps: [ROW] };
    const refreshed = live(1, spec, { ...shown, schedule: { ...days, ...hours }, sequence });
    const record = refreshed.answers?.campaign;
    if (record) Object.assign(record, { body: { ...(record.body as object), total_leads: 398 } });
    const listed = live(2, { ...spec, leads: { lists: [5] } }, { schedule: { ...days, ...hours }, sequence });
    const { plan } = build([refreshed, listed, live(3, { settings: { max_emails_per_day: 7 } })]);
    const impact = {
      ...{ resumed: false, lists: [], ids: [1, 7], not_contacted: null },
      leads: 400,
      and_more: false,
      emails_per_day: 200,
      emails: 400,
      first: '2026-03-02T09:00:00+01:00',
      last: '2026-03-09T17:00:00+01:00',
      sending_days: 2,
      timezone: 'Europe/Paris',
    };
    expect(plan.campaigns.map((one) => one.impact)).toEqual([
      impact,
      { ...impact, lists: [5], ids: [], leads: null, emails: null, last: null, sending_days: null },
      null,
    ]);
    expect(plan.summary).toMatchObject({ launch: 2, launch_emails_per_day: 400 });
    const later = build([refreshed, listed, live(3, { settings: { max_emails_per_day: 7 } })], {
      now: Date.UTC(2026, 5, 1),
    }).plan;
    expect(later.campaigns[0]?.impact?.first).toBe('2026-06-01T09:00:00+02:00');
    expect(later.fingerprint).toBe(plan.fingerprint);
  });

  it('does not name the port of the sandbox, which differs at every start', () => {
    const sandbox = {
      ...environment(),
      sandbox: { profile: 'documented' as const },
      base_url: 'http://127.0.0.1:4711',
    };
    expect(build([live(1, {})], { environment: sandbox }).plan.base_url).toBe('sandbox');
  });

  it('uses what the state remembers of a campaign, by its id', () => {
    const recorded = { ...UNKNOWN_STATE, known: true, attached: { lists: [77], ids: [] } };
    const refreshed = [live(1, { leads: { lists: [77] } }), live(2, { leads: { lists: [77] } })];
    const { plan } = build(refreshed, { entries: [{ id: 1, manifest: '9.yaml', name: 'Other', recorded }] });
    expect(plan.campaigns.map(({ action, problems }) => [action, codes(problems)])).toEqual([
      ['none', []],
      ['change', ['hazard repeat-attach']],
    ]);
  });

  it('carries a hazard of its size', () => {
    const many = Array.from({ length: 26 }, (_, index) =>
      live(index + 1, { settings: { plain_text: true } }),
    );
    expect(codes(build(many).plan.problems)).toEqual(['hazard mass-change']);
  });
});

describe('a launch', () => {
  const blockedSequence = { sequence: { title: null, steps: [{ ...ROW, wait_in_days: 2 }] } };

  it('is withheld while something of its campaign is blocked, and needs no allowance then', () => {
    const { plan } = build([
      live(1, { sequence: SEQUENCE, settings: { plain_text: true }, status: 'running' }, blockedSequence),
    ]);
    const [one] = plan.campaigns;
    expect(one?.steps.map(({ id }) => id)).toEqual(['settings']);
    expect(codes(one?.problems ?? [])).toEqual(['blocked sequence-exists', 'warning launch-withheld']);
    expect(one?.changes.map(({ section }) => section)).toEqual(['settings', 'sequence', 'status']);
    expect(plan.summary.launch).toBe(0);
  });

  it('is left out on purpose, the rest is done', () => {
    const refreshed = [
      live(1, { settings: { plain_text: true }, status: 'running' }),
      live(2, { status: 'running' }),
    ];
    const { plan } = build(refreshed, { selection: { ...ALL, hold: ['launch'] } });
    expect(plan.campaigns.map(({ steps, problems }) => [steps.map(({ id }) => id), codes(problems)])).toEqual(
      [
        [['settings'], ['warning launch-held']],
        [[], ['warning launch-held']],
      ],
    );
    expect(plan.summary).toMatchObject({ launch: 0, requests: 1, blocked: 0 });
  });

  it('is a hazard otherwise, and comes last', () => {
    const { plan } = build([fresh('New', { sequence: SEQUENCE, leads: { ids: [1] }, status: 'running' })]);
    expect(codes(plan.campaigns[0]?.problems ?? [])).toEqual(['hazard launch']);
    expect(plan.campaigns[0]?.steps.map(({ id }) => id)).toEqual([
      'create',
      'sequence',
      'leads/batch-1',
      'launch',
    ]);
  });

  it('held leaves a pause alone', () => {
    const { plan } = build([live(1, { status: 'paused' }, { status: 'active' })], {
      selection: { ...ALL, hold: ['launch'] },
      entries: [entryOf(1, '1.yaml', 'Campaign 1')],
    });
    expect(plan.campaigns[0]).toMatchObject({ steps: [{ id: 'pause' }], problems: [] });
  });
});

describe('a campaign that is gone', () => {
  const spec: Partial<CampaignSpec> = {
    settings: { plain_text: true },
    leads: { lists: [77] },
    status: 'running',
  };
  const { plan } = build([live(1, spec, { status: 'archived' })]);
  const [one] = plan.campaigns;

  it('gets no request at all', () => {
    expect([one?.action, one?.steps]).toEqual(['blocked', []]);
    expect(codes(one?.problems ?? [])).toContain('blocked campaign-gone');
    expect(plan.summary).toMatchObject({ blocked: 1, requests: 0, unchanged: 0 });
  });

  it('refuses no other campaign by a hazard, since nothing of it is sent', () => {
    expect(codes(one?.problems ?? []).filter((code) => code.startsWith('hazard'))).toEqual([]);
  });
});

describe('what makes a plan impossible', () => {
  function failure(refreshed: CampaignWork[]): Failure {
    try {
      build(refreshed);
    } catch (error) {
      if (error instanceof Failure) return error;
    }
    throw new Error('a Failure was expected');
  }

  it('is a pinned campaign that the service does not have', () => {
    const pinned = { ...live(8, { name: 'Spring installers', id: 8 }, { settings: null }), listed: null };
    const { code, message, hint, exitCode } = failure([live(1, {}), pinned]);
    expect({ code, message, hint, exitCode }).toEqual({
      code: 'pinned-not-found',
      message: '"Spring installers" is pinned to campaign 8, which the service does not have.',
      hint: 'Check the id, and whether the token for environment production belongs to the right workspace.',
      exitCode: 1,
    });
  });

  it('is every error of the matching, all at once, the same one once', () => {
    const problem = (message: string) => ({
      code: 'claimed-twice',
      severity: 'error' as const,
      message,
      hint: '',
    });
    const found = failure([
      { ...live(1, {}), problems: [problem('Campaign 1 is meant twice.')] },
      { ...live(2, {}), problems: [problem('Campaign 1 is meant twice.')] },
      { ...live(3, {}), problems: [problem('Campaign 3 is meant twice.')] },
    ]);
    expect([found.message, ...found.others.map(({ message }) => message)]).toEqual([
      'Campaign 1 is meant twice.',
      'Campaign 3 is meant twice.',
    ]);
  });

  it('is not a hazard, a warning or something blocked', () => {
    const hazard = { code: 'missing', severity: 'hazard' as const, message: 'It is gone.', hint: '' };
    const { plan } = build([{ ...fresh('New'), problems: [hazard] }]);
    expect(plan.campaigns[0]).toMatchObject({ action: 'create', problems: [hazard] });
  });
});

describe('what is read for a plan', () => {
  it.each<[string, Partial<CampaignSpec>, string[]]>([
    ['nothing but the list', {}, []],
    ['the campaign for leads, to know their number', { leads: { lists: [77] } }, ['campaign']],
    ['the campaign, once, for settings and status', { settings: {}, status: 'paused' }, ['campaign']],
    ['the campaign of a pin, to know that it is there', { id: 8 }, ['campaign']],
    [
      'schedule and sequence alone',
      { schedule: { template: 3 }, sequence: SEQUENCE },
      ['schedule', 'sequence'],
    ],
    [
      'all of it',
      { id: 8, settings: {}, schedule: { template: 3 }, sequence: SEQUENCE },
      ['campaign', 'schedule', 'sequence'],
    ],
  ])('is %s', (_, spec, answers) => {
    expect(requiredAnswers({ name: 'Spring installers', ...spec })).toEqual(answers);
  });
});

describe('the fingerprint of a plan', () => {
  const spec = { settings: { max_emails_per_day: 200 } };
  const print = (refreshed: CampaignWork[], more: Partial<PlanInput> = {}) =>
    build(refreshed, more).plan.fingerprint;
  const base = print([live(1, spec)]);

  it('is the same for the same plan and live state, whatever the order of keys and unknown fields', () => {
    const turned = Object.fromEntries(Object.entries(SETTINGS).reverse());
    expect(print([live(1, spec, { settings: { ...turned, uuid: 'x' } })])).toBe(base);
    expect(
      print([live(1, { settings: { max_emails_per_day: 200 } })], {
        listed: [listedCampaign(9, 'Other 9', null)],
      }),
    ).toBe(base);
  });

  it.each<[string, () => string]>([
    ['another wanted value', () => print([live(1, { settings: { max_emails_per_day: 201 } })])],
    [
      'another live value that is not touched',
      () => print([live(1, spec, { settings: { ...SETTINGS, plain_text: true } })]),
    ],
    ['another status of the campaign', () => print([live(1, spec, { status: 'active' })])],
    ['another campaign', () => print([live(2, spec)])],
    ['one campaign more', () => print([live(1, spec), live(2, {})])],
    [
      'another environment',
      () => print([live(1, spec)], { environment: { ...environment(), name: 'staging' } }),
    ],
    [
      'another service',
      () =>
        print([live(1, spec)], { environment: { ...environment(), base_url: 'https://other.example.com' } }),
    ],
    [
      'a launch that is held',
      () => print([live(1, { ...spec, status: 'running' })], { selection: { ...ALL, hold: ['launch'] } }),
    ],
  ])('is another with %s', (_, other) => {
    expect(other()).not.toBe(base);
  });

  it('sees live content that the plan does not show', () => {
    const manifest = { sequence: SEQUENCE };
    const shown = (id: number) => ({ sequence: { title: null, steps: [{ ...ROW, id }] } });
    expect(print([live(1, manifest, shown(5))])).not.toBe(print([live(1, manifest, shown(6))]));
  });
});
