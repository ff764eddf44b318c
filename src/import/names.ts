import type { ListedCampaign } from '../model/answer.js';
import { groupBy } from '../model/group.js';
import type { Campaign } from '../model/spec.js';
import type { StateEntry } from '../model/state.js';
import { matchCampaigns } from '../plan/index.js';
import { note, type SectionRemark } from '../sections/section.js';

/**
 * What a live campaign is called in its manifest: `name`; `here` where it is another one in the environment it comes
 * from. `pinned`: its name alone would not find it again. `remarks`: what has to be said of that.
 */
export interface ManifestName {
  name: string;
  here: string | null;
  pinned: boolean;
  remarks: SectionRemark[];
}

/** The project and its workspace, as far as names go. `listed`: the whole workspace. */
export interface KnownNames {
  campaigns: readonly Campaign[];
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
}

const LONGEST_SLUG = 60;
/** Names of devices: Windows has no files of these names. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * What each campaign is called in its manifest, in order. A campaign whose name finds it again needs nothing more. Of
 * several with one name each is pinned, and all but the first get another one for the other environments, where they
 * would be made: two manifests of one name would be one campaign there.
 */
export function nameCampaigns(chosen: readonly ListedCampaign[], known: KnownNames): ManifestName[] {
  const fixed = new Set(known.campaigns.map(({ spec }) => spec.name.trim()));
  const used = new Set(fixed);
  const proposed = chosen.map(({ id, name: live }): ManifestName => {
    // As a manifest may say it: one line, no white space around it.
    const plain = live.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim() || `Campaign ${id}`;
    const name = used.has(plain) ? `${plain} (${id})` : plain;
    used.add(name);
    const here = name !== plain && plain === live && !fixed.has(plain) ? plain : null;
    const pinned = (here ?? name) !== live;
    const remark = `campaign ${id}, which the service calls ${JSON.stringify(live)}`;
    return { name, here, pinned, remarks: pinned ? [note(remark)] : [] };
  });
  const manifests = proposed.map(({ name, here }, at): Campaign => {
    const file = `?${at}`;
    return { manifest: file, file, document: 0, remarks: [], spec: { name: here ?? name } };
  });
  const found = matchCampaigns([...known.campaigns, ...manifests], known.listed, known.entries);
  const own = found.slice(known.campaigns.length);
  const namesakes = groupBy(known.listed, ({ name }) => name);
  return proposed.map((named, at) => {
    const { id, name = '' } = chosen[at] ?? {};
    const isAlone = (namesakes.get(name) ?? []).length < 2;
    const isFound = own[at]?.id === id && own[at]?.problems.length === 0 && isAlone;
    return { ...named, pinned: named.pinned || !isFound };
  });
}

/** File names without their ends for campaigns in their order: no two alike, none that is `taken` (lower case). */
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

/** A campaign's name as a basename: letters, digits and dashes; empty where it has neither. */
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
