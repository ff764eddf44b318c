import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../model/failure.js';

export interface PageServer {
  url: string;
  close(): Promise<void>;
}

/** `path`: behind the secret part of the address, without a slash at its start. */
interface ServedRequest {
  path: string;
  query: URLSearchParams;
}

interface ServedAnswer {
  type: 'text/html' | 'text/plain';
  text: string;
}

/**
 * Serves pages on a loopback port to whoever knows the address, which has a random part. Other web pages can neither guess it
 * nor reach it under another name. `port`: 0 for any free one. `answer`: `null` for a path that does not exist.
 */
export async function servePages(
  port: number,
  answer: (request: ServedRequest) => Promise<ServedAnswer | null>,
): Promise<PageServer> {
  const secret = `/${randomBytes(24).toString('base64url')}/`;
  let hosts: string[] = [];
  const server = createServer(async (request, response) => {
    const refusal = refusalOf(request, hosts);
    if (refusal !== null) return send(request, response, refusal.status, refusal);
    try {
      const url = new URL(`http://127.0.0.1${request.url}`);
      const path = url.pathname.startsWith(secret) ? url.pathname.slice(secret.length) : null;
      const page = path === null ? null : await answer({ path, query: url.searchParams });
      send(request, response, page === null ? 404 : 200, page ?? refused('There is no such page.'));
    } catch {
      send(request, response, 500, refused('campaignctl failed. Run campaignctl validate to see why.'));
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: Error) => {
    throw new Failure({
      code: 'preview-port',
      message: `The preview cannot use port ${port} of 127.0.0.1: ${cause.message}.`,
      hint: 'Choose a different --port, or omit it to use any free one.',
    });
  });
  const used = (server.address() as AddressInfo).port;
  hosts = [`127.0.0.1:${used}`, `localhost:${used}`];
  return {
    url: `http://127.0.0.1:${used}${secret}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refused(text: string): ServedAnswer {
  return { type: 'text/plain', text: `${text}\n` };
}

/** A name that leads to this machine (DNS rebinding) is refused like any other. */
function refusalOf(
  { method = '', headers: { host = '' }, url = '' }: IncomingMessage,
  hosts: readonly string[],
): (ServedAnswer & { status: number }) | null {
  if (!hosts.includes(host.toLowerCase())) return { ...refused('This address is not served.'), status: 403 };
  if (method !== 'GET' && method !== 'HEAD') return { ...refused('Only GET and HEAD.'), status: 405 };
  return url.startsWith('/') ? null : { ...refused('There is no such page.'), status: 404 };
}

/** The page itself has the policy on what it may load. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  { type, text }: ServedAnswer,
): void {
  const bytes = Buffer.from(text);
  const about = { 'content-type': `${type}; charset=utf-8`, 'content-length': bytes.length };
  response.writeHead(status, { ...HEADERS, ...about, ...(status === 405 && { allow: 'GET, HEAD' }) });
  response.end(method === 'HEAD' ? undefined : bytes);
}
