import { relative } from 'node:path';
import type { StateKind } from '../state/index.js';
import { describeRun } from './run.js';
import { openPlace, type PlaceFlags } from './session.js';
import type { World } from './world.js';

/** Moves the state of an environment to a branch or a folder. `files`: how many; null: it is there already. */
export async function migrateState(
  flags: PlaceFlags,
  to: StateKind,
  world: World,
): Promise<{ environment: string; place: string; files: number | null }> {
  const { project, environment, folder, backend } = await openPlace(flags, world);
  const { who, at } = await describeRun(project.root, world);
  const files = await backend.move(to, `${who} at ${at}`);
  const place = to === 'git' ? 'its branch' : `the folder ${relative(project.root, folder)}`;
  return { environment: environment.name, place, files };
}
