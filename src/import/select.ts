import { nearest } from '../manifest/nearest.js';
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { Failure } from '../model/failure.js';
import { parseGlob } from '../model/glob.js';
import type { ImportStatus, SkippedCampaign } from '../model/reports.js';

/**
 * `managed`: manifests by campaign id. `successors`: ids of the campaigns that replaced others, which only their ids select.
 * `status`: of all listed campaigns; `null` if they have different ones.
 */
interface LiveSelection {
  managed: ReadonlyMap<number, string>;
  successors: ReadonlyMap<number, number>;
  status: ImportStatus | null;
}

/** Selects campaigns by name, id or pattern, or all if there are no words. Fails if a word matches nothing. */
export function selectLive(
  words: readonly string[],
  listed: readonly ListedCampaign[],
  { managed, successors, status }: LiveSelection,
): { chosen: ListedCampaign[]; skipped: SkippedCampaign[] } {
  refuseUnknown(words, listed, status);
  const rows = listed
    .filter((row) => words.length === 0 || words.some((word) => isMeant(row, word)))
    .sort((a, b) => a.id - b.id);
  const reasonFor = ({ id }: ListedCampaign) => {
    const manifest = managed.get(id);
    if (manifest !== undefined)
      return `already managed by ${manifest}: to update that manifest, pass --update`;
    const successor = words.includes(String(id)) ? undefined : successors.get(id);
    return successor === undefined
      ? null
      : `replaced by campaign ${successor}: import it by its id, ${id}, to manage it again`;
  };
  const skipped = rows.flatMap((row): SkippedCampaign[] => {
    const reason = reasonFor(row);
    return reason === null ? [] : [{ id: row.id, name: row.name, reason }];
  });
  return { chosen: rows.filter((row) => reasonFor(row) === null), skipped };
}

export function isMeant({ id, name }: { id: number | null; name: string }, word: string): boolean {
  return String(id ?? '') === word || isSameName(name, word) || parseGlob(word)?.test(name) === true;
}

function refuseUnknown(
  words: readonly string[],
  listed: readonly Pick<ListedCampaign, 'id' | 'name'>[],
  status: ImportStatus | null,
): void {
  const word = words.find((each) => !listed.some((row) => isMeant(row, each)));
  if (word === undefined) return;
  const names = listed.map(({ name }) => name);
  throw new Failure({
    code: 'unknown-campaign',
    message: `The service has no ${status === null ? '' : `${status} `}campaign with the name or id "${word}". Nothing was changed.`,
    hint: suggestName(word, names),
  });
}

export function suggestName(word: string, names: readonly string[]): string {
  const part = names.find((name) => name.toLowerCase().includes(word.toLowerCase()));
  const near = nearest(word, names) ?? part;
  return near === undefined
    ? 'campaignctl list shows all campaigns. In patterns, * matches any text, and ? matches one character.'
    : `Did you mean "${near}"?`;
}
