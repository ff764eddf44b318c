import { Failure } from '../model/failure.js';
import { ROUTES, type Route } from './endpoints.js';
import { type Reply, reply } from './profiles.js';

/** How an answer goes out: as it is, or in one of the ways in which networks and proxies spoil it. */
export type WireFault = 'whole' | 'drop' | 'hang' | 'cut' | 'garbage' | 'html';

/**
 * What a fault does to one request. `effect`: it is carried out all the same. `reply` stands in for the answer; null: the
 * real one. `delay` in milliseconds. `launchFails`: accepted, and failed a moment later.
 */
export interface Struck {
  fault: string;
  effect: boolean;
  reply: Reply | null;
  wire: WireFault;
  delay: number;
  launchFails: boolean;
}

/** One `--fault`: which requests it strikes, counted from 1, and how. */
export interface FaultRule {
  text: string;
  method: string;
  /** One pattern for each segment of the path. */
  segments: readonly RegExp[];
  first: number;
  last: number;
  struck: Struck;
}

const HARMLESS = { effect: true, reply: null, wire: 'whole', delay: 0, launchFails: false } as const;

type FaultKind = Partial<Omit<Struck, 'fault'>>;

/** The kinds of fault; a kind with an argument takes it after a colon. */
const KINDS: Record<string, (argument: string | null) => FaultKind | null> = {
  'drop-before': plain({ effect: false, wire: 'drop' }),
  'drop-after': plain({ wire: 'drop' }),
  hang: plain({ effect: false, wire: 'hang' }),
  'hang-after': plain({ wire: 'hang' }),
  cut: plain({ wire: 'cut' }),
  garbage: plain({ wire: 'garbage' }),
  html: plain({ effect: false, wire: 'html' }),
  'html-after': plain({ wire: 'html' }),
  ignore: plain({ effect: false, reply: reply(200, { data: { success: true } }) }),
  'fail-launch': plain({ launchFails: true }),
  '429': (seconds) =>
    seconds === null || isSeconds(seconds)
      ? { effect: false, reply: tooMany(seconds === null ? {} : { 'retry-after': seconds }) }
      : null,
  slow: (seconds) => (seconds !== null && isSeconds(seconds) ? { delay: 1000 * Number(seconds) } : null),
  refuse: (message) => ({ effect: false, reply: reply(422, { message: message ?? 'Refused.' }) }),
};

function plain(kind: FaultKind): (argument: string | null) => FaultKind | null {
  return (argument) => (argument === null ? kind : null);
}

function isSeconds(text: string): boolean {
  return /^\d{1,4}(\.\d{1,3})?$/.test(text);
}

/** The answer of a service that is asked too often. */
export function tooMany(headers: Reply['headers']): Reply {
  return reply(429, { message: 'Too Many Attempts.' }, headers);
}

const GRAMMAR =
  /^(?<method>GET|POST|PATCH|\*) (?<path>\/[^\s#=]*)(?:#(?<first>\d{1,6})(?:-(?<last>\d{1,6}))?)?=(?<kind>[^:]+)(?::(?<argument>.*))?$/;

/** Reads `METHOD PATH[#N|#N-M]=KIND[:ARGUMENT]`; `*` in a path: anything within a segment. A Failure for anything else. */
export function parseFault(text: string): FaultRule {
  const {
    method = '',
    path = '',
    first,
    last,
    kind = '',
    argument = null,
  } = GRAMMAR.exec(text)?.groups ?? {};
  if (method === '') throw bad(text, 'it is not METHOD PATH[#N|#N-M]=KIND');
  const known = Object.hasOwn(KINDS, kind);
  const what = (known ? KINDS[kind]?.(argument) : serverError(kind, argument)) ?? null;
  if (what === null) {
    throw bad(
      text,
      known ? `the kind ${kind} does not go with ":${argument ?? ''}"` : `there is no kind "${kind}"`,
    );
  }
  const from = first === undefined ? 1 : Number(first);
  const to = last === undefined ? (first === undefined ? Number.POSITIVE_INFINITY : from) : Number(last);
  if (from < 1 || to < from)
    throw bad(text, 'requests are counted from 1, and the first comes before the last');
  const segments = path.split('/').map(segmentPattern);
  if (!ROUTES.some((route) => isMeant(route, method, segments)))
    throw bad(text, `the API has no ${method === '*' ? 'request' : method} with such a path`);
  return {
    text,
    method,
    segments,
    first: from,
    last: to,
    struck: { ...HARMLESS, ...what, fault: text },
  };
}

function segmentPattern(segment: string): RegExp {
  const literal = (part: string) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return segment === '*' ? /^.+$/ : new RegExp(`^${segment.split('*').map(literal).join('.*')}$`);
}

function isMeant(route: Route, method: string, segments: readonly RegExp[]): boolean {
  const isId = (segment: string) => segment === '{id}';
  return (method === '*' || method === route.method) && fits(segments, route.path, isId);
}

/** Whether a path fits, segment by segment; `open`: a segment that stands for any. */
function fits(
  segments: readonly RegExp[],
  path: string,
  open: (segment: string) => boolean = () => false,
): boolean {
  const parts = path.split('/');
  return (
    parts.length === segments.length &&
    parts.every((part, index) => open(part) || segments[index]?.test(part) === true)
  );
}

/** `503-before`, `500-after`. */
function serverError(kind: string, argument: string | null): FaultKind | null {
  const [, status, when] = /^(5\d\d)-(before|after)$/.exec(kind) ?? [];
  if (status === undefined || argument !== null) return null;
  return { effect: when === 'after', reply: reply(Number(status), { message: 'Server Error' }) };
}

function bad(text: string, why: string): Failure {
  return new Failure({
    code: 'usage',
    message: `--fault "${text}" cannot be used: ${why}.`,
    hint: `For example "POST /api/campaigns/*/sequence-steps#1=drop-after". Kinds: ${Object.keys(KINDS).join(', ')}, 500-before, 500-after (any status from 500 on).`,
  });
}

/** Decides for each request, in the order in which they come, whether a fault strikes it: the first rule that does. */
export function createFaults(rules: readonly FaultRule[]): (method: string, target: string) => Struck | null {
  const counts = rules.map(() => 0);
  return (method, target) => {
    const path = target.split('?', 1)[0] ?? '';
    let found: Struck | null = null;
    rules.forEach((rule, index) => {
      if ((rule.method !== '*' && rule.method !== method) || !fits(rule.segments, path)) return;
      const number = (counts[index] ?? 0) + 1;
      counts[index] = number;
      if (number >= rule.first && number <= rule.last) found ??= rule.struck;
    });
    return found;
  };
}

/** How a 429 says when to come again. */
export type RetryAfter = 'seconds' | 'date' | 'none';

/** At most so many requests in any minute. `now`: milliseconds since 1970. */
export interface RateLimit {
  perMinute: number;
  retryAfter: RetryAfter;
  now(): number;
}

const MINUTE = 60_000;

/** Strikes every request beyond the limit; what was struck does not count. */
export function createRateLimit({ perMinute, retryAfter, now }: RateLimit): () => Struck | null {
  let times: number[] = [];
  return () => {
    const at = now();
    times = times.filter((time) => time > at - MINUTE);
    const oldest = times[0];
    if (times.length < perMinute || oldest === undefined) {
      times.push(at);
      return null;
    }
    const again = oldest + MINUTE;
    // HTTP dates have no fractions: later rather than earlier.
    const headers = {
      seconds: { 'retry-after': String(Math.ceil((again - at) / 1000)) },
      date: { 'retry-after': new Date(Math.ceil(again / 1000) * 1000).toUTCString() },
      none: {},
    }[retryAfter];
    return {
      fault: 'rate limit',
      effect: false,
      reply: tooMany(headers),
      wire: 'whole',
      delay: 0,
      launchFails: false,
    };
  };
}
