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
const mon = 'if applied now, first email Mon 2 March 2026 09:00';

it.each<[Partial<Impact>, string]>([
  [
    {},
    `starts sending to about 1,200 leads, up to 200 a day; ${mon}, last about 3 April 2026 (Europe/Paris)`,
  ],
  [
    { leads: 1, emails: 3 },
    `starts sending to about 1 lead, up to 200 a day; ${mon}, last about 3 April 2026 (Europe/Paris)`,
  ],
  [
    { last: '2027-01-04T17:00:00+01:00' },
    `starts sending to about 1,200 leads, up to 200 a day; ${mon}, last about 4 January 2027 (Europe/Paris)`,
  ],
  [
    { emails_per_day: null },
    `starts sending to about 1,200 leads, daily cap not known (documented default 1,000); ${mon}, last not before 3 April 2026 (Europe/Paris)`,
  ],
  [
    { leads: null, emails: null, last: null, sending_days: null },
    `starts without leads (none are known), up to 200 a day; ${mon} at the earliest (Europe/Paris)`,
  ],
  [
    { emails: null, last: null, sending_days: null },
    `starts sending to about 1,200 leads, up to 200 a day; ${mon} (Europe/Paris)`,
  ],
  [
    { leads: null, lists: [12], list_names: ['fr (12)'], emails: null, last: null, sending_days: null },
    `starts sending to an unknown number of leads (lead list fr (12)), up to 200 a day; ${mon} (Europe/Paris)`,
  ],
  [
    { last: null, sending_days: null },
    `starts sending to about 1,200 leads, up to 200 a day; ${mon}, last in more than 10 years (Europe/Paris)`,
  ],
  [
    { ...undated, timezone: null, lists: [12], list_names: ['12'], ids: [5, 6], and_more: true },
    'starts sending to more than 1,200 leads (lead list 12 and 2 individual leads (5, 6)), up to 200 a day',
  ],
  [
    { ...undated, timezone: null, lists: [1, 2, 3, 4, 5, 6, 7, 8], list_names: [...'abcdefgh'] },
    'starts sending to about 1,200 leads (lead lists a, b, c, d, e, f, g, h), up to 200 a day',
  ],
  [
    { ...undated, timezone: null, resumed: true, leads: 2450, not_contacted: 50 },
    'resumes sending to about 2,450 leads, 50 of them not contacted yet, up to 200 a day',
  ],
  [{ ...undated, timezone: null }, 'starts sending to about 1,200 leads, up to 200 a day'],
  [
    { ...undated, timezone: null, resumed: true, leads: null, emails: null, emails_per_day: null },
    'resumes without leads (none are known), daily cap not known (documented default 1,000)',
  ],
  [{ ...undated, emails_per_day: 0 }, 'launches but sends nothing: max_emails_per_day is 0 (Europe/Paris)'],
  [{ ...undated }, 'launches but sends nothing: its schedule and limits allow no email (Europe/Paris)'],
])('an impact with %j', (part, line) => {
  expect(impactLine({ ...spring, ...part })).toBe(line);
});
