import { describe, expect, test } from 'vitest';
import { fakeClock } from '../support/clock.js';
import { failureOf } from '../support/failure.js';
import { connect, hang, type options, type Reply, serve } from './loopback.js';

const answer: Reply = { json: { data: { id: 5, name: 'Spring' } } };

async function start(reply: (count: number) => Reply, more: Parameters<typeof options>[1] = {}) {
  const server = await serve((_, count) => reply(count));
  const clock = fakeClock();
  const writer = connect(server.url, { clock, ...more });
  return { server, clock, writer, begun: clock.now() };
}

const limited = (seconds: number) => ({ status: 429, headers: { 'retry-after': String(seconds) } });
const busy = (seconds: number) => ({ ...limited(seconds), status: 503 });
const create = { method: 'POST', path: '/api/campaigns', body: { name: 'Spring' } } as const;

test.each([
  ['a certificate that is not valid', 1, 'tried once'],
  ['a host name that is not found', 2, 'tried 2 times'],
  ['another fault', undefined, 'tried 5 times'],
])('%s is retried only if that may help', async (reason, tries, words) => {
  const lost = { kind: 'lost', sent: false, status: null, reason, ...(tries && { tries }) } as const;
  const wire = { exchange: async () => lost, async close() {} };
  const service = connect('https://send.example.com', { clock: fakeClock(), wire });
  expect((await failureOf(service.read('campaign', 5))).message).toContain(`(${words})`);
  expect(await service.send(create)).toMatchObject({
    kind: 'unsent',
    message: expect.stringContaining(`(${words})`),
  });
});

describe('one request is given five minutes', () => {
  test.each([429, 503])('a read ends before a wait that would last longer: %i', async (status) => {
    const { server, clock, writer, begun } = await start(() => ({ ...limited(110), status }));
    const failure = await failureOf(writer.read('campaign', 5));
    expect(failure.message).toMatch(new RegExp(`tried 3 times; .* 110 seconds.* ${status}: empty`));
    expect(clock.now() - begun).toBe(220_000);
    expect(server.arrived.length).toBe(3);
  });

  test('a write ends before a wait that would last longer', async () => {
    const { server, clock, writer, begun } = await start(() => limited(110));
    expect(await writer.send(create)).toEqual({
      kind: 'unsent',
      message: expect.stringMatching(
        /429 \(tried 3 times; .* 110 seconds\) \(environment production, base_url \S+, token in CAMPAIGNS_TOKEN\)$/,
      ),
    });
    expect(clock.now() - begun).toBe(220_000);
    expect(server.arrived.length).toBe(3);
  });

  test('counted from its first attempt, without the time in the queue', async () => {
    // With one request per minute, the seventh waits six minutes for its turn, and is then refused once.
    const { writer } = await start((count) => (count === 7 ? limited(100) : answer), {
      requestsPerMinute: 1,
      parallelism: 1,
    });
    const reads = Array.from({ length: 7 }, () => writer.read('campaign', 5));
    expect((await Promise.all(reads)).length).toBe(7);
  });

  test('slow attempts count', async () => {
    const server = await serve(() => hang);
    const timeouts = { request: 200, attach: 200 };
    const clock = fakeClock();
    const slow = { ...clock, elapsed: () => clock.elapsed() + server.arrived.length * 100_000 };
    const reader = connect(server.url, { clock: slow, timeouts });
    const failure = await failureOf(reader.read('campaign', 5));
    expect(failure.message).toMatch(/tried 3 times; .* at most 5 minutes.* 0\.2 s\.$/);
  });
});

describe('a wait beyond that does not begin', () => {
  test.each([
    [limited(301), '6 minutes'],
    [limited(86_400), '24 hours'],
    [limited(9_999_999_999), 'more than a day'],
    [busy(7_200), '2 hours'],
    [
      {
        status: 429,
        headers: { date: 'Mon, 02 Nov 2026 09:00:00 GMT', 'retry-after': 'Mon, 02 Nov 2026 12:00:00 GMT' },
      } satisfies Reply,
      '3 hours',
    ],
  ])('%j', async (reply, asked) => {
    const { server, clock, writer } = await start(() => reply);
    const failure = await failureOf(writer.read('campaign', 5));
    expect(failure.message).toMatch(new RegExp(`tried once; .* wait of ${asked}\\)`));
    expect(failure).toMatchObject({ code: 'service-unreadable', exitCode: 1 });
    expect(clock.slept).toEqual([]);
    expect(server.arrived.length).toBe(1);
  });

  test('nor for requests in the queue, nor for later ones', async () => {
    const { server, clock, writer } = await start(() => limited(3_600), { parallelism: 1 });
    const first = writer.send(create);
    const waiting = [1, 2, 3].map((id) => failureOf(writer.read('campaign', id)));
    expect(await first).toEqual({
      kind: 'unsent',
      message: expect.stringMatching(
        /429 \(tried once; .* 60 minutes\) \(environment production, base_url \S+, token in CAMPAIGNS_TOKEN\)$/,
      ),
    });
    for (const [index, failure] of (await Promise.all(waiting)).entries()) {
      expect(failure.message).toMatch(new RegExp(`/${index + 1} .*not tried; .* 60 minutes`));
    }
    expect(await writer.send(create)).toEqual({
      kind: 'unsent',
      message: expect.stringMatching(/^POST \/api\/campaigns .*not tried; .* 60 minutes$/),
    });
    expect(clock.slept).toEqual([]);
    expect(server.arrived.length).toBe(1);
  });

  test('a pause that becomes too long for a retry ends its wait', async () => {
    // The first must wait four minutes; then the response to the second, already in flight, asks for an hour.
    const answers: ((reply: Reply) => void)[] = [];
    const server = await serve(() => new Promise<Reply>((resolve) => answers.push(resolve)));
    const clock = fakeClock();
    // The second answer comes during the wait.
    const waiting = {
      ...clock,
      async sleep(ms: number) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await clock.sleep(ms);
      },
    };
    const writer = connect(server.url, { clock: waiting });
    const first = writer.send(create);
    const second = writer.send(create);
    while (answers.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    answers[0]?.(limited(240));
    answers[1]?.(limited(3_600));
    const asks = (wait: string) =>
      `the service answered POST /api/campaigns with status 429 (tried once; the service asks for a wait of ${wait}) (environment production, base_url ${server.url}, token in CAMPAIGNS_TOKEN)`;
    expect(await first).toEqual({ kind: 'unsent', message: asks('56 minutes') });
    expect(await second).toEqual({ kind: 'unsent', message: asks('60 minutes') });
    expect(answers.length).toBe(2);
  });
});

type Clock = ReturnType<typeof fakeClock>;

/** Accepts `most` requests in each fixed window of `length` milliseconds, as most rate limiters do. */
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
    // Eight requests are in flight when a window is full, then one fewer each time.
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
    '40 a minute, unannounced',
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
    // The limit was reached.
    expect(refused).toBeGreaterThan(3);
  });
});
