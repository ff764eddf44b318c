import { setMaxListeners } from 'node:events';
import type { Json } from '../model/json.js';
import { parseBody } from './body.js';
import { type Clock, systemClock } from './clock.js';
import { type AnswerHeaders, openWire } from './exchange.js';
import { createPacer } from './pacing.js';
import { createQuote, type Quote } from './quote.js';
import { readRetryAfter } from './retry-after.js';
import { checkToken, parseTarget } from './target.js';

/** How a service is reached. */
export interface ServiceOptions {
  /** https, or http to a loopback address; a path may follow. Anything else is a Failure. */
  baseUrl: string;
  /** Shown nowhere: neither in messages nor in traces. */
  token: string;
  /** Bound on connections and on requests in flight. */
  parallelism: number;
  /** Starts a minute, retries included; null: unbounded. */
  requestsPerMinute: number | null;
  /** Takes one line for each request: method, path, what came back. Never a header, never a body. */
  trace: ((line: string) => void) | null;
  clock?: Clock;
  /** Milliseconds until an answer must be complete; `attach` is for attaching leads. */
  timeouts?: { request: number; attach: number };
}

/** One request. `path` starts at the origin; `body` is null where there is none. */
export interface ChannelRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body: Json;
}

/**
 * What came of one attempt. `body` is undefined where it is not JSON; `empty` tells an empty body. `retryAfter` in
 * milliseconds, null where the service does not say. `lost` as in `Exchange`.
 */
export type Attempt =
  | ({ kind: 'answered' } & Answered)
  | { kind: 'lost'; sent: boolean; status: number | null; reason: string };

export interface Answered {
  status: number;
  headers: AnswerHeaders;
  body: Json | undefined;
  empty: boolean;
  /** The body as text, quoted: for messages about what cannot be read. */
  excerpt(length?: number): string;
  retryAfter: number | null;
}

/** The paced, traced way to one service. Sends once per call: who may send again is decided by its users. */
export interface Channel {
  origin: string;
  /** In front of `/api`. */
  prefix: string;
  clock: Clock;
  quote: Quote;
  /** Aborted by `close`. */
  closed: AbortSignal;
  /** One attempt; lost and not sent where `stop` is aborted before its turn. */
  attempt(request: ChannelRequest, stop?: AbortSignal): Promise<Attempt>;
  close(): Promise<void>;
}

const INTERRUPTED: Attempt = { kind: 'lost', sent: false, status: null, reason: 'interrupted before' };
const TIMEOUTS = { request: 30_000, attach: 120_000 };

/** Failure where base URL, token or proxy cannot be used. */
export function openChannel(options: ServiceOptions): Channel {
  checkToken(options.token);
  const target = parseTarget(options.baseUrl);
  const clock = options.clock ?? systemClock;
  const timeouts = options.timeouts ?? TIMEOUTS;
  const quote = createQuote(options.token);
  const wire = openWire(target, options.token, options.parallelism);
  const pacer = createPacer({ ...options, clock });
  const closing = new AbortController();
  // Every request that waits listens to it; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, closing.signal);

  async function attemptNow({ method, path, body }: ChannelRequest): Promise<Attempt> {
    const startedAt = clock.now();
    const timeout = path.includes('/leads/attach-') ? timeouts.attach : timeouts.request;
    const text = body === null ? null : JSON.stringify(body);
    const exchange = await wire.exchange({ method, path, body: text, timeout });
    const attempt = exchange.kind === 'lost' ? exchange : answered(exchange);
    if (attempt.status === 429) {
      pacer.limited(startedAt, attempt.kind === 'answered' ? attempt.retryAfter : null);
    } else if (attempt.kind === 'answered') pacer.answered();
    options.trace?.(`${method} ${quote(path, 200)} ${outcome(attempt)}`);
    return attempt;
  }

  function answered(exchange: { status: number; headers: AnswerHeaders; bytes: Buffer }): Attempt {
    const { status, headers, bytes } = exchange;
    const body = parseBody(bytes, options.token);
    return {
      kind: 'answered',
      status,
      headers,
      body,
      empty: bytes.length === 0,
      // JSON is written anew: in its own spelling an echoed token could hide behind escapes.
      excerpt: (length) =>
        quote(body === undefined ? bytes.toString('utf8', 0, 4096) : JSON.stringify(body), length),
      retryAfter: status < 400 ? null : readRetryAfter(headers, body, clock.now()),
    };
  }

  return {
    origin: target.origin,
    prefix: target.prefix,
    clock,
    quote,
    closed: closing.signal,
    attempt: async (request, stop) => (await pacer.run(() => attemptNow(request), stop)) ?? INTERRUPTED,
    async close() {
      closing.abort();
      pacer.close();
      await wire.close();
    },
  };
}

function outcome(attempt: Attempt): string {
  if (attempt.kind === 'answered') return String(attempt.status);
  return `${attempt.sent ? 'lost' : 'not sent'}: ${attempt.reason}`;
}
