import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../model/failure.js';
import type { Request } from './handle.js';
import type { Reply } from './rule.js';

/** A served port on the loopback interface. `close` ends open connections too, idle or not. */
export interface Port {
  url: string;
  close(): Promise<void>;
}

/**
 * The HTTP side of one exchange: read the request, have it carried out, send the answer. These three are where
 * faults can be put in: before `carryOut` (no effect), after it (effect without answer), in `send` (bad answers).
 */
export async function servePort(port: number, carryOut: (request: Request) => Reply): Promise<Port> {
  let url = '';
  const server = createServer(async (incoming, outgoing) => {
    try {
      send(outgoing, carryOut(await readRequest(incoming, url)));
    } catch {
      // The client is gone, or was cut off by `close`: there is nobody to answer.
      outgoing.destroy();
    }
  });
  // Longer than any pause of a client between two requests: a socket closed under a request looks like a failure.
  server.keepAliveTimeout = 120_000;
  await listen(server, port);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => close(server) };
}

async function readRequest(incoming: IncomingMessage, origin: string): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    origin,
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    authorization: incoming.headers.authorization ?? null,
    contentType: incoming.headers['content-type'] ?? null,
    body: chunks.length === 0 ? null : Buffer.concat(chunks).toString('utf8'),
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
