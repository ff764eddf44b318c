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
  const timers = new Set<{ at: number; task: () => void }>();
  const advance = (until: number) => {
    for (;;) {
      const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      timers.delete(next);
      elapsed = Math.max(elapsed, next.at);
      next.task();
    }
    elapsed = Math.max(elapsed, until);
  };
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
      advance(until);
    },
    after(ms, task) {
      const timer = { at: elapsed + ms, task };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
}
