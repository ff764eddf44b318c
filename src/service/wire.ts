import { Agent, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';
import type { Address } from '../model/address.js';
import { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';

/** The message never shows the token. `variable`: where it comes from; `null` for the sandbox. */
export function checkToken(token: string, variable: string | null): void {
  const source = variable ?? 'the environment variable';
  if (/^(?:authorization:\s*)?bearer(?:\s|$)/i.test(token))
    throw new Failure({
      code: 'invalid-token',
      message: `The token in ${source} begins with "Bearer". Nothing was sent.`,
      hint: `Store only the part after "Bearer " in ${source}: campaignctl writes the word itself.`,
    });
  if (/^(["'`])[\s\S]*\1$|^[“”‘’«][\s\S]*[“”‘’»]$/.test(token))
    throw new Failure({
      code: 'invalid-token',
      message: `The token in ${source} is in quotes, which would be sent as a part of it. Nothing was sent.`,
      hint: `Store ${source} without quotes: CI settings and some .env files keep them.`,
    });
  if (/^[\t\x20-\x7e\x80-\xff]+$/.test(token) && token.trim() === token) return;
  throw new Failure({
    code: 'invalid-token',
    message: `The token in ${source} cannot be sent: it is empty, or contains line breaks, surrounding spaces or other invalid characters.`,
    hint: `A line break is often copied along with a token. Check ${source}.`,
  });
}

export interface ServiceRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body: Json;
}

export type AnswerHeaders = Record<string, string | string[] | undefined>;

/**
 * `sent` is `false` only if no byte was sent, so there can be no effect. `status` is known only if the body was cut off.
 * `tries`: how often to try at most, if the fault will not pass within seconds.
 */
export interface LostAnswer {
  kind: 'lost';
  sent: boolean;
  status: number | null;
  reason: string;
  tries?: number;
}

export interface RawAnswer {
  kind: 'answered';
  status: number;
  headers: AnswerHeaders;
  bytes: Buffer;
}

export type Exchange = LostAnswer | RawAnswer;

export interface Wire {
  /** Sends once. `fence` runs before the first byte. If it throws, nothing is sent, and the promise rejects with its error. */
  exchange(request: ServiceRequest, timeout: number, fence?: () => void): Promise<Exchange>;
  close(): Promise<void>;
}

const MAX_BYTES = 64 * 1024 * 1024;
const CONNECT_TIMEOUT = 10_000;

/** Opens a bounded pool of connections to one origin. Follows no redirects and retries nothing. */
export function openWire({ origin, isLoopback }: Address, token: string, connections: number): Wire {
  // undici's timeouts are coarse and restart with each chunk; one timer per request replaces them.
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

/** An explicit value, because otherwise Node obeys NODE_TLS_REJECT_UNAUTHORIZED. */
const TLS = { rejectUnauthorized: true };

/** Connects to loopback addresses directly, and to others through the proxy that the environment variables name. */
export function openDispatcher(isLoopback: boolean, limits: Agent.Options): Dispatcher {
  // The bundle contains no HTTP/2 client.
  const options = { ...limits, allowH2: false, connect: { ...TLS, timeout: CONNECT_TIMEOUT } };
  if (isLoopback) return new Agent(options);
  try {
    return new EnvHttpProxyAgent({ ...options, requestTls: TLS, proxyTls: TLS, clientFactory: openProxy });
  } catch {
    // Omits the cause, because a proxy URL may contain a password.
    throw new Failure({
      code: 'invalid-proxy',
      message: 'The proxy in the environment variables cannot be used.',
      hint: 'Check HTTPS_PROXY and HTTP_PROXY: write the proxy as http://host:port.',
    });
  }
}

/** If a proxy closes the connection without a response, undici reconnects forever unless the error is changed. */
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
    const lose = (reason: string, tries?: number) => {
      end({ kind: 'lost', sent: running !== null, status, reason, ...(tries !== undefined && { tries }) });
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
    const timer = setTimeout(() => lose(`no complete response within ${timeout / 1000} s`), timeout);

    dispatcher.dispatch(options, {
      // Runs just before the first byte is sent. Aborts on a second call (a retry by undici) and on a call after the
      // timeout.
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
        if (size > MAX_BYTES) lose(`the response is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
        else chunks.push(chunk);
      },
      onResponseEnd: () =>
        end({ kind: 'answered', status: status ?? 0, headers, bytes: Buffer.concat(chunks) }),
      onResponseError: (_, error) => lose(reasonOf(error), triesAfter(error)),
    });
  });
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not found',
  ECONNRESET: 'the connection was closed before the response was complete',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response was cut short',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${CONNECT_TIMEOUT / 1000} s`,
  UND_ERR_ABORTED: 'the proxy in HTTPS_PROXY refused the connection',
  UND_ERR_DESTROYED: 'campaignctl closed the connection',
};

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

/** Only a person can mend a certificate; a name that is not found may be a fault of the name server. */
function triesAfter(error: Error): number | undefined {
  const code = codeOf(error);
  if (UNTRUSTED.test(code) || /CERT/.test(code)) return 1;
  return code === 'ENOTFOUND' ? 2 : undefined;
}

// Omits the error's message, which may contain parts of the request or response.
function reasonOf(error: Error): string {
  const code = codeOf(error);
  if (UNTRUSTED.test(code))
    return `this machine does not trust the certificate authority (${code}); see NODE_EXTRA_CA_CERTS`;
  if (/CERT/.test(code)) return `the certificate is not valid (${code})`;
  return REASONS[code] ?? (code.startsWith('ERR_SSL_') ? `TLS error (${code})` : `network error ${code}`);
}
