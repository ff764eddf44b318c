import { isObject, type Json } from '../model/json.js';
import { NO_WAITS, type Waits } from '../model/waits.js';
import type { Clock } from './clock.js';
import type { AnswerHeaders } from './wire.js';

export interface Turn {
  /** An abort ends waits for a pause or the rate limit. Waits for a slot end when the requests in flight end. */
  stop: AbortSignal;
  /** After this time, the task is not started. `null` for a first attempt. */
  until: number | null;
}

export interface Pacer {
  /** Runs the task when a slot is free (FIFO, retries first). Resolves to `null` if its turn never comes. */
  run<T>(task: () => Promise<T>, turn: Turn): Promise<T | null>;
  /** Waits only for the rate limit. */
  pace(stop: AbortSignal): Promise<void>;
  /** Announces the time that so many requests take at least because of the rate limit. */
  expect(requests: number): void;
  pausedUntil(): number;
  /** Called after a 429. `wait`: milliseconds that the service asks for. */
  limited(startedAt: number, wait: number | null): void;
  answered(): void;
}

interface PacerOptions {
  parallelism: number;
  clock: Clock;
  /** `null` for no limit. */
  rate: Rate | null;
  waits?: Waits | undefined;
}

/** Maximum milliseconds between the starts of a request's first and last attempts. */
export const MAX_TIME = 5 * 60_000;
const GROWTH = 20;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;

export function createPacer({ parallelism, clock, rate, waits = NO_WAITS }: PacerOptions): Pacer {
  const retries: (() => void)[] = [];
  const untried: (() => void)[] = [];
  let allowed = parallelism;
  let inFlight = 0;
  let successes = 0;
  let paced = 0;
  let pausedUntil = 0;
  let isPauseAsked = false;
  let limitedAt = -1;
  let pauses = 0;

  function admit(): void {
    while (inFlight < allowed) {
      const next = retries.shift() ?? untried.shift();
      if (next === undefined) return;
      inFlight += 1;
      next();
    }
  }

  function expect(requests: number): void {
    if (rate === null) return;
    const length = { most: rate.duration(requests), isCertain: true };
    // It ends when its time is over, because it concerns many requests.
    waits.begin({ kind: 'pacing', requests, perMinute: rate.perMinute }, length);
  }

  async function pace(stop: AbortSignal): Promise<void> {
    paced += 1;
    await rate?.pace(stop, () => expect(paced + retries.length + untried.length));
    paced -= 1;
  }

  return {
    async run(task, { stop, until }) {
      await new Promise<void>((resolve) => {
        (until === null ? untried : retries).push(resolve);
        admit();
      });
      try {
        await pace(stop);
        for (let now = clock.elapsed(); pausedUntil > now && !stop.aborted; now = clock.elapsed()) {
          if (pausedUntil > (until ?? now + MAX_TIME)) return null;
          const length = { most: pausedUntil - now, isCertain: true };
          const end = waits.begin({ kind: 'limited', asked: isPauseAsked }, length);
          await clock.sleep(length.most, stop);
          end();
          await pace(stop);
        }
        const isLate = until !== null && clock.elapsed() > until;
        return stop.aborted || isLate ? null : await task();
      } finally {
        inFlight -= 1;
        admit();
      }
    },
    pace,
    expect,
    pausedUntil: () => pausedUntil,
    limited(startedAt, wait) {
      const now = clock.elapsed();
      // A 429 for a request that was in flight at the first 429 belongs to the same pause.
      const another = startedAt > limitedAt;
      if (another) {
        limitedAt = now;
        pauses += 1;
        successes = 0;
        allowed = Math.max(1, Math.floor(allowed / 2));
      }
      // Half of each pause is fixed, so that the pauses together exceed a minute.
      const most = Math.min(FIRST_PAUSE * 2 ** (pauses - 1), LONGEST_PAUSE);
      const pause = wait ?? most / 2 + (most / 2) * clock.random();
      if ((another || wait !== null) && now + pause > pausedUntil) {
        pausedUntil = now + pause;
        isPauseAsked = wait !== null;
      }
      rate?.spread(pausedUntil);
    },
    answered() {
      if (pausedUntil <= clock.elapsed()) pauses = 0;
      successes += 1;
      if (successes % GROWTH !== 0 || allowed === parallelism) return;
      allowed += 1;
      admit();
    },
  };
}

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

/** Milliseconds from `Retry-After` (seconds or date), or from `retry_after` in the body. */
export function readRetryAfter(
  { headers, body }: { headers: AnswerHeaders; body: Json | undefined },
  now: number,
): number | null {
  const text = [headers['retry-after'] ?? ''].flat()[0]?.trim() ?? '';
  const data = isObject(body) && isObject(body.data) ? body.data : {};
  const inBody = isObject(body) ? (body.retry_after ?? data.retry_after) : null;
  const value =
    text === '' && (typeof inBody === 'string' || typeof inBody === 'number') ? `${inBody}` : text;
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  const sent = Date.parse([headers.date ?? ''].flat()[0] ?? '');
  const asked = Number.isNaN(seconds) ? Date.parse(text) - (sent || now) : seconds * 1000;
  return asked > 0 ? asked : null;
}
