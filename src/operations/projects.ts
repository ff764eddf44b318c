import { setMaxListeners } from 'node:events';
import { dirname, join, relative } from 'node:path';
import type { Environment } from '../model/environment.js';
import { EXIT, type ExitCode, Failure } from '../model/failure.js';
import { groupBy } from '../model/json.js';
import { listed } from '../model/words.js';
import { repositoryOf } from '../project/files.js';
import {
  branchClaims,
  FILE_NAME,
  findManifests,
  findProjects,
  loadCampaigns,
  type Project,
  readProject,
  selectEnvironment,
} from '../project/index.js';
import { createPacer, type Pacer, systemClock } from '../service/index.js';
import { originOf } from './connect.js';
import { askedEnvironment, type World } from './world.js';

/** A project below the working directory and one of its environments. `project`: its folder, '.' for the working directory. */
export interface ProjectName {
  project: string;
  /** Null: all of them, or not known. */
  environment: string | null;
}

/** The same with what stops it before it begins, if anything. */
export interface ProjectUnit extends ProjectName {
  root: string;
  target: Environment | null;
  failure: Failure | null;
  /** The variables that its environments name as `token_env`; none if the project file has errors. */
  tokenVariables: readonly string[];
  /** How long it may take: its manifests. */
  weight: number;
  key: string;
}

/** What became of one of several projects. */
export interface ProjectRun<Result> extends ProjectName {
  exit_code: ExitCode;
  result: Result | null;
  failure: Failure | null;
}

/** Some of all projects, and how many requests to one origin may be under way at once; null: as the projects say. */
interface ProjectSet {
  units: readonly ProjectUnit[];
  all: readonly ProjectUnit[];
  parallelism: number | null;
}

/** So many projects are worked on at once. */
const AT_ONCE = 4;

/** What ends a run of several projects, the worst first. */
const WORST: readonly ExitCode[] = [
  EXIT.interrupted,
  EXIT.incomplete,
  EXIT.error,
  EXIT.refused,
  EXIT.pending,
  EXIT.ok,
];

export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return WORST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

/**
 * The projects below the working directory, each with its environment: the one that is asked for, else its default or only one, else
 * all, where each has `manifests` of its own. `whole`: with all of them in one, as validate takes them. One that cannot be read is there
 * with its failure.
 */
export async function listProjects(
  { env, whole }: { env: string | null; whole: boolean },
  world: World,
): Promise<ProjectUnit[]> {
  const asked = askedEnvironment({ env }, world);
  const units: ProjectUnit[] = [];
  for (const folder of await findProjects(world.cwd)) {
    const root = join(world.cwd, folder);
    const unit = {
      project: folder,
      root,
      environment: asked,
      target: null,
      failure: null,
      tokenVariables: [],
      weight: 0,
    };
    try {
      const project = await readProject({ cwd: root, config: null });
      const tokenVariables = Object.values(project.environments).flatMap(({ token_env }) => token_env ?? []);
      for (const target of whole && asked === null ? [null] : environmentsOf(project, asked)) {
        const environments = target === null ? [] : [target];
        const { manifests } = await findManifests(project, { files: [], cwd: root, environments });
        const environment = target?.name ?? null;
        units.push({ ...unit, target, environment, tokenVariables, weight: manifests.length, key: '' });
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      units.push({ ...unit, failure: error, key: '' });
    }
  }
  return units.map((unit) => ({ ...unit, key: `${unit.project}\n${unit.environment ?? ''}` }));
}

function environmentsOf(project: Project, asked: string | null): Environment[] {
  const all = Object.values(project.environments);
  const isOneEach = asked === null && project.default_environment === null && all.length > 1;
  if (isOneEach && all.every(({ manifests }) => manifests !== null)) return all;
  return [selectEnvironment(project, asked)];
}

/**
 * Works on several projects, some at once. One that fails does not stop the others; after an interrupt none begins. Requests to one
 * origin are paced together, by the lowest limits that its projects have.
 */
export async function runProjects<Result>(
  { units, all, parallelism }: ProjectSet,
  world: World,
  signal: AbortSignal,
  work: (
    unit: ProjectUnit,
    world: Pick<World, 'pacerOf' | 'tokens'>,
  ) => Promise<{ code: ExitCode; result: Result }>,
): Promise<ProjectRun<Result>[]> {
  const closing = new AbortController();
  const tokens = [...new Set(all.flatMap(({ tokenVariables }) => tokenVariables))];
  const pacers = pacersOf(units, world, { parallelism, closed: closing.signal });
  const [twice, branches] = await Promise.all([
    campaignsOfSeveral(all, world),
    branchesOfSeveral(all, world),
  ]);
  const runs: ProjectRun<Result>[] = [];
  const queue = [...units.entries()].sort(([, one], [, other]) => other.weight - one.weight);
  const one = async (unit: ProjectUnit): Promise<ProjectRun<Result>> => {
    const { project, environment } = unit;
    const failed = (failure: Failure) => ({
      ...{ project, environment, exit_code: failure.exitCode },
      ...{ result: null, failure },
    });
    const stopped = signal.aborted
      ? interrupted()
      : (unit.failure ?? branches.get(unit.key) ?? twice.get(unit.key) ?? null);
    if (stopped !== null) return failed(stopped);
    try {
      const { code, result } = await work(unit, { pacerOf: (origin) => pacers.get(origin), tokens });
      return { project, environment, exit_code: code, result, failure: null };
    } catch (error) {
      if (error instanceof Failure) return failed(error);
      throw error;
    }
  };
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      runs[next[0]] = await one(next[1]);
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return runs;
  } finally {
    closing.abort();
  }
}

function interrupted(): Failure {
  return new Failure(
    { code: 'interrupted', message: 'Interrupted before it began. Nothing was sent.', hint: '' },
    { exitCode: EXIT.interrupted },
  );
}

function pacersOf(
  units: readonly ProjectUnit[],
  { clock = systemClock }: World,
  { parallelism, closed }: { parallelism: number | null; closed: AbortSignal },
): Map<string, Pacer> {
  setMaxListeners(0, closed);
  const remote = units.filter(isRemote).map(({ target }) => ({ ...target.limits, origin: originOf(target) }));
  return new Map(
    remote.map(({ origin }) => {
      const own = remote.filter((other) => other.origin === origin);
      const rates = own.flatMap(({ requests_per_minute: rate }) => (rate === null ? [] : [rate]));
      const limits = {
        parallelism: parallelism ?? Math.min(...own.map((limit) => limit.parallelism)),
        requestsPerMinute: rates.length === 0 ? null : Math.min(...rates),
      };
      return [origin, createPacer({ ...limits, clock, closed })];
    }),
  );
}

function isRemote(unit: ProjectUnit): unit is ProjectUnit & { target: Environment } {
  return unit.target !== null && unit.target.sandbox === null;
}

/** An environment that a unit works with. `workspace`: two with the same reach the same campaigns. */
interface Reached {
  unit: ProjectUnit;
  project: Project | null;
  environment: Environment;
  workspace: string;
}

/**
 * The environments of a unit. One of validate is a whole project: what a run without `--env` would take, and what one with each name
 * would; there, a token that is not set is known by the name of its variable.
 */
async function reachedBy(unit: ProjectUnit, env: World['env']): Promise<Reached[]> {
  if (unit.failure !== null) return [];
  const reached = (environment: Environment, project: Project | null, run: string): Reached[] => {
    if (environment.sandbox !== null) return [];
    const name = environment.token_env ?? '';
    const token = env[name]?.trim() ?? '';
    const workspace = JSON.stringify([originOf(environment), token === '' ? { name } : token, run]);
    return [{ unit, project, environment, workspace }];
  };
  if (unit.target !== null) return reached(unit.target, null, '');
  const project = await readProject({ cwd: unit.root, config: null });
  const all = Object.values(project.environments);
  const isOpen = project.default_environment === null && all.length > 1;
  const own = isOpen && all.some(({ manifests }) => manifests === null) ? [] : environmentsOf(project, null);
  return [
    ...own.flatMap((one) => reached(one, project, '')),
    ...all.flatMap((one) => reached(one, project, one.name)),
  ];
}

/** Units of which a campaign has a manifest in another one too: each state knows nothing of the other's, and both would make it. */
async function campaignsOfSeveral(
  units: readonly ProjectUnit[],
  { env }: World,
): Promise<Map<string, Failure>> {
  const reached = (await Promise.all(units.map((unit) => reachedBy(unit, env)))).flat();
  const shared = reached.filter(({ unit, workspace }) =>
    reached.some((one) => one.workspace === workspace && one.unit !== unit),
  );
  const manifests: (Reached & { manifest: string; name: string; key: string })[] = [];
  for (const one of shared) {
    const { unit, environment, workspace } = one;
    const project = one.project ?? (await readProject({ cwd: unit.root, config: null }));
    const { campaigns } = await loadCampaigns(project, {
      environments: [environment],
      files: [],
      cwd: unit.root,
    });
    for (const { manifest, spec } of campaigns[environment.name] ?? []) {
      for (const called of [spec.name, ...(spec.id === undefined ? [] : [spec.id])])
        manifests.push({
          ...{ ...one, manifest, name: spec.name },
          key: JSON.stringify([workspace, called]),
        });
    }
  }
  const failures = new Map<string, Failure>();
  for (const same of groupBy(manifests, ({ key }) => key).values()) {
    if (new Set(same.map(({ unit }) => unit.key)).size < 2) continue;
    const where = same.map(
      ({ unit, manifest, environment }) => `${unit.project}/${manifest} (${environment.name})`,
    );
    for (const { unit, name } of same) {
      const failure = new Failure({
        code: 'duplicate-name',
        message: `${listed(where)} are manifests of one campaign, "${name}": the same service, token and name. Nothing was sent.`,
        hint: 'Keep one of them, or give each project a workspace and a token of its own.',
      });
      failures.set(unit.key, failures.get(unit.key) ?? failure);
    }
  }
  return failures;
}

/** Units whose state another project of the repository would keep on the same branch. */
async function branchesOfSeveral(
  units: readonly ProjectUnit[],
  { cwd }: Pick<World, 'cwd'>,
): Promise<Map<string, Failure>> {
  const top = repositoryOf(cwd) ?? cwd;
  const claims = (await branchClaims(top)).map(({ project, file, environment, remote, branch }) => {
    const folder = join(project ?? dirname(file), '.');
    return { file, environment, key: JSON.stringify([remote, branch, folder]) };
  });
  const failures = new Map<string, Failure>();
  for (const unit of units) {
    const own = relative(top, join(unit.root, FILE_NAME));
    const isNamed = (environment: string | null) =>
      unit.environment === null || environment === null || environment === unit.environment;
    const claim = claims.find(({ file, environment, key }) => {
      const isMet = (other: (typeof claims)[number]) =>
        other.key === key && (other.environment ?? environment) === (environment ?? other.environment);
      return file === own && isNamed(environment) && claims.some((one) => one.file !== own && isMet(one));
    });
    if (claim === undefined) continue;
    const files = [...new Set(claims.filter(({ key }) => key === claim.key).map(({ file }) => file))];
    failures.set(
      unit.key,
      new Failure({
        code: 'state-of-other',
        message: `${files.join(' and ')} name one branch for their states: each would take the campaigns of the other for its own. Nothing was sent.`,
        hint: 'Give each project a state.project of its own, or none: its folder in the repository is one already.',
      }),
    );
  }
  return failures;
}
