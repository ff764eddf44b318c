import { DAY, dateOf, dayAt, extraTime, instantOf } from './zone.js';

/** When emails may go out. `days` are `monday` …; times are `HH:MM` of `timezone`, an identifier that this Node knows. */
export interface Schedule {
  days: readonly string[];
  start_time: string;
  end_time: string;
  timezone: string;
}

/**
 * A stretch in which emails may go out. `date` (`YYYY-MM-DD`) and `weekday` are of the schedule's zone, `start` and `end`
 * milliseconds since 1970. `clock_change` says that the clock jumps forward (`gap`) or back (`repeat`) on that date, be it
 * inside the window or not.
 */
export interface SendingWindow {
  date: string;
  weekday: string;
  start: number;
  end: number;
  clock_change: 'gap' | 'repeat' | null;
}

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
/** Each day of the week, four times: if none of them has a window, a jump of the clock is not the reason. */
const DAYS_WITHOUT = 28;

/** The next `count` windows that are not over at `from`, whole; none where the schedule has none. */
export function sendingWindows(schedule: Schedule, from: number, count: number): SendingWindow[] {
  const windows: SendingWindow[] = [];
  for (const window of windowsFrom(schedule, from)) {
    if (windows.length >= count) break;
    windows.push(window);
  }
  return windows;
}

/**
 * All windows that are not over at `from`, without end. A schedule without days, or with an end that is not after its start,
 * has none. A window of which the clock leaves nothing over is left out.
 */
export function* windowsFrom(schedule: Schedule, from: number): Generator<SendingWindow, void> {
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

/** The weekday of a day number. */
export function weekdayOf(day: number): string {
  return WEEK[(((day + 3) % 7) + 7) % 7] ?? '';
}

/** The days of the week on which nothing is sent, in order. */
export function daysOff({ days }: Schedule): string[] {
  return WEEK.filter((day) => !days.includes(day));
}

/** The window of one day, or null. */
export function windowOn(
  { days, start_time, end_time, timezone }: Schedule,
  day: number,
): SendingWindow | null {
  const weekday = weekdayOf(day);
  const [opens, closes] = [timeOf(start_time), timeOf(end_time)];
  if (!days.includes(weekday) || !(opens < closes && closes <= DAY)) return null;
  const start = instantOf(timezone, day * DAY + opens, 'first');
  const end = instantOf(timezone, day * DAY + closes, 'last');
  if (end <= start) return null;
  const extra = extraTime(timezone, day);
  const clock_change = extra === 0 ? null : extra < 0 ? 'gap' : 'repeat';
  return { date: dateOf(day), weekday, start, end, clock_change };
}

/** `HH:MM` in milliseconds since midnight. */
function timeOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return ((hours ?? Number.NaN) * 60 + (minutes ?? Number.NaN)) * 60_000;
}
