import type { Clock } from './clock.js';
import { createQueue, MOST_TIME, type Turn } from './queue.js';

/**
 * Decides when a request may start. Promises: never more than `parallelism` at once, never more a minute than
 * allowed, and one pause for everybody when the service says 429.
 */
export interface Pacer {
  /** Runs the task as soon as it may, in the order in which they came, repeats first. Null: its turn never comes. */
  run<T>(task: () => Promise<T>, turn: Turn): Promise<T | null>;
  /** The time until which nobody starts since the service said 429; 0 where there is no pause. */
  pausedUntil(): number;
  /** A request that started at `startedAt` was answered 429. `wait`: milliseconds the service asks for, or null. */
  limited(startedAt: number, wait: number | null): void;
  /** A request was answered with something else than 429. */
  answered(): void;
}

export interface Pace {
  parallelism: number;
  requestsPerMinute: number | null;
  clock: Clock;
  /** Ends what the pacer waits for itself; those who wait for it are ended by their own signals. */
  closed: AbortSignal;
}

/** Successes after which one more request may be in flight again. */
const GROWTH = 20;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** How late a start may be and still have the next ones catch up: timers are never quite on time. */
const TOLERANCE = 50;

export function createPacer({ parallelism, requestsPerMinute, clock, closed }: Pace): Pacer {
  // The tolerance counts as part of the minute: else catching up could bring one request too many into it.
  const interval = requestsPerMinute === null ? 0 : (60_000 + TOLERANCE) / requestsPerMinute;
  const queue = createQueue();
  let allowed = parallelism;
  let inFlight = 0;
  let successes = 0;
  let nextStart = 0;
  let pausedUntil = 0;
  let limitedAt = -1;
  let pauses = 0;
  let asleep = false;

  /** Milliseconds until the next request may start; the clock is left alone while nothing limits. */
  function delay(): number {
    if (pausedUntil === 0 && interval === 0) return 0;
    const now = clock.now();
    if (now >= pausedUntil) pausedUntil = 0;
    return Math.max(pausedUntil - now, interval === 0 ? 0 : nextStart - now);
  }

  function start(): void {
    inFlight += 1;
    if (interval > 0) nextStart = Math.max(nextStart, clock.now() - TOLERANCE) + interval;
  }

  function pump(): void {
    while (queue.size() > 0 && inFlight < allowed) {
      const ms = delay();
      if (ms > 0) {
        wakeIn(ms);
        return;
      }
      if (queue.serve(clock.now)) start();
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

  function acquire(turn: Turn): true | Promise<boolean> {
    if (queue.size() === 0 && inFlight < allowed && delay() <= 0 && !turn.stop.aborted) {
      start();
      return true;
    }
    const served = queue.join(turn);
    dismissHopeless();
    pump();
    return served;
  }

  /** A pause that ends too late for a request ends it now: it would be waited for in vain. */
  function dismissHopeless(): void {
    if (pausedUntil === 0) return;
    const latest = clock.now() + MOST_TIME;
    queue.dismiss(({ until }) => pausedUntil > (until ?? latest));
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
    pausedUntil: () => pausedUntil,
    limited(startedAt, wait) {
      const now = clock.now();
      // Requests that were already under way when the first of them was refused belong to the same episode.
      const another = startedAt > limitedAt;
      if (another) {
        limitedAt = now;
        pauses += 1;
        successes = 0;
        allowed = Math.max(1, Math.floor(allowed / 2));
      }
      if (another || wait !== null) pausedUntil = Math.max(pausedUntil, now + (wait ?? backOff(pauses)));
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

  /** Half of it fixed: the pauses must add up to more than a minute, the usual window of a limit. */
  function backOff(count: number): number {
    const most = Math.min(FIRST_PAUSE * 2 ** (count - 1), LONGEST_PAUSE);
    return most / 2 + (most / 2) * clock.random();
  }
}
