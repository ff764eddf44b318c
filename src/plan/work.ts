/** The unit of work. Each campaign of a plan appears once. */
import type { AnswerName, Answers, ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import type { ByHandTask, CampaignPlan, Problem, RemovedCampaign } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import type { PendingOperations, StateEntry } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';

/** `removed` and `replaced` campaigns manage only `status: paused`. */
export interface CampaignWork {
  role: 'declared' | RemovedCampaign['role'];
  campaign: Campaign;
  /** `null` if it is to be created. */
  id: number | null;
  listed: ListedCampaign | null;
  /** The entry of `id`. Without an id, the entry of the campaign to which the manifest was applied. */
  entry: StateEntry | null;
  /** Other live campaigns that the manifest may refer to. */
  candidates: ListedCampaign[];
  predecessor: Predecessor | null;
  /** An `error` stops planning. */
  problems: Problem[];
  pending: PendingOperations[];
  /** Another manifest of the project may describe it. */
  outside: boolean;
  /** Responses to read; `null` for none. */
  reads: readonly AnswerName[] | null;
  /** `null` until read. */
  answers: Answers | null;
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

/** `isKnown`: in the state, or identified by the response to our creation request. */
export interface ReconciledWork extends CampaignWork {
  context: CampaignContext;
  isKnown: boolean;
}

/** `live`: decoded values by section. */
export interface PlannedWork extends ReconciledWork {
  live: unknown;
  /** Ids of idle campaigns that own leads which the steps would mail. */
  idleOwners: readonly number[];
  byHand: ByHandTask[];
  /** The campaign it replaces, which must not send when this one is created or launched. */
  waitsFor: PlannedWork | null;
  plan: CampaignPlan;
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
