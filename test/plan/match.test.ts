import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { Campaign } from '../../src/model/spec.js';
import type { StateEntry } from '../../src/model/state.js';
import { isRenamed, matchCampaigns } from '../../src/plan/match.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { codes } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';

const spring = campaign('spring.yaml');

function match(campaigns: Campaign[], listed: ListedCampaign[], entries: StateEntry[] = []) {
  return matchCampaigns(...deepFreeze([campaigns, { environment: environment(), listed, entries }] as const));
}

/** "7", "new, hazard missing", "new ? 7 8, error ambiguous-name": id, candidates and problems of each manifest. */
function brief(campaigns: Campaign[], listed: ListedCampaign[], entries: StateEntry[] = []): string[] {
  return match(campaigns, listed, entries).map(({ id, candidates, problems }) => {
    const others = candidates.length === 0 ? '' : ` ? ${candidates.map((row) => row.id).join(' ')}`;
    return [`${id ?? 'new'}${others}`, ...codes(problems)].join(', ');
  });
}

const pinned = campaign('spring.yaml', { id: 8 });
const namesakes = [
  listedCampaign(7),
  listedCampaign(9, 'Spring installers', null),
  listedCampaign(8, 'Other'),
];
const winter = listedCampaign(7, 'Winter installers');

it.each<[string, Campaign[], ListedCampaign[], StateEntry[], string[]]>([
  [
    'means the one live campaign of exactly its name',
    [spring],
    [listedCampaign(7), listedCampaign(8, 'Spring installers 2'), listedCampaign(9, 'spring installers')],
    [],
    ['7'],
  ],
  [
    'means that one, with a hazard, if the applied one is not in the workspace',
    [spring],
    [listedCampaign(7)],
    [entryOf(5, 'spring.yaml')],
    ['7, hazard missing'],
  ],
  [
    'means that one, with a hazard, if the applied one has another name now',
    [spring],
    [listedCampaign(5, 'Old name'), listedCampaign(7)],
    [entryOf(5, 'spring.yaml')],
    ['7 ? 5, hazard rename'],
  ],
  [
    'means the one it was applied to last',
    [spring],
    [listedCampaign(7)],
    [entryOf(5, 'spring.yaml'), entryOf(7, 'spring.yaml')],
    ['7'],
  ],
  [
    'means the one it was applied to last, in any order of the state',
    [spring],
    [listedCampaign(7)],
    [entryOf(7, 'spring.yaml'), entryOf(5, 'spring.yaml')],
    ['7'],
  ],
  ['is new where none has its name', [spring], [listedCampaign(8, 'Winter installers')], [], ['new']],
  [
    'means the pinned campaign, whatever its name, also where others have the same',
    [pinned],
    [listedCampaign(7), listedCampaign(8, 'Spring 2025')],
    [entryOf(7, 'spring.yaml')],
    ['8'],
  ],
  ['keeps its pin where the list does not have it, for the record to decide', [pinned], [], [], ['8']],
  ['is ambiguous among namesakes', [spring], namesakes, [], ['new ? 7 9, error ambiguous-name']],
  [
    'means the namesake that the state binds to it',
    [spring],
    namesakes,
    [entryOf(9, 'spring.yaml')],
    ['9, warning same-name'],
  ],
  [
    'means that namesake also after a move to another file',
    [spring],
    namesakes,
    [entryOf(9, 'old/spring.yaml')],
    ['9, warning same-name'],
  ],
  [
    'means the namesake that no other manifest pins',
    [spring, campaign('copy.yaml', { name: 'Copy', id: 9 })],
    namesakes,
    [entryOf(7, 'spring.yaml'), entryOf(9, 'copy.yaml')],
    ['7, warning same-name', '9'],
  ],
  [
    'is ambiguous where the state binds it to no namesake',
    [spring],
    namesakes,
    [entryOf(5, 'spring.yaml')],
    ['new ? 7 9, error ambiguous-name'],
  ],
  [
    'has a new name',
    [spring],
    [winter],
    [entryOf(7, 'spring.yaml', 'Winter installers')],
    ['new ? 7, hazard rename'],
  ],
  [
    'was renamed in the service',
    [spring],
    [listedCampaign(7, 'Spring installers (old)')],
    [entryOf(7, 'spring.yaml')],
    ['new ? 7, hazard rename'],
  ],
  ['is missing in the workspace', [spring], [], [entryOf(7, 'spring.yaml')], ['new, hazard missing']],
  [
    'is new where it took over the file of another manifest',
    [campaign('multi.yaml'), campaign('multi.yaml#2', { name: 'Winter installers' })],
    [winter],
    [entryOf(7, 'multi.yaml', 'Winter installers')],
    ['new', '7'],
  ],
  [
    'is claimed by another that pins it',
    [spring, campaign('pinned.yaml', { id: 7, name: 'Other' })],
    [listedCampaign(7)],
    [],
    ['7, error claimed-twice', '7, error claimed-twice'],
  ],
  [
    'is claimed by another of its name',
    [spring, campaign('twin.yaml')],
    [listedCampaign(7)],
    [],
    ['7, error claimed-twice', '7, error claimed-twice'],
  ],
  [
    'is claimed by another of its name before it exists, since two would be created',
    [spring, campaign('twin.yaml')],
    [],
    [],
    ['new, error claimed-twice', 'new, error claimed-twice'],
  ],
])('a manifest %s', (_, campaigns, listed, entries, expected) => {
  expect(brief(campaigns, listed, entries)).toEqual(expected);
});

it('a match has the list row and the state entry', () => {
  const entry = entryOf(7, 'spring.yaml');
  expect(match([spring], [listedCampaign(7)], [entry])).toMatchObject([
    { id: 7, listed: listedCampaign(7), entry },
  ]);
  const renamed = entryOf(7, 'spring.yaml', 'Winter installers');
  expect(match([spring], [winter], [renamed])).toMatchObject([{ id: null, listed: null, entry: renamed }]);
});

describe('a file whose documents were removed and renamed', () => {
  const entries = [1, 2, 3].map((n) => entryOf(100 + n, n === 1 ? 'c.yaml' : `c.yaml#${n}`, `M${n}`));
  const live = entries.map(({ id, name }) => listedCampaign(id, name));
  const documents = (...names: string[]) =>
    names.map((name, at) => campaign(at === 0 ? 'c.yaml' : `c.yaml#${at + 1}`, { name }));

  it.each<[string, string[], string[]]>([
    ['one was removed, one renamed', ['N2', 'M3'], ['new ? 101 102, hazard rename', '103']],
    ['one was renamed', ['M1', 'N2', 'M3'], ['101', 'new ? 102, hazard rename', '103']],
    ['one was removed, one added at the end', ['M2', 'M3', 'N'], ['102', '103', 'new ? 101, hazard rename']],
    [
      'all were renamed',
      ['N1', 'N2', 'N3'],
      Array.from({ length: 3 }, () => 'new ? 101 102 103, hazard rename'),
    ],
  ])('needs approval wherever a new name stands: %s', (_, names, expected) => {
    expect(brief(documents(...names), live, entries)).toEqual(expected);
  });

  it('needs approval even if another campaign has the new name', () => {
    const rows = [...live, listedCampaign(7, 'N2')];
    expect(brief(documents('N2', 'M3'), rows, entries)).toEqual(['7 ? 101 102, hazard rename', '103']);
  });

  it('treats a new document as new once the position of the old one has a different name', () => {
    const all = [...entries, entryOf(104, 'c.yaml', 'N1')];
    const rows = [...live, listedCampaign(104, 'N1')];
    expect(brief(documents('N1', 'M2', 'M3', 'N4'), rows, all)).toEqual(['104', '102', '103', 'new']);
  });
});

it.each([
  ['Old name', true],
  ['Spring installers', false],
  ['Spring  installers\n', false],
  ['Spring&#39;s installers', false],
])('the campaign that was applied, now called %j, is renamed: %s', (now, expected) => {
  const applied = now.includes('&') ? "Spring's installers" : 'Spring installers';
  const entry = entryOf(5, 'spring.yaml', applied);
  const [work] = match([campaign('spring.yaml', { name: 'Spring 2027' })], [listedCampaign(5, now)], [entry]);
  expect(work && isRenamed(work)).toBe(expected);
});
