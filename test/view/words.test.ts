import { expect, it } from 'vitest';
import type { Impact } from '../../src/model/outputs.js';
import { launchCells, launchLine, launchTotals } from '../../src/view/launches.js';
import { wrap } from '../../src/view/words.js';

const spring: Impact = {
  resumed: false,
  lists: [],
  list_names: [],
  ids: [],
  ...{ leads: 1200, people: 1200, partway: 0, unknown_lists: [], and_more: false },
  ...{ emails_per_day: 200, first_day: 100, can_unsubscribe: null, open_tracking: null },
  emails: 3600,
  first: '2026-03-02T09:00:00+01:00',
  last: '2026-04-03T17:00:00+02:00',
  sending_days: 24,
  timezone: 'Europe/Paris',
  days: [],
};
const undated = { first: null, last: null, sending_days: null };
const unending = { last: null, sending_days: null };

const unsized = { leads: null, people: 0, and_more: true, emails: null, first_day: 200 };

const IMPACTS: Partial<Impact>[] = [
  {},
  { leads: 1, people: 1, emails: 3, first_day: 1 },
  { leads: 1, people: 1, emails: 1, first_day: 1, last: '2026-03-02T17:00:00+01:00' },
  { last: '2027-01-04T17:00:00+01:00' },
  { emails_per_day: null },
  { ...unending, ...unsized, lists: [12], list_names: ['fr (id 12)'], unknown_lists: ['fr (id 12)'] },
  {
    ...unending,
    leads: 2,
    people: 2,
    and_more: true,
    emails: 6,
    lists: [12],
    list_names: ['fr (id 12)', 'de (id 13)'],
    unknown_lists: ['fr (id 12)'],
    ids: [5, 6],
  },
  { ...unending, leads: 2, people: 2, and_more: true, emails: 6, ids: [5, 6] },
  { ...unending, and_more: true, lists: [12], list_names: ['fr (id 12)'], refilled_lists: ['fr (id 12)'] },
  { ...unending, emails: null },
  unending,
  {
    ...undated,
    ...unsized,
    timezone: null,
    lists: [1, 2, 3, 4, 5, 6, 7, 8, 9],
    unknown_lists: [...'abcdefghi'],
  },
  { ...undated, timezone: null, resumed: true, leads: 2450, people: 50, partway: 2400, emails: 150 },
  { ...undated, timezone: null, resumed: true, people: 50, partway: null, and_more: true, emails: 150 },
  {
    ...undated,
    timezone: null,
    resumed: true,
    people: null,
    partway: null,
    emails: null,
    can_unsubscribe: null,
    open_tracking: null,
    emails_per_day: null,
  },
  { leads: null, people: 0, emails: 0, last: null },
  // A resumed campaign whose number of leads the service does not show.
  { ...unending, resumed: true, leads: null, people: 0, partway: null, and_more: true, emails: null },
  { ...undated, emails_per_day: 0 },
  { ...undated, emails_per_day: 'unlimited' },
];

it('a launch is shown with the people, the emails and the dates that are known', async () => {
  const lines = IMPACTS.map((part) => {
    const impact = { ...spring, ...part };
    const [cells = {}] = launchCells([impact]);
    return `${JSON.stringify(part)}\n  ${launchLine(impact)}\n  ${Object.values(cells).join(' | ')}\n`;
  });
  await expect(lines.join('')).toMatchFileSnapshot('golden/impacts.txt');
});

it.each<[string, Partial<Impact>[]]>([
  ['1 launch · 1,200 people · 3,600 emails · first Mon 2 Mar 2026 09:00 (Europe/Paris)', [{}]],
  ['2 launches · 2,400 people · 7,200 emails · first Mon 2 Mar 2026 09:00 (Europe/Paris)', [{}, {}]],
  [
    '2 launches · at least 1,200 people · at least 3,600 emails · first Mon 2 Mar 2026 09:00 (Europe/Paris)',
    [{}, { ...unsized, unknown_lists: ['fr'] }],
  ],
  [
    '1 launch · 1 resumed campaign · 1,250 people · at least 3,750 emails · first Mon 2 Mar 2026 09:00 (Europe/Paris)',
    [{}, { ...undated, timezone: null, resumed: true, people: 50, partway: 1150, emails: 150 }],
  ],
  [
    '1 launch · unknown number of people and emails · first Mon 2 Mar 2026 09:00 (Europe/Paris)',
    [{ ...unsized, unknown_lists: ['fr'] }],
  ],
  ['1 launch · 0 people · 0 emails', [{ ...undated, emails_per_day: 200 }]],
  ['1 launch · 0 people · 0 emails', [{ ...undated, leads: null, people: 0, emails: 0 }]],
])('launches are summed as "%s"', (words, impacts) => {
  const launched = impacts.map((part) => ({ manifest: 'a.yaml', impact: { ...spring, ...part } }));
  const cap = impacts.length === 1 ? 'daily cap: up to 200' : 'daily caps together: up to 400';
  expect(launchTotals(launched)).toBe(`${words}; ${cap} emails a day`);
});

const leads = (ids: number[], more: Partial<Impact> = {}) => ({
  ...{ ids, people: ids.length, emails: ids.length },
  ...more,
});
it.each<[string, Partial<Impact>[]]>([
  ['4 people, 1 of them in two campaigns · 5 emails', [leads([1, 2, 3]), leads([3, 4])]],
  ['2 people, 2 of them in several campaigns · 5 emails', [leads([1, 2]), leads([1, 2]), leads([2])]],
  [
    'at least 4 people, 1 of them in two campaigns · at least 5 emails',
    [leads([1, 2, 3], { and_more: true, unknown_lists: ['fr'] }), leads([3, 4])],
  ],
  // The service has dropped a lead: whether it is the shared one is not known.
  [
    'at least 3 people, 1 of them in two campaigns · 5 emails',
    [leads([1, 2, 3], { people: 2 }), leads([3, 4])],
  ],
  // Those partway through are not counted for the first campaign.
  ['at least 2 people, 2 of them in two campaigns · 4 emails', [leads([1, 2], { people: 0 }), leads([1, 2])]],
  ['3 people · 3 emails', [leads([1, 2]), leads([3])]],
])('a person in several campaigns counts once: %s', (words, impacts) => {
  const launched = impacts.map((part) => ({ manifest: 'a.yaml', impact: { ...spring, ...part } }));
  expect(launchTotals(launched)).toContain(` · ${words} · first `);
});

it.each([
  ['an approval that fits', 40, ['To launch it again, apply with', '--allow launch="Year end".']],
  [
    'a checkout of a folder',
    52,
    ['It is gone. Restore it with', 'git checkout 0a1b2c3d^ -- clients/acorn, then go on.'],
  ],
  ['a command that fits', 40, ['To launch it, run', 'campaignctl apply --env live. Then look.']],
  [
    'between options otherwise, never within quotes',
    34,
    ['campaignctl apply --env live', '--allow launch="One more question"', "--hold launch='The last one'."],
  ],
])('a line is not broken within %s', (_, width, lines) => {
  expect(wrap(lines.join(' '), width)).toEqual(lines);
});

it('a command ends before the words that follow it', () => {
  expect(wrap('If nobody else does, run campaignctl import --all in the folder', 36)).toEqual([
    'If nobody else does, run',
    'campaignctl import --all in the',
    'folder',
  ]);
});
