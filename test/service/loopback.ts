import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { ServiceOptions } from '../../src/service/channel.js';
import { openWriter } from '../../src/service/index.js';
import { fakeClock } from '../support/clock.js';
import { listenOn } from '../support/listen.js';

/** `body`: as text. */
export interface Arrived {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Reply =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string }
  | Raw;
export type Raw = (response: ServerResponse) => void;

export interface Loopback {
  url: string;
  arrived: Arrived[];
  close(): Promise<void>;
}

/** Like `listen`, until the test ends. */
export async function serve(reply: Parameters<typeof listen>[0]): Promise<Loopback> {
  const server = await listen(reply);
  onTestFinished(() => server.close());
  return server;
}

/** An HTTP server on a loopback port that responds with the result of `reply` for the request and its number. */
export async function listen(
  reply: (request: Arrived, count: number) => Reply | Promise<Reply>,
): Promise<Loopback> {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    const seen = { method, path: url, headers, body };
    arrived.push(seen);
    answer(response, await reply(seen, arrived.length));
  });
  return { ...(await listenOn(server)), arrived };
}

function answer(response: ServerResponse, reply: Reply): void {
  if (typeof reply === 'function') {
    reply(response);
    return;
  }
  const { status = 200, headers = {}, json, text } = reply;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text ?? (json === undefined ? '' : JSON.stringify(json)));
}

/** Closes the connection before any byte of a response. */
export const reset: Raw = (response) => void response.destroy();
/** Never responds. */
export const hang: Raw = () => undefined;
/** Sends headers and half of the body, then closes the connection. */
export const cut: Raw = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":{"id":5');
  setTimeout(() => response.destroy(), 5);
};
export const badGateway: Reply = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  text: '<html>Bad Gateway</html>',
};

export const TOKEN = 'secret-token-7f3a';

export function options(baseUrl: string, more: Partial<ServiceOptions> = {}): ServiceOptions {
  const timeouts = { request: 2_000, attach: 2_000 };
  return {
    baseUrl,
    token: TOKEN,
    names: { environment: 'production', tokenVariable: 'CAMPAIGNS_TOKEN' },
    parallelism: 4,
    requestsPerMinute: null,
    trace: null,
    clock: fakeClock(),
    timeouts,
    ...more,
  };
}

/** A reader and writer, until the test ends. */
export function connect(...of: Parameters<typeof options>) {
  const service = openWriter(options(...of));
  onTestFinished(() => service.close());
  return service;
}
