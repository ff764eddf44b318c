import { Failure } from '../model/failure.js';
import { ownValue } from '../model/json.js';
import { ROUTES } from './endpoints.js';
import { type Reply, reply } from './profiles.js';

/**
 * `effect`: the request is carried out. `reply`: replaces the response. `delay` in milliseconds.
 * `launchFails`: the launch fails after it was accepted.
 */
export interface FaultEffect {
  fault: string;
  effect: boolean;
  reply: Reply | null;
  wire: 'whole' | 'drop' | 'hang';
  delay: number;
  launchFails: boolean;
}

/** A `--fault` option. `nth`: the matching request to affect, counted from 1; `null` for all. */
interface FaultRule {
  method: string;
  path: string;
  nth: number | null;
  struck: FaultEffect;
}

type Effect = Omit<FaultEffect, 'fault'>;
const NONE: Effect = { effect: true, reply: null, wire: 'whole', delay: 0, launchFails: false };

/** `null` if the argument is invalid for this kind. */
type FaultKind = (argument: string | undefined) => Partial<FaultEffect> | null;

const KINDS: Record<string, FaultKind> = {
  'drop-before': plain({ effect: false, wire: 'drop' }),
  'drop-after': plain({ wire: 'drop' }),
  hang: plain({ effect: false, wire: 'hang' }),
  'hang-after': plain({ wire: 'hang' }),
  ignore: plain({ effect: false, reply: reply(200, { data: { success: true } }) }),
  'fail-launch': plain({ launchFails: true }),
  '429': (seconds) => (seconds === undefined || SECONDS.test(seconds) ? tooMany(seconds) : null),
  slow: (seconds = '') => (SECONDS.test(seconds) ? { delay: 1000 * Number(seconds) } : null),
  refuse: (message = 'Refused.') => ({ effect: false, reply: reply(422, { message }) }),
};

const SECONDS = /^\d{1,4}(\.\d{1,3})?$/;

function plain(kind: Partial<FaultEffect>): FaultKind {
  return (argument) => (argument === undefined ? kind : null);
}

function serverError(kind: string): FaultKind | undefined {
  const [, status, when] = /^(5\d\d)-(before|after)$/.exec(kind) ?? [];
  if (status === undefined) return undefined;
  return plain({ effect: when === 'after', reply: reply(Number(status), { message: 'Server Error' }) });
}

function tooMany(retryAfter: string | undefined): Partial<FaultEffect> {
  const headers: Reply['headers'] = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { effect: false, reply: reply(429, { message: 'Too Many Attempts.' }, headers) };
}

const GRAMMAR =
  /^(?<method>GET|POST|PATCH|\*) (?<path>\/[^\s#=]*)(?:#(?<nth>[1-9]\d{0,5}))?=(?<kind>[^:]+)(?::(?<argument>.*))?$/;

/** Parses `METHOD PATH[#N]=KIND[:ARGUMENT]`. Fails if invalid. */
export function parseFault(text: string): FaultRule {
  const { method, path = '', nth, kind = '', argument } = GRAMMAR.exec(text)?.groups ?? {};
  if (method === undefined) throw bad(text, 'it is not METHOD PATH[#N]=KIND, with N from 1');
  const known = ownValue(KINDS, kind) ?? serverError(kind);
  if (known === undefined) throw bad(text, `there is no kind "${kind}"`);
  const effect = known(argument);
  if (effect === null && argument === undefined) throw bad(text, `${kind} needs seconds, as in ${kind}:20`);
  if (effect === null) throw bad(text, `${kind} does not accept ":${argument}"`);
  const routes = ROUTES.filter((route) => method === '*' || method === route.method);
  if (!routes.some((route) => fits(path, route.path)))
    throw bad(text, `the API has no ${method === '*' ? 'request' : method} with such a path`);
  return {
    method,
    path,
    nth: nth === undefined ? null : Number(nth),
    struck: { ...NONE, ...effect, fault: text },
  };
}

/** `*`, and `{id}` in a route, match any segment. */
function fits(pattern: string, path: string): boolean {
  const [segments, parts] = [pattern.split('/'), path.split('/')];
  const isFit = (part: string, at: number) =>
    segments[at] === '*' || part === '{id}' || segments[at] === part;
  return parts.length === segments.length && parts.every(isFit);
}

function bad(text: string, why: string): Failure {
  return new Failure({
    code: 'usage',
    message: `--fault "${text}" is not valid: ${why}.`,
    hint: `For example "POST /api/campaigns/*/sequence-steps#1=drop-after". Kinds: ${Object.keys(KINDS).join(', ')}, 500-before, 500-after (or any other status from 500 to 599).`,
  });
}

export function createFaults(
  rules: readonly FaultRule[],
): (method: string, target: string) => FaultEffect | null {
  const counts = rules.map(() => 0);
  return (method, target) => {
    const path = target.split('?', 1)[0] ?? '';
    let struck: FaultEffect | null = null;
    for (const [index, rule] of rules.entries()) {
      if ((rule.method !== '*' && rule.method !== method) || !fits(rule.path, path)) continue;
      const number = (counts[index] ?? 0) + 1;
      counts[index] = number;
      if (rule.nth === null || rule.nth === number) struck ??= rule.struck;
    }
    return struck;
  };
}
