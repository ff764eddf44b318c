import { realpathSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { Environment } from '../model/environment.js';
import { EXIT, type ExitCode, Failure, failureInFiles, usage } from '../model/failure.js';
import { parseGlob } from '../model/glob.js';
import type { SavedPlan } from '../plan/saved-plan.js';
import { findProjectFiles } from '../project/found-projects.js';
import { type OpenManifests, openManifests } from '../project/open-manifests.js';
import { FILE_NAME, type Project, readProject, selectEnvironment } from '../project/project.js';
import { findConflicts } from './conflicts.js';
import { askedEnvironment, type World } from './world.js';

/** `project`: its folder, relative to the working directory. */
export interface ProjectName {
  project: string;
  /** `null` for all environments, or if the project file has errors. */
  environment: string | null;
}

/** `saved`: the plan to apply. */
export interface ReadUnit extends ProjectName {
  root: string;
  manifests: OpenManifests;
  failure: null;
  saved: SavedPlan | null;
}

/**
 * A project whose file has errors, or that could not be planned. It does not run. `readable`: its file, if only no environment
 * could be chosen.
 */
interface FailedUnit extends ProjectName {
  root: string;
  readable: Project | null;
  manifests: null;
  failure: Failure;
  saved: null;
}

export type ProjectUnit = ReadUnit | FailedUnit;

/** `null` if its file could not be read. */
export function projectOf(unit: ProjectUnit): Project | null {
  return unit.manifests === null ? unit.readable : unit.manifests.project;
}

export interface ProjectRun<Result> extends ProjectName {
  exit_code: ExitCode;
  result: Result | null;
  failure: Failure | null;
}

export interface Shard {
  index: number;
  total: number;
}

const WORST: readonly ExitCode[] = [
  EXIT.interrupted,
  EXIT.incomplete,
  EXIT.error,
  EXIT.refused,
  EXIT.pending,
  EXIT.ok,
];

export function worstExit(codes: readonly ExitCode[]): ExitCode {
  return WORST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

export function parseShard(written: string | null): Shard | null {
  if (written === null) return null;
  const [, index = 0, total = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(written) ?? []).map(Number);
  if (index >= 1 && index <= total) return { index, total };
  throw usage(
    `--shard must be I/N, such as 2/8, not "${written}".`,
    'I counts from 1 to N. In GitLab: --shard "$CI_NODE_INDEX/$CI_NODE_TOTAL".',
  );
}

export function partOf<Unit>(units: readonly Unit[], shard: Shard | null): Unit[] {
  return units.filter((_, at) => shard === null || at % shard.total === shard.index - 1);
}

export interface ListOptions {
  env: string | null;
  whole: Whole;
  recursive: boolean;
  /** For commands that only show something: a project without a default environment is shown in all. */
  isOverview?: boolean | undefined;
  /** For `pause`: receives errors in files that projects extend, which are then not used. */
  tellUnused?: TellUnused;
}

/** `unless-chosen`: if neither the command nor the project says which environment is meant. */
export type Whole = boolean | 'unless-chosen';

type TellUnused = Parameters<typeof readProject>[0]['tellUnused'];

/**
 * Lists the projects below the working directory, or only the nearest one. If no environment is chosen, includes all
 * environments if each has `manifests`, or for an overview. `whole`: one unit per project.
 */
export async function listProjects(
  { env, whole, recursive, isOverview, tellUnused }: ListOptions,
  world: World,
): Promise<ProjectUnit[]> {
  const environment = askedEnvironment({ env }, world);
  const open = (project: string) =>
    openUnits({ project, environment }, world, { whole, isOverview, tellUnused });
  const units = recursive
    ? (await Promise.all((await findProjects(world.cwd)).map(open))).flat()
    : listUnits(await findProject(null, world, tellUnused), { environment, whole, isOverview });
  if (units.length > 0) return units;
  throw new Failure({
    code: 'unknown-environment',
    message: `No environment matches "${environment}".`,
    hint: 'Patterns match names of environments, but never a sandbox. * matches any text, and ? matches one character.',
  });
}

/**
 * The environments in which `pause` acts. Only the option `--env` narrows them: without it, all that have a `base_url` or, if
 * there are none, the sandboxes.
 */
export async function unitsToPause(
  { env, config, recursive }: { env: string | null; config: string | null; recursive: boolean },
  world: World,
): Promise<ProjectUnit[]> {
  const announced = new Set<string>();
  const tellUnused = ({ message }: Failure) => {
    const text = `warning: ${message} pause uses neither policies nor the file under \`extends\`.\n`;
    if (!announced.has(text)) world.err(text);
    announced.add(text);
  };
  if (env !== null && config === null)
    return listProjects({ env, whole: false, recursive, tellUnused }, world);
  const { CAMPAIGNCTL_ENV: _, ...variables } = world.env;
  const units = recursive
    ? await listProjects({ env: null, whole: true, recursive, tellUnused }, { ...world, env: variables })
    : listUnits(await findProject(config, world, tellUnused), { environment: null, whole: true });
  return units.flatMap((unit): ProjectUnit[] => {
    if (unit.manifests === null) return [unit];
    const { project } = unit.manifests;
    if (env !== null)
      return listEnvironments(project, env).map(({ name }) => ({ ...unit, environment: name }));
    const all = withoutSandboxes(Object.values(project.environments));
    return all.map(({ name }) => ({ ...unit, environment: name }));
  });
}

/** A project that could not be planned still counts as failed, even if it could be planned now. */
export async function plannedProjects(
  runs: readonly ProjectRun<SavedPlan>[],
  world: World,
): Promise<ProjectUnit[]> {
  const opening = runs.map(async ({ project, environment, result: saved, failure }) => {
    if (failure !== null) return [failedUnit({ project, environment }, world, { failure, readable: null })];
    const units = await openUnits({ project, environment }, world, { whole: false });
    return units.map((unit) => (unit.failure === null ? { ...unit, saved } : unit));
  });
  return (await Promise.all(opening)).flat();
}

/** A project with errors becomes a single failed unit. */
async function openUnits(
  name: ProjectName,
  world: World,
  { whole, isOverview, tellUnused }: Pick<ListOptions, 'whole' | 'isOverview' | 'tellUnused'>,
): Promise<ProjectUnit[]> {
  const { project, environment } = name;
  const root = join(world.cwd, project);
  let readable: Project | null = null;
  try {
    readable = await readProject({ cwd: root, config: FILE_NAME, env: world.env, tellUnused });
    const manifests = openManifests(readable);
    return listUnits({ project, root, manifests }, { environment, whole, isOverview });
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return [failedUnit(name, world, { failure: fromHere(failure, name), readable })];
  }
}

type FoundProject = Pick<ReadUnit, 'project' | 'root' | 'manifests'>;

function listUnits(
  found: FoundProject,
  {
    environment,
    whole,
    isOverview = false,
  }: Pick<ListOptions, 'whole' | 'isOverview'> & { environment: string | null },
): ReadUnit[] {
  const { project } = found.manifests;
  const isWhole = environment === null && (whole === 'unless-chosen' ? isUndecided(project) : whole);
  const names = isWhole ? [null] : listEnvironments(project, environment, isOverview).map(({ name }) => name);
  return names.map((name) => ({ ...found, environment: name, failure: null, saved: null }));
}

/** Paths of a project's files become relative to the working directory, as those of the projects are. */
function fromHere(failure: Failure, { project }: ProjectName): Failure {
  return failureInFiles(failure, (file) => posix.join(project, file.replaceAll(sep, '/')));
}

function failedUnit(
  name: ProjectName,
  { cwd }: World,
  why: Pick<FailedUnit, 'failure' | 'readable'>,
): FailedUnit {
  return { ...name, ...why, root: join(cwd, name.project), manifests: null, saved: null };
}

/** Returns sorted project folders, relative to `cwd`. */
async function findProjects(cwd: string): Promise<string[]> {
  const files = await findProjectFiles(cwd);
  if (files.length > 0) return files.map((file) => dirname(file)).sort();
  throw new Failure({
    code: 'no-project',
    message: `There is no ${FILE_NAME} in ${join(cwd, '.')} or its subfolders.`,
    hint: '--recursive runs in the projects below the working directory. Change to the folder that contains them.',
  });
}

/** `config`: `null` for the nearest project. */
async function findProject(
  config: string | null,
  { cwd, env }: World,
  tellUnused?: TellUnused,
): Promise<FoundProject> {
  const manifests = openManifests(await readProject({ cwd, config, env, tellUnused }));
  const { root } = manifests.project;
  return { project: relative(realpathSync.native(cwd), root) || '.', root, manifests };
}

function listEnvironments(project: Project, asked: string | null, isOverview = false): Environment[] {
  const all = inOrder(Object.values(project.environments));
  const pattern = asked === null ? null : parseGlob(asked);
  if (pattern !== null) return all.filter(({ name, sandbox }) => sandbox === null && pattern.test(name));
  if (asked === null && isOpen(project) && !isUndecided(project)) return all;
  if (asked === null && isOpen(project) && isOverview) return withoutSandboxes(all);
  return [selectEnvironment(project, asked)];
}

/** True if several environments can be meant. */
function isOpen({ default_environment, environments }: Project): boolean {
  return default_environment === null && Object.keys(environments).length > 1;
}

/** True if several can be meant, and not each of them has `manifests` of its own. */
function isUndecided(project: Project): boolean {
  return isOpen(project) && Object.values(project.environments).some(({ manifests }) => manifests === null);
}

/** Sandboxes count only if there is nothing else. */
function withoutSandboxes(environments: readonly Environment[]): Environment[] {
  const live = environments.filter(({ sandbox }) => sandbox === null);
  return live.length > 0 ? live : [...environments];
}

/** By name, but an environment comes after those in which its changes must have been applied. */
function inOrder(environments: readonly Environment[]): Environment[] {
  const depth = ({ require_applied }: Environment, most = environments.length): number => {
    const earlier = environments.find(({ name }) => name === require_applied);
    return earlier === undefined || most === 0 ? 0 : 1 + depth(earlier, most - 1);
  };
  return [...environments].sort((a, b) => depth(a) - depth(b) || (a.name < b.name ? -1 : 1));
}

/** Runs projects one after another. A failure does not stop the others. After an interrupt, no further project starts. */
export async function runProjects<Result>(
  { units, all }: { units: readonly ProjectUnit[]; all: readonly ProjectUnit[] },
  world: World,
  signal: AbortSignal,
  work: (unit: ReadUnit) => Promise<{ code: ExitCode; result: Result }>,
): Promise<ProjectRun<Result>[]> {
  const conflicts = await findConflicts(all, world);
  const runs: ProjectRun<Result>[] = [];
  for (const unit of units) {
    const { project, environment } = unit;
    try {
      if (signal.aborted)
        throw new Failure(
          {
            code: 'interrupted',
            message:
              'The run was interrupted before this project started. Nothing was sent for this project.',
            hint: '',
          },
          { exitCode: EXIT.interrupted },
        );
      if (unit.failure !== null) throw unit.failure;
      const conflict = conflicts.get(unit);
      if (conflict !== undefined) throw conflict;
      const { code, result } = await work(unit).catch((error: unknown) => {
        throw error instanceof Failure ? fromHere(error, unit) : error;
      });
      runs.push({ project, environment, exit_code: code, result, failure: null });
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      runs.push({ project, environment, exit_code: failure.exitCode, result: null, failure });
    }
  }
  return runs;
}
