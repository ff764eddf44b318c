import { describe, expect, it, test } from 'vitest';
import { stringify } from 'yaml';
import { forecast, launchOutlook, type SendingRules } from '../../src/email/forecast.js';
import { dayLines } from '../support/days.js';
import { deepFreeze } from '../support/freeze.js';

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const SATURDAY = Date.parse('2026-02-28T12:00:00Z');
const rules: SendingRules = deepFreeze({
  schedule: { days: WEEK.slice(0, 5), start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
  waits: [3, 4, 5],
  max_emails_per_day: 200,
  max_new_leads_per_day: 100,
});

const firstSends = (any: SendingRules, from: number) => forecast(any, from, 1)?.per_day ?? [];
const earliest = (part: Partial<SendingRules>, from = SATURDAY) =>
  firstSends({ ...rules, ...part }, from).map(({ date }) => date);

describe('the first send of each step', () => {
  it('is the first window on or after the wait of the step before', () => {
    expect(firstSends(rules, SATURDAY)[0]).toMatchObject({
      date: '2026-03-02',
      start: Date.parse('2026-03-02T08:00:00Z'),
      end: Date.parse('2026-03-02T16:00:00Z'),
    });
    expect(earliest({})).toEqual(['2026-03-02', '2026-03-05', '2026-03-09']);
    expect(earliest({ waits: [5, 1, 7] })).toEqual(['2026-03-02', '2026-03-09', '2026-03-10']);
  });

  it('begins immediately if the window is open', () => {
    const noon = Date.parse('2026-03-02T11:00:00Z');
    const [first, second] = firstSends(rules, noon);
    expect([first?.start, first?.end]).toEqual([noon, Date.parse('2026-03-02T16:00:00Z')]);
    expect(second?.start).toBe(Date.parse('2026-03-05T08:00:00Z'));
  });

  it('treats a wait of less than a day as one day', () => {
    expect(earliest({ waits: [0, -3, 0] })).toEqual(['2026-03-02', '2026-03-03', '2026-03-04']);
  });

  it('omits a day whose whole window a clock change skips', () => {
    const schedule = { ...rules.schedule, days: ['sunday'], start_time: '02:00', end_time: '03:00' };
    expect(earliest({ schedule, waits: [20, 1] })).toEqual(['2026-03-01', '2026-03-22']);
    expect(earliest({ schedule, waits: [28, 1] })).toEqual(['2026-03-01', '2026-04-05']);
  });

  it('is known for the steps that are sent within ten years, and for none if nothing is sent', () => {
    expect(earliest({ waits: [3, 40_000, 3] })).toEqual(['2026-03-02', '2026-03-05']);
    expect(earliest({ waits: [] })).toEqual([]);
    expect(earliest({ max_emails_per_day: 0 })).toEqual([]);
    expect(earliest({ max_new_leads_per_day: 0 })).toEqual([]);
    expect(earliest({ schedule: { ...rules.schedule, days: [] } })).toEqual([]);
  });
});

describe('a forecast', () => {
  it('sends follow-ups first, then emails to new leads, both up to their caps', () => {
    const outlook = forecast(
      { ...rules, waits: [2, 1], max_emails_per_day: 3, max_new_leads_per_day: 2 },
      SATURDAY,
      7,
    );
    expect(dayLines(outlook)).toEqual([
      '2026-03-02 2 0',
      '2026-03-03 2 0',
      '2026-03-04 1 2',
      '2026-03-05 1 2',
      '2026-03-06 1 1',
      '2026-03-09 0 2',
    ]);
    const { per_day, ...whole } = outlook ?? { per_day: [] };
    expect(whole).toEqual({
      unsent: 0,
      sending_days: 6,
      first: Date.parse('2026-03-02T08:00:00Z'),
      last: Date.parse('2026-03-09T16:00:00Z'),
    });
    expect(per_day[2]).toEqual({
      date: '2026-03-04',
      start: Date.parse('2026-03-04T08:00:00Z'),
      end: Date.parse('2026-03-04T16:00:00Z'),
      by_step: [1, 2],
    });
  });

  it('delays follow-ups if too many are due after a weekend, the longest due first', () => {
    const tight = { ...rules, waits: [2, 1, 1], max_emails_per_day: 3, max_new_leads_per_day: 3 };
    const outlook = forecast(tight, Date.parse('2026-03-04T20:00:00Z'), 6);
    expect(dayLines(outlook)).toEqual([
      '2026-03-05 3 0 0',
      '2026-03-06 3 0 0',
      '2026-03-09 0 3 0',
      '2026-03-10 0 3 0',
      '2026-03-11 0 0 3',
      '2026-03-12 0 0 3',
    ]);
    expect(firstSends(tight, Date.parse('2026-03-04T20:00:00Z'))[2]?.date).toBe('2026-03-10');
  });

  it('sends everything as soon as it is due if no cap is known', () => {
    const outlook = forecast(
      { ...rules, max_emails_per_day: null, max_new_leads_per_day: null },
      SATURDAY,
      1_000_000,
    );
    expect(dayLines(outlook)).toEqual([
      '2026-03-02 1000000 0 0',
      '2026-03-05 0 1000000 0',
      '2026-03-09 0 0 1000000',
    ]);
  });

  it('says how many emails are not sent within ten years', () => {
    const slow = { ...rules, max_emails_per_day: 1, max_new_leads_per_day: 1 };
    const outlook = forecast(slow, SATURDAY, 1_000_000);
    expect([outlook?.unsent, outlook?.sending_days]).toEqual([2_997_390, 2610]);
    expect(new Date(outlook?.last ?? 0).toISOString()).toBe('2036-02-29T16:00:00.000Z');
  });

  it('is null if nothing can ever be sent', () => {
    const never: [Partial<SendingRules>, number][] = [
      [{}, 0],
      [{ waits: [] }, 5],
      [{ max_emails_per_day: 0 }, 5],
      [{ max_new_leads_per_day: 0 }, 5],
      [{ schedule: { ...rules.schedule, start_time: '18:00' } }, 5],
    ];
    expect(never.map(([part, leads]) => forecast({ ...rules, ...part }, SATURDAY, leads))).toEqual(
      never.map(() => null),
    );
  });
});

test('the impact of a launch uses local time, and omits what is unknown or never happens', async () => {
  const hours = (part: object) => ({ schedule: { ...rules.schedule, ...part } });
  const launches: [
    title: string,
    part: Partial<Parameters<typeof launchOutlook>[0]>,
    leads: number | null,
  ][] = [
    ['in Paris', {}, 1200],
    ['on the far side of the date line', hours({ timezone: 'Pacific/Apia' }), 150],
    ['in Newfoundland', hours({ timezone: 'America/St_Johns' }), 1],
    ['without a schedule', { schedule: null }, 1200],
    ['in an unknown zone', hours({ timezone: 'Mars/Base' }), 1200],
    ['of unknown leads', {}, null],
    ['without a sequence', { waits: [] }, 1200],
    ['without leads', {}, 0],
    ['on no day', hours({ days: [] }), 1200],
    ['with no email a day', { max_emails_per_day: 0 }, 1200],
    ['with an email a day, for more than ten years', { max_emails_per_day: 1 }, 1200],
  ];
  const lines = launches.map(([title, part, leads]) => {
    const outlook = launchOutlook({ ...rules, ...part }, SATURDAY, leads);
    return `# ${title}\n${stringify(outlook)}\n`;
  });
  await expect(lines.join('')).toMatchFileSnapshot('golden/launches.txt');
});
