import type { WrittenCampaign } from '../manifest/resolve.js';
import { groupBy } from '../model/json.js';
import type { LeadsSpec } from '../model/manifest.generated.js';
import type { Path } from '../model/outputs.js';
import { few, listed } from '../model/words.js';
import type { CampaignRule, Flaw, ProjectRule } from './rule.js';

export const CAMPAIGN_RULES: readonly (ProjectRule | CampaignRule)[] = [
  {
    code: 'duplicate-name',
    severity: 'error',
    summary: 'Two manifests with the same campaign name.',
    *compare(campaigns) {
      for (const [first, second] of duplicates(campaigns, ({ spec }) => spec.name)) {
        // Pinned campaigns may share a name, because their ids differ.
        if (first.spec.id !== undefined && second.spec.id !== undefined) continue;
        const message = `"${second.spec.name}" is also the name in ${first.manifest}: both manifests would describe the same campaign.`;
        const hint = 'Give one of them a different name, or pin each to its own live campaign with id:.';
        yield [second, { path: ['name'], message, hint }];
      }
    },
  },
  {
    code: 'duplicate-id',
    severity: 'error',
    summary: 'Two manifests pinned to the same live campaign.',
    *compare(campaigns) {
      for (const [first, second] of duplicates(campaigns, ({ spec }) => spec.id)) {
        const message = `Campaign ${second.spec.id} is already managed by ${first.manifest} ("${first.spec.name}").`;
        const hint = 'Remove the id from one of the two manifests, or merge them.';
        yield [second, { path: ['id'], message, hint }];
      }
    },
  },
  {
    code: 'replaces-circle',
    severity: 'error',
    summary: 'Campaigns that replace each other, or one that replaces itself.',
    *compare(campaigns) {
      const replacedBy = replacedAmong(campaigns);
      for (const campaign of campaigns) {
        const chain = new Set([campaign]);
        let next = replacedBy(campaign);
        while (next !== undefined && !chain.has(next)) {
          chain.add(next);
          next = replacedBy(next);
        }
        // A campaign whose chain only leads into a cycle is not part of that cycle.
        if (next !== campaign) continue;
        const names = [...chain].map(({ spec }) => `"${spec.name}"`);
        const message =
          names.length === 1
            ? `${names[0]} replaces itself.`
            : `These campaigns replace one another in a circle, so none of them can be created first: ${names.join(', ')}.`;
        const hint = 'Remove replaces: from the manifest of the oldest campaign.';
        yield [campaign, { path: ['replaces'], message, hint }];
      }
    },
  },
  {
    code: 'replaced-twice',
    severity: 'error',
    summary: 'Two manifests that replace the same campaign.',
    *compare(campaigns) {
      const replacedBy = replacedAmong(campaigns);
      const keyOf = (campaign: WrittenCampaign) => replacedBy(campaign)?.spec.name ?? campaign.spec.replaces;
      for (const [first, second] of duplicates(campaigns, keyOf)) {
        const message = `${first.manifest} ("${first.spec.name}") replaces the same campaign, but only one campaign can replace it.`;
        const hint = 'Keep replaces: in only one manifest.';
        yield [second, { path: ['replaces'], message, hint }];
      }
    },
  },
  {
    code: 'superseded-running',
    severity: 'error',
    summary: 'A campaign with `status: running` that another campaign replaces.',
    *compare(campaigns) {
      const replacedBy = replacedAmong(campaigns);
      for (const campaign of campaigns) {
        const old = replacedBy(campaign);
        if (old === undefined || old === campaign || old.spec.status !== 'running') continue;
        const message = `${campaign.manifest} ("${campaign.spec.name}") replaces "${old.spec.name}", which has status: running here. One manifest would pause it; the other would launch it.`;
        const hint = `Delete this manifest, or write status: paused. To keep both running, remove replaces: from ${campaign.manifest}.`;
        yield [old, { path: ['status'], message, hint }];
      }
    },
  },
  {
    code: 'shared-lead-list',
    severity: 'warning',
    summary: 'A lead list in several campaigns that are not paused.',
    compare: (campaigns, { lead_lists }) => {
      const idOf = (list: number | string) =>
        typeof list === 'number' || !Object.hasOwn(lead_lists, list) ? list : lead_lists[list];
      return sharedLeads(campaigns, {
        noun: 'Lead list',
        // Unknown names are reported separately.
        idsIn: ({ lists = [] }) => lists.map(idOf).filter((id) => typeof id === 'number'),
        pathOf: (id, { lists = [] }) => ['lists', lists.findIndex((list) => idOf(list) === id)],
      });
    },
  },
  {
    code: 'shared-lead-ids',
    severity: 'warning',
    summary: 'Individual leads in several campaigns that are not paused.',
    compare: (campaigns) =>
      sharedLeads(campaigns, { noun: 'Lead', idsIn: ({ ids = [] }) => ids, pathOf: () => ['ids'] }),
  },
];

function replacedAmong(
  campaigns: readonly WrittenCampaign[],
): (campaign: WrittenCampaign) => WrittenCampaign | undefined {
  const known = new Map<string | number | undefined, WrittenCampaign>(
    campaigns.flatMap((campaign) => [
      [campaign.spec.name, campaign] as const,
      [campaign.spec.id, campaign] as const,
    ]),
  );
  return ({ spec: { replaces } }) => (replaces === undefined ? undefined : known.get(replaces));
}

function* duplicates(
  campaigns: readonly WrittenCampaign[],
  keyOf: (campaign: WrittenCampaign) => string | number | undefined,
): Generator<[first: WrittenCampaign, second: WrittenCampaign]> {
  const firsts = new Map<string | number, WrittenCampaign>();
  for (const campaign of campaigns) {
    const key = keyOf(campaign);
    const first = key === undefined ? undefined : firsts.get(key);
    if (first !== undefined) yield [first, campaign];
    else if (key !== undefined) firsts.set(key, campaign);
  }
}

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
