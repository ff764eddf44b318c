import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openReader, openWriter } from '../../src/service/index.js';
import { failureOf } from '../support/failure.js';
import { listenOn } from '../support/listen.js';
import { hang, options, type Reply, serve } from './loopback.js';

async function start(reply: (count: number) => Reply | Promise<Reply>) {
  const server = await serve((_, count) => reply(count));
  return server;
}

async function until(holds: () => boolean) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** A clock on which waits last until their signals are aborted. */
function patientClock() {
  let waits = 0;
  return {
    waits: () => waits,
    now: () => 1_000,
    elapsed: () => 1_000,
    random: () => 0.5,
    after: () => () => {},
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        waits += 1;
        if (signal?.aborted) resolve();
        else signal?.addEventListener('abort', () => resolve());
      }),
  };
}

const create = { method: 'POST', path: '/api/campaigns', body: { name: 'Spring' } } as const;
const pause = { method: 'PATCH', path: '/api/campaigns/5/pause', body: null } as const;
const interruptedPause = {
  kind: 'unsent',
  message: 'PATCH /api/campaigns/5/pause was interrupted',
};

describe('a write that is interrupted', () => {
  test('before it begins is not sent', async () => {
    const server = await start(() => ({ json: {} }));
    const writer = openWriter(options(server.url));
    expect(await writer.send(pause, { stop: AbortSignal.abort() })).toEqual(interruptedPause);
    await writer.close();
    expect(server.arrived).toEqual([]);
  });

  test('while its guard runs is not sent', async () => {
    const server = await start(() => ({ json: {} }));
    const writer = openWriter(options(server.url));
    const stop = new AbortController();
    const guard = async () => {
      stop.abort();
      return null;
    };
    expect(await writer.send(pause, { stop: stop.signal, guard })).toEqual(interruptedPause);
    await writer.close();
    expect(server.arrived).toEqual([]);
  });

  test('while it waits for another is not sent; the other one is finished, as is one that waits behind it', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await start(async () => {
      await held;
      return { json: { data: { id: 53 } } };
    });
    const writer = openWriter(options(server.url, { parallelism: 1 }));
    const stop = new AbortController();
    const inFlight = writer.send(create, { stop: stop.signal });
    await until(() => server.arrived.length === 1);
    const waiting = writer.send(pause, { stop: stop.signal });
    const behind = writer.read('campaign', 53);
    stop.abort();
    release();
    expect(await waiting).toEqual(interruptedPause);
    expect(await inFlight).toMatchObject({ kind: 'accepted' });
    expect(await behind).toMatchObject({ is: 'shown' });
    await writer.close();
    expect(server.arrived.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  test('in the pause after a 429 is not sent again', async () => {
    const server = await start(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    const clock = patientClock();
    const writer = openWriter(options(server.url, { clock }));
    const stop = new AbortController();
    const sending = writer.send(pause, { stop: stop.signal });
    await until(() => clock.waits() > 0);
    stop.abort();
    expect(await sending).toEqual(interruptedPause);
    expect(server.arrived.length).toBe(1);
    await writer.close();
  });

  test('between two attempts to connect is not sent', async () => {
    const clock = patientClock();
    const writer = openWriter(options('http://127.0.0.1:9', { clock }));
    const stop = new AbortController();
    const sending = writer.send(pause, { stop: stop.signal });
    await until(() => clock.waits() > 0);
    stop.abort();
    expect(await sending).toEqual(interruptedPause);
    await writer.close();
  });
});

describe('closing', () => {
  test('ends every read, in flight or waiting, as interrupted', async () => {
    const server = await start(() => hang);
    const reader = openReader(options(server.url, { parallelism: 2 }));
    const warnings: Error[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on('warning', warned);
    const reads = Array.from({ length: 30 }, (_, index) => index + 1).map((id) =>
      failureOf(reader.read('campaign', id)),
    );
    const lists = [failureOf(reader.campaigns()), failureOf(reader.templates())];
    await until(() => server.arrived.length === 2);
    await reader.close();
    for (const failure of await Promise.all([...reads, ...lists])) {
      expect(failure).toMatchObject({ code: 'interrupted', exitCode: 130 });
      expect(failure.message).toMatch(/^GET http:\S*\/api\/campaigns\S* was interrupted\.$/);
    }
    expect(server.arrived.length).toBe(2);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  test('ends a read in the pause after a 429, and one between two attempts', async () => {
    for (const status of [429, 503]) {
      const server = await start(() => ({ status }));
      const clock = patientClock();
      const reader = openReader(options(server.url, { clock }));
      const reading = failureOf(reader.read('campaign', 5));
      await until(() => clock.waits() > 0);
      await reader.close();
      expect(await reading).toMatchObject({ code: 'interrupted', exitCode: 130 });
      expect(server.arrived.length).toBe(1);
    }
  });

  test('ends the wait before a list is read again', async () => {
    const server = await start(() => ({ json: { data: [], total: 3 } }));
    const clock = patientClock();
    const reader = openReader(options(server.url, { clock }));
    const reading = failureOf(reader.campaigns());
    await until(() => clock.waits() > 0);
    await reader.close();
    expect(await reading).toMatchObject({ code: 'interrupted' });
  });

  test('leaves a write in flight in doubt, and does not send those that wait', async () => {
    const server = await start(() => hang);
    const writer = openWriter(options(server.url, { parallelism: 1 }));
    const inFlight = writer.send(create);
    await until(() => server.arrived.length === 1);
    const waiting = writer.send(pause, { stop: new AbortController().signal });
    await writer.close();
    expect(await inFlight).toEqual({
      kind: 'in_doubt',
      message: expect.stringMatching(/POST \/api\/campaigns: campaignctl closed/),
    });
    expect(await waiting).toEqual(interruptedPause);
    expect(await writer.send(pause)).toEqual(interruptedPause);
    expect(await failureOf(writer.read('campaign', 5))).toMatchObject({ code: 'interrupted' });
    expect(server.arrived.length).toBe(1);
  });

  test('ends a write without an open connection, which was not sent', async () => {
    // Accepts the connection but never responds, so that the TLS handshake hangs.
    let connected = false;
    const server = createServer((socket) => {
      connected = true;
      socket.on('error', () => undefined);
    });
    const { port } = await listenOn(server);
    const writer = openWriter(options(`https://127.0.0.1:${port}`));
    const sending = writer.send(pause);
    await until(() => connected);
    await writer.close();
    expect(await sending).toEqual(interruptedPause);
    server.close();
  });
});
