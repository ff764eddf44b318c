import { isUtf8 } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import type { Json } from '../model/json.js';
import { createMask, createQuote, parseBody, type Quote } from './mask.js';
import { type Clock, createPacer, readRetryAfter, systemClock, type Turn } from './pacing.js';
import { type AnswerHeaders, checkToken, openWire, parseTarget } from './wire.js';

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
 * What came of one attempt. `startedAt`: when its turn came, in milliseconds since 1970. `lost` as in `Exchange`.
 * `withheld`: never begun, since its turn did not come.
 */
export type RequestAttempt = Begun | { kind: 'withheld'; status: null };

export type Begun =
  | ({ kind: 'answered'; startedAt: number } & Answered)
  | {
      kind: 'lost';
      startedAt: number;
      sent: boolean;
      status: number | null;
      reason: string;
      timedOut: boolean;
    };

/**
 * `body` is undefined where it is not JSON, and holds no token; `empty` tells an empty body. `retryAfter` in
 * milliseconds, null where the service does not say.
 */
export interface Answered {
  status: number;
  headers: AnswerHeaders;
  body: Json | undefined;
  /** Bytes of the body. */
  bytes: number;
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
  /** As long as it must wait for its turn, it can be ended by the turn. */
  attempt(request: ChannelRequest, turn: Turn): Promise<RequestAttempt>;
  /** The time until which nothing starts since the service said 429; 0 where there is no pause. */
  pausedUntil(): number;
  close(): Promise<void>;
}

const TIMEOUTS = { request: 30_000, attach: 120_000 };

/** Failure where base URL, token or proxy cannot be used. */
export function openChannel(options: ServiceOptions): Channel {
  checkToken(options.token);
  const target = parseTarget(options.baseUrl);
  const clock = options.clock ?? systemClock;
  const timeouts = options.timeouts ?? TIMEOUTS;
  const mask = createMask(options.token);
  const quote = createQuote(mask);
  const wire = openWire(target, options.token, options.parallelism);
  const closing = new AbortController();
  // Every request that waits listens to it; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, closing.signal);
  const pacer = createPacer({ ...options, clock, closed: closing.signal });

  async function attemptNow({ method, path, body }: ChannelRequest): Promise<Begun> {
    const startedAt = clock.now();
    const timeout = path.includes('/leads/attach-') ? timeouts.attach : timeouts.request;
    const text = body === null ? null : JSON.stringify(body);
    const exchange = await wire.exchange({ method, path, body: text, timeout });
    const attempt: Begun =
      exchange.kind === 'lost' ? { ...exchange, startedAt } : { ...answered(exchange), startedAt };
    if (attempt.status === 429) {
      pacer.limited(startedAt, attempt.kind === 'answered' ? attempt.retryAfter : null);
    } else if (attempt.kind === 'answered') pacer.answered();
    const lost = attempt.kind === 'lost' && `${attempt.sent ? 'lost' : 'not sent'}: ${attempt.reason}`;
    options.trace?.(`${method} ${quote(path, 200)} ${lost || attempt.status}`);
    return attempt;
  }

  function answered(exchange: { status: number; headers: AnswerHeaders; bytes: Buffer }) {
    const { status, headers, bytes } = exchange;
    const text = bytes.toString('utf8');
    const body = isUtf8(bytes) ? parseBody(text, options.token, mask) : undefined;
    return {
      kind: 'answered' as const,
      status,
      headers,
      body,
      bytes: bytes.length,
      empty: bytes.length === 0,
      // JSON is written anew: in its own spelling an echoed token could hide behind escapes.
      excerpt: (length?: number) => quote(body === undefined ? text : JSON.stringify(body), length),
      retryAfter: status < 400 ? null : readRetryAfter(headers, body, clock.now()),
    };
  }

  return {
    origin: target.origin,
    prefix: target.prefix,
    clock,
    quote,
    closed: closing.signal,
    async attempt(request, turn) {
      return (await pacer.run(() => attemptNow(request), turn)) ?? { kind: 'withheld', status: null };
    },
    pausedUntil: pacer.pausedUntil,
    async close() {
      closing.abort();
      await wire.close();
    },
  };
}
