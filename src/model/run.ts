import type { Step, StepResult, Summary } from './outputs.js';

/** Who applied what, and when. */
export interface RunHead {
  /** Its name: sorts by time and is unique in its environment. */
  run: string;
  environment: string;
  /** When it began, in ISO 8601, UTC. */
  at: string;
  /** Who applied, and on which machine. */
  who: string;
  /** Git commit of the project, with "-dirty" if files differed; `null` if not known. */
  commit: string | null;
  /** Version of campaignctl. */
  tool: string;
}

/** How a run ended. `died`: its journal has no end. */
export type RunResult = 'done' | 'incomplete' | 'interrupted' | 'died';

/** One request of a run. */
export interface RunStep {
  /** When it was about to be sent, in ISO 8601. */
  at: string;
  manifest: string;
  /** Name of the campaign. */
  name: string;
  /** Id of the live campaign; `null` if not known. */
  id: number | null;
  step: Step;
  /** `null` if the journal has none. */
  result: StepResult | null;
  /** Why it failed, or what is not certain. */
  detail: string | null;
}

/** One run, as its journal has it. */
export interface Run extends RunHead {
  /** Hash of the plan and of the live state it was made from. */
  fingerprint: string;
  summary: Summary;
  /** When it ended; `null` if it did not. */
  ended: string | null;
  result: RunResult;
  /** `true` if the next apply has operations of this run to reconcile. */
  pending: boolean;
  /** In the order of the journal. */
  steps: RunStep[];
}
