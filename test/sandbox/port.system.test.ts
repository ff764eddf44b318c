import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { describe, expect, it, test } from 'vitest';
import { type Sandbox, type SandboxExchange, startSandbox } from '../../src/sandbox/index.js';
import { send, setUp, withSandbox } from './service.js';

describe('the port', () => {
  it('many requests share a few connections', async () => {
    await withSandbox({ profile: 'documented' }, async (sandbox) => {
      const agent = new Agent({ connections: 4 });
      let connections = 0;
      agent.on('connect', () => {
        connections += 1;
      });
      const create = async (number: number) => {
        const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
        const body = JSON.stringify({ name: `Campaign ${number}` });
        const answer = await request(`${sandbox.url}/api/campaigns`, {
          dispatcher: agent,
          method: 'POST',
          headers,
          body,
        });
        return (await answer.body.json()) as { id: number };
      };
      const created = await Promise.all(Array.from({ length: 500 }, (_, index) => create(index)));
      expect(new Set(created.map(({ id }) => id)).size).toBe(500);
      expect(connections).toBe(4);
      await agent.close();
    });
  });

  it('closing ends connections that are idle, and those in the middle of a request', async () => {
    const sandbox = await startSandbox({ profile: 'documented', file: null });
    await send(sandbox, 'GET /api/campaigns');
    const half = createConnection(Number(new URL(sandbox.url).port), '127.0.0.1');
    const ended = new Promise((resolve) => half.on('close', resolve));
    half.on('error', () => {});
    await new Promise((resolve) => {
      half.write(
        'POST /api/campaigns HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"na',
        resolve,
      );
    });
    await sandbox.close();
    await ended;
    await sandbox.close();
    await expect(request(sandbox.url)).rejects.toThrow();
    expect(sandbox.requests()).toHaveLength(1);
  });

  /** The status for a request with this header Host; without one if it is empty. */
  const statusFor = async ({ url }: Sandbox, host: string): Promise<number> => {
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
    const version = host === '' ? '1.0' : '1.1';
    const lines = [
      `GET /api/campaigns HTTP/${version}`,
      ...(host === '' ? [] : [`Host: ${host}`]),
      'Authorization: Bearer secret',
      'Connection: close',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    return Number((await text(socket)).split(' ')[1]);
  };

  it('answers only requests for a loopback address, so no web page can reach it under its own name', async () => {
    await withSandbox({ profile: 'documented' }, async (sandbox) => {
      const { port } = new URL(sandbox.url);
      for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', 'LocalHost', '[::1]'])
        for (const named of [host, `${host}:${port}`, `${host}:80`])
          expect([named, await statusFor(sandbox, named)]).toEqual([named, 200]);
      const count = sandbox.requests().length;
      for (const host of [
        ...['evil.example.com', `evil.example.com:${port}`, 'localhost.example.com', 'a.localhost', ''],
        ...['127.0.0.1.example.com', '10.0.0.1', '0.0.0.0', 'localhost:80:80', '127.0.0.1@evil.example.com'],
      ])
        expect([host, await statusFor(sandbox, host)]).toEqual([host, 403]);
      expect(sandbox.requests()).toHaveLength(count);
    });
  });

  it('a port in use is an error', async () => {
    await withSandbox({ profile: 'documented' }, async (sandbox) => {
      const port = Number(new URL(sandbox.url).port);
      await expect(startSandbox({ profile: 'documented', file: null, port })).rejects.toMatchObject({
        name: 'Failure',
        code: 'sandbox-port',
      });
    });
  });
});

describe('the journal', () => {
  it('records every request in order, with its response and whether it wrote', async () => {
    const outcomes: SandboxExchange[] = [];
    await withSandbox(
      { profile: 'reported', onRequest: (entry) => outcomes.push(entry) },
      async (sandbox) => {
        await setUp(sandbox);
        await send(sandbox, 'GET /api/campaigns?page=1&per_page=100');
        await send(sandbox, 'POST /api/campaigns', {});
        expect(sandbox.requests()).toEqual(outcomes);
        expect(
          outcomes.map(({ number, method, path, status, effect }) => [number, method, path, status, effect]),
        ).toEqual([
          [1, 'POST', '/api/campaigns', 201, true],
          [2, 'POST', '/api/campaigns/1/schedule', 200, true],
          [3, 'POST', '/api/campaigns/1/sequence-steps', 200, true],
          [4, 'GET', '/api/campaigns?page=1&per_page=100', 200, false],
          [5, 'POST', '/api/campaigns', 422, false],
        ]);
        expect(outcomes[4]).toMatchObject({ body: {}, answer: { message: 'The name field is required.' } });
        expect(outcomes[3]).toMatchObject({ body: null });
      },
    );
  });
});

test('in the profile reported, campaigns are listed newest first, fifteen per page, with links to neighbouring pages, whatever per_page is', async () => {
  const names = (body: unknown) => (body as { data: { name: string }[] }).data.map(({ name }) => name);
  await withSandbox({ profile: 'reported' }, async (sandbox) => {
    const all = Array.from({ length: 31 }, (_, index) => `Campaign ${index + 1}`);
    for (const name of all) await send(sandbox, 'POST /api/campaigns', { name });
    const url = `${sandbox.url}/api/campaigns`;
    const first = await send(sandbox, 'GET /api/campaigns');
    const second = await send(sandbox, 'GET /api/campaigns?page=2&per_page=100');
    const last = await send(sandbox, 'GET /api/campaigns?page=3');
    expect([first, second, last].flatMap(({ body }) => names(body))).toEqual(all.toReversed());
    expect(second.body).toMatchObject({
      links: {
        first: `${url}?page=1`,
        last: `${url}?page=3`,
        prev: `${url}?page=1`,
        next: `${url}?page=3`,
      },
      meta: { current_page: 2, from: 16, last_page: 3, path: url, per_page: 15, to: 30, total: 31 },
    });
    expect(last.body).toMatchObject({ links: { next: null }, meta: { from: 31, to: 31 } });
    expect(await send(sandbox, 'GET /api/campaigns?page=4')).toMatchObject({
      body: { data: [], links: { prev: `${url}?page=3`, next: null }, meta: { from: null, to: null } },
    });
  });
});
