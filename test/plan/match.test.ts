import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import type { StateEntry } from '../../src/model/state.js';
import { isRenamed, matchCampaigns } from '../../src/plan/match.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { readCases } from '../support/cases.js';
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
