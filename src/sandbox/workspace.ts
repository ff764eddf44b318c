import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, makeFolder, writeAtomic } from '../files/atomic.js';
import { readRegularFile } from '../files/read.js';
import { errorMessage, Failure } from '../model/failure.js';
import { isObject, type Json, mapValues, parseJson } from '../model/json.js';
import { answered, type BodyFault, checkFields, ROUTES, type Ruling } from './endpoints.js';
import type { FaultEffect } from './fault.js';
import { reply, type ServiceProfile } from './profiles.js';
import { NEW_STATE, type SandboxState } from './state.js';

/** Owns the state. Handles one request at a time: decides, stores, then responds. */
interface Workspace {
  /** A request changes nothing if a fault prevents it or its effect cannot be stored. */
  carryOut(request: SandboxRequest, struck: FaultEffect | null): Promise<Ruling>;
  state(): SandboxState;
  close(): Promise<void>;
}

/** `file`: `null` for a new workspace in memory. Fails if the file is unreadable. */
export async function openWorkspace(file: string | null, profile: ServiceProfile): Promise<Workspace> {
  const snapshot = file === null ? null : await openSnapshot(file);
  let state = snapshot?.state ?? NEW_STATE;
  let last: Promise<unknown> = Promise.resolve();

  async function decide(request: SandboxRequest, struck: FaultEffect | null): Promise<Ruling> {
    if (struck?.effect === false) return answered(struck.reply ?? reply(502, null));
    try {
      const ruling = handle(state, request, profile, struck?.launchFails ?? false);
      if (ruling.after !== null) {
        await snapshot?.write(ruling.after);
        state = ruling.after;
      }
      return ruling;
    } catch (error) {
      return serverError(error);
    }
  }

  return {
    carryOut(request, struck) {
      const ruling = last.then(() => decide(request, struck));
      last = ruling;
      return ruling;
    },
    state: () => structuredClone(state),
    close: async () => void (await last),
  };
}

function serverError(error: unknown): Ruling {
  const message =
    error instanceof Failure ? `${error.message} ${error.hint}` : `Server error: ${String(error)}`;
  return answered(reply(500, { message }));
}

/** `write` either replaces everything or fails and keeps the old state. */
interface Snapshot {
  state: SandboxState;
  write(state: SandboxState): Promise<void>;
}

const VERSION = 1;
const BEGINNING = '{"file":"campaignctl sandbox"';

/** Creates the file if it is missing. Fails, without changing the file, if it is damaged or not a sandbox's. Crash-safe. */
async function openSnapshot(file: string): Promise<Snapshot> {
  const text = readWhole(file);
  const state = text === '' ? NEW_STATE : stateIn(text, file);
  let mark = text === '' ? await keep(state, file) : await readFileMark(file);
  return {
    state,
    async write(next) {
      if ((await readFileMark(file)) !== mark)
        throw new Failure({
          code: 'sandbox-file-shared',
          message: `Another process changed ${file} while this sandbox was using it. The sandbox did not perform this write.`,
          hint: 'Only one sandbox at a time can use a file. Stop the other one, then restart this one.',
        });
      mark = await keep(next, file);
    },
  };
}

/** Empty if the file does not exist. */
function readWhole(file: string): string {
  try {
    return readRegularFile(file).toString('utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw unusable(file, error);
  }
}

function stateIn(text: string, file: string): SandboxState {
  if (!text.startsWith(BEGINNING))
    throw new Failure({
      code: 'sandbox-file-unusable',
      message: `${file} does not contain sandbox data, or its beginning is damaged.`,
      hint: 'Nothing was written to it. Use a different file, or move this one away.',
    });
  const json = parseJson(text);
  const { version, state } = isObject(json) ? json : {};
  if (version === VERSION && isObject(state)) return state as unknown as SandboxState;
  throw new Failure({
    code: 'sandbox-file-unusable',
    message: `The sandbox's data in ${file} cannot be read: it is not in the format that the sandbox writes.`,
    hint: `Restore ${file}, or delete it to start with an empty sandbox.`,
  });
}

async function keep(state: SandboxState, file: string): Promise<string> {
  const text = `${BEGINNING},"version":${VERSION},"state":${JSON.stringify(state)}}\n`;
  try {
    await makeFolder(dirname(file));
    await writeAtomic(file, text);
    return await readFileMark(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** The mark changes with each write, because each creates a new file. */
async function readFileMark(file: string): Promise<string> {
  const stats = await stat(file, { bigint: true }).catch(() => null);
  return stats === null ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

function unusable(file: string, cause: unknown): Failure {
  const reason = errorMessage(cause);
  return new Failure({
    code: 'sandbox-file-unusable',
    message: `The sandbox cannot save its data in ${file}: ${reason}.`,
    hint: 'Make the folder writable, free disk space, or use a different file.',
  });
}

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
