import type { Step, StepResult, Summary } from './outputs.js';

export interface RunHead {
  /** Unique in its environment; sorts by time. */
  run: string;
  environment: string;
  at: string;
  who: string;
  /** Commit from the pipeline; `null` outside a pipeline. */
  commit: string | null;
  tool: string;
}

/** `died`: the journal has no end. */
export type RunResult = 'done' | 'incomplete' | 'interrupted' | 'died';

export interface RunStep {
  at: string;
  manifest: string;
  name: string;
  id: number | null;
  step: Step;
  /** `null` if the journal records none. */
  result: StepResult | null;
  detail: string | null;
}

export interface Run extends RunHead {
  fingerprint: string;
  summary: Summary;
  /** `null` if it did not end. */
  ended: string | null;
  result: RunResult;
  /** `true` if the next apply must reconcile requests. */
  pending: boolean;
  steps: RunStep[];
}
