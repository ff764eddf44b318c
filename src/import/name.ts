import type { ListedCampaign } from '../model/answer.js';
import type { Campaign } from '../model/spec.js';
import type { StateEntry } from '../model/state-entry.js';
import { matchCampaigns } from '../plan/index.js';
import type { Named } from './part.js';

/** The project and its workspace, as far as names go. `listed`: the whole workspace. */
export interface Neighbours {
  campaigns: readonly Campaign[];
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
}

/**
 * What each campaign is called in its manifest, in order. A campaign whose name finds it again needs nothing more. Of
 * several with one name each is pinned, and all but the first get another one for the other environments, where they
 * would be made: two manifests of one name would be one campaign there.
 */
export function nameCampaigns(chosen: readonly ListedCampaign[], around: Neighbours): Named[] {
  const fixed = new Set(around.campaigns.map(({ spec }) => spec.name.trim()));
  const used = new Set(fixed);
  const proposed = chosen.map((listed): Named => {
    const plain = fitting(listed.name) || `Campaign ${listed.id}`;
    const name = used.has(plain) ? `${plain} (${listed.id})` : plain;
    used.add(name);
    const here = name !== plain && plain === listed.name && !fixed.has(plain) ? plain : null;
    const pinned = (here ?? name) !== listed.name;
    return { name, here, pinned, remarks: pinned ? [calledOtherwise(listed)] : [] };
  });
  const found = matchCampaigns(
    [...around.campaigns, ...proposed.map(asCampaign)],
    around.listed,
    around.entries,
  );
  const own = found.slice(around.campaigns.length);
  const shared = repeated(around.listed.map(({ name }) => name));
  return proposed.map((named, at) => {
    const { id, name = '' } = chosen[at] ?? {};
    const isFound = own[at]?.id === id && own[at]?.problems.length === 0 && !shared.has(name);
    return { ...named, pinned: named.pinned || !isFound };
  });
}

function repeated(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.has(name) || !seen.add(name)));
}

/** The name as a manifest may say it: one line, no white space around it. */
function fitting(name: string): string {
  return name.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
}

function asCampaign({ name, here }: Named, at: number): Campaign {
  const file = `?${at}`;
  return { manifest: file, file, document: 0, remarks: [], spec: { name: here ?? name } };
}

function calledOtherwise({ id, name }: ListedCampaign): string {
  return `campaign ${id}, which the service calls ${JSON.stringify(name)}`;
}
