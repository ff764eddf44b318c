import { buildCalendar, type CalendarInput, type CampaignCalendar } from '../../src/email/calendar.js';
import type { SendingRules } from '../../src/email/forecast.js';

export const SATURDAY = Date.parse('2026-02-28T12:00:00Z');

export const rules: SendingRules = {
  schedule: {
    days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
    start_time: '09:00',
    end_time: '17:00',
    timezone: 'Europe/Paris',
  },
  waits: [3, 4, 5],
  max_emails_per_day: 200,
  max_new_leads_per_day: 100,
};

/** Three emails from Monday, 2 March 2026, to 1,200 leads, with some of it changed. */
export function calendarWith(part: Partial<CalendarInput>): CampaignCalendar {
  const subjects = [
    '{FIRST_NAME}, a question about the installers of {COMPANY}',
    'Re: a question',
    'One last try',
  ];
  return buildCalendar({
    name: 'Spring installers',
    rules,
    subjects,
    from: SATURDAY,
    leads: 1200,
    ...part,
  });
}
