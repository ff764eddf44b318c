import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { writeAtomic } from '../files/atomic.js';
import { Failure } from '../model/failure.js';
import { openPlan, type SavedPlan } from '../plan/index.js';
import type { Shell } from './shell.js';

/** Reads a plan file, named relative to the working directory. Failure where it cannot be read or was altered. */
export function readPlanFile(file: string, { cwd }: Shell): SavedPlan {
  return openPlan(file, textOf(file, cwd));
}

function textOf(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw unusable('read', file, error);
  }
}

/** Writes a plan file at once or not at all, readable for its owner only: it holds what emails say. */
export async function writePlanFile(file: string, plan: SavedPlan, { cwd }: Shell): Promise<void> {
  await writeAtomic(resolve(cwd, file), `${JSON.stringify(plan)}\n`, { mode: 0o600 }).catch(
    (error: unknown) => {
      throw unusable('written', file, error);
    },
  );
}

function unusable(what: string, file: string, error: unknown): Failure {
  return new Failure(
    {
      code: 'plan-file-unusable',
      message: `The plan file ${file} cannot be ${what}: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Check the path. A plan file is written by campaignctl plan --out.',
    },
    { cause: error },
  );
}
