/** Decides whether a campaign's plan keeps its launch. Right before it is sent, `apply/checks.ts` looks again. */
import type { CampaignPlan, Problem } from '../model/outputs.js';
import type { CampaignContext } from '../sections/index.js';
import type { Selection } from './fingerprint.js';
import { ALL } from './match.js';
import { problem } from './messages.js';

type Gated = Pick<CampaignPlan, 'steps' | 'problems'>;

/** Removes the launch of a blocked campaign. `held`: why it is left to a later apply. */
export function gateLaunch({ steps, problems }: Gated, held: Problem | null): Gated {
  if (steps.every(({ id }) => id !== 'launch')) return { steps, problems };
  // Another copy of the project may launch the other campaign with that name.
  const gated = problems.map((fact): Problem => {
    return held === null && fact.code === 'same-name' ? { ...fact, severity: 'blocked' } : fact;
  });
  const isBlocked = gated.some(({ severity }) => severity === 'blocked');
  const withheld = isBlocked ? problem('launch-withheld') : held;
  if (withheld === null) return { steps, problems: gated };
  return {
    steps: steps.filter(({ id }) => id !== 'launch'),
    problems: [...gated, withheld],
  };
}

/** Returns why the launch is left to a later apply, or `null`. */
export function whyHeld(
  { id, environment }: CampaignContext,
  { hold }: Pick<Selection, 'hold'> = ALL,
): Problem | null {
  if (hold.includes('launch')) return problem('launch-held');
  return id === null && environment.service.senders === 'by_hand' ? problem('launch-needs-senders') : null;
}
