/** The names of the files of a state, relative to its folder or branch. */

/** The project and the service that the state belongs to. */
export const OWNER = 'state.json';
/** On a branch: its environment, and the holder of the lease. */
export const HEAD = 'branch.json';
export const JOURNALS = 'journal';
/** A run's journal is open until everything is reconciled. */
export const OPEN = '.open.jsonl';
export const CLOSED = '.jsonl';
export const MARKS = '.marks.json';
/** Archived runs. */
export const HISTORY = `${JOURNALS}/history.jsonl`;

export function entryName(id: number): string {
  return `${id}.json`;
}

export function isEntryName(name: string): boolean {
  return /^\d+\.json$/.test(name);
}

/** False for files that campaignctl has not written, and for the head of a branch. */
export function isStatePath(path: string): boolean {
  return path === OWNER || isEntryName(path) || /^journal\/[\w.-]+\.(jsonl|marks\.json)$/.test(path);
}
