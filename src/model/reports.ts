import type { JsonObject } from './json.js';
import type { Cap, Integer, Problem, SeenLast, Volume } from './plan.js';

/** The output of `validate --format json`. */
export interface Findings {
  version: 1;
  summary: {
    /** Manifests that were checked. */
    manifests: Integer;
    /** Findings that stop plan and apply. */
    errors: Integer;
    /** Findings that stop nothing. */
    warnings: Integer;
  };
  /** By file and line. */
  findings: LocatedFinding[];
}

/** A problem of a source file with its position. */
export interface LocatedFinding extends Pick<Problem, 'code' | 'severity' | 'message' | 'hint'> {
  /** Path relative to the project. */
  file: string;
  /** From 1. */
  line: Integer;
  /** From 1, in UTF-16 units. */
  column: Integer;
  /** Length of the marked part of the line. */
  length: Integer;
  /** The whole line. */
  excerpt: string;
}

/** The output of a failed command with --format json. */
export interface FailureReport {
  version: 1;
  exit_code: Integer;
  error: CommandError;
}

/** Why a command failed. */
export interface CommandError extends Pick<Problem, 'code' | 'message' | 'hint'> {
  details: string[];
  /** Further problems that stop the command as well. */
  others: Problem[];
  /** Problems of files of the project. */
  findings: LocatedFinding[];
}

/** The output of a command with --recursive --format json. */
export interface ProjectsReport {
  version: 1;
  /** Exit code of the command: the worst of all projects. */
  exit_code: Integer;
  /** By folder. */
  projects: ProjectReport[];
}

/** The result of a command for one project and environment. */
export interface ProjectReport {
  /** Folder, relative to the working directory. */
  project: string;
  /** null: all environments, or unknown. */
  environment: string | null;
  /** Exit code for this project alone. */
  exit_code: Integer;
  /** Output for this project alone; null if it failed. */
  result: JsonObject | null;
  /** null if it did not fail. */
  error: CommandError | null;
}

/** The output of `list --format json`. */
export interface Inventory {
  version: 1;
  environment: string;
  /** Base URL of the service; `sandbox` for the sandbox. */
  base_url: string;
  summary: InventorySummary;
  /** The sum of each number, if every campaign shows it. */
  totals: Results;
  volume: Volume;
  /** Problems of the workspace as a whole. */
  problems: Problem[];
  /** Campaigns that need attention first, then by name. */
  campaigns: InventoryEntry[];
}

/** A live campaign, or a manifest without one. */
export interface InventoryEntry {
  status: InventoryStatus;
  /** The name in the service; for a manifest without a campaign, the name in the manifest. */
  name: string;
  /** Id of the live campaign; null if there is none. */
  id: Integer | null;
  /** The word of the service; null if there is none or the list does not show it. */
  live_status: string | null;
  /** The manifest, relative to the project. */
  manifest: string | null;
  /** null: never. */
  last: SeenLast | null;
  results: Results;
  cap: Cap;
  /** Why it is unclear or missing, and policies on results that it breaks. */
  problems: Problem[];
}

/** Results of a campaign, as the service's list shows them; null: not shown. */
export interface Results {
  /** Emails sent. */
  sent: Integer | null;
  /** Leads that replied. */
  replies: Integer | null;
  /** Emails that bounced. */
  bounced: Integer | null;
  /** Leads of the campaign. */
  leads: Integer | null;
  /** Leads that got an email. */
  leads_contacted: Integer | null;
}

/** The statuses of `list`, those that need attention first. */
export const INVENTORY_STATUSES = [
  'unclear',
  'missing',
  'gone',
  'removed',
  'outside',
  'superseded',
  'new',
  'unmanaged',
  'scratch',
  'managed',
] as const;

/**
 * How a live campaign and the manifests relate. unclear: several candidates; missing: applied before or pinned, and not in the
 * service; gone: archived or deleted; removed: applied before, and its manifest was removed; outside: applied before, and its manifest does
 * not belong to the environment; superseded: another campaign has replaced it; new: a manifest without a campaign; unmanaged: a
 * campaign without a manifest; scratch: created by a probe.
 */
export type InventoryStatus = (typeof INVENTORY_STATUSES)[number];

/** Counts of entries by status; `live`: campaigns in the list of the service. */
export type InventorySummary = { live: Integer } & Record<InventoryStatus, Integer>;
