import type { ListedCampaign } from './answer.js';
import type { Json, JsonObject } from './json.js';
import type { Change, Plan, SeenLast, Step } from './outputs.js';
import type { RunHead } from './run.js';
import type { CampaignSpec } from './spec.js';

/**
 * What is remembered of one campaign because the service does not show it.
 *
 * `known`: what is attached is known, since campaignctl created the campaign or a user has accepted `repeat-attach`; false means
 * unknown, which is not the same as nothing. `at_defaults`: the run that created the campaign has not ended, so unsent settings
 * are the documented defaults. `applied`: by section, the last applied values that cannot be read back; of a pause, the word that the service showed for it, null
 * until it was looked at. `doubtful`: attachments
 * of unknown outcome. `status`: the last status set (`running`, `paused`), null if not known. `has_run`: it was launched
 * from here or seen running; false: made here and neither; null if not known. `superseded_by`: the campaign that has replaced it; it
 * is not to run again; left out: none. `last`: the campaign when it was last seen in sync
 * with its manifest, null if never. `seen`: what it was like when all of it was last read and equal to its manifest; null if anything
 * was sent to it, failed or is in doubt since then.
 */
export interface RecordedState {
  known: boolean;
  at_defaults: boolean;
  attached: LeadRefs;
  doubtful: LeadRefs;
  /** The number of leads that the service showed last and this state explains; `null` if it showed none. */
  total_leads: number | null;
  /** The last attachment to a campaign that may send; `null` if it is ten minutes old, or another boot counted the time. */
  attached_at: Moment | null;
  applied: JsonObject;
  /** Emails that the service accepted or showed; `null` if it did neither. */
  sequence: EmailCount | null;
  /** The service accepted or showed a schedule. */
  schedule_seen: boolean;
  status: string | null;
  has_run: boolean | null;
  superseded_by?: number;
  /** When `campaignctl pause` stopped it, in ISO 8601, UTC; left out: it did not, or apply has set its status since. */
  paused?: string;
  last: LastApplied | null;
  seen: Seen | null;
}

/** `variants`: those of all steps. */
export interface EmailCount {
  steps: number;
  variants: number;
}

/**
 * By what `--refresh changed` tells whether a campaign has to be read again: hashes of its resolved manifest and of its environment,
 * and its row of the list, which was read before the campaign was.
 */
export interface Seen {
  manifest: string;
  environment: string;
  listed: Omit<ListedCampaign, 'id'>;
}

/** A moment that no one can set: milliseconds of a boot, which is null if not known. */
export interface Moment {
  boot: string | null;
  uptime: number;
}

/** The sections of a spec that were last read back equal. It tells who has changed what since; nothing is decided by it. */
export interface LastApplied extends SeenLast {
  spec: CampaignSpec;
}

/** What plans and lists show of it. */
export function seenLast({ last }: RecordedState): SeenLast | null {
  return last && { at: last.at, how: last.how };
}

/** Lead lists and individual leads by id, sorted, each once. */
export interface LeadRefs {
  lists: number[];
  ids: number[];
}

export const NO_LEADS: LeadRefs = { lists: [], ids: [] };

/** Of a campaign that the state does not know. */
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

/** Of a campaign that was just created: nothing is attached, it does not send, and that is certain. */
export const CREATED_STATE: RecordedState = {
  ...UNKNOWN_STATE,
  known: true,
  at_defaults: true,
  total_leads: 0,
  status: 'paused',
  has_run: false,
};

/** What the state keeps of one live campaign: its manifest, its name, and what the service does not show. */
export interface StateEntry {
  id: number;
  manifest: string;
  name: string;
  recorded: RecordedState;
}

/**
 * A state entry as its file holds it. A `last` that cannot be read counts as unknown: nothing is decided by it. `runs`: the runs whose
 * writes it includes, as far as their journals were there when it was saved.
 */
export type StateFile = { version: 1; last?: Json; runs?: string[] } & Omit<StateEntry, 'recorded'> &
  Omit<RecordedState, AddedLater | 'last'> &
  Partial<Pick<RecordedState, AddedLater>>;
type AddedLater = 'total_leads' | 'attached_at' | 'sequence' | 'schedule_seen' | 'has_run' | 'seen';

/** One write that an earlier run sent, or was about to send, as its journal tells it. */
export interface SentStep {
  /** When it was about to be sent; in ISO 8601, UTC. */
  at: string;
  /** Milliseconds that have passed for certain since the last line about it; 0 where only clocks that can be set tell. */
  age: number;
  /** Milliseconds from that line on until the service shows its effect, if it has one; null while nothing was noted of its answer. */
  visible_in: number | null;
  step: Step;
  /** `unknown`: the run ended before it noted what became of it. */
  result: 'done' | 'failed' | 'in_doubt' | 'unknown';
  /** `total_leads` as the service showed it before; null if it was not read or not shown. */
  total_leads: number | null;
}

/**
 * What an earlier run sent for one campaign and left unreconciled: the next run reconciles it by reading the service. `at` in
 * ISO 8601, UTC. `id` is null while it is not known whether the campaign was created. `spec` is the fingerprint of what the
 * manifest said then, `changes` what the plan showed.
 */
export interface PendingOperations {
  run: string;
  at: string;
  who: string;
  manifest: string;
  name: string;
  id: number | null;
  spec: string;
  changes: Change[];
  sent: SentStep[];
}

/**
 * What a journal begins with: the run, its plan, and the fingerprint of each manifest by `manifest`. `announced`: the plan is kept
 * where other machines see it before anything is sent.
 */
export interface RunStart extends RunHead {
  plan: Plan;
  specs: Record<string, string>;
  announced?: boolean;
}

/** Milliseconds after which a request shows its effect, or has none. */
export const VISIBLE = 60_000;
