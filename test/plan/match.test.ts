import { describe, expect, it } from 'vitest';
import { isRenamed, matchCampaigns } from '../../src/plan/match.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { codes } from '../support/context.js';
import { deepFreeze } from '../support/freeze.js';

type Args = Parameters<typeof matchCampaigns>;
const match = (...args: Args) => matchCampaigns(...deepFreeze(args));
const spring = campaign('spring.yaml');
const plainMatch = {
  campaign: spring,
  id: null,
  listed: null,
  entry: null,
  rivals: [],
  predecessor: null,
  problems: [],
};

describe('a manifest', () => {
  it('means the one live campaign of exactly its name', () => {
    const live = [
      listedCampaign(7),
      listedCampaign(8, 'Spring installers 2'),
      listedCampaign(9, 'spring installers'),
    ];
    expect(match([spring], live, [])).toEqual([{ ...plainMatch, id: 7, listed: live[0] }]);
  });

  it('means that one, and says so aloud, if the one it was applied to is not in the workspace', () => {
    const [only] = match([spring], [listedCampaign(7)], [entryOf(5, 'spring.yaml')]);
    expect(only).toMatchObject({ id: 7, problems: [{ code: 'missing', severity: 'hazard' }] });
    expect(only?.problems[0]?.message).toContain('Apply would change campaign 7 instead');
  });

  it('means that one, and says so aloud, if the one it was applied to has another name now', () => {
    const live = [listedCampaign(5, 'Old name'), listedCampaign(7)];
    const [only] = match([spring], live, [entryOf(5, 'spring.yaml')]);
    expect(only).toMatchObject({ id: 7, problems: [{ code: 'rename', severity: 'hazard' }] });
    expect(only?.problems[0]?.message).toContain('called "Old name" now. Campaign 7 has the name');
  });

  it('means that one without a word once it was applied to it', () => {
    const entries = [entryOf(5, 'spring.yaml'), entryOf(7, 'spring.yaml')];
    expect(match([spring], [listedCampaign(7)], entries)).toMatchObject([{ id: 7, problems: [] }]);
    expect(match([spring], [listedCampaign(7)], [...entries].reverse())).toMatchObject([
      { id: 7, problems: [] },
    ]);
  });

  it('makes a campaign where none has its name and nothing is remembered', () => {
    const live = [listedCampaign(8, 'Winter installers')];
    expect(match([spring], live, [])).toEqual([plainMatch]);
  });

  it('that is pinned means that campaign, whatever its name, also where others have the same', () => {
    const pinned = campaign('spring.yaml', { id: 8 });
    const live = [listedCampaign(7), listedCampaign(8, 'Spring 2025')];
    expect(match([pinned], live, [entryOf(7, 'spring.yaml')])).toEqual([
      { ...plainMatch, campaign: pinned, id: 8, listed: live[1], entry: entryOf(7, 'spring.yaml') },
    ]);
  });

  it('that is pinned keeps its id where the list does not have it, for the record to decide', () => {
    const pinned = campaign('spring.yaml', { id: 8 });
    expect(match([pinned], [], [])).toEqual([{ ...plainMatch, campaign: pinned, id: 8 }]);
  });
});

describe('several live campaigns of one name', () => {
  const live = [listedCampaign(7), listedCampaign(9, 'Spring installers', null), listedCampaign(8, 'Other')];

  it('are an error that names the ids', () => {
    expect(match([spring], live, [])).toEqual([
      {
        ...plainMatch,
        rivals: [live[0], live[1]],
        predecessor: null,
        problems: [
          {
            code: 'ambiguous-name',
            severity: 'error',
            message: 'The service has 2 campaigns called "Spring installers": 7 (draft), 9.',
            hint: 'Pin the one you mean with id: in the manifest.',
          },
        ],
      },
    ]);
  });

  it('are told apart by the one that state binds to this manifest', () => {
    expect(match([spring], live, [entryOf(9, 'spring.yaml')])).toMatchObject([
      {
        id: 9,
        problems: [
          {
            code: 'same-name',
            severity: 'warning',
            message:
              'The service has 2 campaigns called "Spring installers": 9, to which this manifest was applied, and 7 (draft). Apply does not launch 9 while it shares its name.',
            hint: "Another run may have created one at the same time. Rename or delete the others in the service's web app, or pin each of them with its id: in a manifest of its own.",
          },
        ],
      },
    ]);
  });

  it('are told apart still when the manifest was moved to another file', () => {
    expect(match([spring], live, [entryOf(9, 'old/spring.yaml')])).toMatchObject([
      { id: 9, problems: [{ code: 'same-name' }] },
    ]);
  });

  it('are told apart where the state knows both and another manifest pins one', () => {
    const entries = [entryOf(7, 'spring.yaml'), entryOf(9, 'copy.yaml')];
    const copy = campaign('copy.yaml', { name: 'Copy', id: 9 });
    expect(match([spring, copy], live, entries)).toMatchObject([
      { id: 7, problems: [{ code: 'same-name' }] },
      { id: 9, problems: [] },
    ]);
  });

  it('are an error where state binds the manifest to none of them', () => {
    const [found] = match([spring], live, [entryOf(5, 'spring.yaml')]);
    expect(found?.id).toBeNull();
    expect(codes(found?.problems ?? [])).toEqual(['error ambiguous-name']);
  });
});

describe('a manifest whose campaign is not there under its name', () => {
  it('is a rename where the campaign it was applied to has another name now', () => {
    const live = [listedCampaign(7, 'Winter installers')];
    expect(match([spring], live, [entryOf(7, 'spring.yaml', 'Winter installers')])).toEqual([
      {
        ...plainMatch,
        entry: entryOf(7, 'spring.yaml', 'Winter installers'),
        rivals: live,
        predecessor: null,
        problems: [
          {
            code: 'rename',
            severity: 'hazard',
            message:
              'This manifest was applied to campaign 7, which is called "Winter installers" now. The API cannot change names: apply would create a second campaign "Spring installers" beside it.',
            hint: expect.stringContaining('id: 7'),
          },
        ],
      },
    ]);
  });

  it('is a rename too where the campaign was renamed in the service', () => {
    const live = [listedCampaign(7, 'Spring installers (old)')];
    const [found] = match([spring], live, [entryOf(7, 'spring.yaml')]);
    expect(codes(found?.problems ?? [])).toEqual(['hazard rename']);
  });

  it('is missing where the campaign it was applied to is gone', () => {
    expect(match([spring], [], [entryOf(7, 'spring.yaml')])).toEqual([
      {
        ...plainMatch,
        entry: entryOf(7, 'spring.yaml'),
        problems: [
          {
            code: 'missing',
            severity: 'hazard',
            message:
              'This manifest was applied to campaign 7 ("Spring installers"), which is not in the workspace that the token shows. Apply would create a new campaign.',
            hint: expect.stringContaining('campaignctl forget 7'),
          },
        ],
      },
    ]);
  });

  it('is new where its file was taken over and the old campaign has its own manifest', () => {
    const winter = campaign('multi.yaml#2', { name: 'Winter installers' });
    const found = match(
      [campaign('multi.yaml'), winter],
      [listedCampaign(7, 'Winter installers')],
      [entryOf(7, 'multi.yaml', 'Winter installers')],
    );
    expect(found).toMatchObject([
      { id: null, problems: [] },
      { id: 7, problems: [] },
    ]);
  });
});

describe('a file whose documents were removed and renamed', () => {
  const known = [1, 2, 3].map((n) => entryOf(100 + n, n === 1 ? 'c.yaml' : `c.yaml#${n}`, `M${n}`));
  const live = known.map(({ id, name }) => listedCampaign(id, name));
  const documents = (...names: string[]) =>
    names.map((name, at) => campaign(at === 0 ? 'c.yaml' : `c.yaml#${at + 1}`, { name }));

  it('does not tell by its place which campaign the new name means', () => {
    const [renamed, kept] = match(documents('N2', 'M3'), live, known);
    expect(kept).toMatchObject({ id: 103, problems: [] });
    expect(renamed).toMatchObject({ id: null, entry: null, rivals: live.slice(0, 2) });
    expect(renamed?.problems).toEqual([
      {
        code: 'rename',
        severity: 'hazard',
        message:
          'Campaigns 101 ("M1") and 102 ("M2") were applied from c.yaml, where no manifest has their names any more. The API cannot change names: apply would create "N2" beside them, even if it is meant to be one of them.',
        hint: 'Write the old name, or pin the campaign that is meant by its id. If "N2" is another campaign, accept with --allow rename.',
      },
    ]);
  });

  it('says of a campaign of the new name that it would be taken instead', () => {
    const [renamed] = match(documents('N2', 'M3'), [...live, listedCampaign(7, 'N2')], known);
    expect(renamed).toMatchObject({ id: 7, problems: [{ code: 'rename', severity: 'hazard' }] });
    expect(renamed?.problems[0]?.message).toContain('Apply would take campaign 7 for "N2" and change it');
  });

  it.each<[string, string[], number[][]]>([
    ['one was renamed', ['M1', 'N2', 'M3'], [[102]]],
    ['one was removed, one added at the end', ['M2', 'M3', 'N'], [[101]]],
    [
      'one was removed, two were renamed',
      ['N2', 'N3'],
      [
        [101, 102, 103],
        [101, 102, 103],
      ],
    ],
    ['all were renamed, each in its place', ['N1', 'N2', 'N3'], [[101], [102], [103]]],
  ])('needs approval wherever a new name stands: %s', (_, names, left) => {
    const found = match(documents(...names), live, known);
    const told = found.filter(({ problems }) => problems.length > 0);
    expect(told.map(({ campaign }) => campaign.spec.name)).toEqual(
      names.filter((one) => one.startsWith('N')),
    );
    expect(told.map(({ rivals }) => rivals.map(({ id }) => id))).toEqual(left);
    for (const { problems } of told) expect(codes(problems)).toEqual(['hazard rename']);
  });

  it('takes a new document for new once the place of the old one has another name', () => {
    const again = [...known, entryOf(104, 'c.yaml', 'N1')];
    const [, , , added] = match(
      documents('N1', 'M2', 'M3', 'N4'),
      [...live, listedCampaign(104, 'N1')],
      again,
    );
    expect(added).toMatchObject({ id: null, problems: [] });
  });
});

describe('two manifests for one campaign', () => {
  const claimed = (first: string, second: string) => ({
    code: 'claimed-twice',
    severity: 'error',
    message: `Several manifests claim campaign 7: ${first}, ${second}.`,
    hint: 'Keep one of them, or give them different names.',
  });

  it('are an error, one of them by name, the other pinned', () => {
    const pinned = campaign('pinned.yaml', { id: 7, name: 'Other' });
    expect(match([spring, pinned], [listedCampaign(7)], [])).toMatchObject([
      { id: 7, problems: [{ code: 'claimed-twice', severity: 'error' }] },
      { id: 7, problems: [{ code: 'claimed-twice', severity: 'error' }] },
    ]);
  });

  it('are told once, in the order of the manifests', () => {
    const found = match([spring, campaign('twin.yaml')], [listedCampaign(7)], []);
    expect(found.map(({ problems }) => problems)).toEqual([
      [claimed('spring.yaml', 'twin.yaml')],
      [claimed('spring.yaml', 'twin.yaml')],
    ]);
  });

  it('are an error too while the campaign does not exist, since two would be made', () => {
    const found = match([spring, campaign('twin.yaml')], [], []);
    expect(found.flatMap(({ problems }) => problems).some(({ severity }) => severity === 'error')).toBe(true);
  });
});

it.each([
  ['Old name', true],
  ['Spring installers', false],
  ['Spring  installers\n', false],
  ['Spring&#39;s installers', false],
])('the campaign that was applied, now called %j, is renamed: %s', (now, expected) => {
  const applied = now.includes('&') ? "Spring's installers" : 'Spring installers';
  const entry = { ...entryOf(5, 'spring.yaml'), name: applied };
  const [only] = match([campaign('spring.yaml', { name: 'Spring 2027' })], [listedCampaign(5, now)], [entry]);
  expect(only && isRenamed(only)).toBe(expected);
});
