/** States that are on branches of a remote, whichever project they belong to. */
import { Failure } from '../model/failure.js';
import { decode } from '../model/json.js';
import type { PendingOperations, StateEntry } from '../model/state.js';
import { HEAD, isStatePath, OWNER } from './file-names.js';
import type { StateOwner } from './files.js';
import { type BranchesOptions, readBranches } from './git.js';
import { memoryStorage } from './storage.js';
import { storeIn } from './store.js';
import { isBranchHead, isStateOwner } from './validators.generated.js';

/** `known`: `null` if a file of the state is damaged. */
export interface FoundState {
  branch: string;
  environment: string;
  owner: StateOwner;
  known: { entries: StateEntry[]; pending: PendingOperations[] } | null;
}

/** Only reads. Leaves out branches that campaignctl has not written. Fails with `state-unreachable`. */
export async function findStates(
  options: BranchesOptions,
  choose: (branches: readonly string[]) => readonly string[],
): Promise<FoundState[]> {
  const branches = await readBranches(options, choose);
  const found = [...branches].map(async ([branch, files]): Promise<FoundState[]> => {
    const textOf = (path: string) => files.get(path)?.toString('utf8') ?? '';
    const { value: head } = decode(textOf(HEAD), isBranchHead);
    const { value: owner } = decode(textOf(OWNER), isStateOwner);
    if (head === null || owner === null) return [];
    const { environment } = head;
    return [{ branch, environment, owner, known: await readKnown(files, { environment, owner }) }];
  });
  return (await Promise.all(found)).flat();
}

async function readKnown(
  files: ReadonlyMap<string, Buffer>,
  { environment, owner: { version: _, ...owner } }: Pick<FoundState, 'environment' | 'owner'>,
): Promise<FoundState['known']> {
  const kept = new Map([...files].filter(([path]) => isStatePath(path)));
  const user = { ...owner, environment, top: '', isPath: true, separate: null };
  const store = storeIn(memoryStorage('branch', kept), user);
  try {
    const [entries, pending] = await Promise.all([store.readAll(), store.pending()]);
    return { entries, pending };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return null;
  }
}
