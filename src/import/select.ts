import { nearest } from '../manifest/index.js';
import type { ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import { isSameName } from '../model/names.js';
import type { SkippedCampaign } from '../model/outputs.js';
import { liveStatus } from '../plan/index.js';
import type { LiveCampaign } from './import-campaign.js';

/**
 * The live campaigns that names or ids mean, by id, or all that no manifest manages yet; and those that are left out.
 * `managed`: manifests by the id of their live campaign. Failure for a word that means none or several of them, or one that
 * is managed.
 */
export function selectLive(
  words: readonly string[],
  listed: readonly ListedCampaign[],
  managed: ReadonlyMap<number, string>,
): { chosen: ListedCampaign[]; skipped: SkippedCampaign[] } {
  const byId = [...listed].sort((a, b) => a.id - b.id);
  if (words.length === 0) {
    const skipped = byId.flatMap(({ id, name }) => {
      const manifest = managed.get(id);
      return manifest === undefined ? [] : [{ id, name, manifest, reason: `managed by ${manifest}` }];
    });
    return { chosen: byId.filter(({ id }) => !managed.has(id)), skipped };
  }
  const meant = new Set(words.map((word) => findCampaign(word, byId) ?? unknown(word, byId)));
  const chosen = byId.filter((one) => meant.has(one));
  for (const { id, name } of chosen) {
    const manifest = managed.get(id);
    if (manifest === undefined) continue;
    throw new Failure({
      code: 'already-managed',
      message: `"${name}" is managed by ${manifest} already. Nothing was written.`,
      hint: 'campaignctl import NAME --update brings changes of the service into that manifest.',
    });
  }
  return { chosen, skipped: [] };
}

/** The campaign with this id, or else the only one with this name; null for none. Failure where several have the name. */
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
        ? 'campaignctl import --all --dry-run shows every campaign.'
        : `Did you mean "${near}"?`,
  });
}

/** Why there is nothing to import, although the service lists the campaign; null: it can be imported. */
export function goneReason(
  { listed, answers, recorded }: LiveCampaign,
  environment: Environment,
): string | null {
  if (answers.campaign === null || answers.campaign.none) return 'the service lists it and does not have it';
  const { id, name } = listed;
  try {
    const about = { environment, recorded, templates: null, spec: { name }, id, listed, answers };
    const { word, meaning } = liveStatus(about);
    return meaning === 'gone' ? `it is "${word}" in the service` : null;
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message;
    throw error;
  }
}
