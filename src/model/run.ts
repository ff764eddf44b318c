import type { Step, StepResult, Summary } from './outputs.js';

export interface RunHead {
  /** Unique in its environment; sorts by time. */
  run: string;
  environment: string;
  /** In ISO 8601, UTC. */
  at: string;
  /** User and machine. */
  who: string;
  /** Commit that the pipeline names; `null` outside of one. */
  commit: string | null;
  tool: string;
}

/** `died`: the journal has no end. */
export type RunResult = 'done' | 'incomplete' | 'interrupted' | 'died';

export interface RunStep {
  /** When it was about to be sent, in ISO 8601. */
  at: string;
  manifest: string;
  name: string;
  /** `null` if unknown. */
  id: number | null;
  step: Step;
  /** `null` if the journal has none. */
  result: StepResult | null;
  /** Why it failed, or what is uncertain. */
  detail: string | null;
}

export interface Run extends RunHead {
  /** Hash of the plan and of its live state. */
  fingerprint: string;
  summary: Summary;
  /** `null` if it did not end. */
  ended: string | null;
  result: RunResult;
  /** `true` if the next apply has to reconcile requests. */
  pending: boolean;
  /** In the order of the journal. */
  steps: RunStep[];
}
