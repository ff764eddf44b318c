import type { Clock } from './clock.js';

/**
 * Decides when a request may start. Promises: never more than `parallelism` at once, never more a minute than
 * allowed, and one pause for everybody when the service says 429.
 */
export interface Pacer {
  /**
   * Runs the task as soon as it may; tasks start in the order in which they came. Null, and never run, once `stop` is
   * aborted before its turn.
   */
  run<T>(task: () => Promise<T>, stop?: AbortSignal): Promise<T | null>;
  /** A request that started at `startedAt` was answered 429. `wait`: milliseconds the service asks for, or null. */
  limited(startedAt: number, wait: number | null): void;
  /** A request was answered with something else than 429. */
  answered(): void;
  /** Lets everything that waits go at once; what it wanted to send fails by itself. */
  close(): void;
}

type Turn = (mayStart: boolean) => void;

export interface Pace {
  parallelism: number;
  requestsPerMinute: number | null;
  clock: Clock;
}

/** Successes after which one more request may be in flight again. */
const GROWTH = 20;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** How late a start may be and still have the next ones catch up: timers are never quite on time. */
const TOLERANCE = 50;

export function createPacer({ parallelism, requestsPerMinute, clock }: Pace): Pacer {
  const interval = requestsPerMinute === null ? 0 : 60_000 / requestsPerMinute;
  const closing = new AbortController();
  const waiting: Turn[] = [];
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
    while (waiting.length > 0 && inFlight < allowed) {
      const ms = closing.signal.aborted ? 0 : delay();
      if (ms > 0) {
        wakeIn(ms);
        return;
      }
      start();
      waiting.shift()?.(true);
    }
  }

  function wakeIn(ms: number): void {
    if (asleep) return;
    asleep = true;
    void clock.sleep(ms, closing.signal).then(() => {
      asleep = false;
      pump();
    });
  }

  /** True when it may start, false when it was given up while it waited. */
  async function acquire(stop?: AbortSignal): Promise<boolean> {
    if (stop?.aborted) return false;
    if (waiting.length === 0 && inFlight < allowed && delay() <= 0) {
      start();
      return true;
    }
    return new Promise((resolve) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(turn), 1);
        resolve(false);
      };
      const turn = (mayStart: boolean) => {
        stop?.removeEventListener('abort', giveUp);
        resolve(mayStart);
      };
      stop?.addEventListener('abort', giveUp, { once: true });
      waiting.push(turn);
      pump();
    });
  }

  return {
    async run(task, stop) {
      if (!(await acquire(stop))) return null;
      try {
        return await task();
      } finally {
        inFlight -= 1;
        pump();
      }
    },
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
    },
    answered() {
      if (allowed === parallelism && pauses === 0) return;
      if (pausedUntil === 0) pauses = 0;
      successes += 1;
      if (successes % GROWTH !== 0 || allowed === parallelism) return;
      allowed += 1;
      pump();
    },
    close() {
      closing.abort();
      pump();
    },
  };

  /** Half of it fixed: the pauses must add up to more than a minute, the usual window of a limit. */
  function backOff(count: number): number {
    const most = Math.min(FIRST_PAUSE * 2 ** (count - 1), LONGEST_PAUSE);
    return most / 2 + (most / 2) * clock.random();
  }
}
