import { describe, expect, it } from 'vitest';
import { openReader, openWriter } from '../../src/service/index.js';
import { fakeClock, options, serve, TOKEN } from './loopback.js';

const CREATE = { method: 'POST', path: '/api/campaigns', body: { name: 'Spring installers' } } as const;

describe('a write, once somebody has asked to stop', () => {
  it('is not sent if it waits for its turn, and does not keep others from theirs', async () => {
    const answers: (() => void)[] = [];
    const server = await serve(() => (response) => void answers.push(() => response.end('{}')));
    const writer = openWriter(options(server.url, { parallelism: 1 }));
    const stop = new AbortController();
    const first = writer.send(CREATE, stop.signal);
    const second = writer.send(CREATE, stop.signal);
    const third = writer.send(CREATE);
    await expect.poll(() => answers.length).toBe(1);
    stop.abort();
    expect(await second).toMatchObject({ kind: 'unsent', message: expect.stringContaining('interrupted') });
    answers[0]?.();
    expect(await first).toMatchObject({ kind: 'accepted' });
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.();
    expect(await third).toMatchObject({ kind: 'accepted' });
    expect(server.arrived).toHaveLength(2);
    await writer.close();
    await server.close();
  });

  it('is not sent again after a 429', async () => {
    const stop = new AbortController();
    const server = await serve(() => {
      stop.abort();
      return { status: 429, headers: { 'retry-after': '60' } };
    });
    const writer = openWriter(options(server.url));
    expect(await writer.send(CREATE, stop.signal)).toMatchObject({ kind: 'unsent' });
    expect(server.arrived).toHaveLength(1);
    await writer.close();
    await server.close();
  });
});

describe('a request that the service puts off', () => {
  it('is given up after five minutes of the clock, and the message says how long it asks for', async () => {
    const clock = fakeClock();
    const server = await serve(() => ({ status: 429, headers: { 'retry-after': '120' } }));
    const began = clock.now();
    const reader = openReader(options(server.url, { clock }));
    await expect(reader.campaigns()).rejects.toThrow('it asks to wait 120 s');
    expect(clock.now() - began).toBeLessThanOrEqual(5 * 60_000);
    expect(server.arrived.length).toBeGreaterThan(1);
    await reader.close();
    await server.close();
  });
});

describe('a token that the service echoes', () => {
  const spelt = [...TOKEN].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');

  it.each([
    ['as it is', TOKEN],
    ['in escapes', spelt],
  ])('reaches nobody: %s', async (_, echo) => {
    const text = `{"data":[{"id":1,"name":"Spring ${echo} \\"x\\"","status":"draft"}]}`;
    const server = await serve(() => ({ text }));
    const reader = openReader(options(server.url));
    expect(await reader.campaigns()).toEqual([{ id: 1, name: 'Spring [token] "x"', status: 'draft' }]);
    await reader.close();
    await server.close();
  });
});
