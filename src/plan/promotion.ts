import equal from 'fast-deep-equal';
import type { Environment } from '../model/environment.js';
import type { CampaignPlan } from '../model/plan.js';
import type { Problem } from '../model/problem.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import type { StateEntry } from '../model/state-entry.js';
import { contentChanges, type Side } from './compare/index.js';

/**
 * The environment that campaigns come from. `campaigns`: every manifest resolved for it, without those that have errors
 * there; `entries`: what was applied to it.
 */
export interface Stage extends Side {
  entries: readonly StateEntry[];
}

/**
 * The campaigns that differ from their manifests, and were not applied to the stage before with the same content: the
 * manifest has to be there as it is now, and what it says here has to be the same but for what environments are there for
 * (caps, ids, lists, templates, status) and the names of campaign and sequence, which no recipient sees.
 */
export function unapplied(
  planned: readonly { plan: CampaignPlan; campaign: Campaign }[],
  environment: Environment,
  stage: Stage,
): Problem[] {
  const there = new Map(stage.campaigns.map((campaign) => [campaign.manifest, campaign]));
  return planned
    .filter(({ plan }) => plan.action !== 'none')
    .flatMap(({ plan, campaign }) => {
      const staged = there.get(plan.manifest);
      const reason = reasonAgainst(campaign, staged, { environment, stage });
      return reason === null ? [] : [refusal(plan, reason, [stage.environment, environment])];
    });
}

function reasonAgainst(
  campaign: Campaign,
  staged: Campaign | undefined,
  { environment, stage }: { environment: Environment; stage: Stage },
): string | null {
  const { name } = stage.environment;
  if (staged === undefined) return `its manifest has errors for ${name}`;
  const { spec } = staged;
  const own = stage.entries.filter((record) =>
    spec.id === undefined ? record.name === spec.name : record.id === spec.id,
  );
  if (own.length === 0) return `it was never applied to ${name} from here`;
  const applied = own.some(
    ({ recorded: { last } }) => last !== null && equal(content(last.spec), content(spec)),
  );
  if (!applied) return `${campaign.manifest} is not as it was applied to ${name}`;
  const sides = { from: stage, to: { environment, campaigns: [campaign] } };
  const places = contentChanges(staged, campaign, sides)
    .filter(({ section, path }) => section !== 'campaign' && !(section === 'sequence' && path === 'title'))
    .map(({ section, path }) => (path === '' ? section : `${section}.${path}`));
  return places.length === 0
    ? null
    : `for ${environment.name} the manifest says something else than for ${name}: ${listed(places)}`;
}

const MOST = 4;

function listed(places: readonly string[]): string {
  const more = places.length > MOST ? `, and ${places.length - MOST} more` : '';
  return `${places.slice(0, MOST).join(', ')}${more}`;
}

/** Whether a campaign sends is no content: the stage before is seldom meant to launch. */
function content({ status: _, ...rest }: CampaignSpec): CampaignSpec {
  return rest;
}

function refusal(
  { name, manifest }: CampaignPlan,
  reason: string,
  [from, to]: readonly [Environment, Environment],
): Problem {
  return {
    code: 'not-promoted',
    severity: 'error',
    message: `"${name}" (${manifest}) has not been applied to ${from.name} with the same content: ${reason}.`,
    hint: `Apply it there first: campaignctl apply --env ${from.name}. What differs between the two: campaignctl compare ${from.name} ${to.name}.`,
  };
}
