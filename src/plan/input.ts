/** The inputs of a plan: three values, complete at the border, so that nothing behind it has a default. */
import type { ListedCampaign } from '../model/answer.js';

import type { Approval } from '../model/approvals.js';
import type { Environment } from '../model/environment.js';
import type { Hold } from '../model/hold.js';
import type { PlanProblem, RefreshMode } from '../model/outputs.js';
import type { Campaign, Described } from '../model/spec.js';
import type { PendingOperations, StateEntry } from '../model/state.js';

/** By file, the campaigns that manifests of other environments describe; `null` if the file cannot be read. */
export type OutsideFiles = ReadonlyMap<string, readonly Described[] | null>;

export interface PlanWorkspace {
  environment: Environment;
  /** Those of all manifests. */
  campaigns: readonly Campaign[];
  /** Those of the selected files. */
  selected: readonly Campaign[];
  outside: OutsideFiles;
  /** Warnings about the project, for a plan of all its campaigns. */
  warnings: readonly PlanProblem[];
}

/** `certain`: false if this machine cannot tell whether it is still running. */
export interface OtherApply {
  holder: string;
  certain: boolean;
}

/**
 * `folder`: the state's path. `pipeline`: the job discards it; `variable` shows that it is one. `tracked`: git tracks its
 * files. `unknown`: it is in a git repository, but git cannot say whether it tracks them.
 */
export type UnkeptState = { folder: string } & (
  | { reason: 'pipeline'; variable: string }
  | { reason: 'tracked' }
  | { reason: 'unknown'; repository: string; why: string }
);

/** Facts that the state knows. */
export interface KnownState {
  entries: readonly StateEntry[];
  pending: readonly PendingOperations[];
  /** An apply at work; `null` if there is none. */
  other: OtherApply | null;
  /** `null` if later runs will find this run's state. */
  unkept: UnkeptState | null;
}

export interface Selection {
  /** File paths relative to the project. */
  files: string[];
  /** Names of campaigns. */
  target: string[];
  /** The names and patterns that select them, as they were given; absent if none. */
  patterns?: string[];
  hold: Hold[];
}

export interface PlanRequest {
  selection: Selection;
  /** `changed`: skips campaigns for which nothing indicates a change. */
  mode: RefreshMode;
  /** Manifests whose campaigns must be read. */
  again: ReadonlySet<string>;
  /** True if nothing can be applied: a renamed campaign is then compared with the manifest that was applied to it. */
  drift: boolean;
  approvals: readonly Approval[];
  /** The program's version. */
  tool: string;
  /** Milliseconds since 1970. */
  now: number;
}

export const ALL: Selection = { files: [], target: [], hold: [] };

/** The campaigns of an environment, as the list and the state show them. */
export interface MatchContext {
  environment: Environment;
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
}
