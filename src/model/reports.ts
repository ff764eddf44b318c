import type { Json, JsonObject } from './json.js';
import type {
  ByHandTask,
  CampaignPlan,
  Cap,
  Change,
  Fingerprint,
  Integer,
  LocatedFinding,
  Problem,
  SectionName,
  SeenLast,
  ServiceHead,
  Volume,
} from './outputs.js';
import { STAGES, type Stage } from './sections.js';

/** The output of `validate --format json`. */
export interface Findings {
  version: 1;
  summary: {
    manifests: Integer;
    errors: Integer;
    warnings: Integer;
  };
  findings: LocatedFinding[];
}

/** The output of a failed command with --format json. */
export interface FailureReport {
  version: 1;
  exit_code: Integer;
  error: CommandError;
}

export interface CommandError extends Pick<Problem, 'code' | 'message' | 'hint'> {
  details: string[];
  others: Problem[];
  findings: LocatedFinding[];
}

/** The output of a command with --recursive --format json. */
export interface ProjectsReport {
  version: 1;
  /** The worst exit code of all projects. */
  exit_code: Integer;
  projects: ProjectReport[];
  /** In plan and list, if a project keeps its state on a branch. Otherwise absent. */
  lost?: LostProjects;
}

/** Projects that are no longer in the checkout, but whose campaigns may still send, as their state branches show. */
export interface LostProjects {
  projects: LostProject[];
  /** Why there may be more of them: remotes that could not be read. */
  unread: string[];
}

export interface LostProject {
  /** Folder relative to the working directory. */
  project: string;
  environment: string;
  base_url: string;
  /** Project file, relative to the git repository. */
  file: string;
  remote: string;
  /** Branch of the state. */
  branch: string;
  /** Commit that removed the project file; null if unknown. */
  removed_in: string | null;
  /** Those that may still send; null if the state is damaged. */
  campaigns: LostCampaign[] | null;
}

export interface LostCampaign {
  id: Integer | null;
  name: string;
  /** True if the state last knew it as running; false if it is not known whether it runs. */
  running: boolean;
}

export interface ProjectReport {
  /** Folder relative to the working directory. */
  project: string;
  /** null if the command covers all environments, or if unknown. */
  environment: string | null;
  exit_code: Integer;
  /** null if the command failed. */
  result: JsonObject | null;
  error: CommandError | null;
}

/** The output of `history --format json`. */
export interface History {
  version: 1;
  environment: string;
  /** Newest first. */
  runs: HistoryRun[];
}

export interface HistoryRun {
  run: string;
  /** Such as apply, pause, forget, import; null if unknown. */
  command: string | null;
  at: string;
  ended: string | null;
  who: string;
  /**
   * The commit for which the pipeline ran or, outside a pipeline, the one that was checked out, with "+" if files of the
   * project differed from it; null if unknown.
   */
  commit: string | null;
  /** The commit that was checked out, if the pipeline ran for a different one. */
  checkout?: string;
  tool: string;
  result: RunResult;
  /** True if the next apply must find out whether requests took effect. */
  pending: boolean;
  fingerprint: string;
  requests: HistoryRequest[];
}

/** died: the journal does not record an end. */
export type RunResult = 'done' | 'incomplete' | 'interrupted' | 'died';

export interface HistoryRequest {
  at: string;
  manifest: string;
  name: string;
  id: Integer | null;
  title: string;
  method: 'POST' | 'PATCH';
  path: string;
  /** null if the outcome was not recorded. */
  result: StepResult | null;
  detail: string | null;
}

/** The output of `list --format json`. */
export interface Inventory {
  version: 1;
  environment: string;
  /** Base URL of the service; `sandbox` for the sandbox. */
  base_url: string;
  /** True if the token is sent over plain http to another machine. Otherwise absent. */
  insecure_http?: boolean;
  summary: InventorySummary;
  totals: Results;
  volume: Volume;
  problems: Problem[];
  campaigns: InventoryEntry[];
}

export interface InventoryEntry {
  status: InventoryStatus;
  name: string;
  id: Integer | null;
  /** As the service's list shows it or, if that shows none, as campaignctl last set it; null if it is unknown. */
  live_status: string | null;
  /** Source of live_status. */
  status_basis: 'shown' | 'set' | 'unknown';
  manifest: string | null;
  last: SeenLast | null;
  results: Results;
  cap: Cap;
  problems: Problem[];
}

/** A campaign's results in the service's list; null if not shown. */
export interface Results {
  sent: Integer | null;
  replies: Integer | null;
  bounced: Integer | null;
  leads: Integer | null;
  leads_contacted: Integer | null;
}

/** Statuses in `list`, most urgent first. */
export const INVENTORY_STATUSES = [
  'unclear',
  'missing',
  'gone',
  'removed',
  'outside',
  'superseded',
  'new',
  'unmanaged',
  'managed',
] as const;

/**
 * unclear: several candidates; missing: not in the service; gone: archived or deleted; removed: its manifest was removed;
 * outside: its manifest belongs to a different environment; superseded: replaced by a different campaign; new: a manifest
 * without a campaign; unmanaged: a campaign with neither a manifest nor a state entry.
 */
export type InventoryStatus = (typeof INVENTORY_STATUSES)[number];

/** Number of entries by status; `live` counts the campaigns in the service's list. */
export type InventorySummary = { live: Integer } & Record<InventoryStatus, Integer>;

/** The output of `apply --format json`. */
export interface ApplyResult {
  version: 1;
  environment: string;
  /** Base URL of the service; `sandbox` for the sandbox. */
  base_url: string;
  fingerprint: Fingerprint;
  /** Name of the run in `history`; null if nothing was sent. */
  run: string | null;
  /** incomplete if the service and the manifests still differ. */
  result: 'done' | 'incomplete';
  summary: ApplySummary;
  by_hand: ByHandTask[];
  /** Campaigns that had requests or have remaining changes. Those that wait for the pause of a predecessor follow it. */
  campaigns: CampaignOutcome[];
  problems: Problem[];
}

export interface ApplySummary {
  campaigns: Integer;
  /** Campaigns that were already in sync. */
  unchanged: Integer;
  not_read: Integer;
  /** Campaigns brought into sync, as confirmed by the read-back. */
  done: Integer;
  /** Those of `done` that were created. */
  created: Integer;
  /** Those of `done` that have a manifest and existed before. */
  changed: Integer;
  incomplete: Integer;
  blocked: Integer;
  /** Campaigns whose launch the service accepted for the first time. */
  launched: Integer;
  resumed: Integer;
  /** Campaigns whose pause the read-back confirmed. */
  paused: Integer;
  /** Launches that --hold left out. */
  held: Integer;
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
  /** Empty for the read-back, because it reads several paths. */
  path: string;
  result: StepResult;
  /** Reason for the failure or uncertainty. */
  detail: string | null;
}

/** The stage with which the id of a step begins; `null` for the read-back. */
export function stageOf({ id }: Pick<StepOutcome, 'id'>): Stage | null {
  return STAGES.find((stage) => id === stage || id.startsWith(`${stage}/`)) ?? null;
}

/**
 * in_doubt: sent, but neither the response nor the read-back showed an effect; not_run: not sent, because an earlier step
 * failed or the run was interrupted.
 */
export type StepResult = 'done' | 'failed' | 'in_doubt' | 'not_run';

export type ApplyEvent =
  | { type: 'step-started'; campaign: string; step: string; title: string }
  | { type: 'step-ended'; campaign: string; step: string; title: string; result: StepResult }
  | { type: 'trouble'; message: string };

export const IMPORT_STATUSES = ['running', 'stopped', 'finished'] as const;

export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/**
 * A comment in an imported manifest. `key`: a manifest key. `leads`: the number of leads, if it concerns them. `step`: index
 * of the step above which it stands, if it concerns one.
 */
export interface ImportRemark {
  key: string;
  kind: 'left_out' | 'note';
  text: string;
  leads: number | null;
  step?: number;
}

export interface SkippedCampaign {
  id: number;
  name: string;
  reason: string;
}

export interface AddedVariables {
  names: string[];
  /** `null` if there are none, or if a person has to add them. */
  file: string | null;
  /** The path of the list in the project file. `null` if there are none to add. */
  key: string | null;
  /** The extended file whose list was copied, because a list of the project file replaces it. */
  copied_from: string | null;
}

export interface ImportResult extends ServiceHead {
  environment: string;
  campaigns: { id: number; name: string; manifest: string; remarks: ImportRemark[] }[];
  /** Those of the emails that `custom_variables` of the environment lacked. */
  variables: AddedVariables;
  skipped: SkippedCampaign[];
}

interface ManifestPosition {
  section: SectionName;
  /** Path within the section: `steps[0].email_body`; empty for the whole section. */
  path: string;
  file: string;
  line: number;
}

export interface CampaignUpdate {
  manifest: string;
  name: string;
  id: number | null;
  updated: (ManifestPosition & { from: Json; to: Json })[];
  /** Differences that a person must resolve in the manifest. `text`: the text to write; `null` if there is none. */
  by_hand: (ManifestPosition & { reason: string; text: string | null })[];
  local_changes: ManifestPosition[];
  in_sync: boolean;
}

/** `files`: changed files. */
export interface UpdateResult {
  environment: string;
  files: string[];
  campaigns: CampaignUpdate[];
  /** Those of the updated manifests that `custom_variables` of the environment lacked. */
  variables: AddedVariables;
}

export const PAUSE_STEP = 'pause/command';

/** A live campaign that is or may be sending. `declares`: `null` without a manifest, or if it could not be read. */
export interface RunningCampaign {
  id: number;
  name: string;
  /** The status as the service spells it; `null` if not shown. */
  status: string | null;
  manifest: string | null;
  declares: DeclaredStatus | null;
}

/** `status` in a manifest; `none` if it has no such key. */
export type DeclaredStatus = 'running' | 'paused' | 'none';

/** `apply`: holder of the apply in progress, if any. */
export interface PausePlan extends ServiceHead {
  environment: string;
  targets: RunningCampaign[];
  /** Campaigns that were not selected and are or, if their status is `null`, may be sending. */
  others: RunningCampaign[];
  apply: string | null;
  /** Why the list may lack campaigns that are sending. */
  doubts: string[];
  /** Why it is not known which campaigns belong to the project. */
  unread: string[];
  /** Words that select no campaign. */
  unmatched: string[];
  /** Number of selected campaigns that are not sending. */
  idle: number;
}

/**
 * `paused`: the service shows the pause, or shows no status but accepted the pause; `detail` says which. `unknown`: nothing
 * shows whether the campaign has stopped. `not_sent`: no pause was sent, for example after an interrupt.
 */
export interface PauseOutcome extends RunningCampaign {
  result: 'paused' | 'refused' | 'running' | 'unknown' | 'not_sent';
  detail: string | null;
}

/** `note`: why the state does not record the pauses. `apply`: holder of the apply in progress, if any. */
export interface PauseResult extends Pick<PausePlan, 'doubts' | 'unread' | 'unmatched' | 'idle'> {
  environment: string;
  outcomes: PauseOutcome[];
  note: string | null;
  apply: string | null;
}

/** The output of `compare --format json`. */
export interface Comparison {
  version: 1;
  /** The environments, in the order of the command line. */
  from: string;
  to: string;
  /** Number of campaigns with each status. */
  summary: Record<ComparedStatus, Integer>;
  /** Those that differ first. */
  campaigns: CampaignComparison[];
}

/** In display order. only_from, only_to: the campaign is in only one environment. */
export type ComparedStatus = 'differs' | 'only_from' | 'only_to' | 'same';

export interface CampaignComparison {
  /** File path relative to the project, as in a plan. */
  manifest: string;
  /** Its name in `from`, if it is in both. */
  name: string;
  status: ComparedStatus;
  /** Lists and templates have the names that the project file gives them, because ids differ between workspaces. */
  changes: Change[];
}

/** The output of `preview --leads FILE --format json`. Rows count from 1, as in a spreadsheet; the header is usually row 1. */
export interface LeadReport {
  version: 1;
  /** null for several environments. */
  environment: string | null;
  /** The CSV file, as written on the command line. */
  file: string;
  /** Number of leads: rows below the header that are not empty. */
  rows: Integer;
  /** Columns whose values no email uses. */
  unused_columns: string[];
  campaigns: CampaignLeads[];
}

export interface CampaignLeads {
  name: string;
  /** The manifest or, if the campaign was read from the service, its id. */
  place: string;
  /** Leads that lack a value of at least one variable. */
  rows_without: Integer;
  variables: LeadVariable[];
}

export interface LeadVariable {
  name: string;
  /** The header of the matching column; null if there is none. */
  column: string | null;
  /** True if no column matches and services fill the variable from the mailbox that sends. Otherwise absent. */
  from_sender?: true;
  rows_without: Integer;
  /** The first ten of them. */
  first_rows: Integer[];
}
