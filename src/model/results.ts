import type { JsonObject } from './json.js';
import type { ByHandTask, Change, Fingerprint, Integer, Problem } from './plan.js';

/** The output of `apply --format json`. */
export interface ApplyResult {
  /** Version of this format. */
  version: 1;
  /** Name of the environment. */
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
  /** In sync with their manifests before. */
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
export interface CampaignOutcome {
  /**
   * The file, relative to the project; "file#2" is the second document of a file, "file[France]" one campaign of for_each.
   */
  manifest: string;
  name: string;
  /** Id of the live campaign; null if there is none. */
  id: Integer | null;
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
  /** Description for people. */
  title: string;
  /** HTTP method; GET for the read-back. */
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
  /** Version of this format. */
  version: 1;
  /** Name of the environment. */
  environment: string;
  /** Campaigns that --refresh changed did not read; 0 without it. */
  not_read: Integer;
  /** Every request, in the order in which they are sent. */
  requests: PlannedRequest[];
}

/** One request that apply would send. */
export interface PlannedRequest {
  /** Name of the campaign. */
  campaign: string;
  method: 'POST' | 'PATCH';
  /** Path below the base URL, with "{campaign_id}" if the campaign does not exist yet. */
  path: string;
  body: JsonObject | null;
}

/** Progress of an apply. */
export type ApplyEvent = StepStarted | StepEnded | Waiting | Trouble;

/** A request is sent. */
export interface StepStarted {
  type: 'step-started';
  /** Name of the campaign. */
  campaign: string;
  /** Id of the request, as in the plan. */
  step: string;
  /** Description for people. */
  title: string;
}

/** A request has an outcome, which may be unknown. */
export interface StepEnded {
  type: 'step-ended';
  /** Name of the campaign. */
  campaign: string;
  /** Id of the request, as in the plan. */
  step: string;
  /** Description for people. */
  title: string;
  result: StepResult;
}

/** A launch is in progress. */
export interface Waiting {
  type: 'waiting';
  /** Name of the campaign. */
  campaign: string;
  /** The live status. */
  status: string | null;
}

/** A failure that does not change what is sent. */
export interface Trouble {
  type: 'trouble';
  message: string;
}
