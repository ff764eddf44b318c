import { isUtf8 } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseAddress } from '../model/environment.js';
import { EXIT, Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import { findRefusal, type Reading, refusalMessage, saysNothing } from './decode.js';
import { createMask, createQuote, parseBody, type Quote } from './mask.js';
import { type Clock, createPacer, MOST_TIME, readRetryAfter, systemClock } from './pacing.js';
import {
  checkToken,
  type LostAnswer,
  openWire,
  type RawAnswer,
  type ServiceRequest,
  type Wire,
} from './wire.js';

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
  clock?: Clock | undefined;
  /** Left out: HTTP. */
  wire?: Wire | undefined;
  /** Called last, right before the first byte of each attempt of a write leaves; a Failure keeps it back. */
  fence?: () => void;
  /** Milliseconds until an answer must be complete; `attach` is for attaching leads. */
  timeouts?: { request: number; attach: number };
}

/** A complete answer that was read. */
export interface Answered extends Omit<RawAnswer, 'bytes'> {
  /** Without the token; undefined where it is not JSON. */
  body: Json | undefined;
  /** Bytes of the body. */
  bytes: number;
  /** The body as text, quoted: for messages about what cannot be read. */
  excerpt(length?: number): string;
}

/** What came of sending a request once. `asksToWait`: milliseconds, null where the service does not say. */
interface Attempt {
  came: Answered | LostAnswer;
  asksToWait: number | null;
}

/** What came of one turn: of a request, or of what its guard read instead. `limited`: the service said 429. */
interface Turned<Result> {
  startedAt: number;
  judged: Judgement<Result>;
  limited: boolean;
  asksToWait: number | null;
}

/** What an attempt came to: a result, or why it came to nothing and may go better the next time. */
export type Judgement<Result> = { result: Result } | { fault: string };

/** `fault`: of the last attempt, null where none began. `tried`: how often, to end a sentence: `tried 5 times`. */
type RequestResult<Result> = { result: Result } | { fault: string | null; tried: string };

/** The paced, traced way to one service. */
export interface Channel {
  origin: string;
  /** In front of `/api`. */
  prefix: string;
  clock: Clock;
  quote: Quote;
  /** Aborted by `close`. */
  closed: AbortSignal;
  /**
   * Sends a request, and sends it again, up to a bound, for as long as `judge` finds a fault in what came of it. `stop`
   * ends every wait; a request that is on its way is not touched by it. `guard` is asked each time that the request may
   * leave: null lets it go, anything else takes the place of what would have come of it.
   */
  send<Result>(
    request: ServiceRequest,
    stop: AbortSignal,
    judge: (attempt: Answered | LostAnswer) => Judgement<Result>,
    guard?: () => Promise<Judgement<Result> | null>,
  ): Promise<RequestResult<Result>>;
  close(): Promise<void>;
}

/** A channel, and the way past its queue for what a guard reads in the turn of a write: tried once, at the pace of all. */
export interface GuardedChannel extends Channel {
  past: Channel;
}

const TIMEOUTS = { request: 30_000, attach: 120_000 };
const MOST_FAULTS = 5;
/**
 * A 429 is no fault. Without `Retry-After`, the shared pauses between eight of them add up to between one and two
 * minutes, so that a limit by the minute is outlived.
 */
const MOST_LIMITS = 8;
const FIRST_WAIT = 500;
const TIME_IS_UP = `, a request may take ${duration(MOST_TIME)} at most`;

/** Failure where base URL, token or proxy cannot be used. */
export function openChannel(options: ServiceOptions): GuardedChannel {
  const { baseUrl, token, parallelism, trace, clock = systemClock, timeouts = TIMEOUTS, fence } = options;
  checkToken(token);
  const address = parseAddress('base_url', baseUrl);
  const mask = createMask(token);
  const quote = createQuote(mask);
  const wire = options.wire ?? openWire(address, token, parallelism);
  const closing = new AbortController();
  // Every request that waits listens to it; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, closing.signal);
  const pacer = createPacer({ ...options, clock, closed: closing.signal });

  async function attempt(request: ServiceRequest): Promise<Attempt> {
    const { method, path } = request;
    const startedAt = clock.elapsed();
    const timeout = path.includes('/leads/attach-') ? timeouts.attach : timeouts.request;
    const exchange = await wire.exchange(request, timeout, method === 'GET' ? undefined : fence);
    const came = exchange.kind === 'lost' ? exchange : decode(exchange);
    const asksToWait = came.kind === 'lost' || came.status < 400 ? null : readRetryAfter(came, clock.now());
    if (came.status === 429) pacer.limited(startedAt, asksToWait);
    else if (came.kind === 'answered') pacer.answered();
    const lost = came.kind === 'lost' && `${came.sent ? 'lost' : 'not sent'}: ${came.reason}`;
    trace?.(`${method} ${quote(path, 200)} ${lost || came.status}`);
    return { came, asksToWait };
  }

  function decode(answer: RawAnswer): Answered {
    const { bytes } = answer;
    const text = bytes.toString('utf8');
    const body = isUtf8(bytes) ? parseBody(text, token, mask) : undefined;
    // JSON is written anew: in its own spelling an echoed token could hide behind escapes.
    const shown = () => (body === undefined ? (binaryBody(answer) ?? text) : JSON.stringify(body));
    return { ...answer, body, bytes: bytes.length, excerpt: (length) => quote(shown(), length) };
  }

  const channel: Channel = {
    origin: address.origin,
    prefix: address.prefix,
    clock,
    quote,
    closed: closing.signal,
    async send<Result>(
      request: ServiceRequest,
      stop: AbortSignal,
      judge: (attempt: Answered | LostAnswer) => Judgement<Result>,
      guard?: () => Promise<Judgement<Result> | null>,
    ): Promise<RequestResult<Result>> {
      let faults = 0;
      let limits = 0;
      let fault: string | null = null;
      let until: number | null = null;
      let why = '';

      /** False, and why, where a wait that ends at `end` would be too long; `asked`: the service named that wait. */
      function isInTime(end: number, asked: boolean): boolean {
        const now = clock.elapsed();
        if (end <= (until ?? now + MOST_TIME)) return true;
        const isAsked = asked || end - now > MOST_TIME;
        why = isAsked ? `, the service asks to wait ${duration(end - now)}` : TIME_IS_UP;
        return false;
      }

      /** Null where the run was stopped while the guard looked. */
      async function turn(): Promise<Turned<Result> | null> {
        const startedAt = clock.elapsed();
        const instead = guard === undefined ? null : await guard();
        if (stop.aborted) return null;
        const limited = pacer.pausedUntil() > clock.elapsed();
        if (instead !== null) return { startedAt, judged: instead, limited, asksToWait: null };
        const { came, asksToWait } = await attempt(request);
        return { startedAt, judged: judge(came), limited: came.status === 429, asksToWait };
      }

      for (;;) {
        const turned: Turned<Result> | null = await pacer.run(turn, { stop, until });
        if (turned === null) {
          if (isInTime(pacer.pausedUntil(), false)) why = TIME_IS_UP;
          break;
        }
        const { startedAt, judged, limited, asksToWait }: Turned<Result> = turned;
        if ('result' in judged) {
          await othersLeft();
          return judged;
        }
        fault = judged.fault;
        until ??= startedAt + MOST_TIME;
        if (limited) limits += 1;
        else faults += 1;
        if (faults >= MOST_FAULTS || limits >= MOST_LIMITS) break;
        // The pause after a 429 is shared and kept by the pacer.
        const backOff = FIRST_WAIT * 2 ** (faults - 1) * (0.5 + clock.random() / 2);
        const wait = limited ? 0 : (asksToWait ?? backOff);
        if (!isInTime(Math.max(clock.elapsed() + wait, pacer.pausedUntil()), asksToWait !== null)) break;
        // After an abort it ends at once, and the pacer refuses the next attempt.
        if (!limited) await clock.sleep(wait, stop);
      }
      const count = faults + limits;
      const times = count === 0 ? 'not tried' : count === 1 ? 'tried once' : `tried ${count} times`;
      return { fault, tried: times + why };
    },
    async close() {
      closing.abort();
      await wire.close();
    },
  };
  return {
    ...channel,
    past: {
      ...channel,
      async send(request, stop, judge) {
        const wait = pacer.charge();
        if (wait > 0) await clock.sleep(wait, stop);
        if (stop.aborted) return { fault: null, tried: 'not tried' };
        const judged = judge((await attempt(request)).came);
        return 'result' in judged ? judged : { ...judged, tried: 'tried once' };
      },
    },
  };
}

/** Response handling is deferred by two ticks so that queued requests are sent first. */
async function othersLeft(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** What can be said of a body that is no text: its kind and length. Null for text, in whatever encoding. */
function binaryBody({ headers, bytes }: RawAnswer): string | null {
  const [encoding = '', type = ''] = ['content-encoding', 'content-type'].map((name) =>
    String(headers[name] ?? '').toLowerCase(),
  );
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const packed = isGzip ? 'gzip' : encoding === 'identity' ? '' : encoding;
  // A page in an old encoding is text too.
  const isText = (isUtf8(bytes) || type.startsWith('text/')) && !bytes.includes(0);
  if (packed === '' && isText) return null;
  const kind = packed || type.split(';')[0] || 'of unknown type';
  return `a binary body (${kind}, ${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'})`;
}

/** In the unit that reads best; beyond a day the number tells nothing. */
function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 120 * 60) return `${Math.ceil(seconds / 60)} minutes`;
  if (seconds <= 24 * 3600) return `${Math.ceil(seconds / 3600)} hours`;
  return 'more than a day';
}

/** The code of what could not be read, and may be the next time. */
export const UNREADABLE = 'service-unreadable';

/**
 * Reads one path, as often as it takes. `accepted`: statuses from 400 on that mean something to the caller.
 * Failure where the service refuses, redirects, or does not answer in a readable way in the end.
 */
export async function readPath(
  channel: Channel,
  path: string,
  accepted: readonly number[],
): Promise<Reading> {
  const { closed, quote } = channel;
  const endpoint = `GET ${quote(path, 200)}`;
  const read = await channel.send({ method: 'GET', path, body: null }, closed, (attempt) =>
    attempt.kind === 'lost' ? { fault: attempt.reason } : judge(attempt),
  );
  if ('result' in read) return read.result;
  if (closed.aborted)
    throw new Failure(
      {
        code: 'interrupted',
        message: `${endpoint} was interrupted.`,
        hint: 'Reading changes nothing. Run again.',
      },
      { exitCode: EXIT.interrupted },
    );
  throw new Failure({
    code: UNREADABLE,
    message: `${endpoint} could not be read, ${read.tried}${read.fault === null ? '' : `; last error: ${read.fault}`}.`,
    hint: 'Reading changes nothing. Check the service, the base URL and the network, then run again.',
  });

  function judge(answered: Answered): Judgement<Reading> {
    const { status, headers, body, bytes, excerpt } = answered;
    const said = (fallback: string) => quote(refusalMessage(body, fallback), 300);
    const faulty = () => ({
      fault: `status ${status}, ${bytes === 0 ? 'an empty body' : said(excerpt())}`,
    });
    if (status === 408 || status === 429 || status >= 500) return faulty();
    if (status >= 300 && !accepted.includes(status)) throw refusal(answered, said);
    // An empty 200 may be an answer that was cut; 204 and the accepted refusals need no body.
    const isEmpty = bytes === 0 && (status >= 400 || status === 204);
    if (body === undefined && !isEmpty) return faulty();
    const refused = status < 400 ? findRefusal(body) : null;
    if (refused !== null && !saysNothing(refused)) return faulty();
    return { result: { endpoint, quote, status, headers, body: body ?? null, bytes } };
  }

  function refusal({ status, headers, excerpt }: Answered, said: (fallback: string) => string): Failure {
    if (status < 400) {
      const location = typeof headers.location === 'string' ? ` to ${quote(headers.location)}` : '';
      return new Failure({
        code: 'redirected',
        message: `The service answered ${endpoint} with a redirect${location} (status ${status}). Redirects are not followed: the token goes to base_url only.`,
        hint: 'Set base_url to the address where the service really is.',
      });
    }
    if (status === 401 || status === 403) {
      const why =
        status === 401 ? 'it does not accept the token' : 'the token may belong to another workspace';
      return new Failure({
        code: 'no-access',
        message: `The service refused ${endpoint} with status ${status}, ${why}: ${said('no reason given')}`,
        hint: 'Check the token in the environment variable that token_env names, and the workspace it was made for.',
      });
    }
    return new Failure({
      code: 'service-refused',
      message: `The service refused ${endpoint} with status ${status}: ${said(excerpt())}`,
      hint: 'Check base_url: it is the part of the address in front of /api.',
    });
  }
}
