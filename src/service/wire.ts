import { Agent, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';
import type { Address } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';

/** Failure where the token cannot stand in a header. The message never shows it. */
export function checkToken(token: string): void {
  if (/^[\t\x20-\x7e\x80-\xff]+$/.test(token) && token.trim() === token) return;
  throw new Failure({
    code: 'invalid-token',
    message:
      'The token cannot be sent: it is empty, or holds line breaks, spaces around it or other unusual characters.',
    hint: 'Check the environment variable. Often a line break was copied along with the token.',
  });
}

/** One request. `path` starts at the origin; `body` is null where there is none. */
export interface ServiceRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body: Json;
}

export type AnswerHeaders = Record<string, string | string[] | undefined>;

/**
 * No complete answer. `sent` is false only if not one byte of the request can have left: then nothing can have happened.
 * `status` is known if the answer was cut after its head.
 */
export interface LostAnswer {
  kind: 'lost';
  sent: boolean;
  status: number | null;
  reason: string;
}

/** A complete answer, as it came. */
export interface RawAnswer {
  kind: 'answered';
  status: number;
  headers: AnswerHeaders;
  bytes: Buffer;
}

/** What came of sending one request once. */
export type Exchange = LostAnswer | RawAnswer;

export interface Wire {
  /**
   * `timeout`: milliseconds until the answer must be complete. `fence` is called once a connection stands, before the first byte: where
   * it throws, nothing leaves, and the promise rejects with what it threw.
   */
  exchange(request: ServiceRequest, timeout: number, fence?: () => void): Promise<Exchange>;
  close(): Promise<void>;
}

/** An answer beyond this is a fault of the service, not something to hold in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
const CONNECT_TIMEOUT = 10_000;

/** Opens a bounded pool of connections to one origin. Never follows a redirect, never sends a request again. */
export function openWire({ origin, isLoopback }: Address, token: string, connections: number): Wire {
  // The timeouts of undici are coarse and start anew with each chunk: one timer per request replaces them.
  const dispatcher = openDispatcher(isLoopback, { connections, headersTimeout: 0, bodyTimeout: 0 });
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'user-agent': 'campaignctl',
  };
  const withBody = { ...headers, 'content-type': 'application/json' };
  return {
    exchange({ method, path, body }, timeout, fence) {
      const text = body === null ? null : JSON.stringify(body);
      const sent = { origin, method, path, headers: text === null ? headers : withBody, body: text };
      return exchangeOnce(dispatcher, sent, timeout, fence);
    },
    close: () => dispatcher.destroy(),
  };
}

/** Connects straight to a loopback address, otherwise by the proxy of the environment variables; Failure if that cannot be used. */
export function openDispatcher(isLoopback: boolean, limits: Agent.Options): Dispatcher {
  // The bundle leaves out what speaks HTTP/2.
  const options = { ...limits, allowH2: false, connect: { timeout: CONNECT_TIMEOUT } };
  if (isLoopback) return new Agent(options);
  try {
    return new EnvHttpProxyAgent({ ...options, clientFactory: openProxy });
  } catch {
    // The cause is left out: a proxy URL may hold a password.
    throw new Failure({
      code: 'invalid-proxy',
      message: 'The proxy of the environment variables cannot be used.',
      hint: 'Check HTTPS_PROXY and HTTP_PROXY: write a proxy as http://host:port.',
    });
  }
}

/**
 * A proxy that hangs up instead of answering looks to undici like a connection to be opened once more, without a wait
 * and without end: its error is replaced by one that ends the request.
 */
function openProxy(proxy: URL, options: object): Dispatcher {
  const pool = new Pool(proxy, options);
  const connect = async (params: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    try {
      return await Reflect.apply(Pool.prototype.connect, pool, [params]);
    } catch (error) {
      if (error instanceof errors.SocketError) throw new errors.RequestAbortedError();
      throw error;
    }
  };
  return Object.assign(pool, { connect });
}

/** Sends once. A request that fails is a value, since what may be repeated is decided elsewhere; rejects only with what `fence` throws. */
function exchangeOnce(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  timeout: number,
  fence: (() => void) | undefined,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let running: Dispatcher.DispatchController | null = null;
    let ended = false;
    let status: number | null = null;
    let headers: AnswerHeaders = {};
    let size = 0;
    const chunks: Buffer[] = [];

    const end = (exchange: Exchange) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      resolve(exchange);
    };
    const lose = (reason: string) => {
      end({ kind: 'lost', sent: running !== null, status, reason });
      running?.abort(new Error(reason));
    };
    const keepFenced = (controller: Dispatcher.DispatchController) => {
      try {
        fence?.();
      } catch (error) {
        ended = true;
        clearTimeout(timer);
        reject(error);
        controller.abort(new Error('held back'));
      }
    };
    const timer = setTimeout(() => lose(`no complete answer within ${timeout / 1000} s`), timeout);

    dispatcher.dispatch(options, {
      // Called when a connection stands and the first byte is about to be written. A second call would be undici
      // sending the same request again, a call after settling would send what was already given up: neither may be.
      onRequestStart(controller) {
        const again = running !== null;
        running = controller;
        if (again || ended) lose('the connection was closed');
        else keepFenced(controller);
      },
      onResponseStart(_, code, head) {
        if (code < 200) return;
        status = code;
        headers = head;
      },
      onResponseData(_, chunk) {
        size += chunk.length;
        if (size > MAX_BYTES) lose(`an answer of more than ${MAX_BYTES / 1024 / 1024} MiB`);
        else chunks.push(chunk);
      },
      onResponseEnd: () =>
        end({ kind: 'answered', status: status ?? 0, headers, bytes: Buffer.concat(chunks) }),
      onResponseError: (_, error) => lose(reasonOf(error)),
    });
  });
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not found',
  ECONNRESET: 'the connection was closed before the answer was complete',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut short',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${CONNECT_TIMEOUT / 1000} s`,
  // Only `openProxy` gives this code: requests are given up here by an error of our own.
  UND_ERR_ABORTED: 'the proxy refused the connection',
  UND_ERR_DESTROYED: 'campaignctl closed the connection',
};

// The message of an error is not used: it may repeat what was sent or come from the other side.
function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  // Node reads the variable by itself, when it starts.
  if (/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(code))
    return `this machine does not trust the authority that signed the certificate (${code}), see NODE_EXTRA_CA_CERTS`;
  if (/CERT/.test(code)) return `the certificate was not accepted (${code})`;
  return REASONS[code] ?? (code.startsWith('ERR_SSL_') ? `no TLS (${code})` : `network error ${code}`);
}
