/** The unit of work. Each campaign of a plan appears once. */
import type { AnswerName, ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import type { LiveCampaign } from '../model/live.js';
import type { ByHandTask, CampaignPlan, PlanProblem } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import type { PendingOperations, StateEntry } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';

/** `removed` and `replaced` campaigns manage only `status: paused`. */
export interface CampaignWork {
  role: 'declared' | 'removed' | 'replaced';
  campaign: Campaign;
  /** `null` if apply is to create it. */
  id: number | null;
  listed: ListedCampaign | null;
  /** The entry for `id`; if that is `null`, the entry for the campaign to which the manifest was applied. */
  entry: StateEntry | null;
  /** Other live campaigns that the manifest may refer to. */
  candidates: ListedCampaign[];
  predecessor: Predecessor | null;
  /** An `error` stops planning. */
  problems: PlanProblem[];
  pending: PendingOperations[];
  /** True if another manifest of the project may describe the campaign. */
  outside: boolean;
  /** Responses to read; `null` if the campaign is not read. */
  reads: readonly AnswerName[] | null;
  /** `null` until the campaign exists and was looked for. */
  live: LiveCampaign | null;
}

export interface MatchContext {
  environment: Environment;
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
}

export interface Predecessor {
  id: number;
  name: string | null;
  listed: ListedCampaign | null;
  entry: StateEntry | null;
}

/** `isKnown`: the campaign is in the state, or the response to its creation request identifies it. */
export interface ReconciledWork extends CampaignWork {
  context: CampaignContext;
  isKnown: boolean;
}

/** `sections`: the live values that the plan depends on, by section. */
export interface PlannedWork extends ReconciledWork {
  sections: unknown;
  /** Idle campaigns that own leads that the steps would mail. */
  idleOwners: readonly IdleOwner[];
  byHand: ByHandTask[];
  /** The replaced campaign, which must not be sending when this one is created or launched. */
  waitsFor: PlannedWork | null;
  plan: CampaignPlan;
}

/** `status`: `null` if the service shows none. */
export interface IdleOwner {
  id: number;
  status: string | null;
}

export function isDeclared({ role }: Pick<CampaignWork, 'role'>): boolean {
  return role === 'declared';
}

export function hasStep({ plan }: Pick<PlannedWork, 'plan'>, id: string): boolean {
  return plan.steps.some((step) => step.id === id);
}

export function isReplacedBy(entry: StateEntry | null, successor: number | null): boolean {
  return successor !== null && entry?.recorded.superseded_by === successor;
}

/** The last campaign of a chain of replacements; `null` if this one was not replaced. */
export function lastSuccessor(id: number, entries: ReadonlyMap<number, StateEntry>): number | null {
  const passed = new Set<number>();
  let last = id;
  for (let next: number | undefined = id; next !== undefined && !passed.has(next); ) {
    passed.add(next);
    last = next;
    next = entries.get(next)?.recorded.superseded_by;
  }
  return last === id ? null : last;
}
