/** Each wait for the service is announced with its cause and its length. The clock is fake, so nothing really waits. */
import { expect, onTestFinished, test } from 'vitest';
import { openReader, readCampaigns } from '../../src/service/index.js';
import { fakeClock } from '../support/clock.js';
import { failureOf } from '../support/failure.js';
import { recordWaits } from '../support/waits.js';
import { badGateway, connect, listen, options, type Reply, serve } from './loopback.js';

const reply: Reply = { json: { data: { id: 5 } } };
const pause = { method: 'PATCH', path: '/api/campaigns/5/pause', body: null } as const;

function watch() {
  const clock = fakeClock();
  return { clock, ...recordWaits(clock) };
}

test('a response: which request, and for how long it is awaited', async () => {
  const { clock, waits, seen } = watch();
  const server = await serve(async () => {
    await clock.sleep(3_000);
    return reply;
  });
  const service = connect(server.url, { clock, waits });
  await service.read('campaign', 5);
  await service.send(pause);
  const answer = (request: string, isLast: boolean) => ({
    wait: { kind: 'answer', request, isLast },
    length: { most: 2_000 },
    lasted: 3_000,
  });
  expect(seen).toEqual([
    answer(`GET ${server.url}/api/campaigns/5`, false),
    answer(`PATCH ${server.url}/api/campaigns/5/pause`, true),
  ]);
});

test.each([
  ['asked for', { 'retry-after': '12' }, true, 12_000],
  ['not asked for', {}, false, 750],
])('after a 429: %s', async (_, headers, asked, most) => {
  const { clock, waits, of } = watch();
  const server = await serve((_, count) => (count === 1 ? { status: 429, headers } : reply));
  await connect(server.url, { clock, waits }).read('campaign', 5);
  expect(of('limited')).toEqual([
    { wait: { kind: 'limited', asked }, length: { most, isCertain: true }, lasted: most },
  ]);
  expect(of('retry')).toEqual([]);
});

test('a 429 that asks for too long a wait is not announced, because it is not waited out', async () => {
  const { clock, waits, of } = watch();
  const server = await serve(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
  await failureOf(connect(server.url, { clock, waits }).read('campaign', 5));
  expect(of('limited')).toEqual([]);
});

test('before each further attempt: why, and how often it was tried', async () => {
  const { clock, waits, of } = watch();
  const server = await serve((_, count) => (count < 4 ? badGateway : reply));
  await connect(server.url, { clock, waits }).read('campaign', 5);
  const request = `GET ${server.url}/api/campaigns/5`;
  const retries = of('retry');
  expect(retries.map(({ wait }) => wait)).toEqual(
    [1, 2, 3].map((tries) => ({
      ...{ kind: 'retry', request, tries, maxTries: 5 },
      fault: expect.stringMatching(/^status 502/),
    })),
  );
  expect(retries.map(({ length }) => length)).toEqual([
    { most: 375, isCertain: true, before: 0 },
    { most: 750, isCertain: true, before: 375 },
    { most: 1_500, isCertain: true, before: 1_125 },
  ]);
});

test('a wait that a 503 asks for is announced in full', async () => {
  const { clock, waits, of } = watch();
  const busy: Reply = { status: 503, headers: { 'retry-after': '40' }, json: { message: 'busy' } };
  const server = await serve((_, count) => (count === 1 ? busy : reply));
  await connect(server.url, { clock, waits }).read('campaign', 5);
  expect(of('retry')).toMatchObject([{ wait: { fault: 'status 503: busy' }, length: { most: 40_000 } }]);
});

test('no announcement contains the token', async () => {
  const { clock, waits, seen } = watch();
  const { token } = options('http://127.0.0.1');
  const server = await serve((_, count) =>
    count === 1 ? { status: 500, json: { message: `bad token ${token}` } } : reply,
  );
  await connect(server.url, { clock, waits }).read('campaign', 5);
  expect(seen.length).toBe(3);
  expect(JSON.stringify(seen)).not.toContain(token);
});

test('the rate limit: the time for all reads is known before the first one', async () => {
  const { clock, waits, of } = watch();
  const server = await listen(({ path }) => ({ json: { data: { id: Number(path.split('/')[3]) } } }));
  const reader = openReader(options(server.url, { clock, waits, requestsPerMinute: 60 }));
  onTestFinished(async () => {
    await reader.close();
    await server.close();
  });
  const wanted = Array.from({ length: 240 }, (_, at) => ({ id: at + 1, names: ['campaign'] as const }));
  const began = clock.elapsed();
  await readCampaigns(reader, wanted);
  const [first, ...later] = of('pacing');
  expect(first).toMatchObject({
    wait: { kind: 'pacing', requests: 240, perMinute: 60 },
    length: { most: expect.closeTo(231_412.5), isCertain: true },
  });
  const ends = later.map(({ length }) => length.most);
  expect(Math.max(...ends)).toBeLessThanOrEqual(231_413);
  expect(clock.elapsed() - began).toBeGreaterThan(229_000);
});

test('the rate limit: a queue that nobody announced is announced too', async () => {
  const { clock, waits, of } = watch();
  const server = await serve(() => reply);
  const service = connect(server.url, { clock, waits, requestsPerMinute: 60, parallelism: 2 });
  await Promise.all(Array.from({ length: 30 }, () => service.read('campaign', 5)));
  // A sixth of the limit has started at once.
  expect(of('pacing')[0]?.wait).toMatchObject({ requests: 20 });
});

test('a service that answers without delay is never announced', async () => {
  const { clock, waits, seen } = watch();
  const server = await serve(() => reply);
  await connect(server.url, { clock, waits }).read('campaign', 5);
  expect(seen.map(({ wait, lasted }) => [wait.kind, lasted])).toEqual([['answer', 0]]);
});
