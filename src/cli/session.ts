import { realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { nearest } from '../manifest/index.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { LocatedFinding } from '../model/problem.js';
import type { Campaign } from '../model/spec.js';
import { refuseOtherEnvironment, refuseOtherSources, type SavedPlan, type Selection } from '../plan/index.js';
import {
  type LoadedCampaigns,
  loadCampaigns,
  type Project,
  readProject,
  selectEnvironment,
} from '../project/index.js';
import type { ServiceOptions } from '../service/index.js';
import { openStore, type Store } from '../state/index.js';
import { count } from '../view/index.js';
import type { PlanningFlags } from './flags.js';
import type { Shell } from './shell.js';

/**
 * One environment of a project with its valid campaigns: where plan and apply begin. `sources`: every file that was read,
 * with the hash of its text; `folder` is where the environment keeps its state.
 */
export interface Session {
  project: Project;
  environment: Environment;
  campaigns: Campaign[];
  sources: Record<string, string>;
  selection: Selection;
  folder: string;
  store: Store;
}

/**
 * Reads project and manifests. A manifest with errors stops everything; warnings are counted on stderr. With a saved plan it
 * is that plan's selection that is read, and Failure if anything is not as it was then. `mayBeEmpty`: patterns that match no
 * manifest are no error.
 */
export async function openSession(
  flags: PlanningFlags,
  shell: Shell,
  saved: SavedPlan | null = null,
  { mayBeEmpty = false } = {},
): Promise<Session> {
  const project = readProject({ cwd: shell.cwd, config: flags.config });
  const asked = flags.env ?? (shell.env.CAMPAIGNCTL_ENV || null);
  if (saved !== null) {
    refuseOtherEnvironment(saved, asked);
    if (saved.sources[project.file] !== project.hash) {
      const sources = { ...saved.sources, [project.file]: project.hash };
      const environment = project.environments[saved.plan.environment] ?? null;
      const specs = new Map(saved.plan.campaigns.map(({ manifest }, at) => [manifest, saved.specs[at]]));
      refuseOtherSources(saved, sources, environment && { environment, specs }, project.file);
    }
  }
  const chosen = selectEnvironment(project, saved?.plan.environment ?? asked);
  const limits = { ...chosen.limits, parallelism: flags.parallelism ?? chosen.limits.parallelism };
  const environment = { ...chosen, limits };
  const selection = saved?.selection ?? selectionOf(project, flags, shell);
  const given =
    saved === null ? { files: flags.files, cwd: shell.cwd } : { files: selection.files, cwd: project.root };
  const loaded = await load(project, { environments: [environment], ...given }, saved);
  const sources = { [project.file]: project.hash, ...loaded.sources };
  if (saved !== null) {
    const specs = (loaded.campaigns[environment.name] ?? []).map(
      ({ manifest, spec }) => [manifest, spec] as const,
    );
    refuseOtherSources(saved, sources, { environment: chosen, specs: new Map(specs) }, project.file);
  }
  const findings = loaded.findings.filter(({ code }) => !mayBeEmpty || code !== 'no-match');
  stopOnErrors(findings);
  if (findings.length > 0) {
    shell.err(`${count(findings.length, 'warning')} in the manifests; campaignctl validate shows them.\n`);
  }
  const campaigns = loaded.campaigns[environment.name] ?? [];
  checkTargets(campaigns, selection.target);
  const folder = stateFolder(project, environment);
  return { project, environment, campaigns, sources, selection, folder, store: openStore(folder) };
}

/** Where an environment keeps its entries, its journals and its lock. */
export function stateFolder(project: Project, environment: Environment): string {
  return join(project.root, environment.state.path, environment.name);
}

/** Files are kept relative to the project: a saved plan may be applied from another folder. */
function selectionOf({ root }: Project, { files, target, hold }: PlanningFlags, { cwd }: Shell): Selection {
  return { files: files.map((file) => relative(root, resolve(realpathSync(cwd), file))), target, hold };
}

/** With a saved plan, files that cannot be found any more are a change of the manifests, not a slip of the pen. */
async function load(
  project: Project,
  wanted: Parameters<typeof loadCampaigns>[1],
  saved: SavedPlan | null,
): Promise<LoadedCampaigns> {
  try {
    return await loadCampaigns(project, wanted);
  } catch (error) {
    if (saved !== null && error instanceof Failure)
      refuseOtherSources(saved, { [project.file]: project.hash }, null, project.file);
    throw error;
  }
}

/** Failure with all errors among these. */
export function stopOnErrors(findings: readonly LocatedFinding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  throw new Failure(
    {
      code: 'invalid-manifests',
      message: `The manifests have ${count(errors.length, 'error')}.`,
      hint: 'Correct them first; nothing was read from the service and nothing was sent.',
    },
    { findings: errors },
  );
}

/** Failure if one of the targets is the name of no campaign. */
export function checkTargets(campaigns: readonly Campaign[], targets: readonly string[]): void {
  const names = campaigns.map(({ spec }) => spec.name);
  const unknown = targets.find((target) => !names.includes(target));
  if (unknown === undefined) return;
  const near = nearest(unknown, names);
  throw new Failure({
    code: 'unknown-target',
    message: `No manifest has the name "${unknown}" (--target).`,
    hint: near === null ? 'Write the name as in the manifest.' : `Did you mean "${near}"?`,
  });
}

/** The way to the service of an environment; `close` ends it, and the embedded service with it. */
export interface Connection {
  environment: Environment;
  service: ServiceOptions;
  close(): Promise<void>;
}

/** Starts the embedded service where the environment is one, and finds base URL and token. */
export async function connect(
  session: Pick<Session, 'project' | 'environment' | 'campaigns'>,
  debug: boolean,
  shell: Shell,
): Promise<Connection> {
  const { project, environment } = session;
  const { parallelism, requests_per_minute } = environment.limits;
  const trace = debug ? (line: string) => shell.err(`${line}\n`) : null;
  const options = { parallelism, requestsPerMinute: requests_per_minute, trace };
  if (environment.sandbox === null) {
    const token = tokenOf(environment, shell);
    refuseToken(token, session);
    const service = { ...options, baseUrl: environment.base_url, token };
    return { environment, service, close: async () => {} };
  }
  const { startSandbox } = await import('../sandbox/index.js');
  const sandbox = await startSandbox({
    profile: environment.sandbox.profile,
    file: sandboxFile(project.root, environment.name),
  });
  return {
    environment,
    service: { ...options, baseUrl: sandbox.url, token: 'sandbox' },
    close: sandbox.close,
  };
}

/** Where the embedded service of an environment keeps its campaigns. */
export function sandboxFile(root: string, environment: string): string {
  return join(root, '.campaignctl', 'sandbox', `${environment}.jsonl`);
}

/** A token in a file of the project would be sent, shown and kept with it. A short one may be an ordinary word. */
export function refuseToken(
  token: string,
  { environment, campaigns }: Pick<Session, 'environment' | 'campaigns'>,
): void {
  if (token.length < 8) return;
  const holds = (value: unknown) => JSON.stringify(value).includes(JSON.stringify(token).slice(1, -1));
  const where = holds(environment)
    ? `The environment ${environment.name} of the project file`
    : campaigns.find((campaign) => holds(campaign))?.manifest;
  if (where === undefined) return;
  throw new Failure({
    code: 'secret-in-file',
    message: `${where} holds the API token itself.`,
    hint: 'Take it out, and replace it in the service: it was in a file. Nothing was sent.',
  });
}

function tokenOf(environment: Environment, shell: Shell): string {
  const name = environment.token_env ?? '';
  const token = shell.env[name]?.trim() ?? '';
  if (token !== '') return token;
  throw new Failure({
    code: 'no-token',
    message: `The environment variable ${name} is not set: it has to hold the API token for ${environment.name}.`,
    hint: `Set ${name}, or name another variable with token_env in the project file. A token never goes into a file of the project.`,
  });
}
