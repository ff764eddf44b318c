import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../model/failure.js';
import type { FaultEffect } from './fault.js';
import type { SandboxRequest } from './handle.js';
import type { Reply } from './profiles.js';

/** A served port on the loopback interface. `close` ends open connections too, idle or not. */
interface Port {
  url: string;
  close(): Promise<void>;
}

/** An answer, and how it goes out: see `FaultEffect`. */
type Outgoing = Pick<FaultEffect, 'wire' | 'delay'> & { reply: Reply };

/** The HTTP side of one exchange: read the request, have it answered, send the answer, well or badly. */
export async function servePort(
  port: number,
  answer: (request: SandboxRequest) => Promise<Outgoing>,
): Promise<Port> {
  let url = '';
  const closing = new AbortController();
  const server = createServer(async (incoming, outgoing) => {
    try {
      const { method = 'GET', url: target = '/', headers } = incoming;
      const { authorization = null, 'content-type': contentType = null } = headers;
      const body = (await text(incoming)) || null;
      const request = { origin: url, method, target, authorization, contentType, body };
      const { reply, wire, delay } = await answer(request);
      if (delay > 0) await wait(delay, undefined, { signal: closing.signal });
      send(outgoing, reply, wire);
    } catch {
      // The client is gone, or `close` cut it off: there is no one to answer.
      outgoing.destroy();
    }
  });
  // Longer than any pause of a client between two requests: a socket closed under a request looks like a failure.
  server.keepAliveTimeout = 120_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: Error) => {
    const message = `The sandbox cannot listen on port ${port} of 127.0.0.1: ${cause.message}.`;
    const hint = 'Choose another port, or leave --port out to take any free one.';
    throw new Failure({ code: 'sandbox-port', message, hint }, { cause });
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends an answer, as a bad network or proxy would if `wire` says so. */
function send(outgoing: ServerResponse, { status, body, headers }: Reply, wire: FaultEffect['wire']): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const type = { 'content-type': 'application/json' };
  const head = { ...headers, ...type, 'content-length': bytes.length };
  switch (wire) {
    case 'whole':
      outgoing.writeHead(status, head).end(bytes);
      break;
    case 'cut':
      outgoing.writeHead(status, head);
      outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.destroy());
      break;
    case 'drop':
      outgoing.destroy();
      break;
    case 'hang':
      break;
    case 'garbage':
      outgoing.writeHead(200, type).end('<<not json>>');
      break;
    case 'html':
      outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
  }
}
