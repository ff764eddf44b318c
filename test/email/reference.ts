import moment from 'moment-timezone';
import { type SendingWindow, windowsFrom } from '../../src/email/forecast.js';
import type { SendingHours } from '../../src/model/outputs.js';

/**
 * A reference implementation that uses only the data of moment-timezone: the instants at which each zone changes its
 * offset.
 */

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** The next `count` windows that end after `from`. */
export function firstWindows(schedule: SendingHours, from: number, count: number): SendingWindow[] {
  const windows: SendingWindow[] = [];
  if (count === 0) return windows;
  for (const window of windowsFrom(schedule, from)) if (windows.push(window) >= count) break;
  return windows;
}

/** The instants from 2020 to 2037 at which the zone's offset changes. */
export function transitions(zone: string): number[] {
  const from = Date.UTC(2020, 0, 1);
  return dataOf(zone).untils.filter((until) => until >= from && until < Date.UTC(2038, 0, 1));
}

/** In milliseconds ahead of UTC. */
export function referenceOffset(zone: string, instant: number): number {
  return -dataOf(zone).utcOffset(instant) * MINUTE;
}

/** The windows of some local dates (days since 1970), without those that clock changes remove. */
export function referenceWindows(schedule: SendingHours, days: readonly number[]): SendingWindow[] {
  return days.flatMap((day) => {
    const weekday = moment
      .utc(day * DAY)
      .format('dddd')
      .toLowerCase();
    const [opens, closes] = [schedule.start_time, schedule.end_time].map(
      (time) => day * DAY + moment.duration(time).asMilliseconds(),
    );
    if (!schedule.days.includes(weekday) || opens === undefined || closes === undefined || closes <= opens)
      return [];
    const start = instants(schedule.timezone, opens)[0] ?? 0;
    const end = instants(schedule.timezone, closes).at(-1) ?? 0;
    const date = moment.utc(day * DAY).format('YYYY-MM-DD');
    return end > start ? [{ date, start, end }] : [];
  });
}

/** All instants of a local time or, if there are none, the end of the jump. */
function instants(zone: string, local: number): number[] {
  const { untils, offsets } = dataOf(zone);
  const near = untils.findIndex((until) => until > local - 2 * DAY);
  const first = near < 0 ? untils.length : near;
  const spans = offsets
    .slice(first, first + 3)
    .map((offset, at) => ({ offset, index: first + at }))
    .map(({ offset, index }) => ({
      start: untils[index - 1] ?? Number.NEGATIVE_INFINITY,
      end: untils[index] ?? Number.POSITIVE_INFINITY,
      instant: local + offset * MINUTE,
    }));
  const shown = spans.filter(({ start, end, instant }) => start <= instant && instant < end);
  if (shown.length > 0) return shown.map(({ instant }) => instant);
  const after = spans.find(({ start, instant }, index) => {
    const before = spans[index - 1];
    return before !== undefined && instant < start && before.instant >= start;
  });
  return after === undefined ? [] : [after.start];
}

interface ZoneData {
  untils: number[];
  offsets: number[];
  utcOffset(instant: number): number;
}
const known = new Map<string, ZoneData>();

function dataOf(zone: string): ZoneData {
  const match = known.get(zone);
  if (match !== undefined) return match;
  const data = moment.tz.zone(zone);
  if (data === null) throw new Error(`moment-timezone has no ${zone}`);
  // The last period of a zone has no end.
  const untils = data.untils.filter((until) => until !== null);
  const created = { untils, offsets: data.offsets, utcOffset: (instant: number) => data.utcOffset(instant) };
  known.set(zone, created);
  return created;
}
