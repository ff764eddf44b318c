/**
 * Forecasts when emails go out. The API does not say how a service applies waits and caps. Assumptions: `wait_in_days`
 * counts days in the schedule's zone and is at least one. Both caps apply per day. Follow-ups are sent before emails to new
 * leads, the longest overdue first. The full cap can be sent in every window, and every lead gets every step.
 */
import { CALENDAR_DAYS, type Impact, type SendingDay, type SendingHours } from '../model/outputs.js';
import { WEEKDAYS } from '../model/sections.js';
import { DAY, dayAt, formatDay, isZone, offsetAt, parseDay, toInstant } from './local-time.js';

/** `waits`: `wait_in_days` of each step; empty if unknown. A `null` cap is unknown and imposes no limit. */
export interface SendingRules {
  schedule: SendingHours;
  waits: readonly number[];
  max_emails_per_day: number | null;
  max_new_leads_per_day: number | null;
}

/** `date` (`YYYY-MM-DD`) is in the schedule's zone; `start` and `end` are in milliseconds since 1970. */
export interface SendingWindow {
  date: string;
  start: number;
  end: number;
}

interface ForecastDay extends SendingWindow {
  by_step: number[];
}

/** `unsent`: number of emails beyond the horizon. `first`, `last`: start and end of sending, in milliseconds since 1970. */
interface Forecast {
  unsent: number;
  sending_days: number;
  first: number;
  last: number;
  per_day: ForecastDay[];
}

/** Time-zone rules are unreliable beyond this horizon. */
const HORIZON_DAYS = 10 * 365.25;

/** Returns `null` if there are no leads, or if nothing can ever be sent. */
export function forecast(rules: SendingRules, from: number, leads: number): Forecast | null {
  const { waits, max_emails_per_day, max_new_leads_per_day } = rules;
  const canSend = waits.length > 0 && max_emails_per_day !== 0 && max_new_leads_per_day !== 0;
  if (leads <= 0 || !canSend) return null;
  const waiting: WaitingLeads = { unmailed: leads, due: waits.map(() => []) };
  const per_day: ForecastDay[] = [];
  let unsent = leads * waits.length;
  for (const window of windowsAhead(rules.schedule, from)) {
    if (unsent === 0) break;
    const by_step = sendOn(parseDay(window.date), waiting, rules);
    const sent = by_step.reduce((sum, number) => sum + number, 0);
    unsent -= sent;
    if (sent > 0) per_day.push({ ...window, by_step });
  }
  const [first, last] = [per_day[0], per_day.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { unsent, sending_days: per_day.length, first: first.start, last: last.end, per_day };
}

interface Batch {
  day: number;
  leads: number;
}
interface WaitingLeads {
  unmailed: number;
  due: Batch[][];
}

function sendOn(today: number, waiting: WaitingLeads, rules: SendingRules): number[] {
  const by_step = rules.waits.map(() => 0);
  const send = (step: number, number: number): void => {
    by_step[step] = (by_step[step] ?? 0) + number;
    room -= number;
  };
  let room = rules.max_emails_per_day ?? Number.POSITIVE_INFINITY;
  for (let step = longestDue(waiting, today); step > 0 && room > 0; step = longestDue(waiting, today)) {
    send(step, take(waiting.due[step] ?? [], room));
  }
  const started = Math.min(room, waiting.unmailed, rules.max_new_leads_per_day ?? Number.POSITIVE_INFINITY);
  send(0, started);
  waiting.unmailed -= started;
  for (const [step, leads] of by_step.entries()) {
    if (leads > 0)
      waiting.due[step + 1]?.push({ day: today + Math.max(1, Math.ceil(rules.waits[step] ?? 1)), leads });
  }
  return by_step;
}

function longestDue({ due }: WaitingLeads, today: number): number {
  let [longest, since] = [0, today];
  for (const [step, [batch]] of due.entries()) {
    if (batch !== undefined && batch.day <= since) [longest, since] = [step, batch.day];
  }
  return longest;
}

function take(batches: Batch[], room: number): number {
  const [first] = batches;
  if (first === undefined) return 0;
  const sent = Math.min(room, first.leads);
  first.leads -= sent;
  if (first.leads === 0) batches.shift();
  return sent;
}

/** `schedule`: `null` if unknown. */
export interface KnownRules extends Omit<SendingRules, 'schedule'> {
  schedule: SendingHours | null;
}

/**
 * Forecasts the dates of a launch at `from` (milliseconds since 1970) for the plan. Dates are `null` if the schedule or its
 * zone is unknown.
 */
export function launchOutlook(
  known: KnownRules,
  from: number,
  leads: number | null,
): Pick<Impact, 'first' | 'last' | 'sending_days' | 'timezone' | 'days'> {
  const { schedule } = known;
  const undated = { first: null, last: null, sending_days: null, days: [] };
  if (schedule === null || !isZone(schedule.timezone)) return { ...undated, timezone: null };
  const { timezone } = schedule;
  const rules = { ...known, schedule };
  // The time of the first email does not depend on the number of steps.
  const earliest = forecast({ ...rules, waits: [1] }, from, 1);
  const first = earliest === null ? null : timestamp(timezone, earliest.first);
  const outlook = leads === null ? null : forecast(rules, from, leads);
  if (outlook === null) return { ...undated, first, timezone };
  const days = firstDays(outlook);
  if (outlook.unsent > 0) return { ...undated, first, timezone, days };
  const last = timestamp(timezone, outlook.last);
  return { first, last, sending_days: outlook.sending_days, timezone, days };
}

function firstDays({ per_day }: Forecast): SendingDay[] {
  const early = per_day.slice(0, CALENDAR_DAYS).map(({ date, by_step }) => ({
    date,
    emails: by_step.reduce((sum, number) => sum + number, 0),
  }));
  const end = parseDay(early[0]?.date ?? '') + CALENDAR_DAYS;
  return early.filter(({ date }) => parseDay(date) < end);
}

/** `2026-03-02T09:00:00+01:00` */
function timestamp(zone: string, instant: number): string {
  const offset = offsetAt(zone, instant);
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const local = new Date(instant + offset).toISOString().slice(0, 19);
  return `${local}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** Yields the windows up to the horizon. A window that is open at `from` starts there. */
function* windowsAhead(schedule: SendingHours, from: number): Generator<SendingWindow, void> {
  let end: number | null = null;
  for (const window of windowsFrom(schedule, from)) {
    end ??= parseDay(window.date) + HORIZON_DAYS;
    if (parseDay(window.date) >= end) return;
    yield { ...window, start: Math.max(window.start, from) };
  }
}

/** If four weeks contain no window, no later day does. */
const DAYS_WITHOUT = 28;

/**
 * Yields all windows that end after `from`. Ends only after four weeks without a window. Hours are local times. A window that a clock change removes is
 * omitted.
 */
export function* windowsFrom(schedule: SendingHours, from: number): Generator<SendingWindow, void> {
  // After a clock change, the previous day's window may still be open.
  let day = dayAt(schedule.timezone, from) - 1;
  for (let without = 0; without < DAYS_WITHOUT; day += 1) {
    const window = windowOn(schedule, day);
    if (window === null || window.end <= from) without += 1;
    else {
      without = 0;
      yield window;
    }
  }
}

function windowOn({ days, start_time, end_time, timezone }: SendingHours, day: number): SendingWindow | null {
  const weekday = WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? '';
  const [opens, closes] = [parseTime(start_time), parseTime(end_time)];
  if (!days.includes(weekday) || !(opens < closes && closes <= DAY)) return null;
  const start = toInstant(timezone, day * DAY + opens, 'first');
  const end = toInstant(timezone, day * DAY + closes, 'last');
  return end > start ? { date: formatDay(day), start, end } : null;
}

function parseTime(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return ((hours ?? Number.NaN) * 60 + (minutes ?? Number.NaN)) * 60_000;
}
