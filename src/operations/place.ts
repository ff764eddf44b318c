import { basename, join, relative, sep } from 'node:path';
import { BRANCH, branchOf, DEFAULTS, type Environment, serviceAddress } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { Waits } from '../model/waits.js';
import { saveStateId } from '../project/edits.js';
import { findRepository, isBelow, projectPath, realPlace } from '../project/files.js';
import { type OpenManifests, openManifests } from '../project/open-manifests.js';
import { type Project, readProject, selectEnvironment } from '../project/project.js';
import { type Backend, folderBackend } from '../state/backend.js';
import { branchBackend } from '../state/branch.js';
import { openBranch } from '../state/git.js';
import type { StateUser } from '../state/owner.js';
import type { Store } from '../state/store.js';
import { waitsOfPause } from './pause-waits.js';
import { openWaits } from './waits.js';
import { askedEnvironment, type World } from './world.js';

/** An environment of a project, and where its state is. */
export interface ProjectPlace {
  project: Project;
  manifests: OpenManifests;
  environment: Environment;
  folder: string;
  user: StateUser;
  backend: Backend;
  store: Store;
  world: World;
  waits: Waits;
  debug: boolean;
}

export interface PlaceFlags {
  config: string | null;
  /** `null` for $CAMPAIGNCTL_ENV, the default environment or the only one. */
  env: string | null;
  debug: boolean;
  parallelism?: number | null;
  isPause?: true;
  /** `null` if the project has not been read yet; the default. */
  manifests?: OpenManifests | null;
}

export async function openPlace(flags: PlaceFlags, world: World): Promise<ProjectPlace> {
  const { config, parallelism = null, debug, isPause } = flags;
  const { cwd, env } = world;
  const manifests = flags.manifests ?? openManifests(await readProject({ cwd, config, env }));
  const { project } = manifests;
  if (debug && project.extended !== null) world.err(`${project.file} extends ${project.extended.file}\n`);
  const chosen = selectEnvironment(project, askedEnvironment(flags, world));
  const limits = { ...chosen.limits, parallelism: parallelism ?? chosen.limits.parallelism };
  const environment = { ...chosen, limits };
  const waits = isPause ? waitsOfPause(openWaits(world)) : openWaits(world);
  const { folder, user, backend, store } = openState(project, environment, { world, waits });
  return { project, manifests, environment, folder, user, backend, store, world, waits, debug };
}

type StateBranch = Extract<Environment['state'], { backend: 'git' }>;

/** The branch that keeps the state; `null` if this machine does, as it always does for a sandbox. */
export function stateBranch({ sandbox, state }: Environment): StateBranch | null {
  return sandbox === null && state.backend === 'git' ? state : null;
}

export function openState(
  project: Project,
  environment: Environment,
  { world, waits }: Pick<ProjectPlace, 'world' | 'waits'>,
): Pick<ProjectPlace, 'folder' | 'user' | 'backend' | 'store'> {
  const { root, file, environments } = project;
  const { state, name } = environment;
  const folder = join(root, state.path, name);
  refuseLinks(root, [folder, sandboxFile(root, name)]);
  const user = stateUser(project, environment);
  const onBranch = stateBranch(environment);
  let backend: Backend;
  if (onBranch !== null) {
    const { remote, branch, lease } = onBranch;
    const open = world.openBranch ?? openBranch;
    const secrets = Object.values(environments).flatMap(({ token_env }) => token_env ?? []);
    backend = branchBackend({
      open: () => open({ root, remote, branch, environment: name, secrets, waits }),
      folder,
      user,
      seconds: lease,
      waits,
      async saveId(created) {
        await saveStateId(project, name, created);
        world.err(
          `Wrote state.id: ${created} to ${file}. Commit the file: the id identifies this project.\n`,
        );
      },
    });
  } else {
    backend = folderBackend(folder, user);
  }
  return { folder, user, backend, store: world.store?.(backend.store, name) ?? backend.store };
}

function stateUser(project: Project, environment: Environment): StateUser {
  const { name, sandbox, state } = environment;
  const user = { environment: name, base_url: serviceAddress(environment) };
  // A sandbox moves with its project's folder, and a copied folder has its own sandbox.
  if (sandbox !== null)
    return { ...user, project: null, file: project.file, top: project.root, isPath: false, separate: null };
  const separate = separateState(project, environment);
  return { ...user, project: state.id ?? null, ...placeOfFile(project), separate };
}

export function placeOfFile({ root, file }: Project): Pick<StateUser, 'file' | 'top' | 'isPath'> {
  const repository = findRepository(root);
  if (repository === null) return { file, top: root, isPath: false };
  const path = projectPath(repository, join(root, file)).normalize('NFC');
  return { file: path, top: repository, isPath: true };
}

/** The lines for the project file that give it a separate state, which is named after the place of the file. */
export function separateState(project: Project, { state }: Environment): string {
  const { file } = placeOfFile(project);
  const place = file.replace(/\.ya?ml$/, '').replace(/(^|\/)campaignctl$/, '') || basename(project.root);
  const branch = branchOf(place);
  if (state.backend === 'file') return `state: { path: ${DEFAULTS.state.path}-${basename(branch)} }`;
  const words = [
    'backend: git',
    ...(state.remote === BRANCH.remote ? [] : [`remote: ${JSON.stringify(state.remote)}`]),
    `branch: ${branch}`,
    ...(state.lease === BRANCH.lease ? [] : [`lease: ${state.lease}`]),
  ];
  return `state: { ${words.join(', ')} }, without an id`;
}

export function sandboxFile(root: string, environment: string): string {
  return join(root, '.campaignctl', 'sandbox', `${environment}.json`);
}

/** Links must not lead the state out of the project or into .git. */
function refuseLinks(root: string, paths: readonly string[]): void {
  for (const path of paths) {
    const real = realPlace(path);
    const parts = relative(root, real).toLowerCase().split(sep);
    if (isBelow(root, real) && !parts.includes('.git')) continue;
    throw new Failure({
      code: 'file-outside-project',
      message: `${path} is a link that leads out of the project or into .git.`,
      hint: 'Replace the link with a folder, or change state.path in the project file.',
    });
  }
}
