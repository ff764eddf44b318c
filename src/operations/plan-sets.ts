import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { makeFolder, writeAtomic } from '../files/atomic.js';
import { EXIT, Failure, messageOf } from '../model/failure.js';
import type { Plan } from '../model/outputs.js';
import { count } from '../model/words.js';
import { openSet, type SavedPlan, type SavedSet } from '../plan/index.js';
import type { Shard } from '../project/index.js';
import { readPlanFile } from './plan.js';
import type { ProjectName, ProjectRun } from './projects.js';
import { commitOf } from './run.js';
import type { World } from './world.js';

/** The plans of several projects, in a folder: what they are, and those of them that could be made. */
export interface PlanSet {
  env: string | null;
  plans: { entry: SavedSet['plans'][number]; saved: SavedPlan | null }[];
}

export function isFolder(path: string, { cwd }: Pick<World, 'cwd'>): boolean {
  return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The name of the file that keeps the plan of a project. */
export function planFileOf({ project, environment }: ProjectName): string {
  const name = `${project}-${environment ?? ''}`;
  const hash = createHash('sha256').update(`${project}\n${environment}`).digest('hex').slice(0, 8);
  return `${name.replace(/[^A-Za-z0-9_]+/g, '-').slice(0, 80)}-${hash}.plan.json`;
}

/** Begins a folder of plans. Failure where that is not possible: before anything is planned. */
export async function makePlanFolder(folder: string, { cwd }: Pick<World, 'cwd'>): Promise<void> {
  await makeFolder(resolve(cwd, folder)).catch((error: unknown) => {
    const message = `The folder ${folder} for plans cannot be made: ${messageOf(error)}.`;
    throw new Failure({ code: 'plan-file-unusable', message, hint: 'Check the path.' }, { cause: error });
  });
}

/** Keeps what the set was, and what became of each project of this shard. */
export async function saveSet(
  folder: string,
  runs: readonly ProjectRun<Plan>[],
  { env, all, shard }: { env: string | null; all: readonly ProjectName[]; shard: Shard | null },
  world: World,
): Promise<void> {
  const { index, total } = shard ?? { index: 1, total: 1 };
  const { commit = commitOf } = world;
  const set: SavedSet = {
    ...{ kind: 'campaignctl plans', version: 1, env, commit: await commit(world.cwd) },
    shard: { index, total },
    projects: all.map(({ project, environment }) => ({ project, environment })),
    plans: runs.map(({ project, environment, result, failure }) => ({
      ...{ project, environment, file: result === null ? null : planFileOf({ project, environment }) },
      fingerprint: result?.fingerprint ?? null,
      error: failure && { code: failure.code, message: failure.message, hint: failure.hint },
    })),
  };
  const file = join(resolve(world.cwd, folder), `set-${index}-of-${total}.json`);
  await writeAtomic(file, `${JSON.stringify(set)}\n`, { mode: 0o600 });
}

/**
 * Reads a folder of plans. Failure where a shard or a project is missing, or where they are of different runs: a report of some would
 * pass for one of all.
 */
export async function readSet(folder: string, world: Pick<World, 'cwd'>): Promise<PlanSet> {
  const path = resolve(world.cwd, folder);
  const names = (await readdir(path)).filter((name) => /^set-\d+-of-\d+\.json$/.test(name)).sort();
  const sets = await Promise.all(
    names.map(async (name) => openSet(join(folder, name), await readFile(join(path, name), 'utf8'))),
  );
  const [first] = sets;
  if (first === undefined)
    throw incomplete(`${folder} holds no plans of several projects.`, 'set-1-of-N.json is missing.');
  const headOf = ({ commit, env, projects, shard }: SavedSet) =>
    JSON.stringify([commit, env, projects, shard.total]);
  if (sets.some((set) => headOf(set) !== headOf(first)))
    throw incomplete(
      `The plans in ${folder} were not made together: commit, environment, projects or number of shards differ.`,
      'Files of an earlier run may be left there.',
    );
  const { total } = first.shard;
  const indexes = new Set(sets.map(({ shard }) => shard.index));
  const missing = Array.from({ length: total }, (_, at) => at + 1).filter((index) => !indexes.has(index));
  if (missing.length > 0 || indexes.size !== sets.length || indexes.size !== total)
    throw incomplete(
      `${folder} holds ${indexes.size} of ${count(total, 'shard')}: ${missing.join(', ')} missing.`,
      'A job may have failed before it saved its plans.',
    );
  const keyOf = ({ project, environment }: ProjectName) => `${project}\n${environment ?? ''}`;
  const entries = new Map(sets.flatMap(({ plans }) => plans).map((entry) => [keyOf(entry), entry]));
  const all = first.projects.map((name) => ({ name, entry: entries.get(keyOf(name)) }));
  const lost = all.filter(({ entry }) => entry === undefined).map(({ name }) => name.project);
  const number = sets.reduce((sum, { plans }) => sum + plans.length, 0);
  if (lost.length > 0 || number !== first.projects.length)
    throw incomplete(
      `${folder} does not hold each project once${lost.length === 0 ? '' : `: ${lost.join(', ')} missing`}.`,
      'The shards may have seen different projects.',
    );
  const plans = await Promise.all(
    all.flatMap(({ entry }) => (entry === undefined ? [] : [withPlan(folder, entry, world)])),
  );
  return { env: first.env, plans };
}

async function withPlan(folder: string, entry: SavedSet['plans'][number], world: Pick<World, 'cwd'>) {
  const { file, fingerprint, environment, project } = entry;
  if (file === null) return { entry, saved: null };
  const saved = await readPlanFile(join(folder, basename(file)), world);
  if (saved.plan.fingerprint === fingerprint && saved.plan.environment === environment)
    return { entry, saved };
  throw incomplete(
    `${file} in ${folder} is not the plan that was made for ${project}.`,
    'It was replaced by another one.',
  );
}

function incomplete(message: string, why: string): Failure {
  return new Failure({
    code: 'plans-incomplete',
    message,
    hint: `${why} Nothing was sent. Plan again with --recursive --out into an empty folder, and bring the files of all shards together.`,
  });
}

/** What became of the projects when they were planned. */
export function plannedRuns({ plans }: PlanSet): ProjectRun<Plan>[] {
  return plans.map(({ entry: { project, environment, error }, saved }) => ({
    ...{ project, environment, exit_code: saved === null ? EXIT.error : EXIT.ok },
    result: saved?.plan ?? null,
    failure: saved === null ? notPlanned(error) : null,
  }));
}

/** Why there is no plan to show or apply. */
export function notPlanned(error: SavedSet['plans'][number]['error']): Failure {
  return new Failure(
    error ?? { code: 'plans-incomplete', message: 'It was not planned.', hint: 'Plan again with --out.' },
  );
}
