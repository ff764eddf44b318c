import equal from 'fast-deep-equal';
import type { Environment } from '../model/environment.js';
import { type CampaignPlan, type Change, differs, type Problem } from '../model/outputs.js';
import { SETTINGS, type SettingDefinition } from '../model/sections.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import type { StateEntry } from '../model/state.js';
import { listed } from '../model/words.js';
import { type Side, specChanges } from './compare.js';

export interface EarlierEnvironment extends Side {
  entries: readonly StateEntry[];
}

/** A pause needs no promotion. */
export function unapplied(
  planned: readonly { plan: CampaignPlan; campaign: Campaign }[],
  environment: Environment,
  earlier: EarlierEnvironment,
): Problem[] {
  const there = new Map(earlier.campaigns.map((campaign) => [campaign.manifest, campaign]));
  return planned
    .filter(({ plan }) => differs(plan) && !onlyPauses(plan))
    .flatMap(({ plan, campaign }) => {
      const before = there.get(plan.manifest);
      const reason = reasonAgainst(campaign, before, { environment, earlier });
      return reason === null ? [] : [refusal(plan, reason, [earlier.environment, environment])];
    });
}

function onlyPauses({ steps }: CampaignPlan): boolean {
  return steps.length > 0 && steps.every(({ id }) => id === 'pause');
}

const CAPS: readonly string[] = SETTINGS.filter(
  ({ perEnvironment }: SettingDefinition) => perEnvironment,
).map(({ name }) => name);

/** Names, titles, ids, caps, leads, statuses and template ids may differ between environments. */
function isContent({ section, path, kind, from, to }: Change): boolean {
  if (section === 'campaign' || section === 'leads' || section === 'status') return false;
  if (section === 'settings') return !CAPS.includes(path);
  if (section === 'sequence') return path !== 'title';
  // Template ids of two workspaces cannot be compared.
  return path !== 'template' || kind !== 'update' || (typeof from === 'string' && typeof to === 'string');
}

function reasonAgainst(
  campaign: Campaign,
  before: Campaign | undefined,
  { environment, earlier }: { environment: Environment; earlier: EarlierEnvironment },
): string | null {
  const { name } = earlier.environment;
  if (before === undefined) return `this manifest describes no valid campaign in ${name}`;
  const { spec } = before;
  const entries = earlier.entries.filter((entry) =>
    spec.id === undefined ? entry.name === spec.name : entry.id === spec.id,
  );
  if (entries.length === 0) return `the state of ${name} does not contain it`;
  const applied = entries.some(
    ({ recorded: { last } }) => last !== null && equal(content(last.spec), content(spec)),
  );
  if (!applied) return `${campaign.manifest} has changed since it was applied to ${name}`;
  const places = specChanges({ spec, environment: earlier.environment }, { spec: campaign.spec, environment })
    .filter(isContent)
    .map(({ section, path }) => `${section}.${path}`);
  if (places.length === 0) return null;
  return `the manifest differs between ${environment.name} and ${name}: ${listed(places, 4)}`;
}

/**
 * Omits the status, because campaigns are seldom launched in the earlier environment, and `replaces`, which may be removed
 * once the old campaign was replaced.
 */
function content({ status: _status, replaces: _replaces, ...rest }: CampaignSpec): CampaignSpec {
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
    hint: `Apply it there first: campaignctl apply --env ${from.name}. To see what differs: campaignctl compare ${from.name} ${to.name}.`,
  };
}
