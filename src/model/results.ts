import type { ByHandTask, CampaignPlan, Change, Fingerprint, Integer, Problem, Step } from './plan.js';

/** The output of `apply --format json`. */
export interface ApplyResult {
  version: 1;
  environment: string;
  fingerprint: Fingerprint;
  /** incomplete: the service and the manifests still differ. */
  result: 'done' | 'incomplete';
  summary: ApplySummary;
  /** Tasks that remain for a person in the service's web app, until a plan finds them done. */
  by_hand: ByHandTask[];
  /** Campaigns with requests or with remaining changes. */
  campaigns: CampaignOutcome[];
  /** Problems of the run as a whole. */
  problems: Problem[];
}

/** Counts of campaigns. */
export interface ApplySummary {
  /** All of them. */
  campaigns: Integer;
  /** Already in sync with their manifests. */
  unchanged: Integer;
  /** Left unread by --refresh changed. */
  not_read: Integer;
  /** Brought in sync with their manifests, and read back. */
  done: Integer;
  /** With a step that failed, is in doubt or was not run. */
  incomplete: Integer;
  /** With a remaining change that the API cannot make. */
  blocked: Integer;
}

/** One campaign after an apply. */
export interface CampaignOutcome extends Pick<CampaignPlan, 'manifest' | 'name' | 'id'> {
  /** blocked: the API could not make every change. */
  result: 'done' | 'incomplete' | 'blocked';
  /** Every request of the plan. */
  steps: StepOutcome[];
  /** Differences that were read back. */
  remaining: Change[];
}

/** One request after an apply. */
export interface StepOutcome {
  /** As in the plan. */
  id: string;
  title: string;
  method: string;
  /** Path below the base URL; empty for the read-back, which reads several. */
  path: string;
  result: StepResult;
  /** Why it failed, or what is uncertain. */
  detail: string | null;
}

/**
 * in_doubt: sent, and neither the response nor reading showed its effect; not_run: not sent, because an earlier step failed.
 */
export type StepResult = 'done' | 'failed' | 'in_doubt' | 'not_run';

/** The output of `apply --dry-run --format json`. */
export interface Requests {
  version: 1;
  environment: string;
  /** Campaigns that --refresh changed did not read; 0 without it. */
  not_read: Integer;
  /** Every request, in the order in which they are sent. */
  requests: PlannedRequest[];
}

/** One request that apply would send. */
export interface PlannedRequest extends Pick<Step, 'method' | 'path' | 'body'> {
  campaign: string;
}

/** Progress of an apply. */
export type ApplyEvent = StepStarted | StepEnded | Waiting | Trouble;

/** A request is sent. */
export interface StepStarted {
  type: 'step-started';
  campaign: string;
  /** Id of the request, as in the plan. */
  step: string;
  title: string;
}

/** A request has an outcome, which may be unknown. */
export interface StepEnded extends Omit<StepStarted, 'type'> {
  type: 'step-ended';
  result: StepResult;
}

/** A launch is in progress. `status`: the live one. */
export interface Waiting {
  type: 'waiting';
  campaign: string;
  status: string | null;
}

/** A failure that does not change what is sent. */
export interface Trouble {
  type: 'trouble';
  message: string;
}
