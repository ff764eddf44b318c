/**
 * When the emails of a campaign go out, and what a launch sets going. The API says what schedule, waits and caps are, not
 * how the service spends them; this is assumed:
 * - `wait_in_days` counts whole days of the schedule's zone from the day a lead was sent a step; the next step goes out in the
 *   first window on or after that day. Less than one day counts as one. The wait of the last step has no effect.
 * - Both caps are per day of that zone, and nothing was sent yet on the first one. A new lead is one that gets the first step.
 * - Follow-ups go out before new leads: those that are due longest first, of the same day those of the latest step.
 * - A window is long enough for its cap, and every lead gets every step: no lead replies, bounces or unsubscribes.
 */
import type { Impact, SendingHours } from '../model/outputs.js';
import { WEEKDAYS } from '../model/sections.js';
import { DAY, dateOf, dayAt, dayOf, instantOf, isZone, offsetAt } from './zone.js';

/** `waits` holds the `wait_in_days` of each step, in order. A cap that is null is not known, and taken as no limit. */
export interface SendingRules {
  schedule: SendingHours;
  waits: readonly number[];
  max_emails_per_day: number | null;
  max_new_leads_per_day: number | null;
}

/** A stretch in which emails may go out. `date` (`YYYY-MM-DD`) is of the schedule's zone, `start` and `end` milliseconds since 1970. */
export interface SendingWindow {
  date: string;
  start: number;
  end: number;
}

/** The window in which a step can first go out; `step` counts from 1, `wait` is the days since the step before, 0 for the first. */
export interface StepSend {
  step: number;
  wait: number;
  window: SendingWindow;
}

/** The emails of one sending window; `by_step` counts them in the order of the steps. */
export interface ForecastDay extends SendingWindow {
  new_leads: number;
  emails: number;
  by_step: number[];
}

/**
 * How long a number of leads takes. `emails` is leads times steps; `unsent` of them do not go out within the horizon of ten
 * years, which is 0 but for tiny caps. `first` is the start of the first window (or `from`, if it is open then), `last` the end
 * of the last, in milliseconds since 1970. `per_day` has the days on which something is sent.
 */
export interface Forecast {
  leads: number;
  emails: number;
  unsent: number;
  sending_days: number;
  first: number;
  last: number;
  per_day: ForecastDay[];
}

/** Plans do not look further ahead, and time-zone rules do not hold longer. */
export const HORIZON_YEARS = 10;
const HORIZON_DAYS = HORIZON_YEARS * 365.25;

/** The earliest window of each step: that of a single lead. Steps that cannot go out within the horizon are left out. */
export function firstSends(rules: SendingRules, from: number): StepSend[] {
  const days = forecast(rules, from, 1)?.per_day ?? [];
  return days.map(({ date, start, end }, index) => {
    const wait = index === 0 ? 0 : wholeDays(rules.waits[index - 1] ?? 1);
    return { step: index + 1, wait, window: { date, start, end } };
  });
}

/** The exact outcome of the assumptions above; null where nothing can ever be sent, or where there are no leads. */
export function forecast(rules: SendingRules, from: number, leads: number): Forecast | null {
  if (leads <= 0 || !canSend(rules)) return null;
  const emails = leads * rules.waits.length;
  const waiting: WaitingLeads = { unmailed: leads, due: rules.waits.map(() => []) };
  const per_day: ForecastDay[] = [];
  let unsent = emails;
  for (const window of windowsAhead(rules.schedule, from)) {
    if (unsent === 0) break;
    const by_step = sendOn(dayOf(window.date), waiting, rules);
    const sent = by_step.reduce((sum, number) => sum + number, 0);
    unsent -= sent;
    if (sent > 0) per_day.push({ ...window, new_leads: by_step[0] ?? 0, emails: sent, by_step });
  }
  const [first, last] = [per_day[0], per_day.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { leads, emails, unsent, sending_days: per_day.length, first: first.start, last: last.end, per_day };
}

/** Leads of one step that become due on the same day. */
interface Batch {
  day: number;
  leads: number;
}
/** The remaining leads: those without an email yet, and those waiting for each step, by the day on which it is due. */
interface WaitingLeads {
  unmailed: number;
  due: Batch[][];
}

/** Sends one day's emails out of `waiting`, which it changes, and counts them by step. */
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
    if (leads > 0) waiting.due[step + 1]?.push({ day: today + wholeDays(rules.waits[step] ?? 1), leads });
  }
  return by_step;
}

/** The step whose first batch is due longest; 0 where none is due, since the first step never is. */
function longestDue({ due }: WaitingLeads, today: number): number {
  let [found, since] = [0, today];
  for (const [step, [batch]] of due.entries()) {
    if (batch !== undefined && batch.day <= since) [found, since] = [step, batch.day];
  }
  return found;
}

/** Takes up to `room` leads out of the first batch. */
function take(batches: Batch[], room: number): number {
  const [first] = batches;
  if (first === undefined) return 0;
  const taken = Math.min(room, first.leads);
  first.leads -= taken;
  if (first.leads === 0) batches.shift();
  return taken;
}

function canSend({ waits, max_emails_per_day, max_new_leads_per_day }: SendingRules): boolean {
  return waits.length > 0 && max_emails_per_day !== 0 && max_new_leads_per_day !== 0;
}

function wholeDays(wait: number): number {
  return Math.max(1, Math.ceil(wait));
}

/** Rules of which part may not be known: `schedule` null, or no `waits`. */
export interface KnownRules extends Omit<SendingRules, 'schedule'> {
  schedule: SendingHours | null;
}

/** The part of the facts of a launch that follows from rules and a number of leads. */
type Outlook = Omit<Impact, 'resumed' | 'lists' | 'ids' | 'not_contacted'>;

/**
 * What a launch sets going at `from` (milliseconds since 1970), with as much as can be said: a schedule that is not known, or in
 * a time zone that this Node does not know, leaves the dates null.
 */
export function impactOf(known: KnownRules, from: number, leads: number | null): Outlook {
  const { schedule, waits, max_emails_per_day: emails_per_day } = known;
  const emails = leads === null || waits.length === 0 ? null : leads * waits.length;
  const undated = {
    leads,
    and_more: false,
    emails_per_day,
    emails,
    first: null,
    last: null,
    sending_days: null,
  };
  if (schedule === null || !isZone(schedule.timezone)) return { ...undated, timezone: null };
  const { timezone } = schedule;
  const rules = { ...known, schedule };
  // The first email does not depend on the number of steps.
  const [earliest] = firstSends({ ...rules, waits: [1] }, from);
  const first = earliest === undefined ? null : stampOf(timezone, earliest.window.start);
  const outlook = leads === null ? null : forecast(rules, from, leads);
  if (outlook === null || outlook.unsent > 0) return { ...undated, first, timezone };
  const last = stampOf(timezone, outlook.last);
  return { ...undated, first, last, sending_days: outlook.sending_days, timezone };
}

/** `2026-03-02T09:00:00+01:00`: what the clock of the zone shows, and how far it is from UTC. */
function stampOf(zone: string, instant: number): string {
  const offset = offsetAt(zone, instant);
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const local = new Date(instant + offset).toISOString().slice(0, 19);
  return `${local}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** The windows up to the horizon; one that is open at `from` starts there. */
function* windowsAhead(schedule: SendingHours, from: number): Generator<SendingWindow, void> {
  let end: number | null = null;
  for (const window of windowsFrom(schedule, from)) {
    end ??= dayOf(window.date) + HORIZON_DAYS;
    if (dayOf(window.date) >= end) return;
    yield { ...window, start: Math.max(window.start, from) };
  }
}

/** Each day of the week, four times: if none of them has a window, a jump of the clock is not the reason. */
const DAYS_WITHOUT = 28;

/**
 * All windows that are not over at `from`, whole and without end. A schedule without days, or with an end that is not after its
 * start, has none. Hours are local times: a window of which a jump of the clock leaves nothing over is left out.
 */
export function* windowsFrom(schedule: SendingHours, from: number): Generator<SendingWindow, void> {
  // The clock may go back over midnight, so the window of the day before may not be over yet.
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

/** The days of the week on which nothing is sent, in order. */
export function daysOff({ days }: SendingHours): string[] {
  return WEEKDAYS.filter((day) => !days.includes(day));
}

function windowOn({ days, start_time, end_time, timezone }: SendingHours, day: number): SendingWindow | null {
  const weekday = WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? '';
  const [opens, closes] = [timeOf(start_time), timeOf(end_time)];
  if (!days.includes(weekday) || !(opens < closes && closes <= DAY)) return null;
  const start = instantOf(timezone, day * DAY + opens, 'first');
  const end = instantOf(timezone, day * DAY + closes, 'last');
  return end > start ? { date: dateOf(day), start, end } : null;
}

/** `HH:MM` in milliseconds since midnight. */
function timeOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return ((hours ?? Number.NaN) * 60 + (minutes ?? Number.NaN)) * 60_000;
}
