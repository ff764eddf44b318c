import { nearest } from '../manifest/index.js';
import type { ListedCampaign } from '../model/answer.js';
import { Failure } from '../model/failure.js';
import type { SkippedCampaign } from '../model/imported.js';

/** Live campaigns that are to be imported, by id, and those that are not. */
export interface Selected {
  chosen: ListedCampaign[];
  skipped: SkippedCampaign[];
}

/**
 * The campaigns that are meant by names or ids, or all that no manifest manages yet. `managed`: manifests by the id of
 * their live campaign. Failure for a name that means none or several, and for one that is managed.
 */
export function selectLive(
  wanted: readonly string[],
  listed: readonly ListedCampaign[],
  managed: ReadonlyMap<number, string>,
): Selected {
  const byId = [...listed].sort((a, b) => a.id - b.id);
  if (wanted.length === 0) {
    return {
      chosen: byId.filter(({ id }) => !managed.has(id)),
      skipped: byId.flatMap(({ id, name }) => {
        const manifest = managed.get(id);
        return manifest === undefined ? [] : [{ id, name, manifest, reason: `managed by ${manifest}` }];
      }),
    };
  }
  const ids = new Set(wanted.map((word) => meant(word, byId).id));
  const chosen = byId.filter(({ id }) => ids.has(id));
  for (const { id, name } of chosen) {
    const manifest = managed.get(id);
    if (manifest !== undefined) throw alreadyManaged(name, manifest);
  }
  return { chosen, skipped: [] };
}

function meant(word: string, listed: readonly ListedCampaign[]): ListedCampaign {
  const byId = /^\d+$/.test(word) ? listed.find(({ id }) => id === Number(word)) : undefined;
  const exact = listed.filter(({ name }) => name === word);
  const near = exact.length > 0 ? exact : listed.filter(({ name }) => name.trim() === word.trim());
  const [only, ...others] = byId !== undefined ? [byId] : near;
  if (only === undefined) throw unknown(word, listed);
  if (others.length === 0) return only;
  const ids = [only, ...others].map(({ id }) => id);
  throw new Failure({
    code: 'ambiguous-name',
    message: `The service has ${ids.length} campaigns called "${word}": ${ids.join(', ')}. Nothing was written.`,
    hint: `Name the one you mean by its id: campaignctl import ${ids[0]}.`,
  });
}

function unknown(word: string, listed: readonly ListedCampaign[]): Failure {
  const names = listed.map(({ name }) => name);
  const near =
    nearest(word, names) ?? names.find((name) => name.toLowerCase().includes(word.toLowerCase())) ?? null;
  return new Failure({
    code: 'unknown-campaign',
    message: `The service has no campaign ${/^\d+$/.test(word) ? `with the id or name ${word}` : `called "${word}"`}. Nothing was written.`,
    hint:
      near === null ? 'campaignctl import --all --dry-run shows what there is.' : `Did you mean "${near}"?`,
  });
}

function alreadyManaged(name: string, manifest: string): Failure {
  return new Failure({
    code: 'already-managed',
    message: `"${name}" is managed by ${manifest} already. Nothing was written.`,
    hint: 'campaignctl import NAME --update brings changes of the service into that manifest.',
  });
}
