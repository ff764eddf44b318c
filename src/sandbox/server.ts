import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../model/failure.js';
import type { Struck, WireFault } from './fault.js';
import type { SandboxRequest } from './handle.js';
import type { Reply } from './profiles.js';

/** A served port on the loopback interface. `close` ends open connections too, idle or not. */
export interface Port {
  url: string;
  close(): Promise<void>;
}

/** What the port is a port of. `strike` tells, for a method and a path with its query, what goes wrong with it. */
interface Served {
  strike(method: string, target: string): Struck | null;
  carryOut(request: SandboxRequest, struck: Struck | null): Promise<Reply>;
}

/**
 * The HTTP side of one exchange: read the request, have it carried out, send the answer. Faults strike the second (no effect)
 * or the third (bad answers).
 */
export async function servePort(port: number, { strike, carryOut }: Served): Promise<Port> {
  let url = '';
  const closing = new AbortController();
  const server = createServer(async (incoming, outgoing) => {
    try {
      const request = await readRequest(incoming, url);
      const struck = strike(request.method, request.target);
      const answer = await carryOut(request, struck);
      if (struck === null) return send(outgoing, answer);
      await wait(struck.delay, undefined, { signal: closing.signal });
      spoil(outgoing, struck.reply ?? answer, struck.wire);
    } catch {
      // The client is gone, or was cut off by `close`: there is nobody to answer.
      outgoing.destroy();
    }
  });
  // Longer than any pause of a client between two requests: a socket closed under a request looks like a failure.
  server.keepAliveTimeout = 120_000;
  await listen(server, port);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close() {
      closing.abort();
      return close(server);
    },
  };
}

async function readRequest(incoming: IncomingMessage, origin: string): Promise<SandboxRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    origin,
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    authorization: incoming.headers.authorization ?? null,
    contentType: incoming.headers['content-type'] ?? null,
    body: chunks.length === 0 ? null : Buffer.concat(chunks).toString('utf8'),
    launchFails: false,
  };
}

function send(outgoing: ServerResponse, { status, body, headers }: Reply): void {
  const bytes = Buffer.from(JSON.stringify(body));
  outgoing.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': bytes.length,
  });
  outgoing.end(bytes);
}

/** Sends an answer as a bad network or proxy would. */
function spoil(outgoing: ServerResponse, answer: Reply, wire: WireFault): void {
  switch (wire) {
    case 'whole':
      send(outgoing, answer);
      break;
    case 'drop':
      outgoing.destroy();
      break;
    case 'hang':
      break;
    case 'garbage':
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('<<not json>>');
      break;
    case 'html':
      outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
      break;
    case 'cut': {
      const bytes = Buffer.from(JSON.stringify(answer.body));
      outgoing.writeHead(answer.status, {
        'content-type': 'application/json',
        'content-length': bytes.length,
      });
      outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.destroy());
    }
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(unavailable(port, cause)));
    server.listen(port, '127.0.0.1', resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function unavailable(port: number, cause: Error): Failure {
  return new Failure(
    {
      code: 'sandbox-port',
      message: `The sandbox cannot listen on port ${port} of 127.0.0.1: ${cause.message}.`,
      hint: 'Choose another port, or leave it out to take any free one.',
    },
    { cause },
  );
}
