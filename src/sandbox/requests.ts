import { isObject, type Json, mapValues, parseJson } from '../model/json.js';
import { type BodyFault, checkFields } from './body-fields.js';
import { answered, ROUTES, type Ruling } from './endpoints.js';
import { reply, type ServiceProfile } from './profiles.js';
import type { SandboxState } from './state.js';

/**
 * A request before it is checked. `target`: path and query. `body`: `null` if there is none. `origin`: the service's
 * origin.
 */
export interface SandboxRequest {
  origin: string;
  method: string;
  target: string;
  authorization: string | null;
  contentType: string | null;
  body: string | null;
}

/** Undocumented parameters, tolerated because careful clients send them. */
const PAGE_PARAMETERS = ['page', 'per_page', 'cursor'];

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace('{id}', '([1-9][0-9]*)')}$`),
}));

/** Checks the path, method, access and body, and then the rules. Modifies nothing. */
export function handle(
  state: SandboxState,
  request: SandboxRequest,
  profile: ServiceProfile,
  launchFails: boolean,
): Ruling {
  const { method, target, origin } = request;
  const refusal = (status: number, message: string) => answered(reply(status, { message }));
  // `new URL` would correct an invalid path.
  const [path = '', ...search] = target.split('?');
  const match = PATTERNS.find(({ route, pattern }) => route.method === method && pattern.test(path));
  if (match === undefined) return refusal(404, `The route ${method} ${path} could not be found.`);
  if (!/^Bearer \S+$/.test(request.authorization ?? '')) return refusal(401, 'Unauthenticated.');
  if (request.body !== null && !/^application\/json *(;|$)/i.test(request.contentType ?? ''))
    return refusal(415, 'The Content-Type of a body must be application/json.');
  const json = request.body === null ? {} : parseJson(request.body);
  if (json === undefined) return refusal(400, 'The body is not JSON.');
  if (!isObject(json)) return refusal(422, 'The body must be a JSON object.');

  const { route, pattern } = match;
  const id = pattern.exec(path)?.[1] ?? '';
  const rule = route.find(state, id);
  if (rule === null) return answered(profile.campaignNotFound(id));
  const query = new URLSearchParams(search.join('?'));
  const unknown = [...query.keys()].filter((name) => !(route.pages && PAGE_PARAMETERS.includes(name)));
  const body = profile.trims ? mapValues(json, trimmed) : json;
  const faults = [
    ...unknown.map((name) => ({ path: name, message: `The query parameter ${name} is not known.` })),
    ...checkFields(body, route.body),
  ];
  if (faults.length > 0) return refused(faults);
  // Anything other than a page number selects the first page.
  const page = Number(/^[1-9][0-9]{0,8}$/.exec(query.get('page') ?? '') ?? 1);
  const ruling = rule({ state, profile, body, page, origin, launchFails });
  return Array.isArray(ruling) ? refused(ruling) : ruling;
}

function refused(faults: readonly BodyFault[]): Ruling {
  const errors: { [path: string]: string[] } = Object.create(null);
  for (const { path, message } of faults) errors[path] = [...(errors[path] ?? []), message];
  const more = faults.length - 1;
  const rest = more === 0 ? '' : ` (and ${more} more error${more === 1 ? '' : 's'})`;
  return answered(reply(422, { message: `${faults[0]?.message}${rest}`, errors: { ...errors } }));
}

function trimmed(value: Json): Json {
  if (typeof value === 'string') return value.trim() || null;
  if (Array.isArray(value)) return value.map(trimmed);
  return isObject(value) ? mapValues(value, trimmed) : value;
}
