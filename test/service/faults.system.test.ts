import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { WriteRequest } from '../../src/service/writer.js';
import { fakeClock } from '../support/clock.js';
import { failureOf } from '../support/failure.js';
import { listenOn } from '../support/listen.js';
import { badGateway, connect, cut, hang, type Raw, type Reply, reset, serve } from './loopback.js';

const limitFor = (seen: string) => {
  const limit = seen.includes('0.4 s') ? 400 : 10_000;
  return { request: limit, attach: limit };
};
const answer: Reply = { json: { data: { id: 5, name: 'Spring' } } };

/** A closed port. */
async function closedPort(): Promise<string> {
  const { url, close } = await listenOn(createServer());
  await close();
  return url;
}

/** Raw bytes. */
const raw =
  (headers: Record<string, string>, bytes: Buffer): Raw =>
  (response) =>
    void response.writeHead(200, headers).end(bytes);

const faults: [string, Reply, string][] = [
  ['reset', reset, 'the connection was closed before the response was complete'],
  ['cut body', cut, 'the connection was closed before the response was complete'],
  ['no answer', hang, 'no complete response within 0.4 s'],
  [
    'slow drops that never end',
    (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    },
    'no complete response within 0.4 s',
  ],
  ['HTML with 502', badGateway, 'status 502: a web page'],
  ['500', { status: 500, json: { message: 'Server Error' } }, 'status 500: Server Error'],
  ['408', { status: 408 }, 'status 408: empty body'],
  ['garbage with 200', { text: 'x' }, 'status 200: x'],
  ['unrequested gzip', raw({}, gzipSync('{"data":[]}')), 'status 200: 31 bytes that are not UTF-8'],
  ['empty 200', { text: '' }, 'status 200: empty body'],
  ['half a JSON text without length', { text: '{"data":' }, 'status 200: {"data":'],
  [
    'bytes that are not UTF-8',
    (response) => void response.end(Buffer.from([0x22, 0xff, 0x22])),
    'status 200: 3 bytes that are not UTF-8',
  ],
];

describe('a read', () => {
  test.each(faults)('survives four of: %s', async (_, fault, seen) => {
    const server = await serve((__, count) => (count < 5 ? fault : answer));
    const reader = connect(server.url, { timeouts: limitFor(seen) });
    expect(await reader.read('campaign', 5)).toMatchObject({ is: 'shown' });
    expect(server.arrived.length).toBe(5);
  });

  test.each(faults)('ends after five of: %s', async (_, fault, seen) => {
    const server = await serve(() => fault);
    const clock = fakeClock();
    const reader = connect(server.url, { timeouts: limitFor(seen), clock });
    const failure = await failureOf(reader.read('schedule', 5));
    expect(failure.message.startsWith(`GET ${server.url}/api/campaigns/5/schedule `)).toBe(true);
    expect(failure.message).toContain('tried 5 times');
    expect(failure.message.endsWith(`: ${seen}.`)).toBe(true);
    expect(failure).toMatchObject({ code: 'service-unreadable', exitCode: 1 });
    expect(clock.slept).toEqual([375, 750, 1500, 3000]);
  });

  test('waits as long as a 503 asks for', async () => {
    const server = await serve((_, count) =>
      count === 1 ? { status: 503, headers: { 'retry-after': '7' } } : answer,
    );
    const clock = fakeClock();
    const reader = connect(server.url, { clock });
    await reader.read('campaign', 5);
    expect(clock.slept).toEqual([7000]);
  });

  test('of an unreachable service names it', async () => {
    const reader = connect(await closedPort());
    const failure = await failureOf(reader.campaigns());
    expect(failure.message).toMatch(/\?page=1 .*tried 5 times.*: connection refused\.$/);
  });

  test.each([
    [401, { message: 'Unauthenticated.' }, 'no-access', 'it does not accept the token): Unauthenticated.'],
    [403, { message: 'Forbidden' }, 'no-access', 'the token may belong to a different workspace): Forbidden'],
    [405, { error: { message: 'Not this way' } }, 'service-refused', 'status 405: Not this way'],
  ])('is not repeated after %i', async (status, json, code, expected) => {
    const server = await serve(() => ({ status, json }));
    const reader = connect(server.url);
    const failure = await failureOf(reader.read('campaign', 5));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(expected) });
    expect(failure.message).toContain(`GET ${server.url}/api/campaigns/5 `);
    expect(server.arrived.length).toBe(1);
  });

  test('ends when the reader is closed', async () => {
    const server = await serve(() => hang);
    const reader = connect(server.url);
    const reading = failureOf(reader.read('campaign', 5));
    while (server.arrived.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await reader.close();
    expect(await reading).toMatchObject({
      code: 'interrupted',
      exitCode: 130,
      message: `GET ${server.url}/api/campaigns/5 was interrupted.`,
    });
  });

  test('of an oversized response is aborted while it arrives', async () => {
    const endless: Reply = (response) => {
      const chunk = Buffer.alloc(4 * 1024 * 1024, 0x20);
      const more = () => {
        if (!response.destroyed) response.write(chunk, more);
      };
      more();
    };
    const server = await serve((_, count) => (count === 1 ? endless : answer));
    const traced: string[] = [];
    const timeouts = { request: 10_000, attach: 10_000 };
    const reader = connect(server.url, { timeouts, trace: (line) => traced.push(line) });
    expect(await reader.read('campaign', 5)).toMatchObject({ is: 'shown' });
    expect(traced).toEqual([
      expect.stringMatching(/^GET \/api\/campaigns\/5 lost: .* 64 MiB$/),
      'GET /api/campaigns/5 200',
    ]);
  });
});

describe('a write', () => {
  const create = { method: 'POST', path: '/api/campaigns', body: { name: 'Spring' } } as const;

  async function send(reply: (count: number) => Reply, request: WriteRequest = create, seen = '') {
    const server = await serve((_, count) => reply(count));
    const clock = fakeClock();
    const writer = connect(server.url, { timeouts: limitFor(seen), clock });
    const sent = await writer.send(request);
    const settings = `environment production, base_url ${server.url}, token in CAMPAIGNS_TOKEN`;
    return { sent, arrived: server.arrived, slept: clock.slept, settings };
  }

  test('arrives once, as JSON, with the token', async () => {
    const { sent, arrived } = await send(() => ({ status: 201, json: { data: { id: 53 } } }));
    expect(sent).toEqual({ kind: 'accepted', status: 201, body: { data: { id: 53 } } });
    expect(arrived.length).toBe(1);
    expect(arrived[0]).toMatchObject({
      method: 'POST',
      path: '/api/campaigns',
      body: '{"name":"Spring"}',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer secret-token-7f3a',
        'content-type': 'application/json',
        'user-agent': 'campaignctl',
      },
    });
  });

  test('without a body has no content type', async () => {
    const { sent, arrived } = await send(() => ({ text: '' }), {
      method: 'PATCH',
      path: '/api/campaigns/5/pause',
      body: null,
    });
    expect(sent).toEqual({ kind: 'accepted', status: 200, body: null });
    expect(arrived[0]).toMatchObject({ method: 'PATCH', body: '' });
    expect(arrived[0]?.headers).not.toHaveProperty('content-type');
  });

  const doubtful: typeof faults = [
    ...faults.filter(([name]) => name !== 'empty 200'),
    ['302', { status: 302, headers: { location: '/login' } }, ''],
    ['503', { status: 503, headers: { 'retry-after': '1' } }, ''],
    ['200 with an error', { json: { data: { error: 'Lead list 7 was not found' } } }, ''],
    ['200 with errors', { json: { added: 4, errors: { 3: ['bounced'] } } }, ''],
    ['200 with an error status', { json: { status: 'error', message: 'no' } }, ''],
  ];
  test.each(doubtful)('is in doubt and not repeated after: %s', async (_, reply, seen) => {
    const { sent, arrived, settings } = await send(() => reply, create, seen);
    expect(sent).toMatchObject({ kind: 'in_doubt' });
    expect(sent).toHaveProperty('message', expect.stringContaining('POST /api/campaigns'));
    expect(sent).toHaveProperty('message', expect.stringContaining(` (${settings})`));
    expect(arrived.length).toBe(1);
  });

  const refusals: [title: string, Reply, statusAndMessage: string][] = [
    [
      '422 with fields',
      {
        status: 422,
        json: { message: 'The given data was invalid.', errors: { name: ['Too long.', 'Too odd.'] } },
      },
      '422 The given data was invalid.; name: Too long.; name: Too odd.',
    ],
    [
      '422 that repeats itself',
      {
        status: 422,
        json: { message: 'The name field is required.', errors: { name: ['The name field is required.'] } },
      },
      '422 The name field is required.',
    ],
    [
      '422 under data',
      { status: 422, json: { data: { success: false, message: 'No leads were added.' } } },
      '422 No leads were added.',
    ],
    ['400 with error', { status: 400, json: { error: 'incomplete' } }, '400 incomplete'],
    ['404 in text', { status: 404, text: '\u0007Not Found' }, '404 <U+0007>Not Found'],
    ['404 without a message', { status: 404 }, '404 no reason given'],
    [
      'success: false with 200',
      { json: { data: { success: false, message: 'Schedule already exists for Spring' } } },
      '200 Schedule already exists for Spring',
    ],
    ['success: false at the root', { json: { success: false } }, '200 {"success":false}'],
    ['success: false under result', { json: { result: { success: false, message: 'no' } } }, '200 no'],
    [
      '422 that is cut',
      (response) => {
        response.writeHead(422, { 'content-length': '100' });
        response.write('{');
        setTimeout(() => response.destroy(), 5);
      },
      '422 no readable reason: the connection was closed before the response was complete',
    ],
  ];
  test.each(refusals)('is refused by: %s', async (_, reply, expected) => {
    const { sent, arrived, settings } = await send(() => reply);
    const [status = '', message] = expected.split(/ (.*)/);
    expect(sent).toEqual({
      kind: 'refused',
      status: Number(status),
      message: `${message?.replace(/\.$/, '')} (POST /api/campaigns, ${settings})`,
    });
    expect(arrived.length).toBe(1);
  });

  test.each([
    [{ success: true, error: null, errors: [] }],
    [{ data: { id: 53, name: 'Spring', errors: ['no sender'] } }],
  ])('is accepted by %j', async (json) => {
    expect((await send(() => ({ json }))).sent).toEqual({ kind: 'accepted', status: 200, body: json });
  });

  test('is sent again after a 429', async () => {
    const { sent, arrived, slept } = await send((count) =>
      count < 3 ? { status: 429, headers: { 'retry-after': '2' } } : { status: 201, json: { id: 53 } },
    );
    expect(sent).toEqual({ kind: 'accepted', status: 201, body: { id: 53 } });
    expect(arrived.length).toBe(3);
    expect(slept).toEqual([2000, 2000]);
  });

  test('is unsent if every response is 429', async () => {
    const { sent, arrived } = await send(() => ({ status: 429 }));
    expect(sent).toEqual({
      kind: 'unsent',
      message: expect.stringMatching(
        /429 \(tried 8 times\) \(environment production, base_url \S+, token in CAMPAIGNS_TOKEN\)$/,
      ),
    });
    expect(arrived.length).toBe(8);
  });

  test('is unsent if the port is closed', async () => {
    const writer = connect(await closedPort());
    expect(await writer.send(create)).toEqual({
      kind: 'unsent',
      message: expect.stringMatching(
        /: connection refused \(tried 5 times\) \(environment production, base_url \S+, token in CAMPAIGNS_TOKEN\)$/,
      ),
    });
  });

  test('is unsent if the host name does not resolve', async () => {
    const writer = connect('https://campaigns.invalid');
    const sent = await writer.send(create);
    expect(sent).toMatchObject({ kind: 'unsent', message: expect.stringContaining('tried 2 times') });
  });

  test('after the writer was closed is unsent', async () => {
    const server = await serve(() => answer);
    const writer = connect(server.url);
    await writer.close();
    expect(await writer.send(create)).toMatchObject({ kind: 'unsent' });
    expect(server.arrived).toEqual([]);
  });

  for (const method of ['POST', 'PATCH'] as const) {
    test(`${method} on a kept connection that closes is in doubt, a read on it is repeated`, async () => {
      // Answers the first request of each connection and closes at the second, without a byte.
      let requests = 0;
      const server = createServer((socket) => {
        let used = false;
        socket.on('error', () => undefined);
        socket.on('data', () => {
          requests += 1;
          if (used) return void socket.destroy();
          used = true;
          const body = '{"data":{"id":5,"name":"Spring"}}';
          socket.write(
            `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
          );
        });
      });
      const { url } = await listenOn(server);
      const writer = connect(url, { parallelism: 1 });
      await writer.read('campaign', 5);
      expect(await writer.read('campaign', 5)).toMatchObject({ is: 'shown' });
      expect(requests).toBe(3);
      expect(await writer.send({ method, path: '/api/campaigns/5/update', body: {} })).toMatchObject({
        kind: 'in_doubt',
      });
      expect(requests).toBe(4);
      server.close();
    });
  }

  test('that attaches leads may take longer than others', async () => {
    const late: Reply = (response) => void setTimeout(() => response.end('{}'), 150);
    const server = await serve(() => late);
    const writer = connect(server.url, { timeouts: { request: 50, attach: 2_000 } });
    const leads: WriteRequest = {
      method: 'POST',
      path: '/api/campaigns/5/leads/attach-leads',
      body: { lead_ids: [1] },
    };
    expect(await writer.send(leads)).toMatchObject({ kind: 'accepted' });
    expect(await writer.send(create)).toMatchObject({ kind: 'in_doubt' });
  });
});
