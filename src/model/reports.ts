import type { JsonObject } from './json.js';
import type { Cap, Integer, Problem, SeenLast, Volume } from './plan.js';

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

/** A problem of a source file with its position. */
export interface LocatedFinding extends Pick<Problem, 'code' | 'severity' | 'message' | 'hint'> {
  file: string;
  line: Integer;
  /** In UTF-16 units. */
  column: Integer;
  /** Length of the marked text. */
  length: Integer;
  excerpt: string;
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
}

export interface ProjectReport {
  /** Folder relative to the working directory. */
  project: string;
  /** null for all environments, or if unknown. */
  environment: string | null;
  exit_code: Integer;
  /** null if it failed. */
  result: JsonObject | null;
  error: CommandError | null;
}

/** The output of `list --format json`. */
export interface Inventory {
  version: 1;
  environment: string;
  /** Base URL of the service; `sandbox` for the sandbox. */
  base_url: string;
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
  /** null if there is none, or it is not shown. */
  live_status: string | null;
  manifest: string | null;
  last: SeenLast | null;
  results: Results;
  cap: Cap;
  problems: Problem[];
}

/** Results of a campaign from the service's list; null if not shown. */
export interface Results {
  sent: Integer | null;
  replies: Integer | null;
  bounced: Integer | null;
  leads: Integer | null;
  leads_contacted: Integer | null;
}

/** Statuses of `list`, the most urgent first. */
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
 * unclear: several candidates; missing: not in the service; gone: archived or deleted; removed: without its former
 * manifest; outside: its manifest belongs to another environment; superseded: replaced by a different campaign; new: a
 * manifest without a campaign; unmanaged: a campaign without a manifest; scratch: created by a probe.
 */
export type InventoryStatus = (typeof INVENTORY_STATUSES)[number];

/** Number of entries by status; `live`: campaigns in the service's list. */
export type InventorySummary = { live: Integer } & Record<InventoryStatus, Integer>;
