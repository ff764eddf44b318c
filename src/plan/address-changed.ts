import { addressOf, type Environment } from '../model/environment.js';
import { isSameName } from '../model/names.js';
import type { Problem, Step } from '../model/outputs.js';
import type { ElsewhereEntry, ElsewhereRun, LeadRefs, RecordedState } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';
import { describeLeads, isEmpty, union, without } from '../sections/leads.js';

const SAME = 'If both are one service, write the new address as base_url into the files of the state.';

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
  const message = `This manifest was applied ${placeOf(other)}, and ${name} is at ${addressOf(environment)} now. What was applied and attached there does not count here.`;
  if (id !== null || steps.length === 0)
    return [{ code: 'address-changed', severity: 'warning', message, hint: SAME }];
  return [
    {
      code: 'missing',
      severity: 'hazard',
      message: `${message} Apply would create the campaign.`,
      hint: `Check base_url in the project file. ${SAME} If ${name} is meant to be another service now, accept with --allow missing.`,
    },
  ];
}

function placeOf({ base_url }: ElsewhereEntry): string {
  return base_url === null ? 'at an address that the state does not tell' : `at ${base_url}`;
}

/** The entries of other addresses that are of this campaign, if both are one service. */
export function twinsOf(
  { id, spec }: Pick<CampaignContext, 'id' | 'spec'>,
  elsewhere: readonly ElsewhereEntry[],
): ElsewhereEntry[] {
  return elsewhere.filter(({ entry }) => entry.id === id && isSameName(entry.name, spec.name));
}

/** What else a campaign that the state knows may have: what its twins have is in doubt here. */
export function withDoubt(recorded: RecordedState, twins: readonly ElsewhereEntry[]): RecordedState {
  return {
    ...recorded,
    doubtful: twins.map((twin) => besides(twin, recorded)).reduce(union, recorded.doubtful),
  };
}

function besides({ entry }: ElsewhereEntry, { attached }: RecordedState): LeadRefs {
  return without(union(entry.recorded.attached, entry.recorded.doubtful), attached);
}

/** Why that is in doubt. */
export function attachedElsewhere(
  { environment, recorded }: CampaignContext,
  twins: readonly ElsewhereEntry[],
): Problem[] {
  return twins.flatMap((twin) => {
    const leads = besides(twin, recorded);
    if (isEmpty(leads)) return [];
    const message = `This manifest was applied ${placeOf(twin)}, too, and ${describeLeads(leads)} attached there. Whether they are attached at ${addressOf(environment)}, the state does not know.`;
    return [
      {
        code: 'address-changed',
        severity: 'warning',
        message,
        hint: 'If both addresses lead to one service, they are.',
      },
    ];
  });
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
