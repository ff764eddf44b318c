/**
 * Local time ⇄ instants, by the time-zone data of the running Node. Instants are milliseconds since 1970; a local time is
 * written the same way, as if the zone were UTC; a day is the number of local dates since 1970-01-01.
 */

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** No zone is further from UTC than this, so a local time lies within it on either side of the same figure in UTC. */
const FURTHEST = 15 * HOUR;

/** Cached data of a zone: creating a formatter costs a hundred times as much as using it. */
interface Zone {
  formatter: Intl.DateTimeFormat;
  /** The offset at midnight UTC, by day number; a campaign of ten years has 3,653 of them. */
  midnights: Map<number, number>;
}
const zones = new Map<string, Zone>();

/** True if this Node knows the time zone. All other functions here throw a RangeError for an unknown one. */
export function isZone(zone: string): boolean {
  try {
    zoneOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** How far the clock of a zone is ahead of UTC, in milliseconds. */
export function offsetAt(zone: string, instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  const [month = 0, day = 0, year = 0, ...time] = (
    zoneOf(zone).formatter.format(second).match(/\d+/g) ?? []
  ).map(Number);
  const [hour = 0, minute = 0, seconds = 0] = time;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

/** The local time of a zone. */
export function localAt(zone: string, instant: number): number {
  return instant + offsetAt(zone, instant);
}

/**
 * When the clock of a zone shows a local time: the first or the last time where an hour is repeated; where the clock jumps
 * over it, the first instant after the jump.
 */
export function instantOf(zone: string, local: number, which: 'first' | 'last'): number {
  const steady = steadyOffset(zone, Math.floor(local / DAY));
  if (steady !== null) return local - steady;
  const before = offsetAt(zone, local - FURTHEST);
  const after = offsetAt(zone, local + FURTHEST);
  const shown = [local - before, local - after].filter((instant) => localAt(zone, instant) === local);
  if (shown.length > 0) return which === 'first' ? Math.min(...shown) : Math.max(...shown);
  return changeBetween(zone, local - after, local - before);
}

/** The offset from the day before to the day after a local date; null where it is not the same all the time. */
function steadyOffset(zone: string, day: number): number | null {
  const { midnights } = zoneOf(zone);
  const [before, after] = [day - 1, day + 2].map((at) => {
    const offset = midnights.get(at) ?? offsetAt(zone, at * DAY);
    midnights.set(at, offset);
    return offset;
  });
  return before !== undefined && before === after ? before : null;
}

/** The first second with another offset than `from` has; there must be one up to `to`. */
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

/** The local date as a day number. */
export function dayAt(zone: string, instant: number): number {
  return Math.floor(localAt(zone, instant) / DAY);
}

/** 20514 → `2026-03-02` */
export function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** `2026-03-02` → 20514 */
export function dayOf(date: string): number {
  return Date.parse(date) / DAY;
}

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const zone = { formatter, midnights: new Map() };
  zones.set(name, zone);
  return zone;
}
