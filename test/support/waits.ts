import type { Wait, WaitLength, Waits } from '../../src/model/waits.js';
import type { Clock } from '../../src/service/index.js';

/** `lasted`: `null` if the wait has not ended. */
interface SeenWait {
  wait: Wait;
  length: WaitLength;
  lasted: number | null;
}

/** Records each wait with its length and, once it has ended, for how long it was. */
export function recordWaits({ elapsed }: Pick<Clock, 'elapsed'> = { elapsed: () => 0 }) {
  const seen: SeenWait[] = [];
  const waits: Waits = {
    begin(wait, length) {
      const began = elapsed();
      const entry: SeenWait = { wait, length, lasted: null };
      seen.push(entry);
      return () => {
        entry.lasted ??= elapsed() - began;
      };
    },
  };
  const of = (kind: Wait['kind']) => seen.filter(({ wait }) => wait.kind === kind);
  return { waits, seen, of };
}
