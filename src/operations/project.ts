import type { Comparison } from '../model/compare.js';
import { LOCK_TIMEOUT } from '../model/environment.js';
import { errorMessage, usage } from '../model/failure.js';
import type { ImportResult, UpdateResult } from '../model/import.js';
import type { ApplyEvent, ApplyResult, LocatedFinding, Plan } from '../model/outputs.js';
import type { Run } from '../model/run.js';
import { readProject } from '../project/project.js';
import { type Clock, systemClock } from '../service/index.js';
import { applyProject } from './apply.js';
import {
  type ApplyChoice,
  type Choice,
  type CompareChoice,
  checkChoice,
  checkName,
  type EnvironmentChoice,
  type FileChoice,
  type HistoryChoice,
  type ImportChoice,
  MOST_RUNS,
  type PlanChoice,
  type ProjectOptions,
  type UpdateChoice,
} from './choices.js';
import { importNew } from './import.js';
import { openPlace } from './place.js';
import { compareProject, planProject, readPlanFile } from './plan.js';
import { openSession, type SessionFlags } from './session.js';
import { updateManifests } from './update.js';
import { validateProject } from './validate.js';
import { interruptOf, type World } from './world.js';

/** The library: the gates of the command line as `Failure`s. Every method reads the project anew. */
export interface OpenProject {
  /** For one environment, or all. Offline. */
  validate(choice?: FileChoice): Promise<LocatedFinding[]>;
  /** Cannot write to the service. */
  plan(choice?: PlanChoice): Promise<Plan>;
  /** Plans, refuses or sends, reads back. */
  apply(choice?: ApplyChoice): Promise<ApplyResult>;
  /** Cannot write to the service. */
  import: (choice: ImportChoice) => Promise<ImportResult>;
  /** Cannot write to the service. */
  updateManifests(choice: UpdateChoice): Promise<UpdateResult>;
  /** Offline. */
  compare(from: string, to: string, choice?: CompareChoice): Promise<Comparison>;
  /** Newest first. Offline. */
  history(choice?: HistoryChoice): Promise<Run[]>;
}

/** Failure without a valid project file. */
export async function openProject(options: ProjectOptions = {}): Promise<OpenProject> {
  checkChoice('openProject', options);
  const world = worldOf(options);
  const interrupt = interruptOf(options.signal ?? new AbortController().signal);
  const { config = null } = options;
  const place = ({ env }: EnvironmentChoice) => ({ config, env: env ?? null, debug: false });
  const flagsOf = (choice: Choice): SessionFlags => {
    const { files = [], targets = [], hold = [], refresh = null, parallelism = null } = choice;
    return { ...place(choice), files, target: targets, hold, refresh, parallelism };
  };
  const importOf = ({ names = [], all = false, dryRun = false, ...choice }: ImportChoice) => {
    const { lockTimeout = LOCK_TIMEOUT } = choice;
    return { ...place(choice), names, all, dryRun, lockTimeout };
  };
  const read = () => readProject({ cwd: world.cwd, config });
  await read();
  return {
    async validate(choice = {}) {
      checkChoice('validate', choice);
      const { env = null, files = [] } = choice;
      return (await validateProject(await read(), { env, files }, world)).findings;
    },
    async plan(choice = {}) {
      checkChoice('plan', choice);
      const session = await interrupt.guard(openSession(flagsOf(choice), world));
      return (await planProject(session, choice.out ?? null, interrupt)).plan;
    },
    async apply(choice = {}) {
      checkChoice('apply', choice);
      const { plan: file, allow = [], requireApplied = null, lockTimeout = LOCK_TIMEOUT } = choice;
      if (
        file !== undefined &&
        (choice.files ?? choice.targets ?? choice.hold ?? choice.refresh) !== undefined
      )
        throw usage('A saved plan is applied as it is.', 'Leave out files, targets, hold and refresh.');
      const saved = file === undefined ? null : await readPlanFile(file, world);
      const session = await interrupt.guard(openSession(flagsOf(choice), world, saved));
      const request = { session, saved, allow, requireApplied, lockTimeout };
      const emit = unlessBroken(choice.onEvent ?? (() => {}), world);
      const still = { review() {}, confirm: null, sending() {} };
      return (await applyProject(request, { ...still, emit }, interrupt)).result;
    },
    import: async (choice) => {
      checkChoice('import', choice);
      const { dir = null } = choice;
      return importNew({ ...importOf(choice), dir, status: null }, world, interrupt);
    },
    async updateManifests(choice) {
      checkChoice('updateManifests', choice);
      return updateManifests(importOf(choice), world, interrupt);
    },
    async compare(from, to, choice = {}) {
      checkChoice('compare', choice);
      for (const name of [from, to]) checkName('compare', name);
      const { files = [], targets: target = [] } = choice;
      return compareProject(await read(), { from, to, files, target }, world);
    },
    async history(choice = {}) {
      checkChoice('history', choice);
      const { store } = await openPlace(place(choice), world);
      return store.runs({ limit: choice.limit ?? MOST_RUNS, prefix: '' });
    },
  };
}

/** Errors of a callback do not stop the run. */
function unlessBroken(onEvent: (event: ApplyEvent) => void, { err }: World): (event: ApplyEvent) => void {
  let broken = false;
  return (event) => {
    if (broken) return;
    try {
      onEvent(event);
    } catch (error) {
      broken = true;
      err(`! onEvent failed: ${errorMessage(error)}. The run goes on without it.\n`);
    }
  };
}

function worldOf({ cwd, variables, log, clock: chosen = systemClock, store }: ProjectOptions): World {
  // Methods of a class instance need their object.
  const clock: Clock = {
    now: () => chosen.now(),
    elapsed: () => chosen.elapsed(),
    sleep: (ms, signal) => chosen.sleep(ms, signal),
    random: () => chosen.random(),
  };
  return {
    cwd: cwd ?? process.cwd(),
    env: variables ?? process.env,
    now: clock.now,
    clock,
    ...(store === undefined ? {} : { store }),
    err(text) {
      try {
        for (const line of text.split('\n')) if (line.trim() !== '') log?.(line);
      } catch {
        // Requests do not depend on it.
      }
    },
  };
}
