/** Times that do not depend on the clock of the machine, which may be adjusted. */
import type { Moment } from '../model/state.js';
import { ownSpace } from './lock.js';

/** Milliseconds since then; `null` if it was measured before a reboot or on another machine. */
export function ageIn({ boot, uptime: then }: Moment): number | null {
  return boot !== null && boot === ownSpace() ? Math.max(0, uptime() - then) : null;
}

export function moment(): Moment {
  return { boot: ownSpace(), uptime: uptime() };
}

/** In milliseconds. */
export function uptime(): number {
  return Math.round(Number(process.hrtime.bigint()) / 1e6);
}
