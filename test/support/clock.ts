import type { Clock } from '../../src/service/index.js';

/**
 * A clock that advances when code sleeps, without really waiting. `slept`: the waits in milliseconds. Each sleep yields to
 * Node's timers, so that an endless wait ends when the test times out. `jump` adjusts the wall clock.
 */
export function fakeClock(
  start = Date.UTC(2026, 10, 2, 9, 0, 0),
): Clock & { slept: number[]; jump(ms: number): void } {
  // Not 0, because a real program has never just started.
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
