import type { StateEntry } from '../model/state.js';
import type { Match } from './match.js';

/**
 * The entries of the state that no manifest of the project has any more, whether or not their campaigns are still there. `matches`
 * are those of all manifests: by name, id or file, an entry may be that of a manifest which is not planned now. An entry of which a
 * problem of its manifest speaks (it was renamed, or is missing) is not removed.
 */
export function removedEntries(entries: readonly StateEntry[], matches: readonly Match[]): StateEntry[] {
  const claimed = new Set<number | null>(
    matches.flatMap(({ id, record, problems }) => [
      id,
      problems.length > 0 && record !== null ? record.id : null,
    ]),
  );
  return entries.filter(({ id }) => !claimed.has(id));
}
