import { isUtf8 } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseAddress } from '../model/address.js';
import type { Json } from '../model/json.js';
import { createMask, type Mask } from '../model/mask.js';
import { NO_WAITS, type Waits } from '../model/waits.js';
import { type Clock, systemClock } from './clock.js';
import { type Connection, describeConnection, type ServiceNames } from './connection.js';
import { createQuote, parseBody, type Quote } from './mask.js';
import { createPacer, MAX_TIME, type Pacer, readRetryAfter } from './pacing.js';
import { sharedRate } from './rate.js';
import { answeredBy, describeWebPage, findWebPage, type WebPage } from './web-page.js';
import {
  checkToken,
  type LostAnswer,
  openWire,
  type RawAnswer,
  type ServiceRequest,
  type Wire,
} from './wire.js';

export interface ServiceOptions {
  baseUrl: string;
  /** True if `baseUrl` may use plain http. */
  insecureHttp?: boolean;
  token: string;
  /** Errors contain these names. */
  names: ServiceNames;
  parallelism: number;
  /** Retries count, too; `null` for no limit. */
  requestsPerMinute: number | null;
  /** Receives one line for each request, without headers or bodies. */
  trace: ((line: string) => void) | null;
  clock?: Clock | undefined;
  waits?: Waits;
  wire?: Wire | undefined;
  /** Runs before the first byte of each write attempt. If it throws a Failure, nothing is sent. */
  fence?: () => void;
  /** Milliseconds allowed for a complete response. */
  timeouts?: { request: number; attach: number };
}

export interface Answered extends Omit<RawAnswer, 'bytes'> {
  /** The token is masked; `undefined` if the body is not JSON. */
  body: Json | undefined;
  /** The first field of content that contains the token; `null` if none does. */
  leak: string | null;
  bytes: number;
  /** `null` if the body is not a web page. */
  page: WebPage | null;
  /** Describes a web page instead of quoting it. */
  excerpt(length?: number): string;
}

/** `asksToWait`: milliseconds that the service asks the client to wait. */
interface Attempt {
  response: Answered | LostAnswer;
  asksToWait: number | null;
}

interface TurnResult<Result> {
  startedAt: number;
  judged: Judgement<Result>;
  limited: boolean;
  asksToWait: number | null;
  /** How often to try at most. */
  most: number;
}

export type Judgement<Result> = { result: Result } | { fault: string };

/** `fault`: the last attempt's fault; `null` if no attempt was made. `tried` ends a sentence: `tried 5 times`. */
type RequestResult<Result> = { result: Result } | { fault: string | null; tried: string };

export interface Channel {
  origin: string;
  prefix: string;
  clock: Clock;
  connection: Connection;
  quote: Quote;
  closed: AbortSignal;
  /** Announces the time that so many requests take at least because of the rate limit. */
  expect(requests: number): void;
  /**
   * Retries while `judge` finds a fault. Aborting `stop` ends waits, but not a request in flight. A judgement that `guard`
   * returns replaces the attempt.
   */
  send<Result>(
    request: ServiceRequest,
    stop: AbortSignal,
    judge: (attempt: Answered | LostAnswer) => Judgement<Result>,
    guard?: () => Promise<Judgement<Result> | null>,
  ): Promise<RequestResult<Result>>;
  close(): Promise<void>;
}

/** `direct`: a channel that skips the queue and tries once. Guards read through it. */
export interface GuardedChannel extends Channel {
  direct: Channel;
}

const TIMEOUTS = { request: 30_000, attach: 120_000 };
const MAX_FAULTS = 5;
/** After this many 429 responses, the pauses add up to more than a minute, the usual window of a rate limit. */
const MAX_LIMITS = 8;
const FIRST_WAIT = 500;
const TIMED_OUT = `; a request may take at most ${duration(MAX_TIME)}`;

export function openChannel(options: ServiceOptions): GuardedChannel {
  const { baseUrl, token, names, parallelism, clock = systemClock, requestsPerMinute } = options;
  checkToken(token, names.tokenVariable);
  const address = parseAddress('base_url', baseUrl, options);
  const mask = createMask(token);
  const quote = createQuote(mask);
  const closing = new AbortController();
  // Each waiting request adds a listener; by default, Node warns if there are more than ten.
  setMaxListeners(0, closing.signal);
  const service = `${address.origin}${address.prefix} ${token}`;
  const rate = requestsPerMinute === null ? null : sharedRate(service, requestsPerMinute, clock);
  const connection = describeConnection(address, names);
  const transport: Transport = {
    options,
    clock,
    waits: options.waits ?? NO_WAITS,
    wire: options.wire ?? openWire(address, token, parallelism),
    pacer: createPacer({ ...options, clock, rate }),
    mask,
    quote,
    nameOf: ({ method, path }) => `${method} ${quote(connection.url(path), 300)}`,
  };
  const channel: Channel = {
    origin: address.origin,
    prefix: address.prefix,
    clock,
    connection,
    quote,
    closed: closing.signal,
    expect: transport.pacer.expect,
    send: (request, stop, judge, guard) => sendInTurn(transport, { request, stop, judge, guard }),
    async close() {
      closing.abort();
      await transport.wire.close();
    },
  };
  return {
    ...channel,
    direct: {
      ...channel,
      async send(request, stop, judge) {
        await transport.pacer.pace(stop);
        if (stop.aborted) return { fault: null, tried: 'not tried' };
        const judged = judge((await attempt(transport, request, true)).response);
        return 'result' in judged ? judged : { ...judged, tried: 'tried once' };
      },
    },
  };
}

/** Shared by all requests of a channel. */
interface Transport {
  options: ServiceOptions;
  clock: Clock;
  waits: Waits;
  wire: Wire;
  pacer: Pacer;
  mask: Mask;
  quote: Quote;
  nameOf(request: ServiceRequest): string;
}

async function attempt(transport: Transport, request: ServiceRequest, isLast: boolean): Promise<Attempt> {
  const { options, clock, waits, wire, pacer, quote, nameOf } = transport;
  const { trace, timeouts = TIMEOUTS, fence } = options;
  const { method, path } = request;
  const startedAt = clock.elapsed();
  const timeout = path.includes('/leads/attach-') ? timeouts.attach : timeouts.request;
  const end = waits.begin({ kind: 'answer', request: nameOf(request), isLast }, { most: timeout });
  const sending = wire.exchange(request, timeout, method === 'GET' ? undefined : fence);
  sending.then(end, end);
  const exchange = await sending;
  const response = exchange.kind === 'lost' ? exchange : decode(exchange, transport);
  const isError = response.kind === 'answered' && response.status >= 400;
  const asksToWait = isError ? readRetryAfter(response, clock.now()) : null;
  if (response.status === 429) pacer.limited(startedAt, asksToWait);
  else if (response.kind === 'answered') pacer.answered();
  const lost = response.kind === 'lost' && `${response.sent ? 'lost' : 'not sent'}: ${response.reason}`;
  trace?.(`${method} ${quote(path, 200)} ${lost || response.status}`);
  return { response, asksToWait };
}

function decode(answer: RawAnswer, { options: { token }, mask, quote }: Transport): Answered {
  const { bytes } = answer;
  const text = isUtf8(bytes) ? bytes.toString('utf8') : null;
  const { body, leak } = text === null ? { body: undefined, leak: null } : parseBody(text, token, mask);
  // Serialises the JSON again, because escapes in the original text could hide an echoed token.
  const shown = () =>
    body === undefined ? (text ?? `${bytes.length} bytes that are not UTF-8`) : JSON.stringify(body);
  const isCompressed = answer.headers['content-encoding'] !== undefined;
  const page = body === undefined && !isCompressed ? findWebPage(answer) : null;
  const excerpt = (length?: number) => {
    if (page !== null) return describeWebPage(page, quote);
    if (body !== undefined) return quote(shown(), length);
    const by = answeredBy(answer.headers).map((name) => ` (${quote(name, 60)})`);
    return `${isCompressed ? describeCompressed(answer, quote) : quote(shown(), length)}${by.join('')}`;
  };
  return { ...answer, body, leak, bytes: bytes.length, page, excerpt };
}

function describeCompressed({ headers, bytes }: RawAnswer, quote: Quote): string {
  return `${bytes.length} compressed bytes (${quote([headers['content-encoding']].flat().join(', '), 30)}), which campaignctl does not ask for`;
}

interface Sending<Result> {
  request: ServiceRequest;
  stop: AbortSignal;
  judge: (attempt: Answered | LostAnswer) => Judgement<Result>;
  guard: (() => Promise<Judgement<Result> | null>) | undefined;
}

/** Waits for its turn, and tries again while the response is a fault and there is time. */
async function sendInTurn<Result>(
  transport: Transport,
  sending: Sending<Result>,
): Promise<RequestResult<Result>> {
  const { clock, waits, pacer, nameOf } = transport;
  const { request, stop } = sending;
  let faults = 0;
  let limits = 0;
  let fault: string | null = null;
  let until: number | null = null;
  let why: string | null = null;
  let most = MAX_FAULTS;
  while (why === null && faults < most && limits < MAX_LIMITS) {
    const isLast = request.method !== 'GET' || faults === most - 1;
    const turned: TurnResult<Result> | null = await pacer.run(() => takeTurn(transport, sending, isLast), {
      stop,
      until,
    });
    if (turned === null) {
      why = whyTooLong(clock, pacer.pausedUntil(), { until, isAsked: false }) ?? TIMED_OUT;
      break;
    }
    const { startedAt, judged, limited, asksToWait }: TurnResult<Result> = turned;
    if ('result' in judged) {
      await queuedSends();
      return judged;
    }
    fault = judged.fault;
    most = Math.min(most, turned.most);
    until ??= startedAt + MAX_TIME;
    if (limited) limits += 1;
    else faults += 1;
    // The pacer applies the shared pause after a 429.
    const backOff = FIRST_WAIT * 2 ** (faults - 1) * (0.5 + clock.random() / 2);
    const wait = limited ? 0 : (asksToWait ?? backOff);
    const ready = Math.max(clock.elapsed() + wait, pacer.pausedUntil());
    why = whyTooLong(clock, ready, { until, isAsked: asksToWait !== null });
    if (why === null && faults < most && wait > 0) {
      const retry = { request: nameOf(request), fault, tries: faults, maxTries: most };
      const before = clock.elapsed() - (until - MAX_TIME);
      const end = waits.begin({ kind: 'retry', ...retry }, { most: wait, isCertain: true, before });
      await clock.sleep(wait, stop);
      end();
    }
  }
  const count = faults + limits;
  const times = count === 0 ? 'not tried' : count === 1 ? 'tried once' : `tried ${count} times`;
  return { fault, tried: times + (why ?? '') };
}

async function takeTurn<Result>(
  transport: Transport,
  { request, stop, judge, guard }: Sending<Result>,
  isLast: boolean,
): Promise<TurnResult<Result> | null> {
  const { clock, pacer } = transport;
  const startedAt = clock.elapsed();
  const instead = guard === undefined ? null : await guard();
  if (stop.aborted) return null;
  const isPaused = pacer.pausedUntil() > clock.elapsed();
  if (instead !== null)
    return { startedAt, judged: instead, limited: isPaused, asksToWait: null, most: MAX_FAULTS };
  const { response, asksToWait } = await attempt(transport, request, isLast);
  const most = (response.kind === 'lost' ? response.tries : undefined) ?? MAX_FAULTS;
  return { startedAt, judged: judge(response), limited: response.status === 429, asksToWait, most };
}

/** Returns why a wait until `end` is too long; `null` if it is not. `isAsked`: the service asked for that wait. */
function whyTooLong(
  clock: Clock,
  end: number,
  { until, isAsked }: { until: number | null; isAsked: boolean },
): string | null {
  const now = clock.elapsed();
  if (end <= (until ?? now + MAX_TIME)) return null;
  return isAsked || end - now > MAX_TIME
    ? `; the service asks for a wait of ${duration(end - now)}`
    : TIMED_OUT;
}

/** Response handling is deferred by two ticks so that queued requests are sent first. */
async function queuedSends(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 120 * 60) return `${Math.ceil(seconds / 60)} minutes`;
  if (seconds <= 24 * 3600) return `${Math.ceil(seconds / 3600)} hours`;
  return 'more than a day';
}
