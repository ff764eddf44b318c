import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../model/failure.js';
import { openPlan, type SavedPlan } from '../plan/index.js';
import type { Shell } from './shell.js';

/** Reads a plan file, named relative to the working directory. Failure where it cannot be read or was altered. */
export function readPlanFile(file: string, { cwd }: Shell): SavedPlan {
  return openPlan(
    file,
    attempt('read', file, () => readFileSync(resolve(cwd, file), 'utf8')),
  );
}

/** Writes a plan file at once or not at all, readable for its owner only: it holds what emails say. */
export function writePlanFile(file: string, plan: SavedPlan, { cwd }: Shell): void {
  const path = resolve(cwd, file);
  const temporary = `${path}.${randomUUID()}.tmp`;
  attempt('written', file, () => {
    try {
      writeFileSync(temporary, `${JSON.stringify(plan)}\n`, { mode: 0o600, flag: 'wx', flush: true });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

function attempt<T>(what: string, file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Failure(
      {
        code: 'plan-file-unusable',
        message: `The plan file ${file} cannot be ${what}: ${error instanceof Error ? error.message : String(error)}.`,
        hint: 'Check the path. A plan file is written by campaignctl plan --out.',
      },
      { cause: error },
    );
  }
}
