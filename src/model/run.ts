import type { Plan, RunHead } from './outputs.generated.js';

export type { Run, RunHead, RunResult, RunStep } from './outputs.generated.js';

/** What a journal begins with: the run, its plan, and the fingerprint of each manifest by `manifest`. */
export interface RunStart extends RunHead {
  plan: Plan;
  specs: Record<string, string>;
}
