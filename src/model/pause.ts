/** Id of the step that `campaignctl pause` journals. */
export const PAUSE_STEP = 'pause/command';

/** A live campaign that sends, or may send. */
export interface RunningCampaign {
  id: number;
  name: string;
  /** The word of the service; `null` if it shows none. */
  status: string | null;
  /** The manifest that manages it; `null` if none is known to. */
  manifest: string | null;
}

/** What `campaignctl pause` would stop. */
export interface PausePlan {
  environment: string;
  base_url: string;
  targets: RunningCampaign[];
  /** Campaigns that send and are not selected. */
  others: RunningCampaign[];
  /** The apply that is at work; `null` if there is none. */
  apply: string | null;
}

/**
 * The outcome of one pause. `paused`: the list shows it, or shows no status after an accepted pause; `refused`: the service refused it;
 * `running`: the list still shows it sending; `unknown`: neither an answer nor the list tells.
 */
export interface PauseOutcome extends RunningCampaign {
  result: 'paused' | 'refused' | 'running' | 'unknown';
  detail: string | null;
}

/** `note`: why the state does not record the pauses; `null` if it does. `apply`: the apply that is still at work. */
export interface PauseResult {
  environment: string;
  outcomes: PauseOutcome[];
  note: string | null;
  apply: string | null;
}
