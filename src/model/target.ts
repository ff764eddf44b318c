/** One campaign of a plan, from matching to the last read-back. */
import type { AnswerName, ListedCampaign } from './answer.js';
import type { Environment, StatusWords } from './environment.js';
import type { LiveCampaign, Template } from './live.js';
import type { PlanProblem } from './outputs.js';
import type { Campaign, CampaignSpec } from './spec.js';
import type { PendingOperations, RecordedState, StateEntry } from './state.js';

/**
 * What a section compares: the manifest with the service and the state. Immutable; `sections/target.ts` makes new ones, because
 * the status depends on the other fields.
 */
export interface Target {
  /** `removed` and `replaced` campaigns have no manifest and manage only `status: paused`. */
  role: 'declared' | 'removed' | 'replaced';
  campaign: Campaign;
  /** That of `campaign`, or another one with which the campaign is compared. */
  spec: CampaignSpec;
  environment: Environment;
  /** `null` if apply is to create it. */
  id: number | null;
  /** The row in the list of this plan; `null` if the list does not show the campaign. */
  row: ListedCampaign | null;
  /** `null` until the campaign exists and was looked for. */
  live: LiveCampaign | null;
  /** What the state knows, with the open requests of earlier runs and those of this run. */
  recorded: RecordedState;
  /** Decided from `live` and `recorded`. */
  status: Status;
  /** `null` if no manifest needs them. */
  templates: readonly Template[] | null;
  /** The entry for `id`. */
  entry: StateEntry | null;
  /** The entry for the campaign to which the manifest was applied, if that is not the one with `id`. */
  earlier: StateEntry | null;
  /** Other live campaigns that the manifest may refer to. */
  candidates: ListedCampaign[];
  predecessor: Predecessor | null;
  /** An `error` stops planning. */
  problems: PlanProblem[];
  pending: PendingOperations[];
  /** True if another manifest of the project may describe the campaign. */
  outside: boolean;
  /**
   * True if apply may write to it without a further approval: it is in the state under its name, the response to its creation
   * request identifies it, or its adoption is approved.
   */
  isOurs: boolean;
  /** Responses to read; `null` if the campaign is not read. */
  reads: readonly AnswerName[] | null;
  /** Those of `reads` that the plan only shows: one that cannot be read counts as not read. */
  shows: readonly AnswerName[];
}

export interface Predecessor {
  id: number;
  name: string | null;
  row: ListedCampaign | null;
  entry: StateEntry | null;
}

/** `starting`: about to run. `unknown`: any other status, or none. */
export type Meaning = keyof StatusWords | 'unknown';

/**
 * `not_set`: campaignctl neither created nor launched nor paused the campaign. `in_doubt`: the outcome of the last launch or
 * pause is unknown. `shown_before`, `shown_elsewhere`: the service showed a status for this campaign before, or shows one
 * for others. `draft_again`: the service shows a draft, but the campaign has run.
 */
export type StatusDoubt = 'not_set' | 'in_doubt' | 'shown_before' | 'shown_elsewhere' | 'draft_again';

/** Whether a campaign is sending, and what says so. `sections/sending.ts` decides it. */
export interface Status {
  /** Whether the campaign is sending; `unknown`: it may be. */
  sends: 'yes' | 'no' | 'unknown';
  /**
   * As the service spells it or, if `basis` is `set`, one of `draft` (never launched), `running` and `paused`; `null` if the
   * service shows none and it is unknown.
   */
  word: string | null;
  meaning: Meaning;
  /** `shown`: by the service. `set`: the service shows none, so what campaignctl did last counts. */
  basis: 'shown' | 'set' | 'unknown';
  /** When the status was set (ISO 8601); `null` if it is shown, or if the time is not recorded. */
  since: string | null;
  /** Why a status that the service does not show, or shows wrongly, is unknown; otherwise `null`. */
  doubt: StatusDoubt | null;
  isDraft: boolean;
  failed: boolean;
  /** True if leads added now are mailed, or may be. Even a finished campaign mails them. */
  mails: boolean;
  /** True for a status that only a launch can cause. */
  provesRun: boolean;
}
