import type { ListedCampaign } from './answer.js';
import type { Json, JsonObject } from './json.js';
import type { Change, Plan, SeenLast, Step, Summary } from './outputs.js';
import type { RunResult, StepResult } from './reports.js';
import type { CampaignSpec } from './spec.js';

/** Facts that the service does not show about a campaign. */
export interface RecordedState {
  /** True if campaignctl created the campaign. */
  created?: true;
  /** False if leads that the state does not contain may be attached. */
  known: boolean;
  /** True if the run that created the campaign has not completed; unsent settings then have the documented defaults. */
  at_defaults: boolean;
  attached: LeadRefs;
  doubtful: LeadRefs;
  /** The number of leads that this state accounts for, as last shown; `null` if none was shown. */
  total_leads: number | null;
  /** Time of the last attachment to a campaign that may be sending; `null` after ten minutes or a reboot. */
  attached_at: Moment | null;
  /** Applied values that cannot be read back, grouped by section. */
  applied: JsonObject;
  /** By name, settings that the service accepted and did not show afterwards; absent if there are none. */
  not_kept?: { [setting: string]: NotKept };
  /** `null` if the service never accepted or showed emails. */
  sequence: EmailCount | null;
  /** True if the service accepted or showed a schedule. */
  schedule_seen: boolean;
  /** The status that campaignctl last set (`running`, `paused`); `null` if unknown. */
  status: string | null;
  /** When `status` was set (ISO 8601); absent if unknown. */
  status_at?: string;
  /** True if the service has shown a status for this campaign since campaignctl last paused it. */
  status_shown?: true;
  /**
   * True if a launch took effect, or the campaign was shown as running, since campaignctl last paused it: it cannot be a
   * draft.
   */
  launched?: true;
  /** True if campaignctl launched it, even with an unknown outcome, or saw it running; `null` if unknown. */
  has_run: boolean | null;
  /** Id of its successor; this campaign must not run again. */
  superseded_by?: Id;
  /** Absent once apply has launched or paused the campaign, or has found the status in sync. */
  launch_held?: HeldLaunch;
  /** Time of `campaignctl pause` (ISO 8601); absent once apply has set the status, or has found the campaign running as declared. */
  paused?: string;
  last: LastApplied | null;
  /** `null` if anything was sent since the campaign last equalled the manifest. */
  seen: Seen | null;
  /** The last applies, oldest first. */
  applies?: CampaignApply[];
}

/** What one apply changed in a campaign. */
export interface CampaignApply {
  run: string;
  /** When the run began (ISO 8601). */
  at: string;
  who: string;
  /** The commit that was checked out, with `+` if the project's files differed from it; `null` if unknown. */
  commit: string | null;
  /** By field: `settings.max_emails_per_day`. */
  changes: { [field: string]: FieldHashes };
}

/**
 * Hashes of the values before and after; `null` if unknown. Both are `null` for a field that an apply found in sync after
 * another line of history had changed it.
 */
export interface FieldHashes {
  from: string | null;
  to: string | null;
}

/** `at`: when an apply first left the launch out (ISO 8601). `status`: the status at that time; `null` if unknown. */
export interface HeldLaunch {
  at: string;
  status: string | null;
}

/** `shown`: the value that the service showed instead. */
export interface NotKept {
  sent: Json;
  shown: Json;
}

export interface EmailCount {
  steps: number;
  variants: number;
}

/** Inputs of `--refresh changed`: two hashes, and the campaign's list row from before it was read. */
export interface Seen {
  manifest: string;
  environment: string;
  listed: Omit<ListedCampaign, 'id' | 'record'>;
}

/** `uptime`: milliseconds since boot, unaffected by clock changes. `boot`: `null` if unknown. */
export interface Moment {
  boot: string | null;
  uptime: number;
}

/** Sections that equalled the manifest when last read. They show which side has changed; no decision depends on them. */
export interface LastApplied extends SeenLast {
  /** @pattern ^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$ */
  at: string;
  spec: CampaignSpec;
}

export function seenLast({ last }: RecordedState): SeenLast | null {
  return last && { at: last.at, how: last.how };
}

/** @asType integer @minimum 1 */
type Id = number;

/** `refills`: absent if there are none. */
export interface LeadRefs {
  lists: Id[];
  ids: Id[];
  refills?: Refill[];
}

/** A list that is attached, or attached again, for this value of `refill`. */
export interface Refill {
  list: Id;
  refill: string;
}

export const NO_LEADS: LeadRefs = { lists: [], ids: [] };

export const UNKNOWN_STATE: RecordedState = {
  known: false,
  at_defaults: false,
  attached: { lists: [], ids: [] },
  doubtful: { lists: [], ids: [] },
  total_leads: null,
  attached_at: null,
  applied: {},
  sequence: null,
  schedule_seen: false,
  status: null,
  has_run: null,
  last: null,
  seen: null,
};

export const CREATED_STATE: RecordedState = {
  ...UNKNOWN_STATE,
  created: true,
  known: true,
  at_defaults: true,
  total_leads: 0,
  status: 'paused',
  has_run: false,
};

/**
 * The history of the checked-out commit. `ancestors`: the commits of earlier applies that it is known to include. `extent`:
 * `unknown` if git does not answer.
 */
export interface CheckoutHistory {
  ancestors: ReadonlySet<string>;
  extent: 'complete' | 'shallow' | 'unknown';
}

export interface StateEntry {
  id: Id;
  manifest: string;
  name: string;
  recorded: RecordedState;
}

/** An unreadable `last` is treated as unknown. `runs`: runs whose writes the entry includes, in the order of inclusion. */
export type StateFile = { version: 1; last?: Json; runs?: string[] } & Omit<StateEntry, 'recorded'> &
  Omit<RecordedState, 'last'>;

export interface SentStep {
  /** Time just before the request was sent (ISO 8601). */
  at: string;
  /** Minimum age of the request's last journal line, in milliseconds; 0 if unknown. */
  age: number;
  /** Milliseconds from that line until the effect is visible; `null` if there was no response. */
  visible_in: number | null;
  step: Step;
  /** `unknown`: the run ended before it recorded the outcome. */
  result: 'done' | 'failed' | 'in_doubt' | 'unknown';
  /** Number of leads before the request; `null` if not read or not shown. */
  total_leads: number | null;
}

/**
 * An earlier run's unreconciled requests for one campaign. `spec`: the manifest's fingerprint at that time. `listed_ids`:
 * if the run created campaigns, those that existed before it.
 */
export interface PendingOperations {
  run: string;
  at: string;
  who: string;
  /** Absent if unknown. */
  commit?: string;
  manifest: string;
  name: string;
  id: number | null;
  spec: string;
  changes: Change[];
  listed_ids?: number[];
  sent: SentStep[];
}

/** `specs`: fingerprints by manifest. `announced`: true if the plan is stored where other machines can read it. */
export interface RunStart extends RunHead {
  plan: Plan;
  specs: Record<string, string>;
  listed_ids?: number[];
  announced?: boolean;
}

/** Milliseconds within which a service should show the effect of a request. */
export const SHOWN_WITHIN = 60_000;

/** Who ran what, where and when. */
export interface RunAuthor {
  /** Unique within its environment; runs sort by time. */
  run: string;
  at: string;
  who: string;
  /** The command, such as `apply`; absent if unknown. */
  command?: string;
  /** The pipeline's commit or, outside a pipeline, the one that is checked out, with `+` if files differ; `null` if unknown. */
  commit: string | null;
  /** The commit that is checked out if the pipeline names another one. */
  checkout?: string;
  tool: string;
}

export interface RunHead extends RunAuthor {
  environment: string;
}

export interface RunStep {
  at: string;
  manifest: string;
  name: string;
  id: number | null;
  step: Step;
  result: StepResult | null;
  detail: string | null;
}

export interface Run extends RunHead {
  fingerprint: string;
  summary: Summary;
  ended: string | null;
  result: RunResult;
  /** `true` if the next apply must reconcile requests. */
  pending: boolean;
  steps: RunStep[];
}
