import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import type { PendingOperations, SentStep, StateEntry } from '../../src/model/state.js';
import { isRenamed, type Manifests, matchCampaigns, matchManifests } from '../../src/plan/match.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { readCases } from '../support/cases.js';
import { codes } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { step } from '../support/plans.js';

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

const winter = listedCampaign(7, 'Winter installers');

interface Case {
  manifests?: Record<string, Partial<CampaignSpec>>;
  listed?: Parameters<typeof listedCampaign>[];
  entries?: Parameters<typeof entryOf>[];
  then: string[];
}

it.each(readCases<Case>(import.meta.dirname, 'match'))(
  'a manifest %s',
  (_, { manifests = { 'spring.yaml': {} }, listed = [], entries = [], then }) => {
    const campaigns = Object.entries(manifests).map(([file, spec]) => campaign(file, spec));
    const rows = listed.map((row) => listedCampaign(...row));
    const state = entries.map((entry) => entryOf(...entry));
    expect(brief(campaigns, rows, state)).toEqual(then);
  },
);

it('a match has the list row and the state entry', () => {
  const entry = entryOf(7, 'spring.yaml');
  expect(match([spring], [listedCampaign(7)], [entry])).toMatchObject([
    { id: 7, row: listedCampaign(7), entry },
  ]);
  const renamed = entryOf(7, 'spring.yaml', 'Winter installers');
  expect(match([spring], [winter], [renamed])).toMatchObject([{ id: null, row: null, earlier: renamed }]);
});

it.each<[string, StateEntry[], number | null]>([
  ['the one of its place in the file', [entryOf(7, 'spring.yaml', 'Winter')], 7],
  ['one of another place in the file', [entryOf(7, 'spring.yaml#2', 'Winter')], null],
  ['one of two', [entryOf(7, 'spring.yaml', 'Winter'), entryOf(8, 'spring.yaml#2', 'Autumn')], null],
])('a manifest with a new name is bound to the applied campaign only if it is %s', (_, entries, earlier) => {
  const [target] = match([spring], [listedCampaign(7, 'Winter'), listedCampaign(8, 'Autumn')], entries);
  expect(target?.candidates.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
  expect(target?.earlier?.id ?? null).toBe(earlier);
});

it('the manifests of one campaign are named', () => {
  const pinned = campaign('pinned.yaml', { id: 7, name: 'Other' });
  const [target] = match([spring, pinned], [listedCampaign(7)]);
  expect(target?.problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/spring\.yaml.*pinned\.yaml/),
  ]);
});

it('a campaign that was replaced is not the one of a new name in its file', () => {
  const { recorded, ...entry } = entryOf(7, 'spring.yaml', 'Winter installers');
  const replaced = { ...entry, recorded: { ...recorded, superseded_by: 9 } };
  expect(brief([spring], [winter], [replaced])).toEqual(['new']);
});

it('of several applied campaigns that are gone, the last one is missing', () => {
  const gone = [entryOf(5, 'spring.yaml', 'Autumn'), entryOf(7, 'spring.yaml', 'Winter')];
  expect(match([spring], [], gone)).toMatchObject([{ earlier: gone[1] }]);
});

describe('an unfinished creation of an earlier run', () => {
  const create = step('campaign', { id: 'create' });
  const died = (more: Partial<PendingOperations> = {}, result: SentStep['result'] = 'unknown') => ({
    ...{ run: 'run-1', at: '', who: 'ada@desk', manifest: 'spring.yaml', name: 'Spring installers' },
    ...{ id: null, spec: '', changes: [] },
    sent: [{ at: '', age: 0, visible_in: null, step: create, result, total_leads: null }],
    ...more,
  });
  const rows = [
    listedCampaign(7, 'Winter'),
    listedCampaign(8, 'Autumn'),
    listedCampaign(9, 'Twin'),
    listedCampaign(10, 'Twin'),
  ];
  const matchAll = (campaigns: Campaign[], pending: PendingOperations[], entries: StateEntry[] = []) =>
    matchManifests(
      deepFreeze({ environment: environment(), campaigns, listed: rows, entries, pending }) as Manifests,
    );

  it.each<[string, PendingOperations, StateEntry[], number[]]>([
    ['all that have appeared since', died({ listed_ids: [7] }), [], [8, 9, 10]],
    ['none that the state knows', died({ listed_ids: [7] }), [entryOf(8, 'autumn.yaml', 'Autumn')], [9, 10]],
    ['none if the list of the run is unknown', died(), [], []],
    ['none if it was refused', died({ listed_ids: [7] }, 'failed'), [], []],
    ['none if it was of another name', died({ listed_ids: [7], name: 'Summer' }), [], []],
  ])('may have created %s', (_, pending, entries, ids) => {
    const { manifests } = matchAll([spring], [pending], entries);
    expect(manifests.map(({ candidates }) => candidates.map(({ id }) => id))).toEqual([ids]);
    expect(manifests.flatMap(({ problems }) => codes(problems))).toEqual(
      ids.length === 0 ? [] : ['hazard rename'],
    );
  });

  it.each<[string, PendingOperations[], [id: number, manifest: string][]]>([
    ['by the id in the response', [died({ id: 9, name: 'Winter' })], [[9, 'spring.yaml']]],
    ['by its name', [died({ name: 'Winter' })], [[7, 'spring.yaml']]],
    ['not by a name that two have', [died({ name: 'Twin' })], []],
    ['not by a name that no campaign has', [died({ name: 'Summer' })], []],
    ['not if it was refused', [died({ name: 'Winter' }, 'failed')], []],
    ['not if the state has it', [died({ id: 8, name: 'Winter' })], []],
    [
      'once, by the first of its runs',
      [died({ name: 'Winter' }), died({ id: 7, name: 'Winter', manifest: 'moved.yaml' })],
      [[7, 'spring.yaml']],
    ],
  ])('is known %s', (_, pending, created) => {
    const known = entryOf(8, 'autumn.yaml', 'Autumn');
    const { entries } = matchAll([spring], pending, [known]);
    expect(entries.map(({ id, manifest }) => [id, manifest])).toEqual([...created, [8, 'autumn.yaml']]);
  });

  it('is known by the name of a manifest only if that pins another campaign', () => {
    const idsOf = (spec: Partial<CampaignSpec>) =>
      matchAll(
        [campaign('winter.yaml', { name: 'Winter', ...spec })],
        [died({ name: 'Winter' })],
      ).entries.map(({ id }) => id);
    expect([idsOf({}), idsOf({ id: 8 })]).toEqual([[], [7]]);
  });
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
