export const PAUSE_STEP = 'pause/command';

/** A live campaign that is sending, or may be. */
export interface RunningCampaign {
  id: number;
  name: string;
  /** The status as the service spells it; `null` if not shown. */
  status: string | null;
  manifest: string | null;
}

/** `apply`: the apply in progress. */
export interface PausePlan {
  environment: string;
  base_url: string;
  targets: RunningCampaign[];
  others: RunningCampaign[];
  apply: string | null;
}

/** `paused`: shown, or accepted by a service that shows no status. `unknown`: unconfirmed by the response and the list. */
export interface PauseOutcome extends RunningCampaign {
  result: 'paused' | 'refused' | 'running' | 'unknown';
  detail: string | null;
}

/** `note`: why the state does not record the pauses. `apply`: the apply in progress. */
export interface PauseResult {
  environment: string;
  outcomes: PauseOutcome[];
  note: string | null;
  apply: string | null;
}
