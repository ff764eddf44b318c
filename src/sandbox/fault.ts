import { Failure } from '../model/failure.js';
import { ownValue } from '../model/json.js';
import { ROUTES } from './endpoints.js';
import { type Reply, reply } from './profiles.js';

/**
 * `effect`: true if the request is carried out. `reply`: replaces the response. `launchFails`: true if a launch fails after
 * it was accepted.
 */
export interface FaultEffect {
  fault: string;
  effect: boolean;
  reply: Reply | null;
  wire: 'whole' | 'drop' | 'hang';
  launchFails: boolean;
}

/** A `--fault` option. `nth`: number of the matching request to affect, counted from 1; `null` for all. */
interface FaultRule {
  method: string;
  path: string;
  nth: number | null;
  struck: FaultEffect;
}

const NONE = { effect: true, reply: null, wire: 'whole', launchFails: false } as const;

const KINDS: Record<string, Partial<FaultEffect>> = {
  'drop-before': { effect: false, wire: 'drop' },
  'drop-after': { wire: 'drop' },
  hang: { effect: false, wire: 'hang' },
  'hang-after': { wire: 'hang' },
  ignore: { effect: false, reply: reply(200, { data: { success: true } }) },
  'fail-launch': { launchFails: true },
};

/** `503-after` */
function statusFault(kind: string): Partial<FaultEffect> | undefined {
  const [, status, when] = /^([45]\d\d)-(before|after)$/.exec(kind) ?? [];
  if (status === undefined) return undefined;
  return { effect: when === 'after', reply: reply(Number(status), { message: `Fault ${kind}.` }) };
}

const GRAMMAR = /^(?<method>GET|POST|PATCH|\*) (?<path>\/[^\s#=]*)(?:#(?<nth>[1-9]\d{0,5}))?=(?<kind>.+)$/;

/** Parses `METHOD PATH[#N]=KIND`. */
export function parseFault(text: string): FaultRule {
  const { method, path = '', nth, kind = '' } = GRAMMAR.exec(text)?.groups ?? {};
  if (method === undefined) throw bad(text, 'it is not METHOD PATH[#N]=KIND, with N at least 1');
  const effect = ownValue(KINDS, kind) ?? statusFault(kind);
  if (effect === undefined) throw bad(text, `there is no kind "${kind}"`);
  const routes = ROUTES.filter((route) => method === '*' || method === route.method);
  if (!routes.some((route) => fits(path, route.path)))
    throw bad(text, `no ${method === '*' ? '' : `${method} `}endpoint of the API matches this path`);
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
    hint: `For example "POST /api/campaigns/*/sequence-steps#1=drop-after". Kinds: ${Object.keys(KINDS).join(', ')}, 500-before, 500-after (or any other status from 400 to 599).`,
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
