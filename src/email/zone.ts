/**
 * Local times and instants, by Node's time-zone data. Instants and local times in milliseconds since 1970; days counted from
 * 1970-01-01.
 */

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** No zone is further from UTC. */
const FURTHEST = 15 * HOUR;

/** Cached: creating a formatter is a hundred times as expensive as using it. */
interface Zone {
  formatter: Intl.DateTimeFormat;
  /** Offsets at midnight UTC by day. */
  midnights: Map<number, number>;
}
const zones = new Map<string, Zone>();

/** True if Node knows the zone. The other functions throw a RangeError for an unknown one. */
export function isZone(zone: string): boolean {
  try {
    zoneOf(zone);
    return true;
  } catch {
    return false;
  }
}

export function offsetAt(zone: string, instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  const [month = 0, day = 0, year = 0, ...time] = (
    zoneOf(zone).formatter.format(second).match(/\d+/g) ?? []
  ).map(Number);
  const [hour = 0, minute = 0, seconds = 0] = time;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

export function localAt(zone: string, instant: number): number {
  return instant + offsetAt(zone, instant);
}

/** The instant of a local time. For a repeated hour, `which` decides; for a skipped one, the instant after the jump. */
export function instantOf(zone: string, local: number, which: 'first' | 'last'): number {
  const steady = steadyOffset(zone, Math.floor(local / DAY));
  if (steady !== null) return local - steady;
  const before = offsetAt(zone, local - FURTHEST);
  const after = offsetAt(zone, local + FURTHEST);
  const shown = [local - before, local - after].filter((instant) => localAt(zone, instant) === local);
  if (shown.length > 0) return which === 'first' ? Math.min(...shown) : Math.max(...shown);
  return changeBetween(zone, local - after, local - before);
}

/** The offset if it is constant from the day before to the day after; else `null`. */
function steadyOffset(zone: string, day: number): number | null {
  const { midnights } = zoneOf(zone);
  const [before, after] = [day - 1, day + 2].map((at) => {
    const offset = midnights.get(at) ?? offsetAt(zone, at * DAY);
    midnights.set(at, offset);
    return offset;
  });
  return before !== undefined && before === after ? before : null;
}

/** The first second with a different offset, at most `to`. */
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
