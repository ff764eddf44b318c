/** Milliseconds after the start of its first attempt within which the last attempt of a request must begin. */
export const MOST_TIME = 5 * 60_000;

/** What one request puts up with while it waits for its turn. */
export interface Turn {
  /** Ends the waiting at once. */
  stop: AbortSignal;
  /** The time after which it is not begun any more; null where it was never tried: then no queue is too long. */
  until: number | null;
}

/** Those who wait for their turn: first come, first served, but repeats before what was never tried. */
export interface Queue {
  size(): number;
  /** Waits; true when the turn has come, false when it never will. */
  join(turn: Turn): Promise<boolean>;
  /** Gives the first one its turn, or sends it away if it is too late for it; says which. */
  serve(now: () => number): boolean;
  /** Sends away those who will not wait that long. */
  dismiss(hopeless: (turn: Turn) => boolean): void;
}

interface Place {
  turn: Turn;
  leave(served: boolean): void;
}

export function createQueue(): Queue {
  const repeats: Place[] = [];
  const firsts: Place[] = [];

  function remove(place: Place): void {
    for (const line of [repeats, firsts]) {
      const index = line.indexOf(place);
      if (index >= 0) line.splice(index, 1);
    }
  }

  return {
    size: () => repeats.length + firsts.length,
    join(turn) {
      if (turn.stop.aborted) return Promise.resolve(false);
      return new Promise((resolve) => {
        const stopped = () => {
          remove(place);
          place.leave(false);
        };
        const place: Place = {
          turn,
          leave(served) {
            turn.stop.removeEventListener('abort', stopped);
            resolve(served);
          },
        };
        turn.stop.addEventListener('abort', stopped);
        (turn.until === null ? firsts : repeats).push(place);
      });
    },
    serve(now) {
      const place = repeats.shift() ?? firsts.shift();
      if (place === undefined) return false;
      const served = place.turn.until === null || now() <= place.turn.until;
      place.leave(served);
      return served;
    },
    dismiss(hopeless) {
      for (const place of [...repeats, ...firsts].filter(({ turn }) => hopeless(turn))) {
        remove(place);
        place.leave(false);
      }
    },
  };
}
