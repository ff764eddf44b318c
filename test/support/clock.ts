import type { Clock } from '../../src/service/index.js';

/**
 * A clock without real waits: sleeping moves it on. `slept` are the waits in milliseconds. Timers of Node go on
 * meanwhile, so that a wait without end ends with the test. `jump` sets it forward or back, as people do.
 */
export function fakeClock(
  start = Date.UTC(2026, 10, 2, 9, 0, 0),
): Clock & { slept: number[]; jump(ms: number): void } {
  // Not 0: no program has just begun.
  let elapsed = 10_000;
  let shift = -10_000;
  const slept: number[] = [];
  return {
    slept,
    jump(ms) {
      shift += ms;
    },
    now: () => start + elapsed + shift,
    elapsed: () => elapsed,
    random: () => 0.5,
    async sleep(ms) {
      slept.push(ms);
      const until = elapsed + ms;
      await new Promise((resolve) => setImmediate(resolve));
      elapsed = Math.max(elapsed, until);
    },
  };
}
