/** The unit of work: each campaign of a plan appears once, whether declared, removed or replaced. */
import type { AnswerName, Answers } from '../model/answer.js';
import type { ByHandTask, CampaignPlan, RemovedCampaign } from '../model/outputs.js';
import type { PendingOperations } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';
import type { Match } from './match.js';

/** A campaign as it was matched. `removed` and `replaced` campaigns have no manifest here: only `status: paused` is managed. */
export interface CampaignWork extends Match {
  role: 'declared' | RemovedCampaign['role'];
  /** What earlier runs left unreconciled, oldest first. */
  pending: PendingOperations[];
  /** Another manifest of the project describes it, or may. */
  outside: boolean;
  /** The answers to read; `null` if it does not exist or is left unread. */
  reads: readonly AnswerName[] | null;
  /** `null` until they are read. */
  answers: Answers | null;
}

/** With what earlier runs left of it. `isKnown`: the state has its entry, or the answer to our own create named it. `isMoved`: its entry names another file. */
export interface ReconciledWork extends CampaignWork {
  context: CampaignContext;
  isKnown: boolean;
  isMoved: boolean;
}

/** A campaign's part of the plan and what it was made from. `live` is what its sections saw. */
export interface PlannedWork extends ReconciledWork {
  live: unknown;
  /** Ids of campaigns with leads that its steps would have mailed, which have never run, and are not launched by the same plan. */
  resting: readonly number[];
  byHand: ByHandTask[];
  /** The campaign that it replaces, which must not send when this one is created or launched. */
  waitsFor: PlannedWork | null;
  plan: CampaignPlan;
}

export function isDeclared({ role }: Pick<CampaignWork, 'role'>): boolean {
  return role === 'declared';
}

export function hasStep({ plan }: Pick<PlannedWork, 'plan'>, id: string): boolean {
  return plan.steps.some((step) => step.id === id);
}
