import { addressOf, type Environment } from '../model/environment.js';
import type { Step } from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import type { ElsewhereEntry, ElsewhereRun } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';

/**
 * A manifest that was applied to another service than the environment names now. What was done there is not believed here; where
 * apply would create the campaign, the address may be a slip, so that it needs approval.
 */
export function addressChanged(
  { environment, spec, id }: CampaignContext,
  manifest: string,
  steps: readonly Step[],
  elsewhere: readonly ElsewhereEntry[],
): Problem[] {
  const other =
    elsewhere.find(({ entry }) => entry.name === spec.name) ??
    elsewhere.find(({ entry }) => entry.manifest === manifest);
  if (other === undefined) return [];
  const { name } = environment;
  const was = other.base_url === null ? 'at an address that the state does not tell' : `at ${other.base_url}`;
  const message = `This manifest was applied ${was}, and ${name} is at ${addressOf(environment)} now. What was applied and attached there does not count here.`;
  const same = 'If both are one service, write the new address as base_url into the files of the state.';
  if (id !== null || steps.length === 0)
    return [{ code: 'address-changed', severity: 'warning', message, hint: same }];
  return [
    {
      code: 'missing',
      severity: 'hazard',
      message: `${message} Apply would create the campaign.`,
      hint: `Check base_url in the project file. ${same} If ${name} is meant to be another service now, accept with --allow missing.`,
    },
  ];
}

/** Runs that died at another service: what they sent there is reconciled there. */
export function openElsewhere(environment: Environment, runs: readonly ElsewhereRun[]): Problem[] {
  return runs.map(({ run, who, at, base_url }) => ({
    code: 'unfinished-elsewhere',
    severity: 'warning',
    message: `An earlier run (${run}, ${who}, ${at}) ended before it knew the outcome of what it sent to ${base_url}. ${environment.name} is at ${addressOf(environment)} now: this plan leaves that run alone.`,
    hint: `To find out what became of it, set base_url back to ${base_url} and run apply; campaignctl history ${run} shows what it sent. Do so first if both are one service.`,
  }));
}
