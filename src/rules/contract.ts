/**
 * Contradictions between the manifests of one environment. No `lint:` key and no waiver changes them. The plan reports those
 * that only the ids in the service reveal.
 */
import { asYaml } from '../manifest/as-yaml.js';
import { errorAt, type SourceFinding } from '../manifest/errors.js';
import { escapeExpressions } from '../manifest/expressions.js';
import type { WrittenCampaign } from '../manifest/resolve.js';
import { groupBy } from '../model/json.js';
import type { Flaw } from './rule.js';

type Contradictions = Iterable<[campaign: WrittenCampaign, flaw: Flaw]>;

/** By code, in the order of `docs/errors.md`. */
const CONTRACT = {
  'duplicate-name': sameNames,
  'duplicate-id': sameIds,
  'replaces-circle': circles,
  'replaced-twice': sharedPredecessors,
  'superseded-running': runningPredecessors,
} as const satisfies Record<string, (campaigns: readonly WrittenCampaign[]) => Contradictions>;

export type ContractCode = keyof typeof CONTRACT;

export const CONTRACT_CODES = Object.keys(CONTRACT) as ContractCode[];

/** Of two manifests, the finding is at the later one. */
export function findContradictions(campaigns: readonly WrittenCampaign[]): SourceFinding[] {
  return CONTRACT_CODES.flatMap((code) =>
    Array.from(CONTRACT[code](campaigns), ([campaign, { path, message, hint }]) =>
      errorAt(campaign.at(path), { code, message, hint }),
    ),
  );
}

function* sameNames(campaigns: readonly WrittenCampaign[]): Contradictions {
  for (const [first, second] of duplicates(campaigns, ({ spec }) => spec.name)) {
    // Pinned campaigns may share a name, because their ids differ.
    if (first.spec.id !== undefined && second.spec.id !== undefined) continue;
    if (first.file === second.file && first.document === second.document) {
      const flaw = sameNameOfEntries(second);
      yield [first, flaw];
      yield [second, flaw];
      continue;
    }
    const message = `"${second.spec.name}" is also the name in ${first.manifest}: both manifests would describe the same campaign.`;
    const hint = 'Give one of them a different name, or pin each to its own live campaign with id:.';
    yield [second, { path: ['name'], message, hint }];
  }
}

/** The first value of an entry differs from those of the others. */
function sameNameOfEntries({ spec, templateAt, valuesAt }: WrittenCampaign): Flaw {
  const path = ['name'];
  const [key = 'value'] = Object.keys(valuesAt(path) ?? {});
  const name = `${templateAt(path) ?? escapeExpressions(spec.name)} \${{ ${key} }}`;
  return {
    path,
    message: `"${spec.name}" is the name of several entries of for_each: they would describe the same campaign.`,
    hint: `Each entry needs its own name. Write \`name: ${asYaml(name)}\`.`,
  };
}

function* sameIds(campaigns: readonly WrittenCampaign[]): Contradictions {
  for (const [first, second] of duplicates(campaigns, ({ spec }) => spec.id)) {
    const message = `Campaign ${second.spec.id} is already managed by ${first.manifest} ("${first.spec.name}").`;
    const hint = 'Remove the id from one of the two manifests, or merge them.';
    yield [second, { path: ['id'], message, hint }];
  }
}

function* circles(campaigns: readonly WrittenCampaign[]): Contradictions {
  const predecessorOf = predecessorsAmong(campaigns);
  for (const campaign of campaigns) {
    const chain = new Set([campaign]);
    let next = predecessorOf(campaign);
    while (next !== undefined && !chain.has(next)) {
      chain.add(next);
      next = predecessorOf(next);
    }
    // A campaign whose chain only leads into a circle is not part of that circle.
    if (next !== campaign) continue;
    const names = [...chain].map(({ spec }) => `"${spec.name}"`);
    const flaw =
      names.length === 1
        ? {
            message: `${names[0]} replaces itself.`,
            hint: 'Remove replaces:, or write the name or id of the campaign that this one succeeds.',
          }
        : {
            message: `These campaigns replace one another in a circle, so none of them can be created first: ${names.join(', ')}.`,
            hint: 'Remove replaces: from the manifest of the oldest campaign.',
          };
    yield [campaign, { path: ['replaces'], ...flaw }];
  }
}

function* sharedPredecessors(campaigns: readonly WrittenCampaign[]): Contradictions {
  const predecessorOf = predecessorsAmong(campaigns);
  const keyOf = (campaign: WrittenCampaign) => predecessorOf(campaign) ?? campaign.spec.replaces;
  for (const [first, second] of duplicates(campaigns, keyOf)) {
    const message = `${first.manifest} ("${first.spec.name}") replaces the same campaign, but only one campaign can replace it.`;
    const hint = 'Keep replaces: in only one manifest.';
    yield [second, { path: ['replaces'], message, hint }];
  }
}

function* runningPredecessors(campaigns: readonly WrittenCampaign[]): Contradictions {
  const predecessorOf = predecessorsAmong(campaigns);
  for (const [index, campaign] of campaigns.entries()) {
    const predecessor = predecessorOf(campaign);
    if (predecessor === undefined || predecessor === campaign || predecessor.spec.status !== 'running')
      continue;
    const message = `${campaign.manifest} ("${campaign.spec.name}") replaces "${predecessor.spec.name}", but ${predecessor.manifest} has status: running. One manifest would pause the campaign; the other would launch it.`;
    const hint = `Delete ${predecessor.manifest}, or write status: paused in it. To keep both campaigns running, remove replaces: from ${campaign.manifest}.`;
    const isLater = campaigns.indexOf(predecessor) > index;
    yield isLater
      ? [predecessor, { path: ['status'], message, hint }]
      : [campaign, { path: ['replaces'], message, hint }];
  }
}

/** Pinned manifests may share a name; `replaces:` with such a name is left to the plan. */
function predecessorsAmong(
  campaigns: readonly WrittenCampaign[],
): (campaign: WrittenCampaign) => WrittenCampaign | undefined {
  const byId = new Map(campaigns.map((campaign) => [campaign.spec.id, campaign]));
  const byName = groupBy(campaigns, ({ spec }) => spec.name);
  return ({ spec: { replaces } }) => {
    if (typeof replaces !== 'string') return replaces === undefined ? undefined : byId.get(replaces);
    const [named, ...others] = byName.get(replaces) ?? [];
    const isShared =
      others.length > 0 && [named, ...others].every((campaign) => campaign?.spec.id !== undefined);
    return isShared ? undefined : named;
  };
}

function* duplicates<Key>(
  campaigns: readonly WrittenCampaign[],
  keyOf: (campaign: WrittenCampaign) => Key | undefined,
): Generator<[first: WrittenCampaign, second: WrittenCampaign]> {
  const firsts = new Map<Key, WrittenCampaign>();
  for (const campaign of campaigns) {
    const key = keyOf(campaign);
    const first = key === undefined ? undefined : firsts.get(key);
    if (first !== undefined) yield [first, campaign];
    else if (key !== undefined) firsts.set(key, campaign);
  }
}
