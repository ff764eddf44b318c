import { describe, expect, it } from 'vitest';
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

describe('the first send of each step', () => {
  const dates = (part: Partial<SendingRules>) =>
    forecast({ ...rules, ...part }, SATURDAY, 1)?.per_day.map(({ date }) => date) ?? [];

  it('is the earliest for a single lead', () => {
    expect(dates({})).toEqual(['2026-03-02', '2026-03-05', '2026-03-09']);
  });

  it('leaves out a day whose whole window the clock jumps over', () => {
    const schedule = { ...rules.schedule, days: ['sunday'], start_time: '02:00', end_time: '03:00' };
    expect(dates({ schedule, waits: [20, 1] })).toEqual(['2026-03-01', '2026-03-22']);
    expect(dates({ schedule, waits: [28, 1] })).toEqual(['2026-03-01', '2026-04-05']);
  });

  it('is never where nothing can be sent', () => {
    expect(dates({ max_emails_per_day: 0 })).toEqual([]);
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
