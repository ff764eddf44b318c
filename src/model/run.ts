import type { StepResult } from './outcome.js';
import type { Plan, Summary } from './plan.js';
import type { Step } from './step.js';

/**
 * Who applied what, and when. `run` sorts by time and is unique in its environment; `at` in ISO 8601, UTC; `commit`
 * is the git commit of the project, with `-dirty` where files differed from it, null where it is not known.
 */
export interface RunHead {
  run: string;
  environment: string;
  at: string;
  who: string;
  commit: string | null;
  tool: string;
}

/** How a run ended; `died`: it never noted an end. */
export type RunResult = 'done' | 'incomplete' | 'interrupted' | 'died';

/** A write of a run, in the order of the journal; `result` is null where none was noted. */
export interface RunStep {
  at: string;
  manifest: string;
  name: string;
  id: number | null;
  step: Step;
  result: StepResult | null;
  detail: string | null;
}

/** A run as `history` lists it. `unsettled`: the next apply has to find out what became of some of it. */
export interface Run extends RunHead {
  fingerprint: string;
  summary: Summary;
  ended: string | null;
  result: RunResult;
  pending: boolean;
  steps: RunStep[];
}

/** What a journal begins with: the run, its plan, and the fingerprint of each manifest by `manifest`. */
export interface RunStart extends RunHead {
  plan: Plan;
  specs: Record<string, string>;
}
