import type { WrittenCampaign } from '../manifest/resolve.js';
import type { LeadsSpec } from '../model/manifest.generated.js';
import type { CampaignRule, ProjectRule } from './rule.js';

/** In the order of `docs/rules.md`. */
export const CAMPAIGN_RULES: readonly (ProjectRule | CampaignRule)[] = [
  {
    code: 'duplicate-name',
    severity: 'error',
    summary: 'Two manifests with the same campaign name.',
    *compare(campaigns) {
      for (const [first, second] of twins(campaigns, ({ spec }) => spec.name)) {
        // Campaigns that are all pinned may share a name: the service allows it, and each is known by its id.
        if (first.spec.id !== undefined && second.spec.id !== undefined) continue;
        const message = `"${second.spec.name}" is already the name of ${first.manifest}: both would be the same campaign.`;
        const hint = 'Give one of them another name, or pin both with the id of their live campaign.';
        yield [second, { path: ['name'], message, hint }];
      }
    },
  },
  {
    code: 'duplicate-id',
    severity: 'error',
    summary: 'Two manifests pinned to the same live campaign.',
    *compare(campaigns) {
      for (const [first, second] of twins(campaigns, ({ spec }) => spec.id)) {
        const message = `Campaign ${second.spec.id} is already managed by ${first.manifest} ("${first.spec.name}").`;
        const hint = 'Remove the id from one of them, or merge the two manifests.';
        yield [second, { path: ['id'], message, hint }];
      }
    },
  },
  {
    code: 'shared-lead-list',
    severity: 'warning',
    summary: 'A lead list in two campaigns that both run.',
    *compare(campaigns, { lead_lists }) {
      const idOf = (list: number | string) =>
        typeof list === 'number' || !Object.hasOwn(lead_lists, list) ? list : lead_lists[list];
      // A name that the environment does not know is an error of its own.
      const idsOf = ({ lists = [] }: LeadsSpec) => lists.map(idOf).filter((id) => typeof id === 'number');
      for (const [campaign, id, other] of sharing(campaigns, idsOf)) {
        const lists = campaign.spec.leads?.lists ?? [];
        const index = lists.findIndex((list) => idOf(list) === id);
        const list = lists[index] === id ? id : `${lists[index]} (${id})`;
        const message = `Lead list ${list} is also attached by ${other.manifest} ("${other.spec.name}"), and both campaigns run: its leads would get the emails of both.`;
        const hint = 'Remove the list from one of them, or set the status of one to paused.';
        yield [campaign, { path: ['leads', 'lists', index], message, hint }];
      }
    },
  },
  {
    code: 'shared-leads',
    severity: 'warning',
    summary: 'Individual leads in two campaigns that both run.',
    *compare(campaigns) {
      const pairs = new Map<WrittenCampaign, Map<WrittenCampaign, number[]>>();
      for (const [campaign, id, other] of sharing(campaigns, ({ ids = [] }) => ids)) {
        const others = pairs.get(campaign) ?? new Map<WrittenCampaign, number[]>();
        const ids = others.get(other) ?? [];
        ids.push(id);
        pairs.set(campaign, others.set(other, ids));
      }
      for (const [campaign, others] of pairs)
        for (const [other, ids] of others) {
          const [first, ...more] = ids;
          const what = more.length === 0 ? `Lead ${first} is` : `${ids.length} leads (${few(ids)}) are`;
          const message = `${what} also attached by ${other.manifest} ("${other.spec.name}"), and both campaigns run: they would get the emails of both.`;
          const hint = 'Remove them from one of the campaigns, or set the status of one to paused.';
          yield [campaign, { path: ['leads', 'ids'], message, hint }];
        }
    },
  },
  {
    code: 'unused-value',
    severity: 'warning',
    summary: 'A value of for_each that nothing uses.',
    *check({ unused = [] }) {
      for (const { name, path } of unused)
        yield {
          path,
          target: 'key',
          message: `Nothing uses the value "${name}".`,
          hint: `Write \${{ ${name} }} where you need it, or remove the value.`,
        };
    },
  },
];

/** Each later campaign of the same key with the first of it. */
function* twins(
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

/** Each running campaign with each value that another one has too, and the first such other. */
function* sharing(
  campaigns: readonly WrittenCampaign[],
  valuesOf: (leads: LeadsSpec) => readonly number[],
): Generator<[campaign: WrittenCampaign, value: number, other: WrittenCampaign]> {
  const running = campaigns.filter(({ spec }) => spec.status === 'running' && spec.leads !== undefined);
  const holders = new Map<number, Set<WrittenCampaign>>();
  for (const campaign of running)
    for (const value of valuesOf(campaign.spec.leads ?? {})) {
      const known = holders.get(value);
      if (known === undefined) holders.set(value, new Set([campaign]));
      else known.add(campaign);
    }
  for (const campaign of running)
    for (const value of new Set(valuesOf(campaign.spec.leads ?? {})))
      for (const other of holders.get(value) ?? [])
        if (other !== campaign) {
          yield [campaign, value, other];
          break;
        }
}

function few(ids: readonly number[]): string {
  return ids.length <= 4 ? ids.join(', ') : `${ids.slice(0, 3).join(', ')}, …`;
}
