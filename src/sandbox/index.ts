/**
 * All 14 endpoints on a loopback port, strict about everything documented, in two profiles. Deterministic, and durable once it
 * has answered.
 */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { ProfileName } from '../model/environment.js';
import { Failure, usage } from '../model/failure.js';
import { type Json, parseJson } from '../model/json.js';
import { createFaults, type FaultEffect, parseFault } from './fault.js';
import type { SandboxRequest } from './handle.js';
import { PROFILES, type Reply } from './profiles.js';
import type { SandboxState } from './state.js';
import { openWorkspace } from './workspace.js';

export type { SandboxState } from './state.js';

export interface SandboxOptions {
  profile: ProfileName;
  /** Keeps the workspace; `null`: memory only. For one sandbox at a time. */
  file: string | null;
  /** 0 or absent: any free port. */
  port?: number;
  /** The only accepted bearer token; absent: any. */
  token?: string | null;
  /** Rows of a page (`reported`). Default 15. */
  pageSize?: number;
  /** Number of reads that return `queued` after a launch (`reported`). Default 1. */
  launchDelayReads?: number;
  /** As for `--fault`. Failure for an invalid one. */
  faults?: readonly string[];
  /** Called before each answer. */
  onRequest?: (entry: SandboxExchange) => void;
}

/** `path` with its query. `body`: text if not JSON, `null` if none. `effect`: it wrote something. */
export interface SandboxExchange {
  number: number;
  method: string;
  path: string;
  body: Json;
  status: number;
  answer: Json;
  effect: boolean;
  /** The fault as given; `null` if none. */
  fault: string | null;
}

export interface Sandbox {
  url: string;
  requests(): readonly SandboxExchange[];
  /** A copy of everything stored. */
  state(): SandboxState;
  close(): Promise<void>;
}

/** Failure if the file or the port is unusable. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (
    !Object.hasOwn(PROFILES, options?.profile) ||
    !(options.file === null || (typeof options.file === 'string' && options.file !== ''))
  )
    throw usage(
      'startSandbox takes a profile, documented or reported, and a file, or null.',
      'null: in memory.',
    );
  const { profile, file, port = 0, token = null, pageSize = 15, launchDelayReads = 1 } = options;
  const { faults = [], onRequest = () => {} } = options;
  const faulty = createFaults(faults.map(parseFault));
  const terms = { profile: PROFILES[profile], token, pageSize, launchDelayReads };
  const workspace = await openWorkspace(file, terms);
  const requests: SandboxExchange[] = [];
  const served = await servePort(port, async (request) => {
    const { method, target: path, body } = request;
    const struck = faulty(method, path);
    const { reply, effect } = await workspace.carryOut(request, struck);
    const entry: SandboxExchange = {
      number: requests.length + 1,
      method,
      path,
      body: body === null ? null : (parseJson(body) ?? body),
      status: struck?.reply?.status ?? reply.status,
      answer: reply.body,
      effect,
      fault: struck?.fault ?? null,
    };
    requests.push(entry);
    onRequest(entry);
    return { reply: struck?.reply ?? reply, wire: struck?.wire ?? 'whole', delay: struck?.delay ?? 0 };
  });
  let closed: Promise<void> | null = null;
  return {
    url: served.url,
    requests: () => requests,
    state: workspace.state,
    close() {
      closed ??= served.close().then(workspace.close);
      return closed;
    },
  };
}

/** `close` also ends open connections. */
interface Port {
  url: string;
  close(): Promise<void>;
}

type Outgoing = Pick<FaultEffect, 'wire' | 'delay'> & { reply: Reply };

/** HTTP of the sandbox. */
async function servePort(
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
      // The client is gone.
      outgoing.destroy();
    }
  });
  // A socket closed between two requests would look like a failure.
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

/** Sends an answer, spoiled as `wire` says. */
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
