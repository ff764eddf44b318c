import type { Wait, Waits } from '../model/waits.js';
import { waitLine } from '../view/waits.js';
import type { World } from './world.js';

/** In milliseconds. */
const UNANNOUNCED = 2_000;
const AGAIN = 10_000;
/** The end of a paced series moves with each request. */
const PACING_AGAIN = 60_000;
/** Waits that end within this time of each other count as one. */
const SAME_END = 1_000;

/** Of each kind, announces at most one wait in ten seconds, and none that an announced one covers. */
export function openWaits({ err, clock }: Pick<World, 'err' | 'clock'>): Waits {
  const announced = new Map<string, { at: number; until: number; wait: Wait }>();
  return {
    begin(wait, { most, isCertain = false, before = 0 }) {
      if (before + most <= UNANNOUNCED) return () => {};
      const key = wait.kind === 'pause' ? `${wait.phase} ${wait.environment}` : wait.kind;
      const now = clock.elapsed();
      const [began, until] = [now - before, now + most];
      let cancel = () => {};
      const announce = () => {
        const at = clock.elapsed();
        const last = announced.get(key);
        const again = wait.kind === 'pacing' ? PACING_AGAIN : AGAIN;
        const isRecent = last !== undefined && at < last.at + again;
        if (isRecent || (last !== undefined && until <= last.until + SAME_END && at < last.until)) {
          // Each paced request begins such a wait anew.
          if (wait.kind === 'pacing') return;
          cancel = clock.after(isRecent ? last.at + again - at : again, announce);
        } else if (at < until) {
          announced.set(key, { at, until, wait });
          err(waitLine(wait, { elapsed: at - began, left: until - at }));
        }
      };
      if (isCertain || before >= UNANNOUNCED) announce();
      else cancel = clock.after(UNANNOUNCED - before, announce);
      return () => {
        cancel();
        const last = announced.get(key);
        if (last?.wait === wait) announced.set(key, { ...last, until: clock.elapsed() });
      };
    },
  };
}
