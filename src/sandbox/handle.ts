import { isObject, type Json, type JsonObject } from '../model/json.js';
import {
  answered,
  type Call,
  ROUTES,
  type Route,
  type Ruling,
  refused,
  some,
  type Terms,
} from './endpoints.js';
import { type BodyFault, checkFields } from './fields.js';
import { type Reply, reply } from './profiles.js';
import type { SandboxState } from './state.js';

/**
 * A request as it came, nothing checked. `target` is path and query, `body` is null where there was none, `origin`
 * is the service's own. `launchFails`: a launch is to fail a moment later.
 */
export interface SandboxRequest {
  origin: string;
  method: string;
  target: string;
  authorization: string | null;
  contentType: string | null;
  body: string | null;
  launchFails: boolean;
}

/** Undocumented, and tolerated on lists since careful clients send them. */
const PAGE_PARAMETERS = ['page', 'per_page', 'cursor'];

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace('{id}', '([1-9][0-9]*)')}$`),
}));

/** Decides about one request and changes nothing: path and method, then access, then the body, then the rule. */
export function handle(state: SandboxState, request: SandboxRequest, terms: Terms): Ruling {
  const { path, query } = parseTarget(request.target);
  const matches = PATTERNS.filter(({ pattern }) => pattern.test(path));
  const match = matches.find(({ route }) => route.method === request.method);
  if (match === undefined) {
    const supported = matches.map(({ route }) => route.method);
    return answered(noRoute(request.method, path, supported));
  }
  if (!isAllowed(request.authorization, terms.token)) {
    return answered(reply(401, { message: 'Unauthenticated.' }));
  }
  const decoded = decodeBody(request);
  if ('refusal' in decoded) return answered(decoded.refusal);
  const id = match.pattern.exec(path)?.[1] ?? null;
  const body = terms.profile.trims ? trimmedFields(decoded.body) : decoded.body;
  const { origin, launchFails } = request;
  return decide({ state, terms, body, query, origin, launchFails }, match.route, id);
}

function decide(
  sent: Omit<Call, 'page'> & { query: URLSearchParams },
  route: Route,
  id: string | null,
): Ruling {
  const { state, terms, body, query } = sent;
  const campaign = id === null ? undefined : state.campaigns[Number(id) - 1];
  if (id !== null && campaign === undefined) return answered(terms.profile.campaignNotFound(id));
  const faults = [...queryFaults(query, route), ...checkFields(body, route.body)];
  if (some(faults)) return refused(faults);
  const call = { ...sent, page: pageNumber(query) };
  if (route.on === 'workspace') return route.rule(call);
  if (campaign === undefined) throw new Error(`${route.path} names no campaign`);
  return route.rule({ ...call, campaign });
}

/** Not `new URL`: that would tidy a path that clients have to send right. */
function parseTarget(target: string): { path: string; query: URLSearchParams } {
  const end = target.indexOf('?');
  return end === -1
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, end), query: new URLSearchParams(target.slice(end + 1)) };
}

function noRoute(method: string, path: string, supported: readonly string[]): Reply {
  if (supported.length === 0)
    return reply(404, { message: `The route ${path.slice(1)} could not be found.` });
  const methods = supported.join(', ');
  const message = `The ${method} method is not supported for route ${path.slice(1)}. Supported methods: ${methods}.`;
  return reply(405, { message }, { allow: methods });
}

function isAllowed(authorization: string | null, token: string | null): boolean {
  const given = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
  return given !== undefined && (token === null || given === token);
}

function decodeBody({ body, contentType }: SandboxRequest): { body: JsonObject } | { refusal: Reply } {
  if (body === null) return { body: {} };
  if (!/^application\/json *(;|$)/i.test(contentType ?? '')) {
    return { refusal: reply(415, { message: 'The Content-Type of a body must be application/json.' }) };
  }
  const json = parseJson(body);
  if (json === undefined) return { refusal: reply(400, { message: 'The body is not JSON.' }) };
  return isObject(json)
    ? { body: json }
    : { refusal: reply(422, { message: 'The body must be a JSON object.' }) };
}

/** With every text of it trimmed, however deep; what is empty then is null. */
function trimmedFields(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, trimmed(value)]));
}

function trimmed(value: Json): Json {
  if (typeof value === 'string') return value.trim() || null;
  if (Array.isArray(value)) return value.map(trimmed);
  return isObject(value) ? trimmedFields(value) : value;
}

/** The value of a text, undefined where it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function queryFaults(query: URLSearchParams, route: Route): BodyFault[] {
  return [...query.keys()]
    .filter((name) => !(route.pages && PAGE_PARAMETERS.includes(name)))
    .map((name) => ({ path: name, message: `The query parameter ${name} is not known.` }));
}

/** Whatever is not a page number means the first page. */
function pageNumber(query: URLSearchParams): number {
  const asked = query.get('page') ?? '';
  return /^[1-9][0-9]{0,8}$/.test(asked) ? Number(asked) : 1;
}
