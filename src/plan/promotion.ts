import equal from 'fast-deep-equal';
import { normalize as normalizeSequence } from '../aspects/sequence/state.js';
import type { CampaignRecord } from '../model/memory.js';
import type { CampaignPlan } from '../model/plan.js';
import type { Problem } from '../model/problem.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';

/**
 * The environment that campaigns come from. `campaigns`: every manifest resolved for it, without those that have errors
 * there; `records`: what was applied to it.
 */
export interface Stage {
  environment: string;
  campaigns: readonly Campaign[];
  records: readonly CampaignRecord[];
}

/**
 * The campaigns that differ from their manifests, and were not applied to the stage before with the same content: the
 * manifest has to be there as it is now, and its emails have to be those that were applied. What else the two environments
 * say differently (caps, ids, lists, hours) is theirs.
 */
export function unapplied(
  planned: readonly { plan: CampaignPlan; spec: CampaignSpec }[],
  stage: Stage,
): Problem[] {
  const there = new Map(stage.campaigns.map(({ manifest, spec }) => [manifest, spec]));
  return planned
    .filter(({ plan }) => plan.action !== 'none')
    .flatMap(({ plan, spec }) => {
      const reason = reasonAgainst(spec, plan.manifest, { stage, staged: there.get(plan.manifest) });
      return reason === null ? [] : [refusal(plan, stage.environment, reason)];
    });
}

function reasonAgainst(
  spec: CampaignSpec,
  manifest: string,
  { stage, staged }: { stage: Stage; staged: CampaignSpec | undefined },
): string | null {
  const { environment, records } = stage;
  if (staged === undefined) return `its manifest has errors for ${environment}`;
  const own = records.filter(({ id, name }) =>
    staged.id === undefined ? name === staged.name : id === staged.id,
  );
  if (own.length === 0) return `it was never applied to ${environment} from here`;
  const applied = own.filter(
    ({ memory: { last } }) => last !== null && equal(content(last.spec), content(staged)),
  );
  if (applied.length === 0) return `${manifest} is not as it was applied to ${environment}`;
  return equal(normalizeSequence(spec), normalizeSequence(staged))
    ? null
    : `its emails are others than those that were applied to ${environment}`;
}

/** Whether a campaign sends is no content: the stage before is seldom meant to launch. */
function content({ status: _, ...rest }: CampaignSpec): CampaignSpec {
  return rest;
}

function refusal({ name, manifest }: CampaignPlan, environment: string, reason: string): Problem {
  return {
    code: 'not-promoted',
    severity: 'error',
    message: `"${name}" (${manifest}) has not been applied to ${environment} with the same content: ${reason}.`,
    hint: `Apply it there first: campaignctl apply --env ${environment}. campaignctl compare shows what differs between the environments.`,
  };
}
