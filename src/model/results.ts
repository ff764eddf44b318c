import type { ByHandTask, CampaignPlan, Change, Fingerprint, Integer, Problem } from './plan.js';

/** The output of `apply --format json`. */
export interface ApplyResult {
  version: 1;
  environment: string;
  fingerprint: Fingerprint;
  /** incomplete: the service and the manifests still differ. */
  result: 'done' | 'incomplete';
  summary: ApplySummary;
  by_hand: ByHandTask[];
  /** Campaigns with requests or remaining changes. */
  campaigns: CampaignOutcome[];
  problems: Problem[];
}

export interface ApplySummary {
  campaigns: Integer;
  /** Already in sync. */
  unchanged: Integer;
  not_read: Integer;
  /** Brought into sync and read back. */
  done: Integer;
  incomplete: Integer;
  blocked: Integer;
}

export interface CampaignOutcome extends Pick<CampaignPlan, 'manifest' | 'name' | 'id'> {
  result: 'done' | 'incomplete' | 'blocked';
  steps: StepOutcome[];
  /** Differences found by the read-back. */
  remaining: Change[];
}

export interface StepOutcome {
  id: string;
  title: string;
  method: string;
  /** Empty for the read-back, which reads several paths. */
  path: string;
  result: StepResult;
  /** Reason for the failure or uncertainty. */
  detail: string | null;
}

/** in_doubt: sent, but neither response nor read-back showed an effect; not_run: an earlier step failed. */
export type StepResult = 'done' | 'failed' | 'in_doubt' | 'not_run';

export type ApplyEvent = StepStarted | StepEnded | Waiting | Trouble;

export interface StepStarted {
  type: 'step-started';
  campaign: string;
  step: string;
  title: string;
}

export interface StepEnded extends Omit<StepStarted, 'type'> {
  type: 'step-ended';
  result: StepResult;
}

export interface Waiting {
  type: 'waiting';
  campaign: string;
  status: string | null;
}

export interface Trouble {
  type: 'trouble';
  message: string;
}
