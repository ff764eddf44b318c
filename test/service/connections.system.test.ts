import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { openWriter } from '../../src/service/index.js';
import { openWire } from '../../src/service/wire.js';
import { listenOn } from '../support/listen.js';
import { options, serve, TOKEN } from './loopback.js';

const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
});

/** A server of raw connections. Returns its port. */
async function listen(connected: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    connected(socket);
  });
  servers.push(server);
  return (await listenOn(server)).port;
}

const created =
  'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 22\r\n\r\n{"data":{"id":53    }}';
const create = { method: 'POST', path: '/api/campaigns', body: { name: 'Spring' } } as const;

describe('a write on a connection that the server closes when it is idle', () => {
  test.each([
    ['at once', (socket: Socket) => socket.end(created)],
    [
      'a moment after its answer',
      (socket: Socket) => socket.write(created, () => setImmediate(() => socket.end())),
    ],
    ['later', (socket: Socket) => socket.write(created, () => setTimeout(() => socket.end(), 2))],
    [
      'by a reset',
      (socket: Socket) => socket.write(created, () => setTimeout(() => socket.resetAndDestroy(), 1)),
    ],
  ] as [string, (socket: Socket) => void][])(
    'takes effect at most once, and is never reported as having no effect if it had one: %s',
    async (_, answer) => {
      const heard: string[] = [];
      const port = await listen((socket) => {
        let text = '';
        socket.on('data', (data) => {
          text += data;
          const number = /"name":"(\d+)"/.exec(text)?.[1];
          if (number === undefined) return;
          text = '';
          heard.push(number);
          answer(socket);
        });
      });
      const writer = openWriter(options(`http://127.0.0.1:${port}`, { parallelism: 2 }));
      const kinds = new Map<string, string>();
      const names = Array.from({ length: 60 }, (__, index) => String(index));
      const work = async () => {
        for (let name = names.shift(); name !== undefined; name = names.shift()) {
          const { kind } = await writer.send({ ...create, body: { name } });
          kinds.set(name, kind);
          // The time at which the server closes differs from round to round.
          if (Number(name) % 3 > 0) await new Promise((resolve) => setTimeout(resolve, Number(name) % 3));
        }
      };
      await Promise.all([work(), work()]);
      await writer.close();
      expect(kinds.size).toBe(60);
      expect(new Set(heard).size).toBe(heard.length);
      for (const [name, kind] of kinds) {
        if (kind === 'accepted') expect(heard).toContain(name);
        else expect(kind).toBe('in_doubt');
      }
    },
  );

  test('is in doubt if half of it was sent', async () => {
    let requests = 0;
    const port = await listen((socket) => {
      socket.once('data', () => {
        requests += 1;
        socket.resetAndDestroy();
      });
    });
    const writer = openWriter(options(`http://127.0.0.1:${port}`));
    const body = { email_body: 'x'.repeat(8 * 1024 * 1024) };
    expect(await writer.send({ ...create, body })).toMatchObject({ kind: 'in_doubt' });
    expect(requests).toBe(1);
    await writer.close();
  });
});

describe('a write without a connection is unsent', () => {
  const send = async (port: number) => {
    const writer = openWriter(options(`https://127.0.0.1:${port}`));
    const sent = await writer.send(create);
    await writer.close();
    return sent;
  };

  test.each([
    [
      'no TLS is spoken',
      (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'TLS error (ERR_SSL_',
    ],
    [
      'the handshake is cut',
      (socket: Socket) => socket.once('data', () => socket.destroy()),
      'the connection was closed before the response was complete',
    ],
  ] as [string, (socket: Socket) => void, string][])('%s', async (_, connected, text) => {
    let connections = 0;
    const port = await listen((socket) => {
      connections += 1;
      connected(socket);
    });
    const sent = await send(port);
    expect(sent).toMatchObject({
      kind: 'unsent',
      message: expect.stringMatching(
        /\(tried 5 times\) \(environment production, base_url \S+, token in CAMPAIGNS_TOKEN\)$/,
      ),
    });
    expect(sent).toMatchObject({
      message: expect.stringContaining(` POST https://127.0.0.1:${port}/api/campaigns: ${text}`),
    });
    expect(connections).toBe(5);
  });

  test.each([
    ['refused', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'],
    ['not reached', 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'],
    ['no HTTP', '\r\n\r\n'],
    ['closed', ''],
  ])('the proxy does not connect: %s', async (_, answer) => {
    const heard: string[] = [];
    const port = await listen((socket) => {
      socket.once('data', (data) => {
        heard.push(data.toString());
        socket.end(answer);
      });
    });
    vi.stubEnv('https_proxy', `http://127.0.0.1:${port}`);
    vi.stubEnv('no_proxy', '');
    const writer = openWriter(options('https://send.example.com'));
    const sent = await writer.send(create);
    await writer.close();
    expect(sent).toMatchObject({ kind: 'unsent' });
    expect(heard.length).toBe(5);
    expect(heard.join()).not.toContain('Bearer');
  });
});

test('a write that timed out before its connection was open is not sent over it afterwards', async () => {
  // The proxy opens the tunnel only after the request has timed out.
  let tunnelled = '';
  let open = () => {};
  const port = await listen((socket) => {
    socket.once('data', () => {
      open = () => socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.on('data', (data) => {
        tunnelled += data;
      });
    });
  });
  vi.stubEnv('http_proxy', `http://127.0.0.1:${port}`);
  vi.stubEnv('no_proxy', '');
  const target = { origin: 'http://send.example.test', prefix: '', isLoopback: false };
  const wire = openWire(target, TOKEN, 1);
  const request = { method: 'POST', path: '/api/campaigns', body: {} } as const;
  expect(await wire.exchange(request, 60)).toMatchObject({ kind: 'lost', sent: false });
  open();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(tunnelled).toBe('');
  await wire.close();
});

const over = new Failure({ code: 'lease-lost', message: 'The lease is over.', hint: '' });

test('a fence runs last, before each attempt of a write and of nothing else', async () => {
  const asked: string[] = [];
  const server = await serve(() => ({ status: 429, json: {} }));
  const fence = () => {
    asked.push(`fence ${server.arrived.length}`);
    if (server.arrived.length === 2) throw over;
  };
  const writer = openWriter(options(server.url, { fence }));
  const guard = async () => {
    asked.push('guard');
    return null;
  };
  expect(await writer.send(create, { guard })).toEqual({ kind: 'unsent', message: 'The lease is over.' });
  expect(asked).toEqual(['guard', 'fence 0', 'guard', 'fence 1', 'guard', 'fence 2']);
  expect(server.arrived.length).toBe(2);
  await expect(writer.campaigns()).rejects.toThrow('429');
  expect(asked.length).toBe(6);
  await writer.close();
  await server.close();
});

test('a fence that closes while the connection is being opened prevents the write', async () => {
  let tunnelled = '';
  let isOver = false;
  const port = await listen((socket) => {
    socket.once('data', () => {
      isOver = true;
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.on('data', (data) => {
        tunnelled += data;
      });
    });
  });
  vi.stubEnv('http_proxy', `http://127.0.0.1:${port}`);
  vi.stubEnv('no_proxy', '');
  const target = { origin: 'http://send.example.test', prefix: '', isLoopback: false };
  const wire = openWire(target, TOKEN, 1);
  const sent = wire.exchange({ ...create }, 2_000, () => {
    if (isOver) throw over;
  });
  await expect(sent).rejects.toBe(over);
  await wire.close();
  expect(tunnelled).toBe('');
});
