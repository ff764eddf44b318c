/** A target with its plan. Each campaign of a plan appears once. */
import type { ByHandTask, CampaignPlan } from '../model/outputs.js';
import type { StateEntry } from '../model/state.js';
import type { Target } from '../model/target.js';

/** `sections`: the live values that the plan depends on, by section. */
export interface Planned {
  target: Target;
  plan: CampaignPlan;
  sections: unknown;
  /** Idle campaigns that own leads that the steps would mail. */
  idleOwners: readonly IdleOwner[];
  byHand: ByHandTask[];
  /** The predecessor, which must not be sending when this one is created or launched. */
  waitsFor: Planned | null;
}

/** `status`: `null` if the service shows none. */
export interface IdleOwner {
  id: number;
  status: string | null;
}

export function isDeclared({ role }: Target): boolean {
  return role === 'declared';
}

/** The plans of campaigns with a manifest. */
export function declaredOf(works: readonly Planned[]): Planned[] {
  return works.filter(({ target }) => isDeclared(target));
}

export function hasStep({ plan }: Planned, id: string): boolean {
  return plan.steps.some((step) => step.id === id);
}

export function isSucceededBy(entry: StateEntry | null, successor: number | null): boolean {
  return successor !== null && entry?.recorded.superseded_by === successor;
}

/** The last campaign of a chain of successors; `null` if this one has none. */
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
