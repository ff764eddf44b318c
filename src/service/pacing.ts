/** When a request may start. */
import { setTimeout as wait } from 'node:timers/promises';
import { isObject, type Json } from '../model/json.js';
import type { AnswerHeaders } from './wire.js';

/** Time and chance, as far as pacing and retries need them; tests give their own. */
export interface Clock {
  /** Milliseconds since 1970, for dates: of `Retry-After`, in journals. People and time servers set it forward and back. */
  now(): number;
  /** Milliseconds that only grow: what waits and deadlines go by. */
  elapsed(): number;
  /** Waits; returns early, without an error, when the signal is aborted. */
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

/** How long one request waits for its turn. */
export interface Turn {
  /** Ends the waiting at once. */
  stop: AbortSignal;
  /** The time after which it is not begun any more; null where it was never tried: then no queue is too long. */
  until: number | null;
}

/**
 * Decides when a request may start. Promises: never more than `parallelism` at once, never more a minute than
 * allowed, and one pause for all when the service says 429.
 */
export interface Pacer {
  /** Runs the task as soon as it may, in the order in which they came, repeats first. Null: its turn never comes. */
  run<T>(task: () => Promise<T>, turn: Turn): Promise<T | null>;
  /** Counts a request in the turn of another one: what comes next waits for it. Milliseconds after which it may start. */
  charge(): number;
  /** The time until which nothing starts since the service said 429; 0 where there is no pause. */
  pausedUntil(): number;
  /** A request that started at `startedAt` was answered 429. `wait`: milliseconds the service asks for, or null. */
  limited(startedAt: number, wait: number | null): void;
  /** A request was answered with something else than 429. */
  answered(): void;
}

interface PacerOptions {
  parallelism: number;
  requestsPerMinute: number | null;
  clock: Clock;
  /** Ends what the pacer waits for itself; requests in its queue are ended by their own signals. */
  closed: AbortSignal;
}

/** Milliseconds after the start of its first attempt within which the last attempt of a request must begin. */
export const MOST_TIME = 5 * 60_000;
/** Successes after which one more request may be in flight again. */
const GROWTH = 20;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** How late a start may be and still have the next ones catch up: timers are never quite on time. */
const TOLERANCE = 50;

/** A request that waits for its turn, until `leave`. */
interface QueuedRequest {
  until: number | null;
  stop: AbortSignal;
  leave(served: boolean): void;
}

export function createPacer({ parallelism, requestsPerMinute, clock, closed }: PacerOptions): Pacer {
  // The tolerance counts as part of the minute: else catching up could bring one request too many into it.
  const interval = requestsPerMinute === null ? 0 : (60_000 + TOLERANCE) / requestsPerMinute;
  /** First come, first served, but repeats before what was never tried. */
  let queue: QueuedRequest[] = [];
  let allowed = parallelism;
  let inFlight = 0;
  let successes = 0;
  let nextStart = 0;
  let pausedUntil = 0;
  let limitedAt = -1;
  let pauses = 0;
  let asleep = false;
  /** One listener for each signal, not for each request: a signal goes through all it has when one is added. */
  const heard = new WeakSet<AbortSignal>();

  /** Starts what may start, in its turn; it is too late for some. */
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

  /** True when the turn has come, false when it never will. */
  function acquire({ stop, until }: Turn): Promise<boolean> {
    return new Promise((resolve) => {
      if (stop.aborted) return resolve(false);
      listen(stop);
      const request: QueuedRequest = { until, stop, leave: resolve };
      const firstTried = until === null ? -1 : queue.findIndex((one) => one.until === null);
      queue.splice(firstTried === -1 ? queue.length : firstTried, 0, request);
      dismissHopeless();
      pump();
    });
  }

  function listen(stop: AbortSignal): void {
    if (heard.has(stop)) return;
    heard.add(stop);
    stop.addEventListener('abort', () => dismiss((one) => one.stop === stop), { once: true });
  }

  function dismiss(which: (request: QueuedRequest) => boolean): void {
    const dismissed = queue.filter(which);
    queue = queue.filter((request) => !dismissed.includes(request));
    for (const request of dismissed) request.leave(false);
  }

  /** A pause that ends too late for a request ends it now: it would be waited for in vain. */
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
      // Requests that were already under way when the first of them was refused belong to the same episode.
      const another = startedAt > limitedAt;
      if (another) {
        limitedAt = now;
        pauses += 1;
        successes = 0;
        allowed = Math.max(1, Math.floor(allowed / 2));
      }
      // Half of a pause is fixed: the pauses must add up to more than a minute, the usual window of a limit.
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
 * Milliseconds that an answer asks to wait: header `Retry-After` in seconds or as a date (by the clock of the service where it
 * tells its own), else `retry_after` of the body in seconds. Null where it asks nothing or what has passed.
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
