import type { WrittenCampaign } from '../manifest/resolve.js';
import type { CampaignRule, ProjectRule } from './rule.js';

/** In the order of `docs/rules.md`. */
export const CAMPAIGN_RULES: readonly (ProjectRule | CampaignRule)[] = [
  {
    code: 'duplicate-name',
    severity: 'error',
    summary: 'Two manifests with the same campaign name.',
    *compare(campaigns) {
      for (const [first, second] of twins(campaigns, ({ spec }) => spec.name.trim())) {
        // Campaigns that are all pinned may share a name: the service allows it, and each is known by its id.
        if (first.spec.id !== undefined && second.spec.id !== undefined) continue;
        yield {
          message: `"${second.spec.name.trim()}" is already the name of ${first.manifest}: both would be the same campaign.`,
          hint: 'Give one of them another name, or pin both with the id of their live campaign.',
          place: second.at(['name']),
        };
      }
    },
  },
  {
    code: 'duplicate-id',
    severity: 'error',
    summary: 'Two manifests pinned to the same live campaign.',
    *compare(campaigns) {
      for (const [first, second] of twins(campaigns, ({ spec }) => spec.id))
        yield {
          message: `Campaign ${second.spec.id} is already managed by ${first.manifest} ("${first.spec.name}").`,
          hint: 'Remove the id from one of them, or merge the two manifests.',
          place: second.at(['id']),
        };
    },
  },
  {
    code: 'shared-lead-list',
    severity: 'warning',
    summary: 'A lead list in two campaigns that both run.',
    *compare(campaigns, { lead_lists }) {
      const firsts = new Map<number, WrittenCampaign>();
      for (const campaign of campaigns.filter(({ spec }) => spec.status === 'running'))
        for (const [index, list] of (campaign.spec.leads?.lists ?? []).entries()) {
          const id = typeof list === 'number' || !Object.hasOwn(lead_lists, list) ? list : lead_lists[list];
          // A name that the environment does not know is an error of its own.
          if (typeof id !== 'number') continue;
          const first = firsts.get(id) ?? campaign;
          firsts.set(id, first);
          if (first === campaign) continue;
          yield {
            message: `Lead list ${list === id ? id : `${list} (${id})`} is also attached by ${first.manifest} ("${first.spec.name}"), and both campaigns run: its leads would get the emails of both.`,
            hint: 'Remove the list from one of them, or set the status of one to paused.',
            place: campaign.at(['leads', 'lists', index]),
          };
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
