import type { ListedCampaign } from '../model/answer.js';
import { groupBy } from '../model/json.js';
import type { Campaign } from '../model/spec.js';
import type { StateEntry } from '../model/state.js';
import { matchCampaigns } from '../plan/index.js';

/**
 * The name of a live campaign in its manifest. `here`: its name in this environment if that differs, else `null`. `pinned`: the name
 * alone does not find it again, so the manifest needs its id.
 */
export interface ManifestName {
  name: string;
  here: string | null;
  pinned: boolean;
}

/** The campaigns of the project and of the whole workspace. */
interface KnownNames {
  campaigns: readonly Campaign[];
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
}

/**
 * The manifest names of these campaigns, in order. Of several campaigns with one name each is pinned, and all but the first get a name
 * of their own for other environments: two manifests of one name would be one campaign there.
 */
export function nameCampaigns(chosen: readonly ListedCampaign[], known: KnownNames): ManifestName[] {
  const fixed = new Set(known.campaigns.map(({ spec }) => spec.name.trim()));
  const used = new Set(fixed);
  const proposed = chosen.map(({ id, name: live }): ManifestName => {
    // Manifests take one line without white space around it.
    const plain = live.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim() || `Campaign ${id}`;
    const name = used.has(plain) ? `${plain} (${id})` : plain;
    used.add(name);
    const here = name !== plain && plain === live && !fixed.has(plain) ? plain : null;
    return { name, here, pinned: (here ?? name) !== live };
  });
  const manifests = proposed.map(({ name, here }, at): Campaign => {
    const file = `?${at}`;
    return { manifest: file, file, document: 0, remarks: [], spec: { name: here ?? name } };
  });
  const matches = matchCampaigns([...known.campaigns, ...manifests], known.listed, known.entries);
  const matched = matches.slice(known.campaigns.length);
  const namesakes = groupBy(known.listed, ({ name }) => name);
  return proposed.map((named, at) => {
    const { id, name = '' } = chosen[at] ?? {};
    const isUnique = (namesakes.get(name) ?? []).length < 2;
    const isMatched = matched[at]?.id === id && matched[at]?.problems.length === 0;
    return { ...named, pinned: named.pinned || !isUnique || !isMatched };
  });
}

/** File names without extension, in order: no two are the same, and none is `taken` (lower case). */
export function chooseBasenames(
  campaigns: readonly { id: number; name: string }[],
  taken: ReadonlySet<string>,
): string[] {
  const used = new Set(taken);
  return campaigns.map(({ id, name }) => {
    const slug = slugOf(name) || `campaign-${id}`;
    let basename = slug;
    for (let number = 2; used.has(basename); number += 1) basename = `${slug}-${number}`;
    used.add(basename);
    return basename;
  });
}

const LONGEST_SLUG = 60;
/** Windows allows no files with the names of devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Letters, digits and dashes of a name; empty if it has no letters and digits. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, '');
  return RESERVED.test(slug) ? `${slug}-campaign` : slug;
}
