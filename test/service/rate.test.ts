import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/service/clock.js';
import { createPacer } from '../../src/service/pacing.js';
import { createRate, sharedRate } from '../../src/service/rate.js';

const never = new AbortController().signal;
setMaxListeners(0, never);

/** A simulated clock: sleepers wake in the order of their times, up to `late` milliseconds late. */
function simulation(late: readonly number[] = [0]) {
  let now = 5000;
  let sleeps = 0;
  const sleepers: { until: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    elapsed: () => now,
    random: () => 0.5,
    after: () => () => {},
    sleep(ms) {
      sleeps += 1;
      const until = now + ms + (late[sleeps % late.length] ?? 0);
      return new Promise((wake) => void sleepers.push({ until, wake }));
    },
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    clock,
    /** Runs until no task sleeps. */
    async run() {
      for (await settle(); sleepers.length > 0; await settle()) {
        sleepers.sort((a, b) => a.until - b.until);
        const next = sleepers.shift();
        now = Math.max(now, next?.until ?? now);
        next?.wake();
      }
    },
  };
}

/** Starts of requests that arrive after these waits, relative to the first arrival. */
async function startsOf(most: number, waits: readonly number[], late?: readonly number[]) {
  const { clock, run } = simulation(late);
  const rate = createRate(most, clock);
  const starts: number[] = [];
  const begun = clock.elapsed();
  const arrivals = (async () => {
    for (const wait of waits) {
      if (wait > 0) await clock.sleep(wait);
      void rate.pace(never).then(() => starts.push(clock.elapsed() - begun));
    }
  })();
  await run();
  await arrivals;
  return starts;
}

/** The highest number of starts in 60 seconds. */
function busiestMinute(starts: readonly number[]): number {
  const inMinute = (from: number) => starts.filter((at) => at >= from && at < from + 60_000).length;
  return Math.max(...starts.map(inMinute));
}

describe('the rate', () => {
  test('no minute has more starts than the limit, whenever requests arrive and however late timers are', async () => {
    const wait = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 40_000 }));
    const arrivals = fc.record({
      most: fc.integer({ min: 1, max: 40 }),
      waits: fc.array(wait, { minLength: 1, maxLength: 120 }),
      late: fc.array(fc.constantFrom(0, 1, 49, 2000), { minLength: 1, maxLength: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ most, waits, late }) => {
        const starts = await startsOf(most, waits, late);
        expect(starts.length).toBe(waits.length);
        expect(busiestMinute(starts)).toBeLessThanOrEqual(most);
      }),
    );
  });

  test('a sixth of the limit starts at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), async (most) => {
        const burst = Math.max(1, Math.floor(most / 6));
        const starts = await startsOf(most, Array(burst + 1).fill(0));
        expect(starts.filter((at) => at === 0).length).toBe(burst);
      }),
      { numRuns: 20 },
    );
  });

  test('after the burst, requests start evenly spaced, and again after an idle time', async () => {
    const again = Array(13).fill(0);
    const starts = await startsOf(60, [...again, 200_000, ...again.slice(1)]);
    expect(starts.slice(9, 13).map(Math.round)).toEqual([0, 504, 1513, 2521]);
    expect(starts.slice(13 + 9).map((at) => Math.round(at - 200_000))).toEqual([0, 504, 1513, 2521]);
  });

  test('requests over the limit take hardly longer than the limit makes them', async () => {
    for (const most of [1, 7, 60]) {
      const starts = await startsOf(most, Array(3 * most + 1).fill(0));
      expect(starts.at(-1)).toBeLessThan(3 * 60_000 * 1.01);
    }
  });

  test('one service and token share a rate; others do not', () => {
    const { clock } = simulation();
    const rate = sharedRate('service token', 60, clock);
    expect(sharedRate('service token', 60, clock)).toBe(rate);
    expect(sharedRate('service other', 60, clock)).not.toBe(rate);
    expect(sharedRate('service token', 60, simulation().clock)).not.toBe(rate);
  });
});

/** Milliseconds for the list and two readings of each campaign, eight at a time, with 30 ms for a response. */
async function planTime(campaigns: number): Promise<number> {
  const { clock, run } = simulation();
  const pacer = createPacer({ parallelism: 8, clock, rate: createRate(600, clock) });
  const begun = clock.elapsed();
  const requests = Array.from({ length: 1 + 2 * campaigns }, () =>
    pacer.run(() => clock.sleep(30), { stop: never, until: null }),
  );
  await run();
  await Promise.all(requests);
  return clock.elapsed() - begun;
}

test('at 600 requests a minute, a plan of 36 campaigns takes less than 2 seconds, and of 300 about a minute', async () => {
  expect(await planTime(36)).toBeLessThan(2000);
  expect(await planTime(300)).toBeLessThan(62_000);
});
