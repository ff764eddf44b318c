import { parseAddress } from '../model/address.js';
import { type Environment, originOf } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { ServiceOptions } from '../service/channel.js';
import { describeConnection } from '../service/connection.js';
import { openReader, openWriter, type Reader, type Writer } from '../service/index.js';
import type { Lease } from '../state/backend.js';
import { type ProjectPlace, sandboxFile } from './place.js';
import type { World } from './world.js';

export function withReader<T>(place: ProjectPlace, work: (reader: Reader) => Promise<T>): Promise<T> {
  return withService(openReader, place, work);
}

export function withWriter<T>(
  place: ProjectPlace,
  { check }: Pick<Lease, 'check'>,
  work: (service: Reader & Writer) => Promise<T>,
): Promise<T> {
  return withService((options) => openWriter({ ...options, fence: check }), place, work);
}

async function withService<S extends Reader, T>(
  open: (options: ServiceOptions) => S,
  place: ProjectPlace,
  work: (service: S) => Promise<T>,
): Promise<T> {
  const { environment, world, waits, debug } = place;
  const { parallelism, requests_per_minute } = environment.limits;
  const trace = debug ? (line: string) => world.err(`${line}\n`) : null;
  const { address, close } = await connect(place);
  try {
    const { clock, wire } = world;
    const service = open({
      ...address,
      parallelism,
      requestsPerMinute: requests_per_minute,
      trace,
      clock,
      waits,
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

async function connect(place: ProjectPlace) {
  const { project, environment, world } = place;
  if (environment.sandbox === null) {
    refuseOrigin(environment, world);
    const { name, base_url: baseUrl, insecure_http: insecureHttp, token_env } = environment;
    const names = { environment: name, tokenVariable: token_env };
    const address = { baseUrl, insecureHttp, names, token: tokenOf(environment, world) };
    return { address, close: async () => {} };
  }
  const { startSandbox } = await import('../sandbox/index.js');
  const { url, close } = await startSandbox({
    profile: environment.sandbox.profile,
    file: sandboxFile(project.root, environment.name),
  });
  const names = { environment: environment.name, tokenVariable: null };
  return { address: { baseUrl: url, names, token: 'sandbox' }, close };
}

/** The settings that lead to the service in a few words, if no request can say them. */
export function briefSettings({ name, sandbox, base_url, insecure_http, token_env }: Environment): string {
  if (sandbox !== null) return `environment ${name}`;
  const address = parseAddress('base_url', base_url, { insecureHttp: insecure_http });
  return describeConnection(address, { environment: name, tokenVariable: token_env }).brief;
}

/** Guards the token, because a pull request can change `base_url`. An empty variable allows no origin. */
function refuseOrigin(environment: Environment, { env: { CAMPAIGNCTL_ORIGINS: allowed } }: World): void {
  if (allowed === undefined) return;
  const texts = allowed.split(/[\s,]+/).filter((text) => text !== '');
  // Only compared; the environment's `insecure_http` decides about plain http.
  const rules = { insecureHttp: true };
  const origins = texts.map((text) => parseAddress('CAMPAIGNCTL_ORIGINS', text, rules).origin);
  const origin = originOf(environment);
  if (origins.includes(origin)) return;
  throw new Failure({
    code: 'origin-not-allowed',
    message: `The service of ${environment.name} is at ${origin}, which CAMPAIGNCTL_ORIGINS does not allow. The token was not sent.`,
    hint: `If ${origin} is the right service, add it to CAMPAIGNCTL_ORIGINS (origins, separated by spaces or commas) where the pipeline sets it. Otherwise, correct base_url in the project file.`,
  });
}

function tokenOf(environment: Environment, world: World): string {
  const name = environment.token_env ?? '';
  const token = world.env[name]?.trim() ?? '';
  if (token !== '') return token;
  throw new Failure({
    code: 'no-token',
    message: `The environment variable ${name}, which must contain the API token for ${environment.name}, is not set.`,
    hint: `Never write a token in a project file. Set ${name}, or write the name of a different variable under token_env.`,
  });
}
