import type { Clock } from './clock.js';

/** How often one request is tried, and the wait in between. */
export interface Patience {
  /** Attempts so far that came to nothing. */
  attempts(): number;
  /** After an attempt that came to nothing: waits and says whether to try again. */
  again(limited: boolean, retryAfter: number | null): Promise<boolean>;
}

const MOST_FAULTS = 5;
/** Milliseconds from the first attempt after which a request is not begun again, whatever the service asks for. */
const MOST_TIME = 5 * 60_000;
/**
 * A 429 is no fault. Without `Retry-After`, the shared pauses between eight of them add up to between one and two
 * minutes, so that a limit by the minute is outlived.
 */
const MOST_LIMITS = 8;
const FIRST_WAIT = 300;

export function createPatience(clock: Clock, closed: AbortSignal): Patience {
  const began = clock.now();
  let faults = 0;
  let limits = 0;
  return {
    attempts: () => faults + limits,
    async again(limited, retryAfter) {
      if (limited) limits += 1;
      else faults += 1;
      if (closed.aborted || faults >= MOST_FAULTS || limits >= MOST_LIMITS) return false;
      if (clock.now() - began + (retryAfter ?? 0) > MOST_TIME) return false;
      // The pause after a 429 is everybody's and kept by the pacer.
      if (!limited) {
        await clock.sleep(retryAfter ?? FIRST_WAIT * 2 ** (faults - 1) * clock.random(), closed);
      }
      return !closed.aborted;
    },
  };
}
