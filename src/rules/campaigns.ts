import type { WrittenCampaign } from '../manifest/resolve.js';
import { spelling } from '../model/characters.js';
import { groupBy } from '../model/json.js';
import type { LeadsSpec } from '../model/manifest.generated.js';
import { count, few, listed } from '../model/words.js';
import type { CampaignRule, ProjectRule } from './rule.js';

/** In the order of `docs/rules.md`. */
export const CAMPAIGN_RULES: readonly (ProjectRule | CampaignRule)[] = [
  {
    code: 'duplicate-name',
    severity: 'error',
    summary: 'Two manifests with the same campaign name.',
    *compare(campaigns) {
      for (const [first, second] of duplicates(campaigns, ({ spec }) => spec.name)) {
        // Pinned campaigns may share a name: each is known by its id.
        if (first.spec.id !== undefined && second.spec.id !== undefined) continue;
        const message = `"${second.spec.name}" is already the name of ${first.manifest}: both would be the same campaign.`;
        const hint = 'Give one of them another name, or pin both with the id of their live campaign.';
        yield [second, { path: ['name'], message, hint }];
      }
    },
  },
  {
    code: 'alike-names',
    severity: 'warning',
    summary: 'Two campaign names that read the same.',
    *compare(campaigns) {
      const alike = groupBy(campaigns, ({ spec }) => spelling(spec.name).toLowerCase());
      for (const group of alike.values())
        for (const campaign of group) {
          const { name } = campaign.spec;
          const others = group.filter(({ spec }) => spec.name !== name);
          if (others.length === 0) continue;
          const places = others.map(({ manifest, spec }) => `${manifest} ("${spec.name}")`);
          const message = `"${name}" reads like the name in ${listed(places, 5)}: they differ only in case, in blanks, in hidden characters or in how letters are composed.`;
          const hint = 'Give them names that people can tell apart: the service may take them for one, too.';
          yield [campaign, { path: ['name'], message, hint }];
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
        const hint = 'Remove the id from one of them, or merge the two manifests.';
        yield [second, { path: ['id'], message, hint }];
      }
    },
  },
  {
    code: 'replaces-circle',
    severity: 'error',
    summary: 'A campaign that replaces itself, or one that replaces it.',
    *compare(campaigns) {
      const replacedBy = replacedAmong(campaigns);
      for (const campaign of campaigns) {
        const circle: WrittenCampaign[] = [campaign];
        for (let next = replacedBy(campaign); next !== undefined; next = replacedBy(next)) {
          if (next === campaign) break;
          // Reported where the circle is.
          if (circle.includes(next)) {
            circle.length = 0;
            break;
          }
          circle.push(next);
        }
        const [last] = circle.slice(-1);
        if (last === undefined || replacedBy(last) !== campaign) continue;
        const names = [...circle, campaign].map(({ spec }) => `"${spec.name}"`);
        const message = `${names.join(' replaces ')}: none of them can come first.`;
        const hint = 'Take replaces: out of the one that was there first.';
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
        const message = `${first.manifest} ("${first.spec.name}") replaces the same campaign: two would take the place of one.`;
        const hint = 'Keep replaces: in one of them.';
        yield [second, { path: ['replaces'], message, hint }];
      }
    },
  },
  {
    code: 'superseded-running',
    severity: 'error',
    summary: 'A campaign that is to run although another one replaces it.',
    *compare(campaigns) {
      const replacedBy = replacedAmong(campaigns);
      for (const campaign of campaigns) {
        const old = replacedBy(campaign);
        if (old === undefined || old === campaign || old.spec.status !== 'running') continue;
        const message = `${campaign.manifest} ("${campaign.spec.name}") replaces "${old.spec.name}", which is to run here: one would pause it, the other launch it.`;
        const hint = `Delete this manifest, or write status: paused. To keep both running, remove replaces: from ${campaign.manifest}.`;
        yield [old, { path: ['status'], message, hint }];
      }
    },
  },
  {
    code: 'shared-lead-list',
    severity: 'warning',
    summary: 'A lead list in several campaigns of which none is paused.',
    *compare(campaigns, { lead_lists }) {
      const idOf = (list: number | string) =>
        typeof list === 'number' || !Object.hasOwn(lead_lists, list) ? list : lead_lists[list];
      // An unknown name is an error of its own.
      const idsOf = ({ lists = [] }: LeadsSpec) => lists.map(idOf).filter((id) => typeof id === 'number');
      for (const [campaign, id, all] of sharing(campaigns, idsOf)) {
        const lists = campaign.spec.leads?.lists ?? [];
        const index = lists.findIndex((list) => idOf(list) === id);
        const list = lists[index] === id ? id : `${lists[index]} (${id})`;
        const message = `Lead list ${list} is ${together(campaign, all, 'its leads')}`;
        yield [campaign, { path: ['leads', 'lists', index], message, hint: wayOut('the list', all) }];
      }
    },
  },
  {
    code: 'shared-lead-ids',
    severity: 'warning',
    summary: 'Individual leads in several campaigns of which none is paused.',
    *compare(campaigns) {
      const found = new Map<string, { campaign: WrittenCampaign; all: WrittenCampaign[]; ids: number[] }>();
      for (const [campaign, id, all] of sharing(campaigns, ({ ids = [] }) => ids)) {
        const key = JSON.stringify([campaign, ...all].map(({ manifest }) => manifest));
        const same = found.get(key);
        if (same === undefined) found.set(key, { campaign, all, ids: [id] });
        else same.ids.push(id);
      }
      for (const { campaign, all, ids } of found.values()) {
        const what =
          ids.length === 1 ? `Lead ${ids[0]} is` : `${count(ids.length, 'lead')} (${few(ids)}) are`;
        const message = `${what} ${together(campaign, all, 'they')}`;
        yield [campaign, { path: ['leads', 'ids'], message, hint: wayOut('them', all) }];
      }
    },
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

/** Campaigns that may run, with each value that several of them have. */
function* sharing(
  campaigns: readonly WrittenCampaign[],
  valuesOf: (leads: LeadsSpec) => readonly number[],
): Generator<[campaign: WrittenCampaign, value: number, all: WrittenCampaign[]]> {
  const free = campaigns.filter(({ spec }) => spec.status !== 'paused' && spec.leads !== undefined);
  const held = free.flatMap((campaign) =>
    [...new Set(valuesOf(campaign.spec.leads ?? {}))].map((value) => ({ campaign, value })),
  );
  const holders = groupBy(held, ({ value }) => value);
  for (const { campaign, value } of held) {
    const all = (holders.get(value) ?? []).map((holder) => holder.campaign);
    if (all.length > 1) yield [campaign, value, all];
  }
}

function together(campaign: WrittenCampaign, all: readonly WrittenCampaign[], who: string): string {
  const run = all.every(({ spec }) => spec.status === 'running') ? 'run' : 'may run';
  const name = ({ manifest, spec }: WrittenCampaign) => `${manifest} ("${spec.name}")`;
  if (all.length > MOST_NAMED + 1) {
    const named = `${all.slice(0, MOST_NAMED).map(name).join(', ')} and ${all.length - MOST_NAMED} more`;
    return `attached by ${count(all.length, 'campaign')} that ${run}: ${who} would get the emails of each (${named}).`;
  }
  const others = all.filter((other) => other !== campaign);
  const [both, each] = others.length === 1 ? ['both campaigns', 'both'] : ['all of these campaigns', 'each'];
  return `also attached by ${listed(others.map(name), MOST_NAMED)}, and ${both} ${run}: ${who} would get the emails of ${each}.`;
}

const MOST_NAMED = 5;

function wayOut(what: string, all: readonly WrittenCampaign[]): string {
  return all.length === 2
    ? `Remove ${what} from one of the campaigns, or set the status of one to paused.`
    : `Remove ${what} from all but one of the campaigns, or set the status of the others to paused.`;
}
