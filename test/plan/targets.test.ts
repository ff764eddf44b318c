import { expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { Described } from '../../src/model/spec.js';
import {
  CREATED_STATE,
  type PendingOperations,
  type RecordedState,
  type StateEntry,
} from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { ALL } from '../../src/plan/input.js';
import { isOutside, type MatchInput, matchCampaigns, matchTargets, renaming } from '../../src/plan/match.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { step } from '../support/plans.js';
import { planInput } from '../support/works.js';

const SPRING = campaign('spring.yaml', { name: 'Spring' });
const known = (id: number, name: string, recorded: Partial<RecordedState> = {}): StateEntry => ({
  ...entryOf(id, `${name.toLowerCase()}.yaml`, name),
  recorded: { ...CREATED_STATE, ...recorded },
});

function targets(given: Partial<MatchInput>): Target[] {
  const campaigns = given.campaigns ?? [SPRING];
  return matchTargets(deepFreeze({ ...planInput({}), campaigns, selected: campaigns, ...given })).targets;
}

const brief = (all: Target[]) => all.map(({ role, id }) => [role, id]);
const LISTED = [listedCampaign(1, 'Spring', 'draft'), listedCampaign(2, 'Autumn', 'paused')];
const BOTH = [known(1, 'Spring'), known(2, 'Autumn')];

it.each([
  ['everything', ALL, true],
  ['some files', { ...ALL, files: ['spring.yaml'] }, false],
  ['some campaigns', { ...ALL, target: ['Spring'] }, false],
])('campaigns without a manifest are part of a plan of %s: %s', (_, selection, isReported) => {
  expect(brief(targets({ listed: LISTED, entries: BOTH, selection }))).toEqual([
    ['declared', 1],
    ...(isReported ? [['removed', 2]] : []),
  ]);
});

const died = (manifest: string, name: string, id: number | null = null): PendingOperations => ({
  ...{ run: 'r', at: '', who: 'ada@desk', manifest, name, id, spec: '', changes: [] },
  sent: [{ at: '', age: 0, visible_in: null, step: step('settings'), result: 'unknown', total_leads: null }],
});

it.each<[string, string | null, Partial<RecordedState>, PendingOperations[], boolean]>([
  ['is idle', 'paused', { superseded_by: 9 }, [], false],
  ['is sending', 'active', { superseded_by: 9 }, [], true],
  ['has an unknown status', 'odd', { superseded_by: 9 }, [], true],
  [
    'is idle, but has open requests',
    'paused',
    { superseded_by: 9 },
    [died('autumn.yaml', 'Autumn', 2)],
    true,
  ],
  ['is idle, but has no successor', 'paused', {}, [], true],
])(
  'a campaign without a manifest that %s according to the list is read: %s',
  (_, status, recorded, pending, isRead) => {
    const [, removed] = targets({
      listed: [listedCampaign(1, 'Spring'), listedCampaign(2, 'Autumn', status)],
      entries: [known(1, 'Spring'), known(2, 'Autumn', recorded)],
      pending,
    });
    expect(removed?.reads ?? null).toEqual(isRead ? ['campaign'] : null);
  },
);

it('open requests belong to one campaign of their name, preferably that of their file', () => {
  const twins = [
    campaign('a.yaml', { name: 'Spring', id: 1 }),
    campaign('b.yaml', { name: 'Spring', id: 2 }),
  ];
  const listed = [listedCampaign(1, 'Spring'), listedCampaign(2, 'Spring')];
  const claimed = (...pending: PendingOperations[]) =>
    targets({ campaigns: twins, selected: twins, listed, pending }).map((target) =>
      target.pending.map(({ manifest }) => manifest),
    );
  expect(claimed(died('moved.yaml', 'Spring'))).toEqual([['moved.yaml'], []]);
  expect(claimed(died('moved.yaml', 'Spring'), died('a.yaml', 'Spring'))).toEqual([
    ['a.yaml'],
    ['moved.yaml'],
  ]);
  expect(claimed(died('b.yaml', 'Other', 2))).toEqual([[], ['b.yaml']]);
  expect(claimed(died('b.yaml', 'Other'))).toEqual([[], []]);
});

it('only a comparison without an apply binds a manifest to its campaign of another name', () => {
  const given = {
    listed: [listedCampaign(1, 'Renamed'), listedCampaign(3, 'Other')],
    entries: [known(1, 'Spring')],
  };
  expect(targets({ ...given, drift: true })).toMatchObject([
    { id: 1, row: { name: 'Renamed' }, entry: { id: 1 } },
  ]);
  expect(targets({ ...given, drift: false })).toMatchObject([{ id: null, row: null, entry: null }]);
  const gone = { listed: [listedCampaign(3, 'Other')], entries: [known(1, 'Spring')] };
  expect(targets({ ...gone, drift: true })).toMatchObject([{ id: null }]);
  const moved = [1, 2].map((id) => ({ ...entryOf(id, `spring.yaml#${id + 1}`, `Old ${id}`) }));
  const uncertain = { listed: moved.map(({ id, name }) => listedCampaign(id, name)), entries: moved };
  expect(targets({ ...uncertain, drift: true })[0]).toMatchObject({
    id: null,
    candidates: [{ id: 1 }, { id: 2 }],
  });
});

it.each<[string, ListedCampaign[], StateEntry[], Parameters<typeof campaign>[1], [string, string][]]>([
  ['was renamed', [listedCampaign(1, 'New')], [known(1, 'Spring')], {}, [['Spring', 'New']]],
  [
    'was renamed while another one got its name',
    [listedCampaign(1, 'New'), listedCampaign(2, 'Spring')],
    [known(1, 'Spring')],
    { id: 1 },
    [['Spring', 'New']],
  ],
  [
    'was renamed in the manifest as well',
    [listedCampaign(1, 'New')],
    [known(1, 'Old')],
    { id: 1, name: 'New' },
    [],
  ],
  [
    'was renamed only in the manifest',
    [listedCampaign(1, 'Old')],
    [known(1, 'Old')],
    { id: 1, name: 'New' },
    [],
  ],
  ['is as it was', [listedCampaign(1, 'Spring')], [known(1, 'Spring')], {}, []],
  ['is not in the state', [listedCampaign(1, 'Spring')], [], {}, []],
  ['is gone', [], [known(1, 'Spring')], {}, []],
])('both names of a campaign are told if it %s', (_, listed, entries, spec, names) => {
  const manifest = campaign('spring.yaml', { name: 'Spring', ...spec });
  const [target] = matchCampaigns([manifest], { environment: environment(), listed, entries });
  expect(target && renaming(target)).toEqual(names);
});

it.each<[string, string, readonly Described[] | null | undefined, boolean]>([
  ['no file', 'spring.yaml', undefined, false],
  ['a file that cannot be read', 'spring.yaml', null, true],
  ['its file, with its name', 'spring.yaml', [{ name: 'Spring' }], true],
  ['its file, with another name', 'spring.yaml', [{ name: 'Autumn' }], false],
  ['its file, with another name and its id', 'spring.yaml', [{ name: 'Autumn', id: 7 }], true],
  ['its file, with its name and another id', 'spring.yaml', [{ name: 'Spring', id: 8 }], false],
  ['its file, with another one first', 'spring.yaml', [{ name: 'Autumn' }, { name: 'Spring' }], true],
  ['the file of a document', 'spring.yaml#12', [{ name: 'Spring' }], true],
  ['the file of a document, with another name', 'spring.yaml#12', [{ name: 'Autumn' }], false],
  ['the file of an instance', 'spring.yaml#2[fr, #1]', [{ name: 'Spring' }], true],
  ['the file of an instance of the first document', 'spring.yaml[fr]', [{ name: 'Spring' }], true],
  ['a file with a similar name', 'spring.yaml.old', [{ name: 'Spring' }], false],
  ['a file whose name goes on', 'spring.yaml#copy', [{ name: 'Spring' }], false],
  ['a file whose name ends like an instance', 'spring.yaml[fr].old', [{ name: 'Spring' }], false],
])('an entry is described outside of the environment by %s: %s', (_, manifest, described, expected) => {
  const outside = new Map(described === undefined ? [] : [['spring.yaml', described] as const]);
  expect(isOutside({ ...entryOf(7, manifest, 'Spring') }, outside)).toBe(expected);
});

it('a removed campaign is described elsewhere if a file outside of the environment, or another manifest, has it', () => {
  const at = (given: Partial<MatchInput>) =>
    targets({ listed: LISTED, entries: BOTH, ...given }).find(({ role }) => role === 'removed')?.outside;
  expect(at({})).toBe(false);
  expect(at({ outside: new Map([['autumn.yaml', null]]) })).toBe(true);
});

it('a campaign that was replaced and is not listed any more is read with its successor', () => {
  const campaigns = [campaign('summer.yaml', { name: 'Summer', replaces: 5 })];
  const entries = [known(5, 'Spring', { superseded_by: 9 }), known(9, 'Summer')];
  const all = targets({ campaigns, selected: campaigns, listed: [listedCampaign(9, 'Summer')], entries });
  expect(all.map(({ role, id, reads }) => [role, id, reads])).toEqual([
    ['declared', 9, []],
    ['replaced', 5, ['campaign']],
  ]);
});
