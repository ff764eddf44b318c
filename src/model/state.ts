import type { JsonObject } from './json.js';
import type { Change, Plan, RunHead, SeenLast, Step } from './outputs.js';
import type { CampaignSpec } from './spec.js';

/**
 * What is remembered of one campaign because the service does not show it.
 *
 * `known`: what was attached is known, because the campaign was made by this tool or because somebody has accepted
 * `repeat-attach` since; when false it is unknown, which is not the same as nothing.
 * `at_defaults`: the run that made the campaign has not come to its end, so unsent settings are the documented defaults.
 * `applied`: by section, the last applied values that cannot be read back. `doubtful`: attachments whose outcome is
 * unknown, `total_before` the number of leads that the service showed before the first of them, where it did.
 * `status`: the last status set (`running`, `paused`), null where that is not known. `last`: what the campaign was when this
 * tool last saw it as the manifest said, null where it never did.
 */
export interface RecordedState {
  known: boolean;
  at_defaults: boolean;
  attached: LeadRefs;
  doubtful: LeadRefs;
  total_before: number | null;
  applied: JsonObject;
  status: string | null;
  last: LastApplied | null;
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

/** The recorded of a campaign nothing was ever recorded of. */
export const UNKNOWN_STATE: RecordedState = {
  known: false,
  at_defaults: false,
  attached: { lists: [], ids: [] },
  doubtful: { lists: [], ids: [] },
  total_before: null,
  applied: {},
  status: null,
  last: null,
};

/** The recorded of a campaign that was just created: nothing is attached, it does not send, and that is certain. */
export const CREATED_STATE: RecordedState = {
  ...UNKNOWN_STATE,
  known: true,
  at_defaults: true,
  status: 'paused',
};

/** What the state keeps of one live campaign: which manifest it belongs to, under which name, and its recorded. */
export interface StateEntry {
  id: number;
  manifest: string;
  name: string;
  recorded: RecordedState;
}

/** One write that an earlier run sent, or was about to send, as its journal tells it. */
export interface SentStep {
  /** When it was about to be sent; in ISO 8601, UTC. */
  at: string;
  /** By when the service shows its effect, if it has one; null while nothing was noted of its answer. */
  visible: string | null;
  step: Step;
  /** `unknown`: the run ended before it noted what became of it. */
  result: 'done' | 'failed' | 'in_doubt' | 'unknown';
  /** `total_leads` as the service showed it before; null where it was not read or not shown. */
  total_leads: number | null;
}

/**
 * What an earlier run sent for one campaign and did not bring to an end: the next run settles it by reading the
 * service. `at` in ISO 8601, UTC. `id` is null while it is not known whether the campaign was made. `spec` is the
 * fingerprint of what the manifest said then, `changes` what the plan showed.
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

/** What a journal begins with: the run, its plan, and the fingerprint of each manifest by `manifest`. */
export interface RunStart extends RunHead {
  plan: Plan;
  specs: Record<string, string>;
}
