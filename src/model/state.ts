import type { ListedCampaign } from './answer.js';
import type { Json, JsonObject } from './json.js';
import type { Change, Plan, SeenLast, Step, Summary } from './outputs.js';
import type { StepResult } from './reports.js';
import type { CampaignSpec } from './spec.js';

/** Facts about a campaign that the service does not show. */
export interface RecordedState {
  /** False if leads unknown to the state may be attached. */
  known: boolean;
  /** The run that created the campaign has not ended: unsent settings have the documented defaults. */
  at_defaults: boolean;
  attached: LeadRefs;
  doubtful: LeadRefs;
  /** The last shown number of leads that this state explains; `null` if none was shown. */
  total_leads: number | null;
  /** The last attachment to a campaign that may send; `null` after ten minutes or a reboot. */
  attached_at: Moment | null;
  /** Applied values that cannot be read back, by section. `status`: the status shown after a pause; `null` until read. */
  applied: JsonObject;
  /** `null` if the service never accepted or showed emails. */
  sequence: EmailCount | null;
  /** The service accepted or showed a schedule. */
  schedule_seen: boolean;
  /** The last status set (`running`, `paused`); `null` if unknown. */
  status: string | null;
  /** Launched from here or seen running; `null` if unknown. */
  has_run: boolean | null;
  /** Its successor; this campaign must not run again. */
  superseded_by?: Id;
  /** Time of `campaignctl pause` (ISO 8601); absent after apply sets the status. */
  paused?: string;
  last: LastApplied | null;
  /** `null` if anything was sent since the last reading that equalled the manifest. */
  seen: Seen | null;
}

export interface EmailCount {
  steps: number;
  variants: number;
}

/** Inputs of `--refresh changed`: two hashes, and the list's row from before the campaign was read. */
export interface Seen {
  manifest: string;
  environment: string;
  listed: Omit<ListedCampaign, 'id'>;
}

/** Milliseconds since boot, unaffected by clock changes. `boot`: `null` if unknown. */
export interface Moment {
  boot: string | null;
  uptime: number;
}

/** Sections that equalled the manifest when last read. Shows which side changed; no decision depends on it. */
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

export interface LeadRefs {
  lists: Id[];
  ids: Id[];
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
  known: true,
  at_defaults: true,
  total_leads: 0,
  status: 'paused',
  has_run: false,
};

export interface StateEntry {
  id: Id;
  manifest: string;
  name: string;
  recorded: RecordedState;
}

/** An unreadable `last` counts as unknown. `runs`: runs whose writes the entry includes. */
export type StateFile = { version: 1; last?: Json; runs?: string[] } & Omit<StateEntry, 'recorded'> &
  Omit<RecordedState, 'last'>;

export interface SentStep {
  /** Time right before sending, ISO 8601. */
  at: string;
  /** Minimum milliseconds since its last line; 0 if only adjustable clocks are available. */
  age: number;
  /** Milliseconds from that line until its effect shows; `null` if there was no response. */
  visible_in: number | null;
  step: Step;
  /** `unknown`: the run ended before the outcome. */
  result: 'done' | 'failed' | 'in_doubt' | 'unknown';
  /** Number of leads before the request; `null` if not read or not shown. */
  total_leads: number | null;
}

/**
 * Unreconciled requests of an earlier run for one campaign. `spec`: the manifest's fingerprint at that time.
 * `listed_ids`: campaigns that existed before a run that created campaigns.
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
  listed_ids?: number[];
  sent: SentStep[];
}

/** `specs`: fingerprints by manifest. `announced`: the plan is stored where other machines can read it. */
export interface RunStart extends RunHead {
  plan: Plan;
  specs: Record<string, string>;
  listed_ids?: number[];
  announced?: boolean;
}

/** Milliseconds after which a request without visible effect has none. */
export const SHOWN_WITHIN = 60_000;

export interface RunHead {
  /** Unique in its environment; sorts by time. */
  run: string;
  environment: string;
  at: string;
  who: string;
  /** Commit from the pipeline; `null` outside a pipeline. */
  commit: string | null;
  tool: string;
}

/** `died`: the journal has no end. */
export type RunResult = 'done' | 'incomplete' | 'interrupted' | 'died';

export interface RunStep {
  at: string;
  manifest: string;
  name: string;
  id: number | null;
  step: Step;
  /** `null` if the journal records none. */
  result: StepResult | null;
  detail: string | null;
}

export interface Run extends RunHead {
  fingerprint: string;
  summary: Summary;
  /** `null` if it did not end. */
  ended: string | null;
  result: RunResult;
  /** `true` if the next apply must reconcile requests. */
  pending: boolean;
  steps: RunStep[];
}

/** The manifest name in a probe's journal. */
export const PROBE = 'campaignctl probe';

const NAME = /^campaignctl probe \d{4}-\d\d-\d\d [0-9a-f]{8}$/;

/** `random`: eight hexadecimal digits. */
export function scratchName(now: number, random: string): string {
  return `${PROBE} ${new Date(now).toISOString().slice(0, 10)} ${random}`;
}

export function isScratch(name: string): boolean {
  return NAME.test(name);
}

/** Requests that a probe left open. No apply continues them. */
export function isOfProbe({ manifest, name }: Pick<PendingOperations, 'manifest' | 'name'>): boolean {
  return manifest === PROBE && isScratch(name);
}
