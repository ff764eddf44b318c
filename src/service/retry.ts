import type { Channel, RequestAttempt } from './channel.js';
import { MOST_TIME, type Turn } from './pacing.js';

/** How often and how long one request is tried, and the wait in between. */
export interface RetryPolicy {
  /** How the next attempt may wait for its turn. */
  turn(): Turn;
  /** After an attempt that came to nothing: waits and says whether to try again. */
  again(attempt: RequestAttempt): Promise<boolean>;
  /** How it was given up, to end a sentence: `tried 5 times`. */
  account(): string;
}

const MOST_FAULTS = 5;
/**
 * A 429 is no fault. Without `Retry-After`, the shared pauses between eight of them add up to between one and two
 * minutes, so that a limit by the minute is outlived.
 */
const MOST_LIMITS = 8;
const FIRST_WAIT = 500;

/** `stop` ends every wait; a request that is on its way is not touched by it. */
export function createRetryPolicy({ clock, pausedUntil }: Channel, stop: AbortSignal): RetryPolicy {
  let faults = 0;
  let limits = 0;
  let until: number | null = null;
  let why = '';

  /** False, and why, where a wait that ends at `end` would be too long; `asked`: the service named that wait. */
  function isInTime(end: number, asked: boolean): boolean {
    const now = clock.now();
    if (end <= (until ?? now + MOST_TIME)) return true;
    why = asked || end - now > MOST_TIME ? `, the service asks to wait ${duration(end - now)}` : TIME_IS_UP;
    return false;
  }

  return {
    turn: () => ({ stop, until }),
    async again(attempt) {
      // Sent away by the pacer, before it began.
      if (attempt.kind === 'withheld') {
        if (isInTime(pausedUntil(), false)) why = TIME_IS_UP;
        return false;
      }
      until ??= attempt.startedAt + MOST_TIME;
      const limited = attempt.status === 429;
      if (limited) limits += 1;
      else faults += 1;
      if (faults >= MOST_FAULTS || limits >= MOST_LIMITS) return false;
      const asked = attempt.kind === 'answered' ? attempt.retryAfter : null;
      // The pause after a 429 is shared and kept by the pacer.
      const wait = limited ? 0 : (asked ?? FIRST_WAIT * 2 ** (faults - 1) * (0.5 + clock.random() / 2));
      if (!isInTime(Math.max(clock.now() + wait, pausedUntil()), asked !== null)) return false;
      // After an abort it ends at once, and the next attempt is withheld.
      if (!limited) await clock.sleep(wait, stop);
      return true;
    },
    account() {
      const count = faults + limits;
      return (count === 0 ? 'not tried' : count === 1 ? 'tried once' : `tried ${count} times`) + why;
    },
  };
}

const TIME_IS_UP = `, one request is given ${duration(MOST_TIME)}`;

/** In the unit that reads best; beyond a day the number tells nothing. */
function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 120 * 60) return `${Math.ceil(seconds / 60)} minutes`;
  if (seconds <= 24 * 3600) return `${Math.ceil(seconds / 3600)} hours`;
  return 'more than a day';
}
