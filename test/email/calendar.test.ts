import { describe, expect, it } from 'vitest';
import { buildCalendar, calendarPeriods } from '../../src/email/calendar.js';
import { forecast, launchOutlook, type SendingRules } from '../../src/email/forecast.js';
import { deepFreeze } from '../support/freeze.js';

const SATURDAY = Date.parse('2026-02-28T12:00:00Z');
const rules: SendingRules = deepFreeze({
  schedule: {
    days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
    start_time: '09:00',
    end_time: '17:00',
    timezone: 'Europe/Paris',
  },
  waits: [3, 4, 5],
  max_emails_per_day: 200,
  max_new_leads_per_day: 100,
});
const input = {
  name: 'Spring',
  rules,
  subjects: ['One', 'Two', 'Three'],
  from: SATURDAY,
};

describe('the calendar of a campaign', () => {
  it('holds the first send of each step and the forecast', () => {
    const calendar = buildCalendar({ ...input, leads: 1200 });
    const { steps, forecast: outlook, ...rest } = calendar;
    expect(rest).toEqual({ name: 'Spring', rules });
    expect(outlook).toEqual(forecast(rules, SATURDAY, 1200));
    expect(steps.map(({ step, wait, subject, window }) => [step, wait, subject, window.date])).toEqual([
      [1, 0, 'One', '2026-03-02'],
      [2, 3, 'Two', '2026-03-05'],
      [3, 4, 'Three', '2026-03-10'],
    ]);
  });

  it('has the earliest dates where the number of leads is not known, the real ones where follow-ups pile up', () => {
    const dates = (leads: number | null) =>
      buildCalendar({ ...input, leads }).steps.map(({ window }) => window.date);
    expect(dates(null)).toEqual(['2026-03-02', '2026-03-05', '2026-03-09']);
    // On Monday 9 March the cap is spent on the second step of leads whose wait ended on Sunday.
    expect(dates(1200)).toEqual(['2026-03-02', '2026-03-05', '2026-03-10']);
  });

  it('leaves out a day whose whole window the clock jumps over', () => {
    const schedule = { ...rules.schedule, days: ['sunday'], start_time: '02:00', end_time: '03:00' };
    const dates = (waits: number[]) =>
      buildCalendar({ ...input, rules: { ...rules, schedule, waits }, leads: null }).steps.map(
        ({ window }) => window.date,
      );
    expect(dates([20, 1])).toEqual(['2026-03-01', '2026-03-22']);
    expect(dates([28, 1])).toEqual(['2026-03-01', '2026-04-05']);
  });

  it('is empty where nothing can be sent', () => {
    const calendar = buildCalendar({ ...input, rules: { ...rules, max_emails_per_day: 0 }, leads: 5 });
    expect(calendar.steps).toEqual([]);
    expect(calendar.forecast).toBeNull();
  });
});

describe('the periods of a forecast', () => {
  const cut = (leads: number, part: Partial<SendingRules> = {}) => {
    const outlook = forecast({ ...rules, ...part }, SATURDAY, leads);
    return outlook === null ? null : { outlook, ...calendarPeriods(outlook) };
  };

  it.each([
    [150, 'day', 6],
    [1200, 'week', 6],
    [10_000, 'month', 8],
    [100_000, 'year', 7],
  ])('of %i leads are a %s each', (leads, length, rows) => {
    const found = cut(leads);
    expect([found?.length, found?.periods.length]).toEqual([length, rows]);
  });

  it('add up to the forecast', () => {
    const found = cut(1200);
    expect(found?.periods[0]).toEqual({
      from: '2026-03-02',
      to: '2026-03-06',
      sending_days: 5,
      new_leads: 500,
      emails: 700,
      by_step: [500, 200, 0],
    });
    const sum = (pick: 'emails' | 'sending_days' | 'new_leads') =>
      found?.periods.reduce((total, period) => total + period[pick], 0);
    expect([sum('emails'), sum('new_leads'), sum('sending_days')]).toEqual([
      3600,
      1200,
      found?.outlook.sending_days,
    ]);
  });
});

describe('the impact of a launch', () => {
  const unknown = {
    leads: 1200,
    and_more: false,
    emails_per_day: 200,
    emails: 3600,
    first: null,
    last: null,
    sending_days: null,
  };
  const first = '2026-03-02T09:00:00+01:00';

  it('is told in the local time of the campaign', () => {
    expect(launchOutlook(rules, SATURDAY, 1200)).toEqual({
      leads: 1200,
      and_more: false,
      emails_per_day: 200,
      emails: 3600,
      first,
      last: '2026-04-06T17:00:00+02:00',
      sending_days: 24,
      timezone: 'Europe/Paris',
    });
    const west = { ...rules, schedule: { ...rules.schedule, timezone: 'America/St_Johns' } };
    expect(launchOutlook(west, SATURDAY, 1).first).toBe('2026-03-02T09:00:00-03:30');
  });

  it('leaves out what is not known', () => {
    const zone = { timezone: 'Europe/Paris' };
    expect(launchOutlook({ ...rules, schedule: null }, SATURDAY, 1200)).toEqual({
      ...unknown,
      timezone: null,
    });
    const mars = { ...rules.schedule, timezone: 'Mars/Base' };
    expect(launchOutlook({ ...rules, schedule: mars }, SATURDAY, 1200)).toEqual({
      ...unknown,
      timezone: null,
    });
    expect(launchOutlook(rules, SATURDAY, null)).toEqual({
      ...unknown,
      leads: null,
      emails: null,
      first,
      ...zone,
    });
    expect(launchOutlook({ ...rules, waits: [] }, SATURDAY, 1200)).toEqual({
      ...unknown,
      emails: null,
      first,
      ...zone,
    });
    expect(launchOutlook(rules, SATURDAY, 0)).toEqual({ ...unknown, leads: 0, emails: 0, first, ...zone });
  });

  it('says no dates that never come', () => {
    const zone = { timezone: 'Europe/Paris' };
    const none = { ...rules.schedule, days: [] };
    expect(launchOutlook({ ...rules, schedule: none }, SATURDAY, 1200)).toEqual({ ...unknown, ...zone });
    expect(launchOutlook({ ...rules, max_emails_per_day: 0 }, SATURDAY, 1200)).toEqual({
      ...unknown,
      emails_per_day: 0,
      ...zone,
    });
    expect(launchOutlook({ ...rules, max_emails_per_day: 1 }, SATURDAY, 1200)).toEqual({
      ...unknown,
      emails_per_day: 1,
      first,
      ...zone,
    });
  });
});
