import type { Impact } from '../model/impact.js';
import { firstSends, forecast, type SendingRules } from './forecast.js';
import type { Schedule } from './windows.js';
import { isZone, offsetAt } from './zone.js';

/** Rules of which part may not be known: `schedule` null, or no `waits`. */
export interface KnownRules extends Omit<SendingRules, 'schedule'> {
  schedule: Schedule | null;
}

/**
 * The reach of a launch at `from` (milliseconds since 1970), with as much as can be said: a schedule that is not known, or in
 * a time zone that this Node does not know, leaves the dates null.
 */
export function impactOf(known: KnownRules, from: number, leads: number | null): Impact {
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
  return {
    ...undated,
    first,
    last: stampOf(timezone, outlook.last),
    sending_days: outlook.sending_days,
    timezone,
  };
}

/** `2026-03-02T09:00:00+01:00`: what the clock of the zone shows, and how far it is from UTC. */
export function stampOf(zone: string, instant: number): string {
  const offset = offsetAt(zone, instant);
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const local = new Date(instant + offset).toISOString().slice(0, 19);
  return `${local}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
