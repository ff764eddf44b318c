import { type Schedule, type SendingWindow, windowsFrom } from './windows.js';
import { dayOf } from './zone.js';

/**
 * When the emails of a campaign go out. The interface says what schedule, waits and caps are, not how the service spends them;
 * this is assumed:
 * - `wait_in_days` counts whole days of the schedule's zone from the day a lead was sent a step; the next step goes out in the
 *   first window on or after that day. Less than one day counts as one. The wait of the last step has no effect.
 * - Both caps are per day of that zone, and nothing was sent yet on the first one. A new lead is one that gets the first step.
 * - Follow-ups go out before new leads: those that are due longest first, of the same day those of the latest step.
 * - A window is long enough for its cap, and every lead gets every step: nobody replies, bounces or unsubscribes.
 */

/** `waits` holds the `wait_in_days` of each step, in order. A cap that is null is not known, and taken as no limit. */
export interface SendingRules {
  schedule: Schedule;
  waits: readonly number[];
  max_emails_per_day: number | null;
  max_new_leads_per_day: number | null;
}

/** The window in which a step can first go out; `step` counts from 1, `wait` is the days since the step before, 0 for the first. */
export interface StepSend {
  step: number;
  wait: number;
  window: SendingWindow;
}

/** What goes out in one window; `by_step` counts emails, in the order of the steps. */
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

/** Nobody plans further ahead, and time-zone rules do not hold longer. */
export const HORIZON_YEARS = 10;
const HORIZON_DAYS = HORIZON_YEARS * 365.25;

/** The earliest window of each step, with as few leads as you like. Steps that cannot go out within the horizon are left out. */
export function firstSends(rules: SendingRules, from: number): StepSend[] {
  const sends: StepSend[] = [];
  if (!canSend(rules)) return sends;
  let [wait, due] = [0, Number.NEGATIVE_INFINITY];
  for (const window of windowsAhead(rules.schedule, from)) {
    const today = dayOf(window.date);
    if (today < due) continue;
    sends.push({ step: sends.length + 1, wait, window });
    if (sends.length === rules.waits.length) break;
    wait = wholeDays(rules.waits[sends.length - 1] ?? 1);
    due = today + wait;
  }
  return sends;
}

/** The exact outcome of the assumptions above; null where nothing can ever be sent, be it for want of leads. */
export function forecast(rules: SendingRules, from: number, leads: number): Forecast | null {
  if (leads <= 0 || !canSend(rules)) return null;
  const emails = leads * rules.waits.length;
  const waiting: Waiting = { fresh: leads, due: rules.waits.map(() => []) };
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
/** Who is left: leads without an email yet, and those waiting for each step, by the day on which it is due. */
interface Waiting {
  fresh: number;
  due: Batch[][];
}

/** Sends one day's emails out of `waiting`, which it changes, and counts them by step. */
function sendOn(today: number, waiting: Waiting, rules: SendingRules): number[] {
  const by_step = rules.waits.map(() => 0);
  const send = (step: number, number: number): void => {
    by_step[step] = (by_step[step] ?? 0) + number;
    room -= number;
  };
  let room = rules.max_emails_per_day ?? Number.POSITIVE_INFINITY;
  for (let step = longestDue(waiting, today); step > 0 && room > 0; step = longestDue(waiting, today)) {
    send(step, take(waiting.due[step] ?? [], room));
  }
  const fresh = Math.min(room, waiting.fresh, rules.max_new_leads_per_day ?? Number.POSITIVE_INFINITY);
  send(0, fresh);
  waiting.fresh -= fresh;
  for (const [step, leads] of by_step.entries()) {
    if (leads > 0) waiting.due[step + 1]?.push({ day: today + wholeDays(rules.waits[step] ?? 1), leads });
  }
  return by_step;
}

/** The step whose first batch is due longest; 0 where none is due, since the first step never is. */
function longestDue({ due }: Waiting, today: number): number {
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

/** The windows up to the horizon; one that is open at `from` starts there. */
function* windowsAhead(schedule: Schedule, from: number): Generator<SendingWindow, void> {
  let end: number | null = null;
  for (const window of windowsFrom(schedule, from)) {
    end ??= dayOf(window.date) + HORIZON_DAYS;
    if (dayOf(window.date) >= end) return;
    yield { ...window, start: Math.max(window.start, from) };
  }
}
