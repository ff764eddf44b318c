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
  requestsPerMinute: number | null;
  clock: Clock;
  waits?: Waits | undefined;
}

/** Maximum milliseconds between the starts of a request's first and last attempts. */
export const MAX_TIME = 5 * 60_000;
const GROWTH = 20;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** Milliseconds of delay that can be made up after a late timer. */
const TOLERANCE = 50;

export function createPacer(options: PacerOptions): Pacer {
  const { parallelism, requestsPerMinute, clock, waits = NO_WAITS } = options;
  // The tolerance is added to the minute, so that catching up never exceeds the limit.
  const interval = requestsPerMinute === null ? 0 : (60_000 + TOLERANCE) / requestsPerMinute;
  const retries: (() => void)[] = [];
  const untried: (() => void)[] = [];
  let allowed = parallelism;
  let inFlight = 0;
  let successes = 0;
  let nextStart = 0;
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

  function expect(requests: number, first = interval): void {
    if (requestsPerMinute === null) return;
    const most = first + (requests - 1) * interval;
    // It ends when its time is over, because it concerns many requests.
    waits.begin({ kind: 'pacing', requests, perMinute: requestsPerMinute }, { most, isCertain: true });
  }

  async function pace(stop: AbortSignal): Promise<void> {
    paced += 1;
    for (let now = clock.elapsed(); nextStart > now && !stop.aborted; now = clock.elapsed()) {
      expect(paced + retries.length + untried.length, nextStart - now);
      await clock.sleep(nextStart - now, stop);
    }
    paced -= 1;
    if (interval > 0) nextStart = Math.max(nextStart, clock.elapsed() - TOLERANCE) + interval;
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
