import { isObject, type Json } from '../model/json.js';
import { NO_WAITS, type Waits } from '../model/waits.js';
import type { Clock } from './clock.js';
import type { Rate } from './rate.js';
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

/** The pause that all requests share after a 429. */
function createPause({ clock, rate }: PacerOptions) {
  let until = 0;
  let isAsked = false;
  let limitedAt = -1;
  let pauses = 0;
  return {
    until: () => until,
    isAsked: () => isAsked,
    /** True if it is another pause: a 429 for a request that was in flight at the first 429 belongs to the same one. */
    limited(startedAt: number, wait: number | null): boolean {
      const now = clock.elapsed();
      const another = startedAt > limitedAt;
      if (another) {
        limitedAt = now;
        pauses += 1;
      }
      // Half of each pause is fixed, so that the pauses together exceed a minute.
      const most = Math.min(FIRST_PAUSE * 2 ** (pauses - 1), LONGEST_PAUSE);
      const pause = wait ?? most / 2 + (most / 2) * clock.random();
      if ((another || wait !== null) && now + pause > until) {
        until = now + pause;
        isAsked = wait !== null;
      }
      rate?.spread(until);
      return another;
    },
    answered() {
      if (until <= clock.elapsed()) pauses = 0;
    },
  };
}

export function createPacer(options: PacerOptions): Pacer {
  const { parallelism, clock, rate, waits = NO_WAITS } = options;
  const pause = createPause(options);
  const retries: (() => void)[] = [];
  const untried: (() => void)[] = [];
  let allowed = parallelism;
  let inFlight = 0;
  let successes = 0;
  let paced = 0;

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
        for (let now = clock.elapsed(); pause.until() > now && !stop.aborted; now = clock.elapsed()) {
          if (pause.until() > (until ?? now + MAX_TIME)) return null;
          const length = { most: pause.until() - now, isCertain: true };
          const end = waits.begin({ kind: 'limited', asked: pause.isAsked() }, length);
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
    pausedUntil: pause.until,
    limited(startedAt, wait) {
      if (!pause.limited(startedAt, wait)) return;
      successes = 0;
      allowed = Math.max(1, Math.floor(allowed / 2));
    },
    answered() {
      pause.answered();
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
