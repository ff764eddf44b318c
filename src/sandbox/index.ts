/**
 * Serves all 14 endpoints on a loopback port. Enforces everything that the API documents. Writes are durable before the
 * response is sent.
 */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isLoopback } from '../model/address.js';
import type { ProfileName } from '../model/environment.js';
import { Failure, usage } from '../model/failure.js';
import { type Json, parseJson } from '../model/json.js';
import { createFaults, type FaultEffect, parseFault } from './fault.js';
import { PROFILES, type Reply } from './profiles.js';
import type { SandboxRequest } from './requests.js';
import type { SandboxState } from './state.js';
import { openWorkspace } from './workspace.js';

export interface SandboxOptions {
  profile: ProfileName;
  /** File that stores the workspace, for one sandbox at a time; `null` to keep it only in memory. */
  file: string | null;
  /** 0 or absent for any free port. */
  port?: number;
  /** Values of `--fault`. */
  faults?: readonly string[];
  onRequest?: (entry: SandboxExchange) => void;
}

/**
 * `path` includes the query. `body`: text if it is not JSON; `null` if there is none. `effect`: true if something was
 * written.
 */
export interface SandboxExchange {
  number: number;
  method: string;
  path: string;
  body: Json;
  status: number;
  answer: Json;
  effect: boolean;
  fault: string | null;
}

export interface Sandbox {
  url: string;
  requests(): readonly SandboxExchange[];
  state(): SandboxState;
  close(): Promise<void>;
}

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (
    !Object.hasOwn(PROFILES, options?.profile) ||
    !(options.file === null || (typeof options.file === 'string' && options.file !== ''))
  )
    throw usage(
      'startSandbox takes a profile (documented, literal or reported) and a file (or null).',
      'With null, the data stays in memory.',
    );
  const { profile, file, port = 0, faults = [], onRequest = () => {} } = options;
  const faulty = createFaults(faults.map(parseFault));
  const workspace = await openWorkspace(file, PROFILES[profile]);
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
    return { reply: struck?.reply ?? reply, wire: struck?.wire ?? 'whole' };
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

interface Port {
  url: string;
  close(): Promise<void>;
}

type Outgoing = Pick<FaultEffect, 'wire'> & { reply: Reply };

async function servePort(
  port: number,
  answer: (request: SandboxRequest) => Promise<Outgoing>,
): Promise<Port> {
  let url = '';
  const server = createServer(async (incoming, outgoing) => {
    try {
      const { method = 'GET', url: target = '/', headers } = incoming;
      const { authorization = null, 'content-type': contentType = null, host = '' } = headers;
      if (!isLoopback(host.replace(/:\d*$/, '').toLowerCase())) {
        send(outgoing, FOREIGN, 'whole');
        return;
      }
      const body = (await text(incoming)) || null;
      const request = { origin: url, method, target, authorization, contentType, body };
      const { reply, wire } = await answer(request);
      send(outgoing, reply, wire);
    } catch {
      outgoing.destroy();
    }
  });
  // A socket that is closed between two requests would look like a failure.
  server.keepAliveTimeout = 120_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: Error) => {
    const message = `The sandbox cannot listen on port ${port} of 127.0.0.1: ${cause.message}.`;
    const hint = 'Choose a different port, or omit --port to use any free one.';
    throw new Failure({ code: 'sandbox-port', message, hint });
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A web page whose name leads to this machine (DNS rebinding) must not use the sandbox. */
const FOREIGN: Reply = {
  status: 403,
  body: { message: 'The sandbox only answers requests whose Host is a loopback address.' },
};

function send(outgoing: ServerResponse, { status, body }: Reply, wire: FaultEffect['wire']): void {
  if (wire === 'hang') return;
  if (wire === 'drop') {
    outgoing.destroy();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body));
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  outgoing.end(bytes);
}
