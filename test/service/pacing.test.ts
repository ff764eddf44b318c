import { afterEach, describe, expect, test } from 'vitest';
import { openReader } from '../../src/service/index.js';
import { createPacer } from '../../src/service/pacing.js';
import { fakeClock, type Loopback, options, type Reply, serve } from './loopback.js';

const servers: Loopback[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const found: Reply = { json: { data: {} } };

async function readAfter(limit: Reply, times = 1) {
  const server = await serve((_, count) => (count <= times ? limit : found));
  servers.push(server);
  const clock = fakeClock();
  const reader = openReader(options(server.url, { clock, parallelism: 1 }));
  await reader.read('campaign', 5);
  await reader.close();
  return clock.slept;
}

describe('a 429 is waited out', () => {
  test('for Retry-After in seconds', async () => {
    expect(await readAfter({ status: 429, headers: { 'retry-after': '8' } })).toEqual([8000]);
  });
  test('until the date of Retry-After', async () => {
    const headers = { 'retry-after': 'Mon, 02 Nov 2026 09:00:30 GMT' };
    expect(await readAfter({ status: 429, headers })).toEqual([30_000]);
  });
  test('for retry_after of the body', async () => {
    expect(await readAfter({ status: 429, json: { error: 'rate_limited', retry_after: 8 } })).toEqual([8000]);
  });
  test('for five minutes at most', async () => {
    expect(await readAfter({ status: 429, headers: { 'retry-after': '86400' } })).toEqual([300_000]);
  });
  test('longer each time where nothing is said, past a minute in all', async () => {
    const slept = await readAfter({ status: 429, headers: { 'retry-after': 'soon' } }, 7);
    expect(slept).toEqual([750, 1500, 3000, 6000, 12_000, 24_000, 45_000]);
  });
  test('with a pause of its own where the date has passed', async () => {
    const headers = { 'retry-after': 'Mon, 02 Nov 2026 08:00:00 GMT' };
    expect(await readAfter({ status: 429, headers })).toEqual([750]);
  });
});

/** Tasks that end when told to, on a pacer. */
function workshop(parallelism: number, requestsPerMinute: number | null = null) {
  const clock = fakeClock();
  const pacer = createPacer({ parallelism, requestsPerMinute, clock });
  const running: { startedAt: number; end: () => void }[] = [];
  const started: number[] = [];
  const settle = async () => {
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    clock,
    pacer,
    running,
    started,
    settle,
    run: () =>
      pacer.run(
        () =>
          new Promise<void>((end) => {
            started.push(clock.now());
            running.push({ startedAt: clock.now(), end });
          }),
      ),
    async finish(count: number) {
      for (const { end } of running.splice(0, count)) end();
      await settle();
    },
  };
}

describe('the pacer', () => {
  test('never lets more than the parallelism run, and starts the next as one ends', async () => {
    const { run, running, finish, settle } = workshop(3);
    for (let index = 0; index < 10; index += 1) void run();
    await settle();
    expect(running.length).toBe(3);
    await finish(2);
    expect(running.length).toBe(3);
  });

  test('halves after a 429 and grows back by one for twenty answers', async () => {
    const { pacer, run, running, finish, settle, clock, started } = workshop(8);
    for (let index = 0; index < 200; index += 1) void run();
    await settle();
    expect(running.length).toBe(8);
    // All eight are refused: one episode, one pause, one halving.
    const begun = clock.now();
    for (const { startedAt } of running) pacer.limited(startedAt, 4000);
    await finish(8);
    expect(running.length).toBe(4);
    expect(started.slice(8)).toEqual(Array(4).fill(begun + 4000));
    for (let answers = 0; answers < 40; answers += 1) pacer.answered();
    await settle();
    expect(running.length).toBe(6);
    for (let answers = 0; answers < 1000; answers += 1) pacer.answered();
    await settle();
    expect(running.length).toBe(8);
  });

  test('goes down to one, not to none', async () => {
    const { pacer, run, running, finish, settle, clock } = workshop(4);
    for (let index = 0; index < 20; index += 1) void run();
    await settle();
    for (let episode = 0; episode < 4; episode += 1) {
      pacer.limited(clock.now(), 1000);
      await finish(4);
    }
    expect(running.length).toBe(1);
  });

  test('spreads the starts evenly over the minute', async () => {
    const { run, started, clock, finish, settle } = workshop(100, 600);
    const begun = clock.now();
    for (let index = 0; index < 5; index += 1) void run();
    for (let turn = 0; turn < 12; turn += 1) await settle();
    expect(started.map((at) => at - begun)).toEqual([0, 50, 150, 250, 350]);
    await finish(5);
  });

  test('does not save up idle time for a burst', async () => {
    const { run, started, clock, finish, settle } = workshop(100, 60);
    void run();
    await finish(1);
    await clock.sleep(600_000);
    const begun = clock.now();
    for (let index = 0; index < 3; index += 1) void run();
    for (let turn = 0; turn < 12; turn += 1) await settle();
    expect(started.slice(1).map((at) => at - begun)).toEqual([0, 950, 1950]);
  });
});

test('a limited service is read whole, at its own pace', async () => {
  // Ten requests a second of the fake time, Retry-After: 1.
  const clock = fakeClock();
  let windowStart = clock.now();
  let inWindow = 0;
  let refused = 0;
  const server = await serve(() => {
    if (clock.now() - windowStart >= 1000) {
      windowStart = clock.now();
      inWindow = 0;
    }
    inWindow += 1;
    if (inWindow <= 10) return found;
    refused += 1;
    return { status: 429, headers: { 'retry-after': '1' } };
  });
  servers.push(server);
  const reader = openReader(options(server.url, { clock, parallelism: 8 }));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => reader.read('campaign', index + 1)),
  );
  await reader.close();
  expect(answers.length).toBe(100);
  expect(refused).toBeLessThan(40);
});
