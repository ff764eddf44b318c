/** Unknown fields are allowed, because a later version may have written them. `npm run generate` creates the validators. */
import type { Integer, Plan, Step, Summary } from '../model/outputs.js';
import type { RunResult, StepResult } from '../model/reports.js';
import type { LastApplied, Moment, Run, RunHead, StateFile } from '../model/state.js';

export type { LastApplied, StateFile };

/** `state.json`: the service and the project that a state belongs to. */
export interface StateOwner {
  version: 1;
  base_url: string;
  /** The project's id; `null` if it had none. */
  project: string | null;
  /** The project file: its path in the git repository or, outside of one and for a sandbox, its name. @minLength 1 */
  file: string;
}

/** The newest archived run that wrote to each campaign, by id. Entries that include it include all archived runs. */
export interface MarksFile {
  version: 1;
  marks: { [id: string]: string };
}

/** One line of the history. */
export interface ArchivedRun extends Run {
  version: 1;
}

/** @discriminator type */
export type JournalLine = RunLine | PlanLine | IntentLine | OutcomeLine | ReconciledLine | EndLine;

interface RunLine extends RunHead {
  type: 'run';
  version: 1;
  fingerprint: string;
  summary: Summary;
  /** True if the plan was pushed before anything was sent. */
  announced?: boolean;
}

interface PlanLine {
  type: 'plan';
  plan: Plan;
  specs: { [manifest: string]: string };
  /** Ids in the campaign list before the run; present only if the run creates campaigns. */
  listed_ids?: Integer[];
}

interface CampaignLine extends Partial<Moment> {
  at: string;
  manifest: string;
  name: string;
  /** `null` if unknown. */
  id: Integer | null;
}

interface IntentLine extends CampaignLine {
  type: 'intent';
  step: Step;
  total_leads: number | null;
}

interface OutcomeLine extends CampaignLine {
  type: 'outcome';
  step: string;
  result: StepResult;
  detail: string | null;
  /** Milliseconds until the effect must be visible; `null` if none will be visible. */
  visible_in?: number | null;
}

interface ReconciledLine {
  type: 'reconciled';
  manifest: string;
  name: string;
}

interface EndLine {
  type: 'end';
  at: string;
  result: Exclude<RunResult, 'died'>;
}

export interface BranchHead {
  version: 1;
  project: string;
  environment: string;
  /** Id of the parent commit; `null` if there is none. */
  parent: string | null;
  holder: LockHolder | null;
  /** Seconds after which an unrenewed lease expires; 0 if there is no lease. @minimum 0 */
  lease: Integer;
}

export interface LockHolder {
  /** @pattern ^[0-9a-f-]{36}$ */
  id: string;
  who: string;
  host: string;
  /** @minimum 1 */
  pid: Integer;
  /** Boot and PID namespace in which `pid` is unique; `null` if unknown. */
  space: string | null;
  /** Start of the process in clock ticks since boot, which differs if `pid` is used again; `null` if unknown. */
  started?: Integer | null;
  /** ISO 8601, UTC. */
  at: string;
}
