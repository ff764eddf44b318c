import type { Clock } from './clock.js';

/** Limits the starts of requests. Channels to one service with one token share it. */
export interface Rate {
  perMinute: number;
  /** Resolves when the next request may start, and counts it. `onWait` is called before each wait. */
  pace(stop: AbortSignal, onWait?: () => void): Promise<void>;
  /** Milliseconds until so many more requests may have started, roughly. */
  duration(requests: number): number;
  /** From this time on, requests start evenly spaced, without a burst. */
  spread(from: number): void;
}

/** Milliseconds in which the limit applies: more than a minute, because requests take varying times to arrive. */
const WINDOW = 60_500;
/** The share of a minute's requests that may start together. */
const BURST = 1 / 6;

export function createRate(requestsPerMinute: number, clock: Clock): Rate {
  const interval = WINDOW / requestsPerMinute;
  const burst = Math.max(1, Math.floor(requestsPerMinute * BURST));
  // Half an interval more, so that a rounding error does not delay the last request of a burst.
  const ahead = (burst - 0.5) * interval;
  const starts: number[] = [];
  /** When the next request would start if all of them were evenly spaced. */
  let even = 0;

  function earliest(): number {
    const start = starts.at(-requestsPerMinute);
    return Math.max(even - ahead, start === undefined ? 0 : start + WINDOW);
  }

  return {
    perMinute: requestsPerMinute,
    async pace(stop, onWait) {
      for (let now = clock.elapsed(); earliest() > now && !stop.aborted; now = clock.elapsed()) {
        onWait?.();
        await clock.sleep(earliest() - now, stop);
      }
      const now = clock.elapsed();
      even = Math.max(even, now) + interval;
      starts.push(now);
    },
    duration(requests) {
      const now = clock.elapsed();
      const spaced = Math.max(even, now) + (requests - 1) * interval - ahead;
      const whole = Math.floor((requests - 1) / requestsPerMinute) * WINDOW;
      return Math.max(spaced, earliest(), now + whole) - now;
    },
    spread(from) {
      even = Math.max(even, from + ahead);
    },
  };
}

/** By clock, then by service, token and limit. */
const shared = new WeakMap<Clock, Map<string, Rate>>();

/** Returns the same rate to each caller in the process, so that projects that share a service keep to its limit together. */
export function sharedRate(key: string, requestsPerMinute: number, clock: Clock): Rate {
  const rates = shared.get(clock) ?? new Map<string, Rate>();
  const name = `${requestsPerMinute} ${key}`;
  const rate = rates.get(name) ?? createRate(requestsPerMinute, clock);
  shared.set(clock, rates.set(name, rate));
  return rate;
}
