/** The unit of work. Each campaign of a plan appears once. */
import type { AnswerName, Answers } from '../model/answer.js';
import type { ByHandTask, CampaignPlan, RemovedCampaign } from '../model/outputs.js';
import type { PendingOperations } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';
import type { Match } from './match.js';

/** `removed` and `replaced` campaigns manage only `status: paused`. */
export interface CampaignWork extends Match {
  role: 'declared' | RemovedCampaign['role'];
  /** Unreconciled requests of earlier runs, oldest first. */
  pending: PendingOperations[];
  /** Another manifest of the project may describe it. */
  outside: boolean;
  /** Answers to read; `null` for none. */
  reads: readonly AnswerName[] | null;
  /** `null` until read. */
  answers: Answers | null;
}

/** `isKnown`: in the state, or named by the answer to our creation. `isMoved`: its entry names another file. */
export interface ReconciledWork extends CampaignWork {
  context: CampaignContext;
  isKnown: boolean;
  isMoved: boolean;
}

/** `live`: decoded values by section. */
export interface PlannedWork extends ReconciledWork {
  live: unknown;
  /** Ids of idle campaigns with leads that its steps would mail. */
  resting: readonly number[];
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
