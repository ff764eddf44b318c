import { describe, expect, test } from 'vitest';
import { fakeClock } from '../support/clock.js';
import { connect, type Reply, serve } from './loopback.js';

type Clock = ReturnType<typeof fakeClock>;

/** Lets `most` requests pass in each window of `length` milliseconds that begins at a full one, as most limiters do. */
function windows(clock: Clock, most: number, length = 60_000) {
  let window = -1;
  let passed = 0;
  return {
    passes() {
      const now = Math.floor(clock.now() / length);
      if (now !== window) passed = 0;
      window = now;
      passed += 1;
      return passed <= most;
    },
    /** Milliseconds until the next window. */
    rest: () => length - (clock.now() % length),
  };
}

type Limiter = (clock: Clock) => { passes(): boolean; refusal(): Reply; leaves?(): void };

const limiters: [string, Limiter, number][] = [
  [
    '40 a minute, Retry-After in seconds',
    (clock) => {
      const { passes, rest } = windows(clock, 40);
      const refusal = () => ({
        status: 429,
        headers: { 'retry-after': String(Math.ceil(rest() / 1000)) },
      });
      return { passes, refusal };
    },
    // Eight in flight when a window is full, then one less each time.
    30,
  ],
  [
    '40 a minute, Retry-After as date',
    (clock) => {
      const { passes, rest } = windows(clock, 40);
      const date = () => new Date(Math.ceil((clock.now() + rest()) / 1000) * 1000).toUTCString();
      return {
        passes,
        refusal: () => ({
          status: 429,
          headers: { date: new Date(clock.now()).toUTCString(), 'retry-after': date() },
        }),
      };
    },
    30,
  ],
  [
    '40 a minute, without a word',
    (clock) => ({ passes: windows(clock, 40).passes, refusal: () => ({ status: 429, text: 'Slow down' }) }),
    60,
  ],
  [
    'two at a time',
    () => {
      let inFlight = 0;
      return {
        passes() {
          inFlight += 1;
          return inFlight <= 2;
        },
        leaves() {
          inFlight -= 1;
        },
        refusal: () => ({ status: 429 }),
      };
    },
    40,
  ],
];

describe('two hundred requests get through, each once, whatever the limit is', () => {
  test.each(limiters)('%s', async (_, limiter, bound) => {
    const clock = fakeClock();
    const { passes, refusal, leaves } = limiter(clock);
    const effects: string[] = [];
    let refused = 0;
    const server = await serve(async ({ body }) => {
      const pass = passes();
      if (pass) effects.push(body);
      else refused += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
      leaves?.();
      return pass ? { json: { data: { id: 5 } } } : refusal();
    });
    const writer = connect(server.url, { clock, parallelism: 8 });
    const sent = await Promise.all(
      Array.from({ length: 200 }, (__, name) =>
        writer.send({ method: 'POST', path: '/api/campaigns', body: { name } }),
      ),
    );
    expect(sent.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
    expect(effects.length).toBe(200);
    expect(new Set(effects).size).toBe(200);
    expect(refused).toBeLessThan(bound);
    // It was limited at all.
    expect(refused).toBeGreaterThan(3);
  });
});
