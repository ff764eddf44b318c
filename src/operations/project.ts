import { LOCK_TIMEOUT } from '../model/environment.js';
import { usage } from '../model/failure.js';
import type { LocatedFinding, Plan } from '../model/outputs.js';
import type { ApplyResult } from '../model/reports.js';
import { readProject } from '../project/project.js';
import { applyProject } from './apply.js';
import {
  type ApplyChoice,
  type Choice,
  checkChoice,
  type FileChoice,
  type PlanChoice,
  type ProjectOptions,
} from './choices.js';
import { planProject, readPlanFile } from './plan.js';
import { openSession, type SessionFlags } from './session.js';
import { validateProject } from './validate.js';
import { toInterrupt, type World } from './world.js';

/** The library. It refuses what the command line refuses, by throwing a `Failure`. Every method reads the project again. */
export interface OpenProject {
  /** Works offline. */
  validate(choice?: FileChoice): Promise<LocatedFinding[]>;
  /** Cannot write to the service. */
  plan(choice?: PlanChoice): Promise<Plan>;
  apply(choice?: ApplyChoice): Promise<ApplyResult>;
}

export async function openProject(options: ProjectOptions = {}): Promise<OpenProject> {
  checkChoice('openProject', options);
  const world = worldOf(options);
  const interrupt = toInterrupt(options.signal ?? new AbortController().signal);
  const { config = null } = options;
  const flagsOf = (choice: Choice): SessionFlags => {
    const { env = null, files = [], targets: target = [], hold = [], refresh = null } = choice;
    return { config, env, files, target, hold, refresh, debug: false };
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
        throw usage('A saved plan is applied as is.', 'Remove files, targets, hold and refresh.');
      const saved = file === undefined ? null : await readPlanFile(file, world);
      const session = await interrupt.guard(openSession(flagsOf(choice), world, saved));
      const request = { session, saved, allow, requireApplied, lockTimeout };
      const listener = { review() {}, confirm: null, sending() {}, emit() {} };
      return (await applyProject(request, listener, interrupt)).result;
    },
  };
}

function worldOf({ cwd, variables, log }: ProjectOptions): World {
  return {
    cwd: cwd ?? process.cwd(),
    env: variables ?? process.env,
    now: Date.now,
    err(text) {
      try {
        for (const line of text.split('\n')) if (line.trim() !== '') log?.(line);
      } catch {
        // Requests do not depend on callbacks.
      }
    },
  };
}
