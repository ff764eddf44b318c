import type { Environment } from '../model/environment.js';
import { parseAddress } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { Reader, ServiceOptions, Writer } from '../service/index.js';
import type { Lease } from '../state/backend.js';
import { sandboxFile } from './place.js';
import type { Session } from './session.js';
import type { World } from './world.js';

type Connectable = Pick<Session, 'project' | 'environment' | 'campaigns' | 'world' | 'debug'>;

export async function withReader<T>(session: Connectable, work: (reader: Reader) => Promise<T>): Promise<T> {
  const { openReader } = await import('../service/index.js');
  return withService(openReader, session, work);
}

/** Provides a writer that checks the lease before each write. */
export async function withWriter<T>(
  session: Connectable,
  { check }: Pick<Lease, 'check'>,
  work: (service: Reader & Writer) => Promise<T>,
): Promise<T> {
  const { openWriter } = await import('../service/index.js');
  return withService((options) => openWriter({ ...options, fence: check }), session, work);
}

async function withService<S extends Reader, T>(
  open: (options: ServiceOptions) => S,
  session: Connectable,
  work: (service: S) => Promise<T>,
): Promise<T> {
  const { environment, world, debug } = session;
  const { parallelism, requests_per_minute } = environment.limits;
  const trace = debug ? (line: string) => world.err(`${line}\n`) : null;
  const { address, close } = await connect(session);
  try {
    const { clock, wire } = world;
    const service = open({
      ...address,
      parallelism,
      requestsPerMinute: requests_per_minute,
      trace,
      clock,
      wire,
    });
    try {
      return await work(service);
    } finally {
      await service.close();
    }
  } finally {
    await close();
  }
}

/** `close` stops the sandbox. */
async function connect(session: Connectable) {
  const { project, environment, world } = session;
  if (environment.sandbox === null) {
    refuseOrigin(environment, world);
    const token = tokenOf(environment, world);
    refuseToken(token, session);
    return { address: { baseUrl: environment.base_url, token }, close: async () => {} };
  }
  const { startSandbox } = await import('../sandbox/index.js');
  const { url, close } = await startSandbox({
    profile: environment.sandbox.profile,
    file: sandboxFile(project.root, environment.name),
  });
  return { address: { baseUrl: url, token: 'sandbox' }, close };
}

/** Version control would keep a token from a project file. Short tokens may be ordinary words. */
export function refuseToken(
  token: string,
  { environment, campaigns }: Pick<Session, 'environment' | 'campaigns'>,
): void {
  if (token.length < 8) return;
  const holds = (value: unknown) => JSON.stringify(value).includes(JSON.stringify(token).slice(1, -1));
  const where = holds(environment)
    ? `The environment ${environment.name} in the project file`
    : campaigns.find((campaign) => holds(campaign))?.manifest;
  if (where === undefined) return;
  throw new Failure({
    code: 'secret-in-file',
    message: `${where} contains the API token.`,
    hint: 'Remove it from the file, and replace the token in the service. Nothing was sent.',
  });
}

/** A pull request can change `base_url`. An empty variable allows no origin. */
function refuseOrigin(
  { name, base_url }: Environment,
  { env: { CAMPAIGNCTL_ORIGINS: allowed } }: World,
): void {
  if (allowed === undefined) return;
  const texts = allowed.split(/[\s,]+/).filter((text) => text !== '');
  const origins = texts.map((text) => parseAddress('CAMPAIGNCTL_ORIGINS', text).origin);
  const origin = originOf({ base_url });
  if (origins.includes(origin)) return;
  throw new Failure({
    code: 'origin-not-allowed',
    message: `The service of ${name} is at ${origin}, which CAMPAIGNCTL_ORIGINS does not allow. The token was not sent.`,
    hint: `If ${origin} is the right service, add it to CAMPAIGNCTL_ORIGINS (origins, separated by spaces or commas) where the pipeline sets it. Otherwise, correct base_url in the project file.`,
  });
}

function tokenOf(environment: Environment, world: World): string {
  const name = environment.token_env ?? '';
  const token = world.env[name]?.trim() ?? '';
  if (token !== '') return token;
  throw new Failure({
    code: 'no-token',
    message: `The environment variable ${name} is not set. It holds the API token for ${environment.name}.`,
    hint: `Set ${name}, or name a different variable under token_env in the project file. Never write a token to a file of the project.`,
  });
}

export function originOf({ base_url }: Pick<Environment, 'base_url'>): string {
  return parseAddress('base_url', base_url).origin;
}
