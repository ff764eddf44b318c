import { expect, it } from 'vitest';
import type { Impact } from '../../src/model/outputs.js';
import { impactLine } from '../../src/view/words.js';

const spring: Impact = {
  resumed: false,
  lists: [],
  list_names: [],
  ids: [],
  not_contacted: null,
  leads: 1200,
  and_more: false,
  emails_per_day: 200,
  emails: 3600,
  first: '2026-03-02T09:00:00+01:00',
  last: '2026-04-03T17:00:00+02:00',
  sending_days: 24,
  timezone: 'Europe/Paris',
};
const undated = { first: null, last: null, sending_days: null };
const unending = { last: null, sending_days: null };

const IMPACTS: Partial<Impact>[] = [
  {},
  { leads: 1, emails: 3 },
  { last: '2027-01-04T17:00:00+01:00' },
  { emails_per_day: null },
  { ...unending, leads: null, emails: null },
  { ...unending, emails: null },
  { ...unending, leads: null, lists: [12], list_names: ['fr (12)'], emails: null },
  unending,
  { ...undated, timezone: null, lists: [12], list_names: ['12'], ids: [5, 6], and_more: true },
  { ...undated, timezone: null, lists: [1, 2, 3, 4, 5, 6, 7, 8], list_names: [...'abcdefgh'] },
  { ...undated, timezone: null, resumed: true, leads: 2450, not_contacted: 50 },
  { ...undated, timezone: null },
  { ...undated, timezone: null, resumed: true, leads: null, emails: null, emails_per_day: null },
  { ...undated, emails_per_day: 0 },
  undated,
];

it('an impact has the leads, the cap and the dates that are known', async () => {
  const lines = IMPACTS.map((part) => `${JSON.stringify(part)}\n  ${impactLine({ ...spring, ...part })}\n`);
  await expect(lines.join('')).toMatchFileSnapshot('golden/impacts.txt');
});
