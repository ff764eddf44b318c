import type { CampaignCalendar, ClockChange } from '../email/calendar.js';
import { HORIZON_YEARS } from '../email/forecast.js';
import { type Period, type PeriodLength, periodsOf } from '../email/periods.js';
import type { SendingWindow } from '../email/windows.js';
import { dayAt, dayOf, localAt, offsetAt } from '../email/zone.js';
import { dateWords, monthWords, timeWords, weekdayWord } from './dates.js';
import { scheduleLine } from './values.js';
import { count, thousands } from './words.js';

/** What the views of the calendar say, apart from their form. Foreign text is in `name` and `subject` only, as it is. */

/** Cells of a table; numbers are to be aligned right. */
export interface Table {
  head: string[];
  right: boolean[];
  rows: string[][];
}

/** More steps than these get no column of their own in the table of the forecast. */
const MOST_STEPS = 6;
/** Clocks change twice a year; who looks further ahead knows. */
const MOST_CHANGES = 4;

/** "mon–fri 09:00–17:00 Europe/Paris, up to 200 emails and 100 new leads a day" */
export function rulesLine({ rules }: CampaignCalendar): string {
  const { schedule, max_emails_per_day: emails, max_new_leads_per_day: leads } = rules;
  const caps = [
    ...(emails === null ? [] : [count(emails, 'email')]),
    ...(leads === null ? [] : [count(leads, 'new lead')]),
  ].join(' and ');
  return `${scheduleLine({ ...schedule, days: [...schedule.days] })}${caps === '' ? '' : `, up to ${caps} a day`}`;
}

/** Why there is no calendar, with the way out; null where there is one. */
export function silenceLine({ rules, steps }: CampaignCalendar): string | null {
  if (steps.length > 0) return null;
  if (rules.waits.length === 0) return 'Nothing is sent: the sequence has no steps.';
  for (const cap of ['max_emails_per_day', 'max_new_leads_per_day'] as const) {
    if (rules[cap] === 0) return `Nothing is sent while ${cap} is 0.`;
  }
  return 'Nothing is ever sent: the schedule has no window. It needs a day, and an end_time after start_time.';
}

/** When each step first goes out, in the campaign's zone and, where its times differ, the reader's. The last column is the subject. */
export function stepsTable({ steps, rules, reader_zone, gaps }: CampaignCalendar): Table {
  const { timezone } = rules.schedule;
  const zones = [timezone, reader_zone].slice(0, isAbroad({ steps, rules, reader_zone }) ? 2 : 1);
  const flagged = gaps.clock_changes.map(({ date }) => date);
  return {
    head: ['#', 'First goes out', ...zones.map(cityOf), 'Subject'],
    right: [true, false, ...zones.map(() => false), false],
    rows: steps.map(({ step, window, subject }) => [
      String(step),
      `${dateWords(window.date)}${flagged.includes(window.date) ? ' *' : ''}`,
      ...zones.map((zone) => hoursIn(zone, window)),
      subject,
    ]),
  };
}

/** "1,200 leads: 3,600 emails on 26 days, the first from Mon 2 Mar 2026 09:00, the last by Fri 3 Apr 2026 17:00"; null without leads. */
export function forecastLine({ forecast, rules }: CampaignCalendar): string | null {
  if (forecast === null) return null;
  const { timezone } = rules.schedule;
  const { leads, emails, unsent, sending_days, first, last } = forecast;
  const when = (instant: number) => momentWords(localAt(timezone, instant));
  const end =
    unsent === 0
      ? `the last by ${when(last)}`
      : `and ${count(unsent, 'email')} not within ${HORIZON_YEARS} years`;
  return `${count(leads, 'lead')}: ${count(emails, 'email')} on ${count(sending_days, 'day')}, the first from ${when(first)}, ${end}.`;
}

/** How many emails go out per day, week, month or year; null without leads. */
export function forecastTable({ forecast, rules }: CampaignCalendar): Table | null {
  if (forecast === null) return null;
  const { length, periods } = periodsOf(forecast);
  const steps = rules.waits.length > 1 && rules.waits.length <= MOST_STEPS ? rules.waits : [];
  const days = length === 'day' ? [] : ['Days'];
  const numbers = [...days, 'New leads', 'Emails', ...steps.map((_, index) => `Step ${index + 1}`)];
  return {
    head: [PERIODS[length], ...numbers],
    right: [false, ...numbers.map(() => true)],
    rows: periods.map((period) => [
      periodWords(length, period),
      ...[period.sending_days].slice(0, days.length).map(thousands),
      ...[period.new_leads, period.emails, ...period.by_step.slice(0, steps.length)].map(thousands),
    ]),
  };
}

/** What is irregular, and what is assumed: a sentence each. */
export function noteLines(calendar: CampaignCalendar): string[] {
  const { gaps, rules, steps } = calendar;
  if (steps.length === 0) return [];
  const { days_off, skipped, clock_changes } = gaps;
  const late = rules.waits.length - steps.length;
  const more = clock_changes.length - MOST_CHANGES;
  const capless = (['max_emails_per_day', 'max_new_leads_per_day'] as const).filter(
    (cap) => rules[cap] === null,
  );
  return [
    ...(days_off.length > 0 ? [`No sending on ${days_off.map(weekdayWord).join(', ')}.`] : []),
    ...skipped.map((date) => `No sending on ${dateWords(date)}: the clock jumps over the whole window.`),
    ...clock_changes.slice(0, MOST_CHANGES).map(changeLine),
    ...(more > 0 ? [`* And ${count(more, 'later change')} of the clock.`] : []),
    ...(late > 0 ? [`${count(late, 'step')} cannot go out within ${HORIZON_YEARS} years.`] : []),
    ...capless.map((cap) => `${cap} is not known, and taken as no limit.`),
    'Assumed: follow-ups go out before new leads, waits count whole days, and nobody replies, bounces or unsubscribes.',
  ];
}

function changeLine({ zone, date, kind, minutes }: ClockChange): string {
  const much =
    minutes === 60 ? 'an hour' : minutes % 60 === 0 ? count(minutes / 60, 'hour') : count(minutes, 'minute');
  return `* ${dateWords(date)}: the clock goes ${kind === 'gap' ? 'forward' : 'back'} ${much} (${zone}).`;
}

/** Whether the reader's clock shows anything else than the campaign's. */
function isAbroad({
  steps,
  rules,
  reader_zone,
}: Pick<CampaignCalendar, 'steps' | 'rules' | 'reader_zone'>): boolean {
  const { timezone } = rules.schedule;
  return steps.some(({ window }) =>
    [window.start, window.end].some((at) => offsetAt(timezone, at) !== offsetAt(reader_zone, at)),
  );
}

/** "09:00–17:00"; "02:00–05:00 +1 day" where the clock of the zone shows another date; "Mon 23:00–Tue 05:00" where only one end does. */
export function hoursIn(zone: string, { date, start, end }: SendingWindow): string {
  const [from, to] = [start, end].map((instant) => ({
    time: timeWords(localAt(zone, instant)),
    shift: dayAt(zone, instant) - dayOf(date),
    weekday: momentWords(localAt(zone, instant)).slice(0, 3),
  }));
  if (from === undefined || to === undefined) return '';
  if (from.shift !== to.shift) return `${from.weekday} ${from.time}–${to.weekday} ${to.time}`;
  const mark = from.shift === 0 ? '' : ` ${from.shift > 0 ? '+' : '-'}${count(Math.abs(from.shift), 'day')}`;
  return `${from.time}–${to.time}${mark}`;
}

/** "Mon 2 Mar 2026 09:00" */
export function momentWords(local: number): string {
  return `${dateWords(new Date(local).toISOString().slice(0, 10))} ${timeWords(local)}`;
}

const PERIODS: Record<PeriodLength, string> = { day: 'Day', week: 'Week', month: 'Month', year: 'Year' };

function periodWords(length: PeriodLength, { from, to }: Period): string {
  if (length === 'month') return monthWords(from);
  if (length === 'year') return from.slice(0, 4);
  return from === to ? dateWords(from) : `${dateWords(from).replace(/ \d+$/, '')} – ${dateWords(to)}`;
}

/** "America/New_York" → "New York" */
function cityOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}
