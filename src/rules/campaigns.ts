import type { WrittenCampaign } from '../manifest/resolve.js';
import { groupBy } from '../model/json.js';
import { listIdOf } from '../model/leads.js';
import type { LeadsSpec } from '../model/manifest.generated.js';
import type { Path } from '../model/outputs.js';
import { few, listed } from '../model/words.js';
import type { CampaignRule, Flaw, ProjectRule } from './rule.js';

export const CAMPAIGN_RULES: readonly (ProjectRule | CampaignRule)[] = [
  {
    code: 'shared-lead-list',
    severity: 'warning',
    summary: 'A lead list in several campaigns that are not paused.',
    compare: (campaigns, { lead_lists }) =>
      sharedLeads(campaigns, {
        noun: 'Lead list',
        // Unknown names are reported separately.
        idsIn: ({ lists = [] }) => lists.flatMap((entry) => listIdOf(entry, lead_lists) ?? []),
        pathOf: (id, { lists = [] }) => [
          'lists',
          lists.findIndex((entry) => listIdOf(entry, lead_lists) === id),
        ],
      }),
  },
  {
    code: 'shared-lead-ids',
    severity: 'warning',
    summary: 'Individual leads in several campaigns that are not paused.',
    compare: (campaigns) =>
      sharedLeads(campaigns, { noun: 'Lead', idsIn: ({ ids = [] }) => ids, pathOf: () => ['ids'] }),
  },
];

interface LeadKind {
  noun: string;
  idsIn(leads: LeadsSpec): readonly number[];
  /** The path is relative to `leads`. */
  pathOf(id: number, leads: LeadsSpec): Path;
}

/** Yields one finding per campaign, even if the same campaigns share several leads. */
function* sharedLeads(
  campaigns: readonly WrittenCampaign[],
  { noun, idsIn, pathOf }: LeadKind,
): Generator<[campaign: WrittenCampaign, flaw: Flaw]> {
  const attached = campaigns
    .filter(({ spec }) => spec.status !== 'paused')
    .flatMap((campaign) => [...new Set(idsIn(campaign.spec.leads ?? {}))].map((id) => ({ campaign, id })));
  const shared = [...groupBy(attached, ({ id }) => id).values()].filter(({ length }) => length > 1);
  const groups = groupBy(shared, (leads) => leads.map(({ campaign }) => campaign.manifest).join('\n'));
  for (const group of groups.values()) {
    const [leads] = group;
    const [{ id }] = leads;
    const ids = group.map(([first]) => first.id);
    const names = leads.map(({ campaign }) => `${campaign.manifest} ("${campaign.spec.name}")`);
    const subject = ids.length === 1 ? `${noun} ${id} is` : `${noun}s ${few(ids)} are`;
    const message = `${subject} attached by ${leads.length} campaigns that are not paused: ${listed(names, 5)}. The same people would get the emails of each.`;
    const hint =
      'Remove the leads from all but one of the campaigns, or set the status of the others to paused.';
    for (const { campaign } of leads)
      yield [campaign, { path: ['leads', ...pathOf(id, campaign.spec.leads ?? {})], message, hint }];
  }
}
