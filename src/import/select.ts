import { nearest } from '../manifest/errors.js';
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { Failure } from '../model/failure.js';
import type { SkippedCampaign } from '../model/import.js';
import { parseGlob } from '../model/pattern.js';
import { isScratch } from '../model/probe.js';

/** Without words, selects all unmanaged campaigns. `managed`: manifests by id. Fails if a word names no importable campaign. */
export function selectLive(
  words: readonly string[],
  listed: readonly ListedCampaign[],
  managed: ReadonlyMap<number, string>,
  isWanted: (campaign: ListedCampaign) => boolean = () => true,
): { chosen: ListedCampaign[]; skipped: SkippedCampaign[] } {
  const byId = listed.filter(isWanted).sort((a, b) => a.id - b.id);
  if (words.length === 0) {
    const reasonFor = ({ id, name }: ListedCampaign) => {
      const manifest = managed.get(id);
      if (manifest !== undefined) return `managed by ${manifest}`;
      return isScratch(name) ? "a probe created it: delete it in the service's web app" : null;
    };
    const skipped = byId.flatMap((campaign): SkippedCampaign[] => {
      const reason = reasonFor(campaign);
      return reason === null ? [] : [{ id: campaign.id, name: campaign.name, reason }];
    });
    return { chosen: byId.filter((campaign) => reasonFor(campaign) === null), skipped };
  }
  const meant = words.flatMap((word) => {
    const campaign = findCampaign(word, byId);
    if (campaign !== null) return [{ campaign, isNamed: true }];
    const pattern = parseGlob(word);
    const matching = byId.filter(({ name }) => pattern?.test(name));
    return matching.length === 0
      ? unknown(word, byId)
      : matching.map((campaign) => ({ campaign, isNamed: false }));
  });
  const named = new Set(meant.flatMap(({ campaign, isNamed }) => (isNamed ? [campaign] : [])));
  const all = byId.filter((row) => meant.some(({ campaign }) => campaign === row));
  // A pattern may match managed campaigns, which are skipped.
  const chosen = all.filter((row) => named.has(row) || !managed.has(row.id));
  const skipped = all
    .filter((row) => !chosen.includes(row))
    .map(({ id, name }) => ({ id, name, reason: `managed by ${managed.get(id)}` }));
  for (const { id, name } of chosen) {
    const manifest = managed.get(id);
    if (manifest === undefined) continue;
    throw new Failure({
      code: 'already-managed',
      message: `"${name}" is already managed by ${manifest}. Nothing was written.`,
      hint: 'To copy changes from the service into that manifest, run campaignctl import --update NAME.',
    });
  }
  return { chosen, skipped };
}

/** By id, otherwise by unique name; `null` if there is none. Fails if the name is ambiguous. */
export function findCampaign<Campaign extends { id: number | null; name: string }>(
  word: string,
  campaigns: readonly Campaign[],
): Campaign | null {
  const byId = campaigns.find(({ id }) => String(id) === word);
  if (byId !== undefined) return byId;
  const exact = campaigns.filter(({ name }) => name === word);
  const named = exact.length > 0 ? exact : campaigns.filter(({ name }) => isSameName(name, word));
  if (named.length <= 1) return named[0] ?? null;
  const ids = named.map(({ id }) => id);
  throw new Failure({
    code: 'ambiguous-name',
    message: `The service has ${ids.length} campaigns called "${word}": ${ids.join(', ')}. Nothing was written.`,
    hint: `Name the one you mean by its id, such as ${ids[0]}.`,
  });
}

function unknown(word: string, listed: readonly ListedCampaign[]): never {
  const names = listed.map(({ name }) => name);
  const part = names.find((name) => name.toLowerCase().includes(word.toLowerCase()));
  const near = nearest(word, names) ?? part;
  throw new Failure({
    code: 'unknown-campaign',
    message: `The service has no campaign ${/^\d+$/.test(word) ? `with the id or name ${word}` : `called "${word}"`}. Nothing was written.`,
    hint:
      near === undefined
        ? 'Write only a name or id, as in campaignctl import 42. campaignctl list shows all campaigns.'
        : `Did you mean "${near}"?`,
  });
}
