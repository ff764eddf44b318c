import { setTimeout as wait } from 'node:timers/promises';
import { isObject, type Json } from '../model/json.js';
import type { AnswerHeaders } from './wire.js';

/** Time and randomness for pacing and retries; tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970, for dates in `Retry-After` and journals. May be set forward and back. */
  now(): number;
  /** Monotonic milliseconds, for waits and deadlines. */
  elapsed(): number;
  /** Resolves early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** At least 0, below 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
};

export interface Turn {
  /** Ends the wait at once. */
  stop: AbortSignal;
  /** No start after this time; `null` if the request was never tried. */
  until: number | null;
}

/**
 * Decides when a request may start: at most `parallelism` at once, at most `requestsPerMinute`, and one shared pause after
 * a 429.
 */
export interface Pacer {
  /** Runs the task when a slot is free (FIFO, retries first). Resolves to `null` if its turn never comes. */
  run<T>(task: () => Promise<T>, turn: Turn): Promise<T | null>;
  /** Counts a request that is sent in the turn of another one. Returns the milliseconds until it may start. */
  charge(): number;
  /** End of the shared pause; 0 if there is none. */
  pausedUntil(): number;
  /** Reports a 429 for a request that started at `startedAt`. `wait`: milliseconds that the service asks for, or `null`. */
  limited(startedAt: number, wait: number | null): void;
  /** Reports any other response. */
  answered(): void;
}

interface PacerOptions {
  parallelism: number;
  requestsPerMinute: number | null;
  clock: Clock;
  closed: AbortSignal;
}

/** Milliseconds from the first attempt of a request within which its last attempt must start. */
export const MOST_TIME = 5 * 60_000;
/** Successes after which one more request may be in flight again. */
const GROWTH = 20;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** Milliseconds of a late timer that later starts may catch up. */
const TOLERANCE = 50;

/** A request that waits for its turn, until `leave`. */
interface QueuedRequest {
  until: number | null;
  stop: AbortSignal;
  leave(served: boolean): void;
}

export function createPacer({ parallelism, requestsPerMinute, clock, closed }: PacerOptions): Pacer {
  // The tolerance is part of the minute, so that catching up never exceeds the limit.
  const interval = requestsPerMinute === null ? 0 : (60_000 + TOLERANCE) / requestsPerMinute;
  let queue: QueuedRequest[] = [];
  let allowed = parallelism;
  let inFlight = 0;
  let successes = 0;
  let nextStart = 0;
  let pausedUntil = 0;
  let limitedAt = -1;
  let pauses = 0;
  let asleep = false;
  /** One listener a signal: adding listeners is slow. */
  const heard = new WeakSet<AbortSignal>();

  /** Starts queued requests; drops those that are too late. */
  function pump(): void {
    while (inFlight < allowed && queue.length > 0) {
      const now = clock.elapsed();
      if (now >= pausedUntil) pausedUntil = 0;
      const delay = Math.max(pausedUntil, nextStart) - now;
      if (delay > 0) {
        wakeIn(delay);
        return;
      }
      const next = queue.shift();
      const served = next !== undefined && (next.until === null || now <= next.until);
      next?.leave(served);
      if (!served) continue;
      inFlight += 1;
      if (interval > 0) nextStart = Math.max(nextStart, now - TOLERANCE) + interval;
    }
  }

  function wakeIn(ms: number): void {
    if (asleep || closed.aborted) return;
    asleep = true;
    void clock.sleep(ms, closed).then(() => {
      asleep = false;
      pump();
    });
  }

  /** Resolves to `true` when the request may start, `false` if it never will. */
  function acquire({ stop, until }: Turn): Promise<boolean> {
    return new Promise((resolve) => {
      if (stop.aborted) return resolve(false);
      listen(stop);
      const request: QueuedRequest = { until, stop, leave: resolve };
      const firstTried = until === null ? -1 : queue.findIndex((waiting) => waiting.until === null);
      queue.splice(firstTried === -1 ? queue.length : firstTried, 0, request);
      dismissHopeless();
      pump();
    });
  }

  function listen(stop: AbortSignal): void {
    if (heard.has(stop)) return;
    heard.add(stop);
    stop.addEventListener('abort', () => dismiss((waiting) => waiting.stop === stop), { once: true });
  }

  function dismiss(which: (request: QueuedRequest) => boolean): void {
    const dismissed = queue.filter(which);
    queue = queue.filter((request) => !dismissed.includes(request));
    for (const request of dismissed) request.leave(false);
  }

  function dismissHopeless(): void {
    if (pausedUntil === 0) return;
    const latest = clock.elapsed() + MOST_TIME;
    dismiss(({ until }) => pausedUntil > (until ?? latest));
  }

  return {
    async run(task, turn) {
      if (!(await acquire(turn))) return null;
      try {
        return await task();
      } finally {
        inFlight -= 1;
        pump();
      }
    },
    charge() {
      const start = Math.max(nextStart, clock.elapsed());
      if (interval > 0) nextStart = start + interval;
      return start - clock.elapsed();
    },
    pausedUntil: () => pausedUntil,
    limited(startedAt, wait) {
      const now = clock.elapsed();
      // Requests that were in flight at the first 429 belong to the same pause.
      const another = startedAt > limitedAt;
      if (another) {
        limitedAt = now;
        pauses += 1;
        successes = 0;
        allowed = Math.max(1, Math.floor(allowed / 2));
      }
      // Half of a pause is fixed, so that the pauses add up to more than a minute, the usual window of a limit.
      const most = Math.min(FIRST_PAUSE * 2 ** (pauses - 1), LONGEST_PAUSE);
      const pause = wait ?? most / 2 + (most / 2) * clock.random();
      if (another || wait !== null) pausedUntil = Math.max(pausedUntil, now + pause);
      dismissHopeless();
    },
    answered() {
      if (allowed === parallelism && pauses === 0) return;
      if (pausedUntil === 0) pauses = 0;
      successes += 1;
      if (successes % GROWTH !== 0 || allowed === parallelism) return;
      allowed += 1;
      pump();
    },
  };
}

/**
 * From `Retry-After` (seconds or date) or `retry_after` of the body, in milliseconds. `null` if there is none, or it has passed.
 */
export function readRetryAfter(
  { headers, body }: { headers: AnswerHeaders; body: Json | undefined },
  now: number,
): number | null {
  const text = [headers['retry-after'] ?? ''].flat()[0]?.trim() ?? '';
  const data = isObject(body) && isObject(body.data) ? body.data : {};
  const inBody = isObject(body) ? (body.retry_after ?? data.retry_after) : null;
  const said = text === '' && (typeof inBody === 'string' || typeof inBody === 'number') ? `${inBody}` : text;
  const seconds = /^\d+(\.\d+)?$/.test(said) ? Number(said) : Number.NaN;
  const sent = Date.parse([headers.date ?? ''].flat()[0] ?? '');
  const asked = Number.isNaN(seconds) ? Date.parse(text) - (sent || now) : seconds * 1000;
  return asked > 0 ? asked : null;
}
