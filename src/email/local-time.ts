/** Local times and instants are in milliseconds since 1970; days are counted from 1970-01-01. */
import { dayOf } from '../model/words.js';

const HOUR = 3_600_000;

export const DAY = 24 * HOUR;

/** No zone has a larger offset from UTC. */
const FURTHEST = 15 * HOUR;

/** Creating a formatter costs a hundred times as much as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** True if Node knows the zone. The other functions throw a RangeError for unknown zones. */
export function isZone(zone: string): boolean {
  try {
    formatterFor(zone);
    return true;
  } catch {
    return false;
  }
}

export function offsetAt(zone: string, instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  const [month = 0, day = 0, year = 0, ...time] = (formatterFor(zone).format(second).match(/\d+/g) ?? []).map(
    Number,
  );
  const [hour = 0, minute = 0, seconds = 0] = time;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

export function localAt(zone: string, instant: number): number {
  return instant + offsetAt(zone, instant);
}

/**
 * Converts a local time to an instant. `which` chooses between the two instants of a repeated hour. A skipped time is
 * converted to the instant of the jump.
 */
export function toInstant(zone: string, local: number, which: 'first' | 'last'): number {
  const before = offsetAt(zone, local - FURTHEST);
  const after = offsetAt(zone, local + FURTHEST);
  if (before === after) return local - before;
  const shown = [local - before, local - after].filter((instant) => localAt(zone, instant) === local);
  if (shown.length > 0) return which === 'first' ? Math.min(...shown) : Math.max(...shown);
  return changeBetween(zone, local - after, local - before);
}

/** Finds the first second with a different offset, no later than `to`. */
function changeBetween(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from);
  let [low, high] = [from, to];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (offsetAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

export function dayAt(zone: string, instant: number): number {
  return Math.floor(localAt(zone, instant) / DAY);
}

/** 20514 → `2026-03-02` */
export function formatDay(day: number): string {
  return dayOf(new Date(day * DAY).toISOString());
}

/** `2026-03-02` → 20514 */
export function parseDay(date: string): number {
  return Date.parse(date) / DAY;
}

function formatterFor(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formatters.set(zone, formatter);
  return formatter;
}
