import { relative } from 'node:path';
import { awaiting } from '../model/waits.js';
import type { UnkeptState } from '../plan/input.js';
import { findRepository, realPlace } from '../project/files.js';
import { findTracking, TIMEOUT } from '../state/ask-git.js';
import { type ProjectPlace, stateBranch } from './place.js';

/** Variables that pipelines set: most, Azure Pipelines, Jenkins, TeamCity. */
const PIPELINES = ['CI', 'TF_BUILD', 'JENKINS_URL', 'TEAMCITY_VERSION'];

/** `null` if no checkout can roll the state back or delete it. If git cannot say, it may. */
export async function findUnkeptState({
  environment,
  folder,
  project,
  world,
  waits,
}: ProjectPlace): Promise<UnkeptState | null> {
  if (environment.sandbox !== null || stateBranch(environment) !== null) return null;
  const real = realPlace(folder);
  const repository = findRepository(real);
  if (repository === null) return null;
  const name = relative(project.root, folder);
  const variable = PIPELINES.find((pipeline) => isSet(world.env[pipeline]));
  if (variable !== undefined) return { reason: 'pipeline', folder: name, variable };
  const wait = { kind: 'checkout', question: `whether it tracks ${name}` } as const;
  const work = findTracking(repository, real);
  const tracking = await awaiting(waits, wait, { work, most: TIMEOUT });
  if (tracking.tracked === null) return { reason: 'unknown', folder: name, repository, why: tracking.why };
  return tracking.tracked ? { reason: 'tracked', folder: name } : null;
}

function isSet(value = ''): boolean {
  return !['', '0', 'false'].includes(value.trim().toLowerCase());
}
