/**
 * Names for completion. They come from the project's files and from a state on this machine, never from a service or a
 * remote, and what is invalid is left out.
 */
import { type Environment, serviceAddress } from '../model/environment.js';
import { hideTokens } from '../model/mask.js';
import { namesIn } from '../project/campaigns.js';
import { findManifests } from '../project/manifests.js';
import { openManifests } from '../project/open-manifests.js';
import { type Project, readProject, selectEnvironment, tokensOf } from '../project/project.js';
import type { Store } from '../state/store.js';
import { openState, stateBranch } from './place.js';
import { openWaits } from './waits.js';
import { askedEnvironment, type World } from './world.js';

export interface KnownName {
  name: string;
  about: string;
}

/** `recorded`: campaigns of the state or, if it is not on this machine, of the manifests. */
export type NameKind = 'environment' | 'campaign' | 'recorded' | 'run';

interface Asked {
  config: string | null;
  env: string | null;
}

const MAX_RUNS = 100;

export async function knownNames(kind: NameKind, asked: Asked, world: World): Promise<KnownName[]> {
  const { cwd, env } = world;
  const project = await readProject({ cwd, config: asked.config, env });
  const tokens = tokensOf(project, env);
  const isSafe = ({ name }: KnownName) => !/\p{Cc}/u.test(name) && hideTokens(name, tokens) === name;
  return (await namesOf(kind, { project, asked, world })).filter(isSafe);
}

interface NameSearch {
  project: Project;
  asked: Asked;
  world: World;
}

async function namesOf(kind: NameKind, search: NameSearch): Promise<KnownName[]> {
  const environments = Object.values(search.project.environments);
  if (kind === 'environment')
    return environments.map((environment) => ({
      name: environment.name,
      about: serviceAddress(environment),
    }));
  const store = localStore(search);
  if (kind === 'run') {
    const runs = (await store?.runs({ limit: MAX_RUNS, prefix: '' })) ?? [];
    return runs.map(({ run, command = 'run', at }) => ({ name: run, about: `${command}, ${at}` }));
  }
  const entries = (await store?.readAll().catch(() => [])) ?? [];
  const recorded = entries.map(({ name, id }) => ({ name, about: `campaign ${id}` }));
  return kind === 'recorded' && store !== null ? recorded : [...(await manifestNames(search)), ...recorded];
}

/** `null` if no environment is chosen, or if its state is on a branch. */
function localStore({ project, asked, world }: NameSearch): Store | null {
  const { default_environment, environments } = project;
  const wanted = askedEnvironment(asked, world);
  if (wanted === null && default_environment === null && Object.keys(environments).length > 1) return null;
  const environment = selectEnvironment(project, wanted);
  if (stateBranch(environment) !== null) return null;
  return openState(project, environment, { world, waits: openWaits(world) }).store;
}

async function manifestNames({ project, asked, world }: NameSearch): Promise<KnownName[]> {
  const wanted = askedEnvironment(asked, world);
  const isWanted = ({ name }: Environment) => wanted === null || name === wanted;
  const environments = Object.values(project.environments).filter(isWanted);
  const { selected } = await findManifests(project, { files: [], cwd: world.cwd, environments });
  const opened = openManifests(project);
  return selected.flatMap((file) => namesIn(opened, file).map((name) => ({ name, about: file })));
}
