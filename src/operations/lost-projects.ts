/** Projects that were deleted or moved while their campaigns may still send. Only states on branches can show them. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { BRANCH } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { parseGlob } from '../model/glob.js';
import { groupBy } from '../model/json.js';
import { maskAddresses } from '../model/mask.js';
import type { LostCampaign, LostProject, LostProjects } from '../model/reports.js';
import { count, listed } from '../model/words.js';
import { isBelow, projectPath } from '../project/files.js';
import { askGit } from '../state/ask-git.js';
import { type FoundState, findStates } from '../state/found.js';
import { branchName } from '../state/git.js';
import { placeOfFile, stateBranch } from './place.js';
import { type ProjectUnit, projectOf } from './projects.js';
import { openWaits } from './waits.js';
import { askedEnvironment, type World } from './world.js';

/** A remote, as one repository knows it, and what the projects of the checkout have there. */
interface KnownRemote {
  top: string;
  remote: string;
  root: string;
  branches: ReadonlySet<string>;
  ids: ReadonlySet<string>;
  secrets: readonly string[];
}

/**
 * Asks the remotes of the projects for states of other projects whose file was below the working directory. Returns `null` if no
 * project keeps its state on a branch. `signal` ends the commands of git.
 */
export async function findLostProjects(
  units: readonly ProjectUnit[],
  flags: { env: string | null },
  world: World & { signal?: AbortSignal },
): Promise<LostProjects | null> {
  const remotes = remotesOf(units);
  if (remotes.length === 0) return units.every(isUnknown) ? { projects: [], unread: [UNKNOWN] } : null;
  const asked = askedEnvironment(flags, world);
  const isAsked = (environment: string) =>
    asked === null || (parseGlob(asked)?.test(environment) ?? asked === environment);
  const waits = openWaits(world);
  const results = remotes.map(async (known): Promise<LostProjects> => {
    const { root, remote, secrets } = known;
    let unread: string[] = [];
    const choose = (branches: readonly string[]) => {
      const { likely, possible } = candidates(branches, known);
      const more = possible.slice(MOST_POSSIBLE);
      if (more.length > 0) unread = [tooMany(more)];
      return [...likely, ...possible.slice(0, MOST_POSSIBLE)];
    };
    try {
      const states = await findStates({ root, remote, secrets, waits, signal: world.signal }, choose);
      const lost = states.filter((state) => isAsked(state.environment) && isLost(state, known, world));
      const projects = await Promise.all(lost.map((state) => describe(state, known, world)));
      return { projects: projects.filter(({ campaigns }) => campaigns?.length !== 0), unread };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { projects: [], unread: [error.message] };
    }
  });
  const all = await Promise.all(results);
  const nameOf = ({ project, environment }: LostProject) => `${project} ${environment}`;
  return {
    projects: all.flatMap(({ projects }) => projects).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    unread: all.flatMap(({ unread }) => unread),
  };
}

const UNKNOWN = 'No project file below this folder could be read.';

function isUnknown(unit: ProjectUnit): boolean {
  return projectOf(unit) === null;
}

/** Each branch costs a fetch of its last commit, which can be large if it is not a state. */
const MOST_POSSIBLE = 50;

/**
 * Branches of other projects. `likely`: near those of the known projects. `possible`: elsewhere, but with the name of an
 * environment.
 */
function candidates(
  branches: readonly string[],
  { branches: known }: Pick<KnownRemote, 'branches'>,
): { likely: string[]; possible: string[] } {
  const parents = [BRANCH.branch, ...new Set([...known].map(parentOf))];
  const environments = new Set([...known].map((branch) => posix.basename(branch)));
  const others = branches.filter((branch) => !known.has(branch));
  const isLikely = (branch: string) => parents.some((parent) => branch.startsWith(`${parent}/`));
  const isPossible = (branch: string) => branch.includes('/') && environments.has(posix.basename(branch));
  return {
    likely: others.filter(isLikely),
    possible: others.filter((branch) => !isLikely(branch) && isPossible(branch)),
  };
}

function tooMany(branches: readonly string[]): string {
  const { length } = branches;
  return `${count(length, 'branch', 'branches')} of the remote ${length === 1 ? 'is' : 'are'} named like an environment and ${length === 1 ? 'was' : 'were'} not read: ${listed(branches, 3)}. Delete those that are not in use.`;
}

/** The branches of a project's environments have the same parent; projects are named after their folders below that. */
function parentOf(branch: string): string {
  const parent = posix.dirname(posix.dirname(branch));
  return parent === '.' ? posix.dirname(branch) : parent;
}

function remotesOf(units: readonly ProjectUnit[]): KnownRemote[] {
  const projects = new Set(units.flatMap((unit) => projectOf(unit) ?? []));
  const places = [...projects].flatMap((project) => {
    const { top, isPath } = placeOfFile(project);
    const all = Object.values(project.environments);
    const secrets = all.flatMap(({ token_env }) => token_env ?? []);
    // Without a repository, a state does not say where its project was.
    if (!isPath) return [];
    return all.flatMap((environment) => {
      const state = stateBranch(environment);
      return state === null ? [] : [{ top, project, name: environment.name, secrets, state }];
    });
  });
  return [...groupBy(places, ({ top, state }) => `${top}\n${state.remote}`).values()].map((same) => ({
    ...{ top: same[0].top, remote: same[0].state.remote, root: same[0].project.root },
    branches: new Set(same.map(({ state, name }) => branchName(state.branch, name))),
    ids: new Set(same.flatMap(({ state }) => state.id ?? [])),
    secrets: [...new Set(same.flatMap(({ secrets }) => secrets))],
  }));
}

/** A project that has only moved says so itself. */
function isLost(
  { owner: { file, project } }: FoundState,
  { top, ids }: Pick<KnownRemote, 'top' | 'ids'>,
  { cwd }: Pick<World, 'cwd'>,
): boolean {
  const path = join(top, file);
  const isHere = isBelow(realpathSync.native(cwd), path);
  return isHere && !existsSync(path) && !(project !== null && ids.has(project));
}

async function describe(
  { branch, environment, owner: { file, base_url }, known }: FoundState,
  { top, remote }: Pick<KnownRemote, 'top' | 'remote'>,
  { cwd }: Pick<World, 'cwd'>,
): Promise<LostProject> {
  const campaigns = known && mayStillSend(known);
  const removal = ['log', '-1', '--format=%H', '--diff-filter=D', '--no-renames', '--no-ext-diff'];
  const { out } = await askGit(top, ['--literal-pathspecs', ...removal, '--', file]);
  return {
    project: projectPath(realpathSync.native(cwd), dirname(join(top, file))) || '.',
    ...{ environment, base_url, file, remote: maskAddresses(remote), branch },
    ...{ removed_in: out?.trim() || null, campaigns },
  };
}

/** The service may know better, but without its project file, campaignctl cannot ask it. */
function mayStillSend({ entries, pending }: NonNullable<FoundState['known']>): LostCampaign[] {
  const launched = pending.filter(({ sent }) => sent.some(({ step }) => step.stage === 'launch'));
  const doubtful = new Set(launched.map(({ id }) => id));
  const known = entries.flatMap(({ id, name, recorded: { status, has_run } }): LostCampaign[] => {
    if (status === 'running') return [{ id, name, running: true }];
    const isDoubtful = doubtful.has(id) || (status === null && has_run !== false);
    return isDoubtful ? [{ id, name, running: false }] : [];
  });
  const ids = new Set(entries.map(({ id }) => id));
  const others = launched.filter(({ id }) => id === null || !ids.has(id));
  return [...known, ...others.map(({ id, name }) => ({ id, name, running: false }))];
}
