import type { Clock } from '../../src/service/index.js';

/**
 * A clock on which nobody waits: sleeping moves it on. `slept` are the waits in milliseconds. Timers of Node go on
 * meanwhile, so that a wait without end ends with the test.
 */
export function fakeClock(start = Date.UTC(2026, 10, 2, 9, 0, 0)): Clock & { slept: number[] } {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    random: () => 0.5,
    async sleep(ms) {
      slept.push(ms);
      const until = now + ms;
      await new Promise((resolve) => setImmediate(resolve));
      now = Math.max(now, until);
    },
  };
}
