import type { WrittenCampaign } from '../manifest/resolve.js';
import type { Environment } from '../model/environment.js';
import type { CampaignRule, ProjectRule, Remark } from './rule.js';

/** Campaigns that are all pinned may share a name: the service allows it, and each is known by its id. */
const duplicateName: ProjectRule = {
  code: 'duplicate-name',
  severity: 'error',
  summary: 'Two manifests with the same campaign name.',
  compare(campaigns) {
    return twins(campaigns, ({ spec }) => spec.name.trim())
      .filter(([first, second]) => first.spec.id === undefined || second.spec.id === undefined)
      .map(([first, second]) => ({
        message: `"${second.spec.name.trim()}" is already the name of ${first.manifest}: both would be the same campaign.`,
        hint: 'Give one of them another name, or pin both with the id of their live campaign.',
        place: second.at(['name']),
      }));
  },
};

const duplicateId: ProjectRule = {
  code: 'duplicate-id',
  severity: 'error',
  summary: 'Two manifests pinned to the same live campaign.',
  compare(campaigns) {
    return twins(campaigns, ({ spec }) => spec.id).map(([first, second]) => ({
      message: `Campaign ${second.spec.id} is already managed by ${first.manifest} ("${first.spec.name}").`,
      hint: 'Remove the id from one of them, or put what both say into one manifest.',
      place: second.at(['id']),
    }));
  },
};

/** The same people would hear from both campaigns. Names that the environment does not know are reported elsewhere. */
const sharedLeadList: ProjectRule = {
  code: 'shared-lead-list',
  severity: 'warning',
  summary: 'A lead list in two campaigns that both run.',
  compare(campaigns, environment) {
    const first = new Map<number, WrittenCampaign>();
    return campaigns
      .filter(({ spec }) => spec.status === 'running')
      .flatMap((campaign) =>
        (campaign.spec.leads?.lists ?? []).flatMap((list, index): Remark[] => {
          const id = listId(list, environment);
          if (id === null) return [];
          const other = first.get(id);
          if (other === undefined) first.set(id, campaign);
          if (other === undefined || other === campaign) return [];
          return [
            {
              message: `Lead list ${list === id ? id : `${list} (${id})`} is also attached by ${other.manifest} ("${other.spec.name}"), and both campaigns run: its leads would get both.`,
              hint: 'Take the list out of one of them, or set the status of one to paused.',
              place: campaign.at(['leads', 'lists', index]),
            },
          ];
        }),
      );
  },
};

/** The first value of an entry is used in any case: it names the campaign. */
const unusedValue: CampaignRule = {
  code: 'unused-value',
  severity: 'warning',
  summary: 'A value of for_each that nothing uses.',
  check({ unused = [], at }) {
    return unused.map(({ name, path }) => ({
      message: `Nothing uses the value "${name}".`,
      hint: `Write \${{ ${name} }} where it is meant, or take it out.`,
      place: at(path, { target: 'key' }),
    }));
  },
};

/** The rules of this file, in the order of `docs/rules.md`. */
export const CAMPAIGN_RULES = [duplicateName, duplicateId, sharedLeadList, unusedValue];

/** Each later campaign of the same key with the first of it. */
function twins(
  campaigns: readonly WrittenCampaign[],
  keyOf: (campaign: WrittenCampaign) => string | number | undefined,
): (readonly [WrittenCampaign, WrittenCampaign])[] {
  const first = new Map<string | number, WrittenCampaign>();
  return campaigns.flatMap((campaign) => {
    const key = keyOf(campaign);
    if (key === undefined) return [];
    const other = first.get(key);
    if (other !== undefined) return [[other, campaign] as const];
    first.set(key, campaign);
    return [];
  });
}

function listId(list: number | string, environment: Environment): number | null {
  if (typeof list === 'number') return list;
  return Object.hasOwn(environment.lead_lists, list) ? (environment.lead_lists[list] ?? null) : null;
}
