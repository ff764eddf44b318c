import type { Change } from '../../model/change.js';
import { type CampaignComparison, type Comparison, VERDICTS, type Verdict } from '../../model/comparison.js';
import type { Environment } from '../../model/environment.js';
import type { Campaign } from '../../model/spec.js';
import { leadChanges } from './leads.js';
import { partsOf, templateChange } from './parts.js';
import { changesBelow } from './values.js';

/** An environment and every campaign as it is resolved for it. */
export interface Side {
  environment: Environment;
  campaigns: readonly Campaign[];
}

/** How the manifests differ between two environments. They are paired by manifest: an overlay may change the name. */
export function compareEnvironments(from: Side, to: Side): Comparison {
  const others = new Map(to.campaigns.map((campaign) => [campaign.manifest, campaign]));
  const known = new Set(from.campaigns.map(({ manifest }) => manifest));
  const campaigns = [
    ...from.campaigns.map((campaign) => {
      const other = others.get(campaign.manifest);
      return other === undefined ? alone(campaign, 'only_from') : compared(campaign, other, { from, to });
    }),
    ...to.campaigns.filter(({ manifest }) => !known.has(manifest)).map((one) => alone(one, 'only_to')),
  ].sort((one, other) => VERDICTS.indexOf(one.verdict) - VERDICTS.indexOf(other.verdict));
  const numbers = VERDICTS.map((verdict) => [
    verdict,
    campaigns.filter((one) => one.verdict === verdict).length,
  ]);
  return {
    version: 1,
    from: from.environment.name,
    to: to.environment.name,
    summary: { campaigns: campaigns.length, ...Object.fromEntries(numbers) },
    campaigns,
  };
}

/** What differs in content from one environment to the other, of one campaign that both have. */
export function contentChanges(
  campaign: Campaign,
  other: Campaign,
  sides: { from: Side; to: Side },
): Change[] {
  return compared(campaign, other, sides).content;
}

function alone({ manifest, spec }: Campaign, verdict: Verdict): CampaignComparison {
  return { manifest, name: spec.name, verdict, content: [], environment: [] };
}

function compared(
  { manifest, spec }: Campaign,
  { spec: other }: Campaign,
  { from, to }: { from: Side; to: Side },
): CampaignComparison {
  const [left, right] = [partsOf(spec, from.environment), partsOf(other, to.environment)];
  const template = templateChange([spec, from.environment], [other, to.environment]);
  const changes = [
    ...changesBelow('campaign', '', left.campaign, right.campaign),
    ...changesBelow('settings', '', left.settings, right.settings),
    ...(template === null ? [] : [template]),
    ...changesBelow('schedule', '', left.schedule, right.schedule),
    ...changesBelow('sequence', '', left.sequence, right.sequence),
    ...leadChanges([spec, from.environment], [other, to.environment]),
    ...changesBelow('status', '', left.status, right.status),
  ].map((change) => ({ ...change, note: change.note ?? unmanaged(change, [spec, from], [other, to]) }));
  const content = changes.filter((change) => !isOfEnvironment(change));
  const environment = changes.filter(isOfEnvironment);
  const verdict = content.length > 0 ? 'content' : environment.length > 0 ? 'environment' : 'same';
  return { manifest, name: spec.name, verdict, content, environment };
}

/** What differs because environments differ: which campaign, how much, to whom, whether it runs, the id of a template. */
function isOfEnvironment({ section, path, from, to }: Change): boolean {
  if (section === 'leads' || section === 'status') return true;
  if (section === 'campaign') return path === 'id';
  if (section === 'settings') return path.startsWith('max_');
  // Two names are two templates; ids of two workspaces say nothing.
  return section === 'schedule' && path === 'template' && typeof from === 'number' && typeof to === 'number';
}

type Specified = readonly [Campaign['spec'], Side];

function unmanaged({ section }: Change, ...sides: readonly [Specified, Specified]): string | null {
  if (section === 'campaign') return null;
  const bare = sides.find(([spec]) => spec[section] === undefined);
  return bare === undefined ? null : `${section} not managed in ${bare[1].environment.name}`;
}
