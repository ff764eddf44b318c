import { type Struck, tooMany } from './fault.js';

/** How a 429 says when to come again. */
export type RetryAfter = 'seconds' | 'date' | 'none';

/** At most so many requests in any minute. `now`: milliseconds since 1970. */
export interface RateLimit {
  perMinute: number;
  retryAfter: RetryAfter;
  now(): number;
}

const MINUTE = 60_000;

/** Strikes every request beyond the limit; what was struck does not count. */
export function createRateLimit({ perMinute, retryAfter, now }: RateLimit): () => Struck | null {
  let times: number[] = [];
  return () => {
    const at = now();
    times = times.filter((time) => time > at - MINUTE);
    const oldest = times[0];
    if (times.length < perMinute || oldest === undefined) {
      times.push(at);
      return null;
    }
    const again = oldest + MINUTE;
    // HTTP dates have no fractions: later rather than earlier.
    const headers = {
      seconds: { 'retry-after': String(Math.ceil((again - at) / 1000)) },
      date: { 'retry-after': new Date(Math.ceil(again / 1000) * 1000).toUTCString() },
      none: {},
    }[retryAfter];
    return {
      fault: 'rate limit',
      effect: false,
      reply: tooMany(headers),
      wire: 'whole',
      delay: 0,
      launchFails: false,
    };
  };
}
