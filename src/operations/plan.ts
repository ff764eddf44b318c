import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Refresh } from '../apply/index.js';
import { writeAtomic } from '../files/atomic.js';
import { Failure, messageOf } from '../model/failure.js';
import { openPlan, type SavedPlan, savePlan } from '../plan/index.js';
import { withReader } from './connect.js';
import { describeRun, refreshProject } from './run.js';
import type { Session } from './session.js';
import type { Interrupt, World } from './world.js';

/** Reads the service and plans; `out`: saves the plan in this file. Holds a reader only: there is no way to write from here. */
export async function planProject(
  session: Session,
  out: string | null,
  { guard, signal }: Interrupt,
): Promise<Refresh> {
  return withReader(session, async (reader) => {
    const made = await guard(refreshProject(session, reader, signal));
    if (out !== null) await savePlanAs(out, made, session);
    return made;
  });
}

/**
 * Saves a plan with all that `apply --plan` compares. Written at once or not at all, readable for its owner only: it holds
 * what emails say. `file` is relative to the working directory.
 */
async function savePlanAs(file: string, made: Refresh, session: Session): Promise<void> {
  const { project, selection, sources, world } = session;
  const environment = project.environments[session.environment.name] ?? session.environment;
  const { who, commit, tool } = await describeRun(project.root, world);
  const saved = savePlan(made, { selection, sources, environment }, { who, commit, tool });
  const text = `${JSON.stringify(saved)}\n`;
  await writeAtomic(resolve(world.cwd, file), text, { mode: 0o600 }).catch(refusePlanFile('written', file));
}

/** Reads a plan file, named relative to the working directory. Failure where it cannot be read or was altered. */
export async function readPlanFile(file: string, { cwd }: Pick<World, 'cwd'>): Promise<SavedPlan> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch(refusePlanFile('read', file));
  return openPlan(file, text);
}

function refusePlanFile(what: 'read' | 'written', file: string): (error: unknown) => never {
  return (error) => {
    const isMissing = what === 'read' && error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const problem = {
      code: 'plan-file-unusable',
      message: isMissing
        ? `There is no plan file ${file}.`
        : `The plan file ${file} cannot be ${what}: ${messageOf(error)}.`,
      hint: 'Check the path. A plan file is what campaignctl plan --out writes.',
    };
    throw new Failure(problem, { cause: error });
  };
}
