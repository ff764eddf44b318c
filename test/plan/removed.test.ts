import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { Cap } from '../../src/model/outputs.js';
import { NO_RESULTS } from '../../src/model/results.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import {
  CREATED_STATE,
  type PendingOperations,
  type RecordedState,
  type StateEntry,
} from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { buildPlan } from '../../src/plan/build.js';
import { matchCampaigns, removedEntries } from '../../src/plan/match.js';
import type { Answer } from '../../src/service/live.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { answer, codes } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { step } from '../support/plans.js';
import { planInput, removedTarget, targetOf } from '../support/works.js';

/** The removed campaign of a plan. */
function planned(record: Answer, row: string | null) {
  const listed = listedCampaign(5, 'Spring', row);
  const answers = { campaign: record, schedule: null, sequence: null };
  const targets = [removedTarget({ entry: spring, listed, answers })];
  const rest = { listed: [listed], entries: [spring], pending: [], now: 0 };
  return buildPlan(deepFreeze(planInput({ targets, ...rest }))).plan.removed;
}

/** The ids of entries without a manifest. */
function removed(campaigns: Campaign[], listed: ListedCampaign[], entries: StateEntry[]): number[] {
  const context = deepFreeze({ environment: environment(), listed, entries });
  return removedEntries(entries, matchCampaigns(campaigns, context)).map(({ id }) => id);
}

const spring = entryOf(5, 'spring.yaml', 'Spring');
const autumn = entryOf(6, 'autumn.yaml', 'Autumn');
const live = [listedCampaign(5, 'Spring', 'active'), listedCampaign(6, 'Autumn')];
const entries = [spring, autumn];

const manifest = (file: string, name: string, more = {}) => campaign(file, { name, ...more });
const AUTUMN = manifest('autumn.yaml', 'Autumn');
const SUMMER = manifest('spring.yaml', 'Summer');

it.each<[string, Campaign[], number[], StateEntry?]>([
  ['its manifest was removed', [manifest('spring.yaml', 'Spring')], [6]],
  ['all manifests were removed', [], [5, 6]],
  ['its manifest has a different name, in addition to the rename hazard', [SUMMER, AUTUMN], [5]],
  ['its manifest was moved and renamed at once', [manifest('summer.yaml', 'Summer'), AUTUMN], [5]],
  ['a different campaign has taken over its file', [manifest('spring.yaml', 'Autumn')], [5]],
  ['a rename of its manifest was approved', [SUMMER, AUTUMN], [5], entryOf(7, 'spring.yaml', 'Summer')],
  [
    'its manifest is pinned to a different campaign',
    [manifest('spring.yaml', 'Spring', { id: 8 }), manifest('a.yaml', 'Autumn')],
    [5],
  ],
])('an entry of the state is removed if %s', (_, manifests, ids, third) => {
  const more = third === undefined ? [] : [third];
  const listed = [...live, ...more.map(({ id, name }) => listedCampaign(id, name))];
  expect(removed(manifests, listed, [...entries, ...more])).toEqual(ids);
});

it('an entry of the state is not removed if its manifest was only moved, or if a different file pins it', () => {
  const moved = [manifest('old/s.yaml', 'Spring'), manifest('x.yaml', 'X', { id: 6 })];
  expect(removed(moved, live, entries)).toEqual([]);
});

describe('two entries of one manifest', () => {
  const twins = [entryOf(7, 'spring.yaml', 'Spring'), entryOf(5, 'spring.yaml', 'Spring')];
  const spring = campaign('spring.yaml', { name: 'Spring' });
  const match = (listed: ListedCampaign[], moved = spring, entries = twins) =>
    matchCampaigns([moved], { environment: environment(), listed, entries })[0];

  it.each([
    ['where it is', 'spring.yaml'],
    ['moved', 'old/spring.yaml'],
  ])('are an error that names both and both fixes: %s', (_, file) => {
    const both = [listedCampaign(5, 'Spring'), listedCampaign(7, 'Spring')];
    const problem = {
      code: 'record-twice',
      severity: 'error',
      message: expect.stringContaining(`(${file}): 5 and 7.`),
      hint: expect.stringMatching(/forget 5 --env production or campaignctl forget 7 .* id:/),
    };
    expect(match(both, campaign(file, { name: 'Spring' }))).toMatchObject({
      id: null,
      candidates: expect.arrayContaining(both),
      problems: [problem],
    });
  });

  it.each(['spring.yaml', 'old/spring.yaml'])('are an error if one checkout moved the file: %s', (file) => {
    const known = [entryOf(5, 'spring.yaml', 'Spring'), entryOf(7, 'old/spring.yaml', 'Spring')];
    const both = [listedCampaign(5, 'Spring'), listedCampaign(7, 'Spring')];
    const result = match(both, campaign(file, { name: 'Spring' }), known);
    expect(result).toMatchObject({ id: null, problems: [{ code: 'record-twice' }] });
  });

  it('are also an error if both were renamed', () => {
    const both = [listedCampaign(5, 'A'), listedCampaign(7, 'B')];
    expect(match(both)?.problems.map(({ code }) => code)).toEqual(['record-twice']);
  });

  it('are not an error if one is pinned, is the only live one, or is the only one with the name', () => {
    const both = [listedCampaign(5, 'Spring'), listedCampaign(7, 'Spring')];
    expect(match(both, campaign('spring.yaml', { name: 'Spring', id: 7 }))).toMatchObject({
      id: 7,
      problems: [],
    });
    expect(match([listedCampaign(5, 'Spring')])).toMatchObject({ id: 5, problems: [] });
    const renamed = [listedCampaign(5, 'Old'), listedCampaign(7, 'Spring')];
    expect(match(renamed)).toMatchObject({ id: 7, problems: [] });
    expect(removed([spring], renamed, twins)).toEqual([5]);
  });
});

it.each([
  ['paused', 'archived', null],
  ['archived', 'paused', null],
  [null, 'archived', null],
  ['active', 'archived', { status: 'active', running: true }],
  ['archived', 'active', { status: 'active', running: true }],
  ['archived', 'completed', { status: 'completed', running: false }],
])(
  'a removed campaign with status %s in its record and %s in the list is shown as %o',
  (record, row, shown) => {
    const body = { id: 5, name: 'Spring', ...(record === null ? {} : { status: record }) };
    const answer = { endpoint: 'GET /api/campaigns/5', body };
    expect(planned(answer, row)).toEqual(shown === null ? [] : [expect.objectContaining(shown)]);
  },
);

it.each([
  ['deleted', null],
  [null, null],
  ['active', { status: 'active', running: true }],
])('a removed campaign without a record, with status %s in the list, is shown as %o', (row, shown) => {
  const answer = { endpoint: 'GET /api/campaigns/5', body: null };
  expect(planned(answer, row)).toEqual(shown === null ? [] : [expect.objectContaining(shown)]);
});

/** A launch that an earlier run sent, and of which it did not note the outcome. */
const launching: PendingOperations = {
  ...{ run: 'r', at: '2026-05-13T08:00:00Z', who: 'ada', manifest: 'spring.yaml', name: 'Spring', id: 5 },
  ...{ spec: 'sha256:', changes: [] },
  sent: [
    {
      step: step('status', { id: 'launch' }),
      ...{ at: '2026-05-13T08:00:00Z', age: 0, result: 'unknown', total_leads: null, visible_in: null },
    },
  ],
};

it.each([
  ['shown as active', 'active', ['warning unfinished-run'], ['pause']],
  ['shown as archived', 'archived', [], []],
  ['not shown any more', null, [], []],
])('a removed campaign with an unfinished run that is %s', (_, status, problems, steps) => {
  const listed = status === null ? null : listedCampaign(5, 'Spring', status);
  const record = answer('GET /api/campaigns/5', { id: 5, name: 'Spring', status });
  const answers = listed === null ? null : { campaign: record, schedule: null, sequence: null };
  const here = { ...environment(), on_removal: 'pause' as const };
  const target = { ...removedTarget({ entry: spring, listed, answers }, [launching]), environment: here };
  const rest = { listed: listed === null ? [] : [listed], entries: [spring], pending: [launching], now: 0 };
  const { plan, works } = buildPlan(deepFreeze(planInput({ environment: here, targets: [target], ...rest })));
  expect([codes(plan.problems), works[0]?.plan.steps.map(({ id }) => id)]).toEqual([problems, steps]);
});

const UNSHOWN = listedCampaign(5, 'Spring', null);
const RUNS = { status: 'running' } as const;

it.each<[string, ListedCampaign | null, number | null, Partial<CampaignSpec>, string[]]>([
  ['is there without a status', UNSHOWN, null, RUNS, ['pause']],
  ['is not listed any more', null, null, RUNS, []],
  ['has a successor that is created, but not launched', UNSHOWN, null, {}, ['pause']],
  ['has a successor that is launched', UNSHOWN, 9, RUNS, ['pause']],
  ['has a successor that is paused', UNSHOWN, 9, { status: 'paused' }, []],
  ['has a successor that is only changed', UNSHOWN, 9, { settings: { max_emails_per_day: 20 } }, []],
])(
  'the pause of a predecessor is repeated before its successor starts: it %s',
  (_, listed, id, spec, steps) => {
    const entry = { ...spring, recorded: { ...CREATED_STATE, status: 'paused' as const, has_run: true } };
    const at = 'GET /api/campaigns/5';
    const record = answer(at, listed === null ? null : { id: 5, name: 'Spring' });
    const answers = { campaign: record, schedule: null, sequence: null };
    const predecessor = { id: 5, name: 'Spring', row: listed, entry };
    const replaced = { ...removedTarget({ entry, listed, answers }), role: 'replaced' as const };
    const manifest = campaign('new.yaml', { name: 'Spring 2', replaces: 'Spring', ...spec });
    const word = spec.status === 'paused' ? 'active' : 'draft';
    const shown = answer('GET /api/campaigns/9', { id: 9, name: 'Spring 2', status: word });
    const read = id === null ? null : { campaign: shown, schedule: null, sequence: null };
    const row = id === null ? null : listedCampaign(9, 'Spring 2', word);
    const successor = { ...targetOf({ campaign: manifest, id, listed: row, answers: read }), predecessor };
    const rest = { listed: [listed, row].filter((each) => each !== null), entries: [entry], now: 0 };
    const { works } = buildPlan(deepFreeze(planInput({ targets: [successor, replaced], ...rest })));
    expect(works[1]?.plan.steps.map(({ id }) => id)).toEqual(steps);
    expect(works[1]?.plan.changes.map(({ section, to }) => [section, to])).toEqual(
      steps.map(() => ['status', 'paused']),
    );
    expect(works[0]?.waitsFor?.target.id).toBe(5);
  },
);

interface Unmanaged {
  status?: string | null;
  cap?: Cap;
  leads?: object;
  recorded?: Partial<RecordedState>;
  pending?: PendingOperations[];
  role?: Target['role'];
}

const FAIR = {
  ...{ id: 5, name: 'Fair', manifest: 'spring.yaml', outside: false, running: true, step: null },
  ...{ status: 'active', basis: 'shown', max_emails_per_day: 300 },
};
const PAUSED = { ...FAIR, step: expect.objectContaining({ id: 'pause', path: '/api/campaigns/5/pause' }) };
const at = '2026-05-12T08:00:00Z';
const SUCCEEDED = { recorded: { superseded_by: 9 } };

it.each<[string, Unmanaged, 'removed' | 'replaced', object | null]>([
  ['is running', {}, 'removed', FAIR],
  ['has no cap', { cap: 'unlimited' }, 'removed', { ...FAIR, max_emails_per_day: null }],
  ['shows no cap', { cap: null }, 'removed', { ...FAIR, max_emails_per_day: null }],
  ['has an unknown status', { status: 'odd' }, 'removed', { ...FAIR, status: 'odd', basis: 'unknown' }],
  [
    'shows no status, and was launched',
    { status: null, recorded: { status: 'running', has_run: true, status_at: at } },
    'removed',
    { ...FAIR, status: 'running', basis: 'set', since: at },
  ],
  ['was replaced, and runs', SUCCEEDED, 'replaced', { ...PAUSED, superseded_by: 9 }],
  ['was replaced, and is paused', { ...SUCCEEDED, status: 'paused' }, 'replaced', null],
  [
    'was replaced, and may have been launched',
    { ...SUCCEEDED, status: 'paused', pending: [launching] },
    'replaced',
    { ...FAIR, status: 'paused', running: false, superseded_by: 9 },
  ],
  ['is replaced', { role: 'replaced' }, 'replaced', PAUSED],
  [
    'is replaced, and has leads',
    { role: 'replaced', leads: { total_leads: 9, total_leads_contacted: 2 } },
    'replaced',
    { ...PAUSED, stopping_leads: 9 },
  ],
  [
    'is replaced, and has leads that only the state shows',
    { role: 'replaced', recorded: { attached: { lists: [], ids: [1, 2] } } },
    'replaced',
    { ...PAUSED, stopping_leads: 2 },
  ],
  [
    'is replaced, and has a list whose leads nothing counts',
    { role: 'replaced', recorded: { attached: { lists: [5], ids: [1, 2] } } },
    'replaced',
    PAUSED,
  ],
  ['is replaced, and is paused', { role: 'replaced', status: 'paused' }, 'replaced', null],
])('a campaign without a manifest that %s is described', (_, facts, list, campaign) => {
  const { status = 'active', cap = 300, leads = {}, recorded = {}, pending = [], ...rest } = facts;
  const entry = { ...spring, recorded: { ...CREATED_STATE, ...recorded } };
  const listed = { ...listedCampaign(5, 'Fair', status), numbers: { results: NO_RESULTS, cap } };
  const body = { id: 5, name: 'Fair', ...(status === null ? {} : { status }), ...leads };
  const answers = { campaign: answer('GET /api/campaigns/5', body), schedule: null, sequence: null };
  const target = { ...removedTarget({ entry, listed, answers }, pending), ...rest };
  const input = planInput({ targets: [target], listed: [listed], entries: [entry], pending });
  const { removed, replaced } = buildPlan(deepFreeze(input)).plan;
  expect({ removed, replaced }).toEqual({
    removed: [],
    replaced: [],
    [list]: campaign === null ? [] : [campaign],
  });
});

it.each([
  ['odd', ['warning unknown-status']],
  ['active', []],
])(
  'of the problems of a removed campaign with status %s, only an unknown status is reported',
  (status, problems) => {
    const answers = {
      campaign: answer('GET /api/campaigns/5', { id: 5, name: 'Spring!', status }),
      ...{ schedule: null, sequence: null },
    };
    const listed = listedCampaign(5, 'Spring!', status);
    const target = removedTarget({ entry: spring, listed, answers });
    const { works } = buildPlan(
      deepFreeze(planInput({ targets: [target], listed: [listed], entries: [spring] })),
    );
    expect(codes(works[0]?.plan.problems ?? [])).toEqual(problems);
  },
);

it('only idle campaigns without a manifest are listed for deletion', () => {
  const remaining = (status: string | null, outside: boolean) => {
    const entry = entryOf(12, 'campaigns/spring.yaml', 'Spring');
    const listed = listedCampaign(12, 'Spring', status);
    const record = answer('GET /api/campaigns/12', { id: 12, name: 'Spring', status });
    const answers = { campaign: record, schedule: null, sequence: null };
    const targets = [{ ...removedTarget({ entry, listed, answers }), outside }];
    const rest = { listed: [listed], entries: [entry], pending: [], now: 0 };
    return buildPlan(planInput({ targets, ...rest })).plan.by_hand;
  };
  expect(remaining('paused', false)).toEqual([
    {
      ...{ campaign: 'Spring', id: 12, manifest: 'campaigns/spring.yaml', does: 'delete', section: null },
      ...{ path: '', place: '', from: 'paused', to: null },
    },
  ]);
  expect(remaining('active', false)).toEqual([]);
  expect(remaining('paused', true)).toEqual([]);
  expect(remaining(null, false)).toEqual([]);
});

it('the pause of a removed campaign is one of the requests, and one that is idle is none', () => {
  const here = { ...environment(), on_removal: 'pause' as const };
  const targets = [spring, autumn].map((entry) => {
    const { id, name } = entry;
    const status = entry === spring ? 'active' : 'paused';
    const campaign = answer(`GET /api/campaigns/${id}`, { id, name, status });
    const answers = { campaign, schedule: null, sequence: null };
    const target = removedTarget({ entry, listed: listedCampaign(id, name, status), answers });
    return { ...target, environment: here };
  });
  const rest = { listed: live, entries, pending: [], now: 0 };
  const { summary } = buildPlan(planInput({ environment: here, targets, ...rest })).plan;
  expect(summary).toMatchObject({ removed: 2, pause: 1, requests: 1 });
});
