import { expect, it } from 'vitest';
import type { PlanProblem } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type RecordedState } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import { leadOwners, ownersToRead } from '../../src/plan/leads.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { answer } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { planInput, removedTarget, targetOf } from '../support/works.js';

interface Side {
  /** `null`: the plan creates it. */
  id?: number | null;
  status?: string;
  spec?: Partial<CampaignSpec>;
  recorded?: Partial<RecordedState>;
  total?: number;
  /** It has no manifest, and is replaced by the first campaign. */
  isReplaced?: boolean;
  isListed?: boolean;
}

/** What a plan of campaigns called A, B … says of shared leads: for each, the messages and hints. */
function shared(...sides: Side[]) {
  const named = sides.map((side, index) => ({
    id: index + 1,
    status: 'draft',
    ...side,
    name: 'ABC'[index] ?? '',
  }));
  const there = named.filter(({ id, isListed = true }) => id !== null && isListed);
  const listed = there.map(({ id, name, status }) => listedCampaign(id ?? 0, name, status));
  const entries = named.flatMap(({ id, name, recorded }) =>
    id === null
      ? []
      : [{ ...entryOf(id, `${name}.yaml`, name), recorded: { ...CREATED_STATE, ...recorded } }],
  );
  const lint: PlanProblem = { code: 'shared-lead-list', severity: 'warning', message: '', hint: '' };
  const targets = named.map(({ id, name, status, spec, total, isReplaced }, index) => {
    const record = { id, name, status, ...(total === undefined ? {} : { total_leads: total }) };
    const shown = answer(`GET /api/campaigns/${id}`, record);
    const answers = { campaign: shown, schedule: null, sequence: null };
    const row = listed.find((each) => each.id === id) ?? null;
    const entry = entries.find((each) => each.id === id) ?? null;
    if (isReplaced === true && entry !== null)
      return { ...removedTarget({ entry, listed: row, answers }), role: 'replaced' as const };
    const old = named.findIndex((each) => each.isReplaced === true);
    const predecessor = { id: old + 1, name: 'B', row: null, entry: null };
    const manifest = { ...campaign(`${name}.yaml`, { name, ...spec }), remarks: [lint] };
    const target = targetOf({ campaign: manifest, id, listed: row, answers: id === null ? null : answers });
    return old > 0 && index === 0 ? { ...target, predecessor } : target;
  });
  const known = { environment: environment(), listed, pending: [] };
  const owners = leadOwners(entries, targets, known);
  const { works } = buildPlan(deepFreeze(planInput({ targets, listed, entries, owners })));
  const found = works.map(({ plan }) => plan.problems.filter(({ code }) => code.startsWith('shared-lead')));
  return { found, idle: works.map(({ idleOwners }) => idleOwners) };
}

/** The campaigns with a hazard, each with the beginning of what it says after the leads. */
function told(...sides: Side[]): [name: string, said: string][] {
  return shared(...sides).found.flatMap((problems, index) =>
    problems
      .filter(({ code }) => code === 'shared-leads')
      .map(({ message }): [string, string] => [
        'ABC'[index] ?? '',
        /also (.*) with the same leads: (once )?|also (attaches .*?): (once )?|already has these leads and (.*?): they|does not record .* and which (.*?)\./
          .exec(message)
          ?.slice(1)
          .filter((part) => part !== undefined)
          .join('; ') ?? message,
      ]),
  );
}

const LIST = { leads: { lists: [5] } };
const LAUNCHED = { ...LIST, status: 'running' as const };
const HAS: Partial<RecordedState> = { attached: { lists: [5], ids: [] } };
const RAN: Partial<RecordedState> = { ...HAS, has_run: true, status: 'paused' };
const NEW: Side = { id: null, spec: { ...LIST, replaces: 2 } };
const OLD: Side = { isReplaced: true, status: 'active', recorded: { has_run: true } };

it.each<[string, Side[], [string, string][]]>([
  [
    'two that are created and launched, once, for the second',
    [
      { id: null, spec: LAUNCHED },
      { id: null, spec: LAUNCHED },
    ],
    [['B', 'launches "A" (A.yaml)']],
  ],
  [
    'one that is launched, and one that is paused after it ran',
    [{ spec: LAUNCHED }, { status: 'paused', spec: LIST, recorded: RAN }],
    [['A', 'has run']],
  ],
  [
    'two that ran and are launched, once, for the second',
    [
      { status: 'paused', spec: LAUNCHED, recorded: RAN },
      { status: 'paused', spec: LAUNCHED, recorded: RAN },
    ],
    [['B', 'has run, and this plan launches it']],
  ],
  [
    'one that ran and is launched, and a new one, for the new one',
    [{ spec: LAUNCHED }, { status: 'paused', spec: LAUNCHED, recorded: RAN }],
    [['A', 'has run, and this plan launches it']],
  ],
  [
    'the same in the other order',
    [{ status: 'paused', spec: LAUNCHED, recorded: RAN }, { spec: LAUNCHED }],
    [['B', 'has run, and this plan launches it']],
  ],
  [
    'two that are sending and get them',
    [
      { status: 'active', spec: LIST },
      { status: 'active', spec: LIST },
    ],
    [['B', 'attaches the same leads to campaign 1 "A" (A.yaml)']],
  ],
  [
    'one that is sending and gets them, and one that is launched',
    [{ status: 'active', spec: LIST }, { spec: LAUNCHED }],
    [['B', 'attaches the same leads to campaign 1 "A" (A.yaml)']],
  ],
  [
    'one that is launched, and one that gets them and is not sending',
    [{ spec: LAUNCHED }, { spec: LIST }],
    [['B', 'launches campaign 1 "A" (A.yaml); once ']],
  ],
  [
    'one that is launched, and one that has them and that this plan pauses',
    [{ spec: LAUNCHED }, { status: 'active', spec: { ...LIST, status: 'paused' }, recorded: HAS }],
    [['A', 'is sending until this plan pauses it']],
  ],
  [
    'a predecessor whose record is read, although the list does not show it',
    [NEW, { ...OLD, recorded: { ...HAS, has_run: true }, isListed: false }],
    [['A', 'is sending until this plan pauses it']],
  ],
  [
    'two that ran, of which the first is launched and the second stays paused',
    [
      { status: 'paused', spec: LAUNCHED, recorded: RAN },
      { status: 'paused', spec: LIST, recorded: RAN },
    ],
    [['A', 'has run']],
  ],
  [
    'the same, if the second gets leads of a third',
    [
      { status: 'paused', spec: LAUNCHED, recorded: RAN },
      { status: 'paused', spec: { leads: { lists: [5, 6] } }, recorded: RAN },
      { status: 'active', spec: {}, recorded: { ...RAN, attached: { lists: [6], ids: [] } } },
    ],
    [
      ['A', 'has run'],
      ['B', 'is sending'],
    ],
  ],
  [
    'a draft that has them, and another one, both launched',
    [{ spec: LAUNCHED, recorded: HAS }, { spec: LAUNCHED }],
    [['B', 'launches campaign 1 "A" (A.yaml)']],
  ],
  [
    'one that is sending and only gets another setting',
    [
      { status: 'active', spec: { settings: { plain_text: true } }, recorded: HAS },
      { status: 'paused', spec: LIST, recorded: RAN },
    ],
    [],
  ],
  ['drafts that get them', [{ spec: LIST }, { spec: LIST }], []],
  [
    'one that is launched, and a draft that has them',
    [{ spec: LAUNCHED }, { spec: LIST, recorded: HAS }],
    [],
  ],
  ['other leads', [{ spec: LAUNCHED }, { spec: { ...LAUNCHED, leads: { lists: [6] } } }], []],
])('leads of two campaigns in one plan need approval: %s', (_, sides, expected) => {
  expect(told(...sides)).toEqual(expected);
});

it('findings of lint rules on leads give way to the hazard, for both campaigns', () => {
  const codesOf = (...sides: Side[]) => shared(...sides).found.map((all) => all.map(({ code }) => code));
  expect(codesOf({ spec: LAUNCHED }, { spec: LAUNCHED })).toEqual([[], ['shared-leads']]);
  expect(codesOf({ spec: LAUNCHED }, { status: 'paused', spec: LIST, recorded: RAN })).toEqual([
    ['shared-leads'],
    [],
  ]);
  expect(codesOf({ spec: LIST }, { spec: LIST })).toEqual([['shared-lead-list'], ['shared-lead-list']]);
});

it('owners that never ran are checked again before sending, unless the plan launches them', () => {
  expect(shared({ spec: LAUNCHED }, { spec: LIST, recorded: HAS }).idle).toEqual([
    [{ id: 2, status: 'draft' }],
    [],
  ]);
  expect(shared({ spec: LAUNCHED }, { spec: LAUNCHED }).idle).toEqual([[], []]);
  expect(shared({ spec: LAUNCHED }, { status: 'paused', spec: LIST, recorded: RAN }).idle).toEqual([[], []]);
  expect(shared({ id: null, spec: LIST }, { id: null, spec: LIST }).idle).toEqual([[], []]);
});

const STOPPED = 'is sending until this plan pauses it';

it.each<[string, Side[], [string, string][]]>([
  [
    'of which the state knows none',
    [NEW, { ...OLD, recorded: { has_run: true, known: false }, total: 7 }],
    [['A', STOPPED]],
  ],
  [
    'that shows more than the state knows',
    [NEW, { ...OLD, recorded: { attached: { lists: [], ids: [1] } }, total: 2 }],
    [['A', STOPPED]],
  ],
  [
    'of which the state knows all',
    [NEW, { ...OLD, recorded: { attached: { lists: [], ids: [1] } }, total: 1 }],
    [],
  ],
  ['of which the state knows all, as it was created here', [NEW, OLD], []],
  ['that shows no leads', [NEW, { ...OLD, recorded: { has_run: true, known: false }, total: 0 }], []],
  ['that never ran', [NEW, { ...OLD, status: 'draft', recorded: { known: false }, total: 7 }], []],
  [
    'if nothing is attached',
    [
      { ...NEW, spec: { replaces: 2 } },
      { ...OLD, recorded: { known: false }, total: 7 },
    ],
    [],
  ],
])('the unknown leads of a predecessor need approval: one %s', (_, sides, expected) => {
  expect(told(...sides)).toEqual(expected);
});

it.each<[string, Side[], string, boolean]>([
  ['the predecessor', [NEW, { ...OLD, recorded: { ...HAS, has_run: true } }], 'from the first one on', true],
  [
    'another campaign',
    [{ spec: LIST }, { status: 'active', spec: {}, recorded: RAN }],
    'from the first one on',
    false,
  ],
  [
    'a campaign that is gone',
    [{ spec: LIST }, { status: 'archived', spec: {}, recorded: RAN }],
    'campaignctl forget 2',
    true,
  ],
  [
    'a campaign that is there',
    [{ spec: LIST }, { status: 'active', spec: {}, recorded: RAN }],
    'campaignctl forget 2',
    false,
  ],
  [
    'a campaign of another manifest',
    [
      { id: null, spec: LIST },
      { status: 'active', spec: {}, recorded: RAN },
    ],
    'add id: 2',
    false,
  ],
])('the hazard says what to do with leads of %s', (_, sides, words, isSaid) => {
  const [problem] = shared(...sides).found[0]?.filter(({ code }) => code === 'shared-leads') ?? [];
  expect(problem).toBeDefined();
  expect(`${problem?.message} ${problem?.hint}`.includes(words)).toBe(isSaid);
});

it.each<[string, Partial<CampaignSpec>, Partial<RecordedState>, number[]]>([
  ['that is launched', { status: 'running' }, HAS, [2]],
  ['that has them and is not launched', LIST, HAS, []],
  ['that gets them', LIST, {}, [2]],
  ['that may have them', LIST, { doubtful: { lists: [5], ids: [] } }, [2]],
  ['that gets what came to the list since', { leads: { lists: [{ list: 5, refill: 'b' }] } }, HAS, [2]],
  ['that gets others', { leads: { lists: [6] } }, {}, []],
])('other owners are read for the leads of a campaign %s', (_, spec, recorded, ids) => {
  const listed = [listedCampaign(1, 'A', 'draft'), listedCampaign(2, 'B', 'draft')];
  const entryOfBoth = (id: number, name: string, more: Partial<RecordedState>) => ({
    ...entryOf(id, `${name}.yaml`, name),
    recorded: { ...CREATED_STATE, ...more },
  });
  const entries = [entryOfBoth(1, 'A', recorded), entryOfBoth(2, 'B', HAS)];
  const manifest = campaign('A.yaml', { name: 'A', ...spec });
  const target = targetOf({ campaign: manifest, id: 1, listed: listed[0] ?? null, answers: null });
  const here = { environment: environment(), listed };
  const owners = leadOwners(entries, [target], { ...here, pending: [] });
  expect([...ownersToRead(owners, [target], here)].map(({ id }) => id)).toEqual(ids);
});
