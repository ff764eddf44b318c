import { realpathSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, posix, resolve } from 'node:path';
import { makeFolder, writeAtomic } from '../files/atomic.js';
import { readRegularFile } from '../files/read.js';
import { EXIT, Failure } from '../model/failure.js';
import { isObject, type Json, type JsonObject, parseJson, textOrNull } from '../model/json.js';
import type { Plan } from '../model/outputs.js';
import type { LostProjects } from '../model/reports.js';
import { openPlan, type SavedPlan } from '../plan/saved-plan.js';
import { isLostProjects } from '../plan/validators.generated.js';
import { findRepository, projectPath } from '../project/files.js';
import { refusePlanFile } from './plan.js';
import type { ProjectName, ProjectRun } from './projects.js';
import type { World } from './world.js';

/**
 * Plans of several projects, such as `DIR/clients/acme/production.plan.json`, and a list of all projects, which reveals a
 * missing shard.
 */
interface PlanSet {
  /** Folder of the projects, relative to its repository; outside of a repository, `.`. */
  folder: string;
  env: string | null;
  /** `null` if no plan could show them. */
  lost: LostProjects | null;
  runs: ProjectRun<SavedPlan>[];
}

const LIST = 'campaignctl-plans.json';

const LIST_KIND = 'campaignctl plans';

const FAILURE_KIND = 'campaignctl failure';

export function isFolder(path: string, { cwd }: Pick<World, 'cwd'>): boolean {
  return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() === true;
}

export function planFileOf({ project, environment }: ProjectName): string {
  return posix.join(project, `${environment ?? 'campaignctl'}.plan.json`);
}

/** Writes the list and removes earlier plans. Fails before anything is planned. */
export async function beginPlans(
  folder: string,
  { env, all, units, lost }: Pick<PlanSet, 'env' | 'lost'> & Record<'all' | 'units', readonly ProjectName[]>,
  { cwd }: Pick<World, 'cwd'>,
): Promise<void> {
  const projects = all.map(({ project, environment }) => ({ project, environment }));
  try {
    await makeFolder(resolve(cwd, folder));
    for (const unit of units) {
      const file = resolve(cwd, folder, planFileOf(unit));
      await makeFolder(dirname(file));
      await rm(file, { force: true });
    }
    await write(resolve(cwd, folder, LIST), {
      kind: LIST_KIND,
      folder: folderInRepository(cwd),
      env,
      projects,
      lost: lost as Json,
    });
  } catch (error) {
    refusePlanFile('written', folder)(error);
  }
}

function folderInRepository(cwd: string): string {
  const real = realpathSync.native(cwd);
  return projectPath(findRepository(real) ?? real, real) || '.';
}

export async function saveFailures(
  folder: string,
  runs: readonly ProjectRun<unknown>[],
  { cwd }: Pick<World, 'cwd'>,
): Promise<void> {
  for (const { failure, ...name } of runs) {
    if (failure === null) continue;
    const { code, hint, findings } = failure;
    const places = findings.map(({ file, line, message }) => `${file}:${line}: ${message}`);
    const message = [failure.message, ...places].join(' ');
    await write(resolve(cwd, folder, planFileOf(name)), { kind: FAILURE_KIND, code, message, hint });
  }
}

function write(path: string, value: JsonObject): Promise<void> {
  return writeAtomic(path, `${JSON.stringify(value)}\n`, { mode: 0o600 });
}

export async function readPlans(folder: string, world: Pick<World, 'cwd'>): Promise<PlanSet> {
  const list = parseJson(readText(resolve(world.cwd, folder, LIST)) ?? '');
  if (!isObject(list) || list.kind !== LIST_KIND || !Array.isArray(list.projects))
    throw incomplete(
      `${folder} does not contain the plans of several projects: ${LIST} is missing or damaged.`,
    );
  const runs: PlanSet['runs'] = [];
  for (const row of list.projects) {
    if (!isObject(row) || typeof row.project !== 'string')
      throw incomplete(`${LIST} in ${folder} is damaged.`);
    const name = { project: row.project, environment: textOrNull(row.environment) };
    try {
      const result = await readPlan(folder, name, world);
      runs.push({ ...name, exit_code: EXIT.ok, result, failure: null });
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      runs.push({ ...name, exit_code: failure.exitCode, result: null, failure });
    }
  }
  const lost = isLostProjects(list.lost) ? list.lost : null;
  return { folder: textOrNull(list.folder) ?? '.', env: textOrNull(list.env), lost, runs };
}

export function plansOf({ runs }: PlanSet): ProjectRun<Plan>[] {
  return runs.map((run) => ({ ...run, result: run.result?.plan ?? null }));
}

/** Of the first plan; `null` if there is none. */
export function sourceOf({ runs }: PlanSet): SavedPlan['created'] | null {
  return runs.flatMap(({ result }) => result?.created ?? [])[0] ?? null;
}

async function readPlan(folder: string, name: ProjectName, world: Pick<World, 'cwd'>): Promise<SavedPlan> {
  const file = join(folder, planFileOf(name));
  const text = readText(resolve(world.cwd, file));
  if (text === null)
    throw incomplete(`${file} is missing: its project was not planned, or its shard is missing.`);
  const value = parseJson(text);
  if (isObject(value) && value.kind === FAILURE_KIND) {
    const [code = 'plans-incomplete', message = '', hint = ''] = [value.code, value.message, value.hint].map(
      String,
    );
    throw new Failure({ code, message, hint });
  }
  const saved = await openPlan(file, text);
  if (saved.plan.environment === name.environment) return saved;
  throw incomplete(`${file} is a plan for ${saved.plan.environment}.`);
}

/** `null` if it cannot be read. */
function readText(path: string): string | null {
  try {
    return readRegularFile(path).toString('utf8');
  } catch {
    return null;
  }
}

function incomplete(message: string): Failure {
  return new Failure({
    code: 'plans-incomplete',
    message,
    hint: 'Nothing was sent. Plan again with --recursive --out, and put the files of all shards in one folder.',
  });
}
