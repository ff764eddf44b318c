import type { Change } from './change.js';

/**
 * What became of a step. `in_doubt`: it was sent, and neither its answer nor a later look told whether it had its
 * effect. `not_run`: not sent, since something before it failed.
 */
export type StepResult = 'done' | 'failed' | 'in_doubt' | 'not_run';

/** One step after an apply. `detail` says why it failed or what is not certain; null where there is nothing to add. */
export interface StepOutcome {
  id: string;
  title: string;
  method: string;
  path: string;
  result: StepResult;
  detail: string | null;
}

/**
 * One campaign after an apply. `done`: live matches the manifest, as far as it was to be changed. `remaining`: what
 * the read-back still shows as different. `blocked`: something was left, since the interface cannot do it.
 */
export interface CampaignOutcome {
  manifest: string;
  name: string;
  id: number | null;
  result: 'done' | 'incomplete' | 'blocked';
  steps: StepOutcome[];
  remaining: Change[];
}

/** The whole apply, in the order of the plan; campaigns with nothing to do and nothing blocked are only counted. */
export interface ApplyResult {
  version: 1;
  environment: string;
  fingerprint: string;
  result: 'done' | 'incomplete';
  summary: { campaigns: number; unchanged: number; done: number; incomplete: number; blocked: number };
  campaigns: CampaignOutcome[];
}
