import { relative } from 'node:path';
import type { UnkeptState } from '../plan/messages.js';
import { findRepository, realPlace } from '../project/files.js';
import { findTracking } from '../state/ask-git.js';
import type { Session } from './session.js';

/** Variables that pipelines set: most, Azure Pipelines, Jenkins, TeamCity. */
const PIPELINES = ['CI', 'TF_BUILD', 'JENKINS_URL', 'TEAMCITY_VERSION'];

/** In milliseconds. */
const SILENT = 2_000;

/** `null` if no checkout can roll the state back or delete it. If git cannot say, it may. */
export async function findUnkeptState({
  environment,
  folder,
  project,
  world,
}: Session): Promise<UnkeptState | null> {
  if (environment.sandbox !== null || environment.state.backend !== 'file') return null;
  const real = realPlace(folder);
  const repository = findRepository(real);
  if (repository === null) return null;
  const name = relative(project.root, folder);
  const variable = PIPELINES.find((pipeline) => isSet(world.env[pipeline]));
  if (variable !== undefined) return { reason: 'pipeline', folder: name, variable };
  const notice = setTimeout(
    () => world.err(`Waiting up to 5 s for git to say whether it tracks ${name}.\n`),
    SILENT,
  );
  const tracking = await findTracking(repository, real).finally(() => clearTimeout(notice));
  if (tracking.tracked === null) return { reason: 'unknown', folder: name, repository, why: tracking.why };
  return tracking.tracked ? { reason: 'tracked', folder: name } : null;
}

function isSet(value = ''): boolean {
  return !['', '0', 'false'].includes(value.trim().toLowerCase());
}
