/**
 * The sandbox: all 14 endpoints of the API on a loopback port, strict about everything that is
 * documented, in two profiles: as the document has it, or as installations were reported to be. It promises
 * that a write it answered is kept and that the same requests give the same answers. It must not reach beyond the
 * loopback interface or hold a token, and nothing may learn from it what a real service does.
 */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { ProfileName } from '../model/environment.js';
import { Failure, usage } from '../model/failure.js';
import { type Json, parseJson } from '../model/json.js';
import { createFaults, createRateLimit, type FaultEffect, parseFault, type RateLimit } from './fault.js';
import type { SandboxRequest } from './handle.js';
import { PROFILES, type Reply } from './profiles.js';
import type { SandboxState } from './state.js';
import { openWorkspace } from './workspace.js';

export type { SandboxState } from './state.js';

export interface SandboxOptions {
  profile: ProfileName;
  /** The file that keeps the workspace; `null`: memory only. One sandbox at a time may use a file. */
  file: string | null;
  /** 0 or absent: any free one. */
  port?: number;
  /** If given, only this bearer token is accepted; otherwise any that is not empty. */
  token?: string | null;
  /** Rows of a page, where lists are paged (`reported`). Default 15. */
  pageSize?: number;
  /** How many reads of a campaign say `queued` after its launch before `active` (`reported`). Default 1. */
  launchDelayReads?: number;
  /** Faults as for `--fault`: `POST /api/campaigns#1=drop-after`. Throws a Failure for an invalid one. */
  faults?: readonly string[];
  /** Requests a minute; beyond, 429 without effect. */
  rateLimit?: Partial<RateLimit> & Pick<RateLimit, 'perMinute'>;
  /** Told of every request before its answer goes out. */
  onRequest?: (entry: SandboxExchange) => void;
}

/**
 * One request and its answer. `path` has its query; `body` is the text where it is not JSON, null where there was none;
 * `effect`: it wrote something.
 */
export interface SandboxExchange {
  number: number;
  method: string;
  path: string;
  body: Json;
  status: number;
  answer: Json;
  effect: boolean;
  /** The fault that struck it, as it was asked for; null: none. */
  fault: string | null;
}

export interface Sandbox {
  url: string;
  requests(): readonly SandboxExchange[];
  /** A copy of everything stored, shown in answers or not: for tests and for looking inside. */
  state(): SandboxState;
  close(): Promise<void>;
}

/** Starts a sandbox. Throws a Failure if its file cannot be read or its port cannot be had. */
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
  const { faults = [], rateLimit, onRequest = () => {} } = options;
  const faulty = createFaults(faults.map(parseFault));
  const limited = rateLimit === undefined ? () => null : createRateLimit({ now: Date.now, ...rateLimit });
  const terms = { profile: PROFILES[profile], token, pageSize, launchDelayReads };
  const workspace = await openWorkspace(file, terms);
  const requests: SandboxExchange[] = [];
  const served = await servePort(port, async (request) => {
    const { method, target: path, body } = request;
    const struck = limited() ?? faulty(method, path);
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

/** A served port on the loopback interface. `close` ends open connections too, idle or not. */
interface Port {
  url: string;
  close(): Promise<void>;
}

/** An answer, and how it goes out: see `FaultEffect`. */
type Outgoing = Pick<FaultEffect, 'wire' | 'delay'> & { reply: Reply };

/** The HTTP side of one exchange: read the request, have it answered, send the answer, well or badly. */
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
