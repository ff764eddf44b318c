import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createPacer, type Turn } from '../../src/service/pacing.js';
import { createRate } from '../../src/service/rate.js';
import type { Wire } from '../../src/service/wire.js';
import { fakeClock } from '../support/clock.js';
import { connect, type Reply, serve } from './loopback.js';

const reply: Reply = { json: { data: {} } };

async function readAfter(limit: Reply, times = 1, clock = fakeClock()) {
  const server = await serve((_, count) => (count <= times ? limit : reply));
  const reader = connect(server.url, { clock, parallelism: 1 });
  await reader.read('campaign', 5);
  return clock.slept;
}

const at = (time: string) => ({
  date: 'Mon, 02 Nov 2026 09:00:00 GMT',
  'retry-after': `Mon, 02 Nov 2026 ${time} GMT`,
});
const asked = (retry_after: unknown): Reply => ({
  status: 429,
  json: { error: 'rate_limited', retry_after },
});
test.each<[string, Reply, number]>([
  ['Retry-After in seconds', { status: 429, headers: { 'retry-after': '8' } }, 8000],
  ['almost five minutes', { status: 429, headers: { 'retry-after': '299' } }, 299_000],
  ['a date', { status: 429, headers: at('09:00:30') }, 30_000],
  ['a date that has passed: its own pause', { status: 429, headers: at('08:00:00') }, 750],
  ...[8, '8', '8.0'].map((time): [string, Reply, number] => [
    `${JSON.stringify(time)} in the body`,
    asked(time),
    8000,
  ]),
  ...[true, [8], '', 'soon'].map((time): [string, Reply, number] => [
    `${JSON.stringify(time)} in the body: its own pause`,
    asked(time),
    750,
  ]),
])('a 429 is waited out: %s', async (_, limit, slept) => {
  expect(await readAfter(limit)).toEqual([slept]);
});

test('pauses after 429 grow if the service names no wait, to more than a minute in total', async () => {
  const slept = await readAfter({ status: 429, headers: { 'retry-after': 'soon' } }, 7);
  expect(slept).toEqual([750, 1500, 3000, 6000, 12_000, 24_000, 45_000]);
});

test('setting the system clock forward and back does not affect waits or deadlines', async () => {
  const clock = fakeClock();
  let looks = 0;
  const jumpy = { ...clock, now: () => clock.now() + (looks++ % 2 === 0 ? 1 : -1) * 86_400_000 };
  const limit = { status: 429, headers: { 'retry-after': '60' } };
  expect(await readAfter(limit, 4, jumpy)).toEqual([60_000, 60_000, 60_000, 60_000]);
  expect(await readAfter({ status: 429, headers: at('09:00:30') }, 1, jumpy)).toContain(30_000);
});

/** Tasks on a pacer that end when the test ends them. */
function workshop(parallelism: number, most: number | null = null) {
  const clock = fakeClock();
  const closed = new AbortController().signal;
  setMaxListeners(0, closed);
  const rate = most === null ? null : createRate(most, clock);
  const pacer = createPacer({ parallelism, clock, rate });
  const running: { startedAt: number; end: () => void }[] = [];
  const started: number[] = [];
  const untilQuiet = async () => {
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    clock,
    pacer,
    running,
    started,
    untilQuiet,
    run: (turn: Partial<Turn> = {}) =>
      pacer.run(
        () =>
          new Promise<'run'>((resolve) => {
            started.push(clock.elapsed());
            running.push({ startedAt: clock.elapsed(), end: () => resolve('run') });
          }),
        { stop: closed, until: null, ...turn },
      ),
    async finish(count: number) {
      for (const { end } of running.splice(0, count)) end();
      await untilQuiet();
    },
  };
}

describe('the pacer', () => {
  test('never lets more than the parallelism run, and starts the next as one ends', async () => {
    const { run, running, finish, untilQuiet } = workshop(3);
    for (let index = 0; index < 10; index += 1) void run();
    await untilQuiet();
    expect(running.length).toBe(3);
    await finish(2);
    expect(running.length).toBe(3);
  });

  test('halves after a 429 and grows back by one for twenty responses', async () => {
    const { pacer, run, running, finish, untilQuiet, clock, started } = workshop(8);
    for (let index = 0; index < 200; index += 1) void run();
    await untilQuiet();
    expect(running.length).toBe(8);
    // All eight are refused: one episode, one pause, one halving.
    const begun = clock.elapsed();
    for (const { startedAt } of running) pacer.limited(startedAt, 4000);
    await finish(8);
    expect(running.length).toBe(4);
    expect(started.slice(8)).toEqual(Array(4).fill(begun + 4000));
    for (let answers = 0; answers < 40; answers += 1) pacer.answered();
    await untilQuiet();
    expect(running.length).toBe(6);
    for (let answers = 0; answers < 1000; answers += 1) pacer.answered();
    await untilQuiet();
    expect(running.length).toBe(8);
  });

  test('goes down to one, not to zero', async () => {
    const { pacer, run, running, finish, untilQuiet, clock } = workshop(4);
    for (let index = 0; index < 20; index += 1) void run();
    await untilQuiet();
    for (let episode = 0; episode < 4; episode += 1) {
      pacer.limited(clock.elapsed(), 1000);
      await finish(4);
    }
    expect(running.length).toBe(1);
  });

  test('after a 429, requests start evenly spaced, without a burst', async () => {
    const { pacer, run, started, clock, untilQuiet } = workshop(100, 605);
    pacer.limited(clock.elapsed(), 4000);
    const begun = clock.elapsed();
    for (let index = 0; index < 4; index += 1) void run();
    for (let turn = 0; turn < 12; turn += 1) await untilQuiet();
    expect(started.map((at) => Math.round(at - begun))).toEqual([4000, 4100, 4200, 4300]);
  });

  test('sends retries before new requests, both in order', async () => {
    const { run, finish, untilQuiet, started } = workshop(1);
    const order: string[] = [];
    void run();
    for (const name of ['first', 'second']) void run().then(() => order.push(name));
    for (const name of ['again 1', 'again 2'])
      void run({ until: Date.UTC(2027, 0) }).then(() => order.push(name));
    for (let index = 0; index < 5; index += 1) {
      await untilQuiet();
      await finish(1);
    }
    expect(order).toEqual(['again 1', 'again 2', 'first', 'second']);
    expect(started.length).toBe(5);
  });

  test('does not start a task whose turn comes too late', async () => {
    const { run, finish, untilQuiet, started, clock } = workshop(1);
    void run();
    const late = run({ until: clock.elapsed() + 1000 });
    const next = run();
    await clock.sleep(1001);
    await finish(1);
    await untilQuiet();
    await finish(1);
    expect(await Promise.all([late, next])).toEqual([null, 'run']);
    expect(started.length).toBe(2);
  });
});

test('reads of a guard skip the queue, even with parallelism 1, but keep to the rate limit', async () => {
  const clock = fakeClock();
  const moments: number[] = [];
  const server = await serve(() => {
    moments.push(clock.elapsed());
    return reply;
  });
  const begun = clock.elapsed();
  const service = connect(server.url, { clock, parallelism: 1, requestsPerMinute: 6 });
  const guard = async (ahead: Pick<typeof service, 'read'>) => {
    await ahead.read('campaign', 5);
    await ahead.read('schedule', 5);
    return null;
  };
  const write = { method: 'PATCH', path: '/api/campaigns/5/pause', body: null } as const;
  await Promise.all([
    service.send(write, { guard }),
    service.read('campaign', 6),
    service.read('campaign', 7),
  ]);
  expect(server.arrived.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/campaigns/5',
    'GET /api/campaigns/5/schedule',
    'PATCH /api/campaigns/5/pause',
    'GET /api/campaigns/6',
    'GET /api/campaigns/7',
  ]);
  // The write follows the check immediately, and nothing may come between them.
  const seconds = moments.map((moment) => Math.round((moment - begun) / 1000));
  expect(seconds).toEqual([5, 15, 15, 25, 35]);
});

test('responses that arrive together are received and waiting requests are sent before any response is handled', async () => {
  const order: string[] = [];
  const answer = { kind: 'answered', status: 200, headers: {}, bytes: Buffer.from('{"data":{}}') } as const;
  const wire: Wire = {
    exchange({ path }) {
      order.push(`${path.slice(-1)} leaves`);
      return new Promise((resolve) => setImmediate(() => resolve(answer)));
    },
    close: async () => undefined,
  };
  const reader = connect('http://127.0.0.1:9', { parallelism: 2, wire });
  const read = async (id: number) => {
    await reader.read('campaign', id);
    order.push(`${id} is there`);
  };
  await Promise.all([1, 2, 3, 4].map(read));
  expect(order.slice(0, 4)).toEqual(['1 leaves', '2 leaves', '3 leaves', '4 leaves']);
});
