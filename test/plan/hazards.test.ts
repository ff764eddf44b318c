import { describe, expect, it } from 'vitest';
import type { Hazard } from '../../src/model/codes.js';
import type { Json } from '../../src/model/json.js';
import type {
  Action,
  CampaignPlan,
  Change,
  OtherCampaign,
  Plan,
  PlanProblem,
} from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import {
  type CheckoutHistory,
  CREATED_STATE,
  type PendingOperations,
  type RecordedState,
  type StateEntry,
  UNKNOWN_STATE,
} from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import type { PlanInput } from '../../src/plan/campaign.js';
import {
  commitsInQuestion,
  isApproved,
  planHazards,
  refusals,
  withApprovals,
} from '../../src/plan/hazards.js';
import type { UnkeptState } from '../../src/plan/input.js';
import { sentChanges } from '../../src/sections/applies.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { answer, codes } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { campaignPlan, changeIn, NOT_COMPARED, planOf, step } from '../support/plans.js';
import { type KnownSpring, planInput, planSpring, removedTarget, targetOf } from '../support/works.js';

const STEP = step('settings');

function part(name: string, action: Action, problems: PlanProblem[] = []): CampaignPlan {
  const steps = action === 'create' || action === 'change' ? [STEP] : [];
  return campaignPlan(name, { id: action === 'create' ? null : 1, action, steps, problems });
}

function campaigns(counts: Partial<Record<Action, number>>): CampaignPlan[] {
  return Object.entries(counts).flatMap(([action, count]) =>
    Array.from({ length: count }, (_, index) => part(`${action} ${index}`, action as Action)),
  );
}

/** The hazards of a plan of these campaigns, all of which are live. */
function massChange(campaigns: readonly CampaignPlan[], live: number): PlanProblem[] {
  const listed = Array.from({ length: live }, (_, index) => listedCampaign(index + 1, `Live ${index}`));
  return planHazards({ campaigns, removed: [], listed, entries: [], unkept: null, volume: null });
}

describe('a mass change', () => {
  it.each<[string, Parameters<typeof campaigns>[0], number, boolean]>([
    ['25 campaigns, however many that is of all', { change: 25 }, 25, false],
    ['26 campaigns', { change: 26 }, 26, true],
    ['30 %, however many', { change: 30, none: 70 }, 100, false],
    ['over 30 %', { change: 31, none: 69 }, 100, true],
    ['26 of 300 in the workspace, if only they are in the plan', { change: 26 }, 300, true],
    ['creations in an empty workspace', { create: 100 }, 0, false],
    ['creations and unchanged campaigns with an empty list', { create: 30, none: 5 }, 0, false],
    ['creations in a workspace that is not empty', { create: 26 }, 1, true],
    ['creations and one change', { create: 26, change: 1 }, 0, true],
    ['blocked ones, of which nothing is sent', { blocked: 26, none: 1 }, 27, false],
    ['nothing at all', {}, 0, false],
  ])('%s', (_, counts, live, expected) => {
    expect(massChange(campaigns(counts), live).length > 0).toBe(expected);
  });

  it('is not reported if an empty workspace is filled, even if part of a new campaign is blocked', () => {
    const partly = { ...part('Spring', 'blocked'), id: null, steps: [STEP] };
    expect(massChange([...campaigns({ create: 100 }), partly], 0)).toEqual([]);
  });
});

/** The hazards of a plan in which `paused` campaigns lost their manifests and `declared` ones have one. */
function massRemoval(
  { paused, declared }: { paused: OtherCampaign[]; declared: CampaignPlan[] },
  entries: readonly StateEntry[] = [],
): PlanProblem[] {
  const plan = { campaigns: declared, removed: paused, listed: [], entries, unkept: null, volume: null };
  return planHazards(deepFreeze(plan));
}

const removedCampaign = (id: number, more: Partial<OtherCampaign> = {}): OtherCampaign => ({
  ...{ id, name: `Removed ${id}`, manifest: `${id}.yaml`, outside: false },
  ...{ status: 'active', running: true, basis: 'shown', max_emails_per_day: null },
  step: step('status', { id: 'pause', method: 'PATCH' }),
  ...more,
});
const gone = (count: number, more: Partial<OtherCampaign> = {}) =>
  Array.from({ length: count }, (_, index) => removedCampaign(100 + index, more));
const kept = (count: number, more: Partial<CampaignPlan> = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...part(`Kept ${index}`, 'none'), id: 1 + index, ...more }));

describe('a mass removal', () => {
  it.each<[string, Parameters<typeof massRemoval>[0], boolean]>([
    ['three campaigns, however many that is of all', { paused: gone(3), declared: kept(1) }, false],
    ['4 of 13', { paused: gone(4), declared: kept(9) }, true],
    ['4 of 14', { paused: gone(4), declared: kept(10) }, false],
    ['30 %', { paused: gone(30), declared: kept(70) }, false],
    ['31 %', { paused: gone(31), declared: kept(69) }, true],
    ['29 of 30', { paused: gone(29), declared: kept(1) }, true],
    ['campaigns that are not paused', { paused: gone(9, { step: null }), declared: kept(1) }, false],
    [
      'idle campaigns do not hide it',
      { paused: [...gone(4), ...gone(20, { step: null })], declared: kept(6) },
      true,
    ],
    [
      'new campaigns do not hide it',
      { paused: gone(4), declared: [...kept(9), ...kept(9, { id: null })] },
      true,
    ],
  ])('%s', (_, plan, expected) => {
    expect(massRemoval(plan).map(({ code }) => code)).toEqual(expected ? ['mass-removal'] : []);
  });

  it('does not count campaigns that another one has replaced or replaces', () => {
    const superseded = (id: number): StateEntry => ({
      ...entryOf(id, `${id}.yaml`, `Campaign ${id}`),
      recorded: { ...CREATED_STATE, superseded_by: 7 },
    });
    const again = gone(4, { superseded_by: 7 });
    const entries = again.map(({ id }) => superseded(id));
    expect(massRemoval({ paused: again, declared: kept(1) }, entries)).toEqual([]);
    // Of 10 declared campaigns, one was replaced and one is about to be.
    const replaces = { id: 2, name: 'Kept 1', status: 'active', running: true, ...NOT_COMPARED };
    const [first, ...others] = kept(10);
    const declared = [{ ...part('Kept 0', 'none'), ...first, replaces }, ...others];
    expect(massRemoval({ paused: gone(4), declared: kept(10) }, [superseded(3)])).toHaveLength(1);
    expect(massRemoval({ paused: gone(4), declared })).toHaveLength(1);
    expect(massRemoval({ paused: gone(4), declared: kept(10) })).toEqual([]);
  });
});

it('a mass removal is of more than three campaigns that nothing replaces, whatever the state has of them', () => {
  const removed = gone(4);
  const entries = removed.map(({ id, manifest, name }) => entryOf(id, manifest, name));
  expect(massRemoval({ paused: removed, declared: kept(1) }, entries)).toHaveLength(1);
  const [first, ...others] = entries;
  if (first === undefined) throw new Error('an entry was expected');
  const superseded = { ...first, recorded: { ...first.recorded, superseded_by: 7 } };
  expect(massRemoval({ paused: removed, declared: kept(1) }, [superseded, ...others])).toEqual([]);
});

const UNKEPT: UnkeptState = { reason: 'tracked', folder: '.campaignctl' };

it.each<[string, Action[], UnkeptState | null, boolean]>([
  ['if anything is sent', ['none', 'change'], UNKEPT, true],
  ['not if nothing is sent', ['none', 'none'], UNKEPT, false],
  ['not if the state is kept', ['change'], null, false],
])('a state that the next run may not find needs approval: %s', (_, actions, unkept, isAsked) => {
  const found = planHazards({
    ...{ removed: [], listed: [listedCampaign(1, 'Live')], entries: [], volume: null, unkept },
    campaigns: actions.map((action) => part(action, action)),
  });
  expect(found.map(({ code }) => code)).toEqual(isAsked ? ['unkept-state'] : []);
});

it.each<[string, boolean, { action?: Action; listed?: number[]; known?: number[]; isReported?: boolean }]>([
  ['shows none of the known campaigns', true, {}],
  ['shows one of them', false, { listed: [1, 6] }],
  ['should show none, because none is known', false, { known: [] }],
  ['shows none, but nothing is created', false, { action: 'change' }],
  ['shows none, which the plan reports of each campaign', false, { isReported: true }],
])(
  'creations need approval if the list of campaigns %s: %s',
  (_, isAsked, { action = 'create', listed = [1, 2], known = [5, 6], isReported = false }) => {
    const missing = { code: 'missing', severity: 'hazard', message: '', hint: '' } as const;
    const found = planHazards({
      ...{ removed: [], unkept: null, volume: null },
      campaigns: [part('Spring', action, isReported ? [missing] : [])],
      listed: listed.map((id) => listedCampaign(id, `Live ${id}`)),
      entries: known.map((id) => entryOf(id, `${id}.yaml`, `Known ${id}`)),
    });
    expect(found.map(({ code }) => code)).toEqual(isAsked ? ['missing'] : []);
  },
);

describe('refusals', () => {
  const hazard = (code: PlanProblem['code'], message: string = code): PlanProblem => ({
    code,
    severity: 'hazard',
    message,
    hint: '',
  });
  const blocked: PlanProblem = { ...hazard('sequence-exists'), severity: 'blocked' };
  const plan: Plan = deepFreeze(
    planOf(
      [
        part('Spring', 'change', [hazard('launch', 'first'), hazard('reset-unreadable'), blocked]),
        part('Winter', 'change', [hazard('launch', 'second'), hazard('reset-unreadable')]),
      ],
      { problems: [hazard('mass-change')] },
    ),
  );

  const needed = (message: string, ...campaigns: (CampaignPlan | undefined)[]) => ({
    message,
    hint: '',
    places: [],
    blocks: [],
    campaigns,
  });
  const [spring, winter] = plan.campaigns;

  it('are the hazards without approval, one entry per kind, each message with its campaigns', () => {
    const group = { severity: 'hazard', accepted_by: null };
    expect(refusals(plan)).toEqual([
      { ...group, code: 'mass-change', messages: [needed('mass-change')] },
      { ...group, code: 'launch', messages: [needed('first', spring), needed('second', winter)] },
      { ...group, code: 'reset-unreadable', messages: [needed('reset-unreadable', spring, winter)] },
    ]);
  });

  it('include errors, which nothing approves', () => {
    const error: PlanProblem = { ...hazard('not-promoted'), severity: 'error' };
    const approvals = [{ hazard: 'launch' as const, by: '--allow launch' }];
    const problems = withApprovals([error, hazard('launch')], approvals);
    expect(refusals({ ...plan, campaigns: [], problems }).map(({ code }) => code)).toEqual(['not-promoted']);
  });

  it('are omitted only for the campaigns that the approval names', () => {
    const approvals = [{ hazard: 'launch' as const, by: '--allow launch=Spring', name: 'Spring' }];
    const accepted = (campaign: string | null) =>
      withApprovals([hazard('launch')], approvals, campaign).map(({ accepted_by }) => accepted_by);
    expect([accepted('Spring'), accepted('Winter'), accepted(null)]).toEqual([
      ['--allow launch=Spring'],
      [null],
      [null],
    ]);
  });

  it('omit what is approved, and only that', () => {
    const accepting = (...hazards: Hazard[]): Plan => {
      const approvals = hazards.map((hazard) => ({ hazard, by: `--allow ${hazard}` }));
      return {
        ...plan,
        problems: withApprovals(plan.problems, approvals),
        campaigns: plan.campaigns.map((campaign) => ({
          ...campaign,
          problems: withApprovals(campaign.problems, approvals),
        })),
      };
    };
    expect(refusals(accepting('launch', 'rename')).map(({ code }) => code)).toEqual([
      'mass-change',
      'reset-unreadable',
    ]);
    expect(refusals(accepting('launch', 'mass-change', 'reset-unreadable'))).toEqual([]);
  });
});

it('an approval of one hazard, in the project file or on the command line, is none of another', () => {
  const allow = [{ hazard: 'adopt' as const, by: 'test' }];
  const given = {
    environment: { ...environment(), allow },
    approvals: [{ hazard: 'rename' as const, by: '' }],
  };
  const names = ['adopt', 'rename', 'launch'] as const;
  expect(names.map((code) => isApproved(code, given))).toEqual([true, true, false]);
});

const NAME = 'Spring installers';
const SCHEDULE: CampaignSpec['schedule'] = {
  ...{ days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
};

interface Given extends KnownSpring {
  more?: Partial<PlanInput>;
}

/** The plan of a campaign that is not in the state. */
const planned = ({ more, ...known }: Given) => planSpring(known, more);

it.each([
  ['a draft', { status: 'draft' }, {}, true],
  ['stopped by a person', { status: 'paused' }, { status: 'running', has_run: true }, false],
])(
  'a standing approval of launches and of other hazards, for a campaign that is %s',
  (_, shown, recorded, isCovered) => {
    const approval = (hazard: Hazard) => ({ hazard, by: 'test' });
    const row = { id: 1, email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1 };
    const accepted = (approvals: Hazard[]) =>
      planned({
        ...{ spec: { schedule: SCHEDULE, status: 'running' }, shown },
        ...{ recorded: { ...CREATED_STATE, ...recorded }, sequence: { title: 'Spring', steps: [row] } },
        more: {
          environment: { ...environment(), allow: [approval('launch'), approval('no-leads')] },
          approvals: approvals.map(approval),
        },
      }).plan.campaigns.flatMap(({ problems }) =>
        problems
          .filter(({ code }) => code === 'launch' || code === 'no-leads')
          .map(({ code, accepted_by }) => [code, accepted_by !== null]),
      );
    expect(accepted([])).toEqual([
      ['launch', isCovered],
      ['no-leads', true],
    ]);
    expect(accepted(['launch'])).toContainEqual(['launch', true]);
  },
);

const adopt = (situation: Given) =>
  planned(situation).plan.campaigns.flatMap(({ problems }) =>
    problems.filter(({ code }) => code === 'adopt'),
  );

const WORD = expect.objectContaining({ severity: 'hazard', code: 'adopt', accepted_by: null });
const SETTING = { settings: { max_emails_per_day: 100 } };
const SENDING: Given = { spec: { ...SETTING, status: 'paused' }, shown: { status: 'Active' } };

describe('a sending campaign that is not in the state', () => {
  it('needs approval before anything is sent to it', () => {
    expect(adopt(SENDING)).toEqual([WORD]);
  });

  it.each<[string, Partial<CampaignSpec>]>([
    ['settings', SETTING],
    ['a schedule', { schedule: SCHEDULE }],
    ['leads', { leads: { lists: [77] } }],
    ['a pin to its id', { ...SETTING, id: 42 }],
  ])('needs it for %s', (_, spec) => {
    expect(adopt({ spec, shown: { status: 'active' } })).toEqual([WORD]);
    expect(adopt({ spec, shown: { status: 'draft' } })).toEqual([]);
    expect(adopt({ spec, shown: { status: 'active' }, recorded: UNKNOWN_STATE })).toEqual([]);
  });

  it.each(['active', 'queued', 'completed', 'weird'])('needs it if the service shows %s', (status) => {
    expect(adopt({ spec: SETTING, shown: { status } })).toEqual([WORD]);
    // A schedule is compared without the record, so the list decides.
    const listed = listedCampaign(42, NAME, status);
    expect(adopt({ spec: { schedule: SCHEDULE }, shown: null, listed })).toEqual([WORD]);
  });

  it('needs it if no status is shown, but not if the list shows that it is idle', () => {
    expect(adopt({ spec: SETTING })).toEqual([WORD]);
    expect(adopt({ spec: { schedule: SCHEDULE }, shown: null })).toEqual([WORD]);
    for (const shown of [null, {}]) {
      const listed = listedCampaign(42, NAME, 'paused');
      expect(adopt({ spec: { schedule: SCHEDULE }, shown, listed })).toEqual([]);
    }
  });

  it('needs none if nothing is sent, and stays unknown unless it is approved', () => {
    const same = { spec: { status: 'running' } as const, shown: { status: 'active' } };
    expect(adopt(same)).toEqual([]);
    expect(planned(same).works[0]?.target.isOurs).toBe(false);
    const approvals = [{ hazard: 'adopt', by: '--allow adopt' } as const];
    expect(planned({ ...same, more: { approvals } }).works[0]?.target.isOurs).toBe(true);
  });

  const create = step('campaign', { id: 'create', title: 'create the campaign', path: '/api/campaigns' });
  const open = (id: number | null): PendingOperations => ({
    ...{ run: 'r', at: '2026-03-02T06:00:00Z', who: 'ada@desk', manifest: 'spring.yaml', name: NAME, id },
    ...{ spec: '', changes: [] },
    sent: [
      {
        at: '2026-03-02T06:00:00Z',
        age: 0,
        visible_in: null,
        step: create,
        result: 'unknown',
        total_leads: null,
      },
    ],
  });

  it('needs none if an earlier run created it', () => {
    const shown = { status: 'active', total_leads: 0 };
    expect(adopt({ spec: SETTING, shown, more: { pending: [open(42)] } })).toEqual([]);
  });

  it('needs none for a pause alone', () => {
    expect(adopt({ spec: { status: 'paused' }, shown: { status: 'active' } })).toEqual([]);
  });

  it("needs it if the creation of an earlier run got no response, because it may be someone else's", () => {
    const pending = [open(null)];
    for (const shown of [{ status: 'active' }, { status: 'active', total_leads: 0 }, {}])
      expect(adopt({ spec: { ...SETTING, status: 'paused' }, shown, more: { pending } })).toEqual([WORD]);
    // The record may show no status.
    const listed = listedCampaign(42, NAME, 'active');
    expect(adopt({ spec: SETTING, shown: { total_leads: 0 }, listed, more: { pending } })).toEqual([WORD]);
    const codes = (total: Json) =>
      planned({
        spec: { leads: { ids: [1] } },
        shown: { status: 'draft', total_leads: total },
        more: { pending },
      }).plan.campaigns.flatMap(({ problems }) => problems.map(({ code }) => code));
    expect(codes(0)).toEqual(['unfinished-run']);
    expect(codes(null)).toEqual(['unfinished-run', 'repeat-attach']);
  });

  it('needs it if it shows more than the run that created it can have sent, and no status', () => {
    const asked = (sequence: Json) =>
      adopt({
        spec: { leads: { lists: [77] } },
        ...{ shown: { total_leads: 0 }, sequence },
        more: { pending: [open(null)] },
      });
    expect(asked(null)).toEqual([]);
    expect(asked([{ id: 5, order: 1, email_subject: 'A', email_body: 'B', wait_in_days: 1 }])).toEqual([
      WORD,
    ]);
  });

  it('needs none before a pause, whatever its name', () => {
    const asked = (name: string) => {
      const listed = listedCampaign(42, name, 'active');
      const answer = { endpoint: 'GET', body: { id: 42, name, status: 'active' } };
      const entry = entryOf(42, 'spring.yaml', NAME);
      const on_removal = { ...environment(), on_removal: 'pause' } as const;
      const answers = { campaign: answer, schedule: null, sequence: null };
      const targets = [removedTarget({ entry, listed, answers, service: on_removal })];
      return planned({
        more: { environment: on_removal, targets, entries: [entry] },
      }).plan.problems.filter(({ code }) => code === 'adopt');
    };
    expect(asked(NAME)).toEqual([]);
    expect(asked('Other')).toEqual([]);
  });
});

interface Known {
  spec?: Partial<CampaignSpec>;
  shown?: { [field: string]: Json };
  recorded?: RecordedState;
  /** According to the state, campaign 42 has replaced campaign 7. */
  replaced?: boolean;
  /** The status of campaign 7. */
  old?: string;
  hold?: 'launch'[];
}

const OLD: StateEntry = {
  ...{ id: 7, manifest: 'old.yaml', name: 'Spring 2025' },
  recorded: { ...UNKNOWN_STATE, has_run: true },
};

/**
 * Plans campaign 42, or a new one if `id` is `null`. Campaign 7 exists, and is running unless campaign 42 has replaced it.
 */
function plan(
  id: number | null,
  { spec = {}, shown = {}, recorded, replaced = false, old: oldStatus, hold = [] }: Known,
) {
  const name = 'Spring 2026';
  const row = { id, name, status: 'draft', ...shown };
  const old = { ...OLD, recorded: { ...OLD.recorded, ...(replaced ? { superseded_by: 42 } : {}) } };
  const status = oldStatus ?? (replaced ? 'paused' : 'active');
  const listed = listedCampaign(7, 'Spring 2025', status);
  const read = (of: number, body: Json) => ({
    ...{ campaign: answer(`GET /api/campaigns/${of}`, body), schedule: null, sequence: null },
  });
  const predecessor = { id: 7, name: 'Spring 2025', row: listed, entry: old };
  const local = targetOf({
    ...{ campaign: campaign('spring.yaml', { name, ...spec }), id },
    listed: id === null ? null : listedCampaign(id, name, String(row.status)),
    answers: id === null ? null : read(id, row),
    predecessor: spec.replaces === undefined ? null : predecessor,
  });
  const replacing = removedTarget({
    ...{ entry: old, listed },
    answers: read(7, { id: 7, name: 'Spring 2025', status, total_leads: 900 }),
  });
  return buildPlan(
    deepFreeze(
      planInput({
        environment: environment(),
        targets: spec.replaces === undefined ? [local] : [local, { ...replacing, role: 'replaced' as const }],
        entries: [
          old,
          ...(recorded === undefined || id === null ? [] : [{ id, manifest: 'spring.yaml', name, recorded }]),
        ],
        listed: [listed],
        pending: [],
        selection: { files: [], target: [], hold: [...hold] },
        now: Date.UTC(2026, 2, 2),
      }),
    ),
  ).plan;
}

const hazards = (id: number | null, known: Known) =>
  plan(id, known).campaigns.flatMap(({ problems }) => problems.filter(({ code }) => code === 'no-leads'));

const ATTACHED = { lists: [12], ids: [] };

describe('a campaign that shows 0 leads although the state records some', () => {
  const known = { shown: { total_leads: 0 }, recorded: { ...CREATED_STATE, attached: ATTACHED } };

  it('needs approval before it is launched or replaces another one, and is otherwise warned of', () => {
    const message = expect.stringContaining('accepted lead list 12 for this campaign, but shows 0 leads');
    const launched = hazards(42, { ...known, spec: { status: 'running' } });
    expect(launched).toMatchObject([{ severity: 'hazard', message }]);
    const replacing = hazards(42, { ...known, spec: { replaces: 7 } });
    expect(replacing).toMatchObject([
      { severity: 'hazard', message: expect.stringContaining('Campaign 7 "Spring 2025" would stop') },
    ]);
    expect(hazards(42, { ...known, spec: { status: 'paused' } })).toMatchObject([
      { severity: 'warning', message },
    ]);
  });

  it('is not compared while it is sending', () => {
    const shown = { total_leads: 0, status: 'active' };
    expect(hazards(42, { ...known, shown, spec: { status: 'running' } })).toEqual([]);
  });
});

describe('a campaign without any known lead', () => {
  it('needs approval before it is launched', () => {
    expect(hazards(null, { spec: { status: 'running' } })).toHaveLength(1);
    const paused = { message: expect.stringContaining('Campaign 7 "Spring 2025" would stop') };
    expect(hazards(null, { spec: { replaces: 7 } })).toMatchObject([paused]);
    expect(hazards(42, { spec: { status: 'running' }, shown: { total_leads: 0 } })).toHaveLength(1);
  });

  it.each<[string, number | null, Known]>([
    ['its manifest lists leads', null, { spec: { status: 'running', leads: { ids: [1] } } }],
    ['the service shows some', 42, { spec: { status: 'running' }, shown: { total_leads: '3' } }],
    [
      'the state records some',
      42,
      { spec: { status: 'running' }, recorded: { ...CREATED_STATE, attached: ATTACHED } },
    ],
    [
      'more leads are attached first',
      42,
      {
        spec: { status: 'running', leads: { lists: [12], ids: [1] } },
        shown: { total_leads: 0 },
        recorded: { ...CREATED_STATE, attached: ATTACHED },
      },
    ],
    [
      'the number is late, because the campaign was running when they were attached',
      42,
      {
        spec: { status: 'running' },
        shown: { total_leads: 0 },
        recorded: { ...CREATED_STATE, attached: ATTACHED, attached_at: { boot: null, uptime: 1 } },
      },
    ],
    [
      'some may be attached',
      42,
      {
        spec: { status: 'running' },
        recorded: { ...CREATED_STATE, doubtful: { lists: [12], ids: [] } },
      },
    ],
    ['it is not launched', null, { spec: { settings: { plain_text: true } } }],
    ['its launch is held back', 42, { spec: { status: 'running' }, hold: ['launch'] }],
    ['it replaced the other one before', 42, { spec: { replaces: 7 }, replaced: true }],
    [
      'it replaces an idle one, and neither gets a request',
      42,
      { spec: { replaces: 7, status: 'paused' }, shown: { status: 'paused' }, old: 'paused' },
    ],
  ])('needs none if %s', (_, id, known) => {
    expect(hazards(id, known)).toEqual([]);
  });
});

describe('a replaced campaign is listed for deletion', () => {
  const deleted = (shown: Known['shown'], recorded: Partial<RecordedState> = {}, spec = {}) =>
    plan(42, {
      spec: { replaces: 7, ...spec },
      ...{ shown: shown ?? {}, replaced: true, recorded: { ...CREATED_STATE, ...recorded } },
    })
      .by_hand.filter(({ does }) => does === 'delete')
      .map(({ id }) => id);

  it('once its successor is running with leads', () => {
    expect(deleted({ status: 'active', total_leads: 10 })).toEqual([7]);
    expect(deleted({ status: 'completed', total_leads: 10 })).toEqual([7]);
    expect(deleted({ status: 'active' }, { attached: { lists: [12], ids: [] } })).toEqual([7]);
  });

  it('not before', () => {
    expect(deleted({ status: 'draft', total_leads: 10 })).toEqual([]);
    expect(deleted({ status: 'active', total_leads: 0 })).toEqual([]);
    expect(deleted({ status: 'active' })).toEqual([]);
    expect(deleted({ status: 'dozing', total_leads: 10 })).toEqual([]);
  });
});

it('a campaign that has run is resumed, and the plan counts its uncontacted leads', () => {
  const { campaigns } = plan(42, {
    spec: { status: 'running', settings: { max_emails_per_day: 80 } },
    shown: { status: 'paused', total_leads: 2450, total_leads_contacted: '2400' },
    recorded: { ...CREATED_STATE, has_run: true, attached: { lists: [12], ids: [] }, total_leads: 2450 },
  });
  expect(codes(campaigns[0]?.problems ?? [])).toContain('hazard launch');
  expect(campaigns[0]?.impact).toMatchObject({
    ...{ resumed: true, lists: [12], ids: [], leads: 2450, people: 50, partway: 2400, last: null },
    ...{ emails_per_day: 80, first_day: 80 },
  });
});

describe('a plan that may undo an apply', () => {
  const commit = 'c0ffee';
  const changes = [changeIn('settings')('max_emails_per_day', 'update', 300, 250) as Change];
  const by = { run: 'r', at: '2026-03-01T06:00:00Z', who: 'ben@desk', commit };
  const recorded = { ...CREATED_STATE, applies: [{ ...by, changes: sentChanges(changes, [STEP]) }] };
  const known: KnownSpring = {
    spec: { settings: { max_emails_per_day: 300 } },
    shown: { status: 'paused', max_emails_per_day: 250, reputation_building: true, can_unsubscribe: true },
    recorded,
  };
  const history = (...ancestors: string[]): CheckoutHistory => ({
    ancestors: new Set(ancestors),
    extent: 'complete',
  });
  const problemsOf = ({ plan }: ReturnType<typeof planSpring>) =>
    plan.campaigns.flatMap(({ problems }) => problems.filter(({ code }) => code === 'undoes-apply'));

  it('needs approval, unless its checkout includes the commit', () => {
    expect(problemsOf(planSpring(known, { history: history() }))).toMatchObject([
      {
        severity: 'hazard',
        accepted_by: null,
        message: expect.stringMatching(/max_emails_per_day that ben@desk/),
      },
    ]);
    expect(problemsOf(planSpring(known, { history: history(commit) }))).toEqual([]);
    const approvals = [{ hazard: 'undoes-apply' as const, by: '--allow undoes-apply' }];
    expect(refusals(planSpring(known, { approvals }).plan)).toEqual([]);
  });

  it('asks about the commits of its applies, and only if it may undo one', () => {
    expect(commitsInQuestion(planSpring(known).works)).toEqual(new Set([commit]));
    const another = { ...known, spec: { settings: { max_emails_per_day: 400 } } };
    expect(commitsInQuestion(planSpring(another).works)).toEqual(new Set());
  });

  it('has the same fingerprint with every history', () => {
    const prints = [{}, { history: history() }, { history: history(commit) }].map(
      (more) => planSpring(known, more).plan.fingerprint,
    );
    expect(new Set(prints).size).toBe(1);
  });

  it('needs none for a change that apply cannot send', () => {
    const email = { email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1 };
    const waits = [changeIn('sequence')('steps[0].wait_in_days', 'update', 1, 2) as Change];
    const applies = [{ ...by, changes: sentChanges(waits, [step('sequence')]) }];
    const withRepost = (sequence_repost: 'replace' | 'refuse') =>
      planSpring({
        spec: { sequence: { title: 'Spring', steps: [email] } },
        shown: { status: 'draft' },
        sequence: {
          title: null,
          steps: [{ id: 1, order: 1, ...email, wait_in_days: 2, thread_reply: false }],
        },
        recorded: { ...CREATED_STATE, applies },
        service: { sequence_repost },
      });
    expect(problemsOf(withRepost('replace'))).toHaveLength(1);
    const refused = withRepost('refuse');
    expect([refused.plan.campaigns[0]?.action, problemsOf(refused)]).toEqual(['blocked', []]);
  });
});
