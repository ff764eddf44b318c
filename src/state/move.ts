import { randomUUID } from 'node:crypto';
import type { Lease, Moved } from './backend.js';
import { differing, movedAway, pendingRuns, unmigrated } from './branch-failures.js';
import type { BranchHead } from './files.generated.js';
import { readPending } from './journal.js';
import { acquireLock, type LockOptions } from './lock.js';
import { folderStorage, type MemoryStorage, type Storage } from './storage.js';
import { isState, statePaths } from './store.js';

/**
 * Moves the state between a folder and a branch, never during an apply or with unreconciled requests. Can be repeated after a
 * crash.
 */

export interface BranchLease extends Lease {
  storage: MemoryStorage;
  head: BranchHead;
  /** Releases the lease with a change of the head. */
  endWith(change: Partial<BranchHead>): Promise<void>;
  /** Releases the lease without changes. */
  discard(): Promise<void>;
}

interface MoveOptions {
  /** Also after the state was moved to a folder. */
  take(request: Omit<LockOptions, 'folder'>): Promise<BranchLease>;
  environment: string;
}

/** Identifies the move: only that folder can be moved back. */
const MOVE = 'moved-from-branch';

/** Afterwards the branch holds both, and the folder nothing. */
export async function moveIn(folder: string, { take, environment }: MoveOptions): Promise<Moved> {
  return locked(folder, async (quick) => {
    const own = folderStorage(folder);
    const paths = await statePaths(own);
    await refusePending(own);
    const lease = await take(quick);
    const { storage, head } = lease;
    return orDiscard(lease, async () => {
      const isBack = head.moved !== null;
      if (head.moved !== null && own.read(MOVE)?.toString() !== head.move)
        throw movedAway(head.moved, environment);
      if (!isBack && paths.length === 0) {
        await lease.discard();
        return { files: storage.files.size, already: true };
      }
      const textOf = (path: string) => own.read(path)?.toString('utf8') ?? '';
      for (const path of isBack ? [...storage.files.keys()] : []) await storage.remove(path);
      const other = paths.find(
        (path) => (storage.read(path)?.toString('utf8') ?? textOf(path)) !== textOf(path),
      );
      if (other !== undefined) throw differing(folder, other);
      for (const path of paths) await storage.write(path, textOf(path));
      await lease.endWith({ moved: null, move: null });
      await remove(own, [...paths, MOVE]);
      return { files: storage.files.size, already: false };
    });
  });
}

/** The branch then says that the state has moved, so no machine continues with it. */
export async function moveOut(
  folder: string,
  { take, environment, by }: MoveOptions & { by: string },
): Promise<Moved> {
  return locked(folder, async (quick) => {
    const own = folderStorage(folder);
    const marker = own.read(MOVE)?.toString() ?? null;
    if (marker === null && (await isState(folder))) throw unmigrated(folder);
    const lease = await take(quick);
    const { storage, head } = lease;
    return orDiscard(lease, async () => {
      if (head.moved !== null) {
        if (marker !== head.move) throw movedAway(head.moved, environment);
        await lease.discard();
        return { files: (await statePaths(own)).length, already: true };
      }
      await refusePending(storage);
      // An interrupted move may have left older files.
      await remove(own, await statePaths(own));
      const move = randomUUID();
      await own.write(MOVE, move);
      for (const [path, content] of storage.files) await own.write(path, content.toString());
      await lease.endWith({ moved: by, move });
      return { files: storage.files.size, already: false };
    });
  });
}

async function orDiscard<T>(lease: BranchLease, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await lease.discard().catch(() => undefined);
    throw error;
  }
}

async function remove(storage: Storage, paths: readonly string[]): Promise<void> {
  for (const path of paths) await storage.remove(path);
}

async function locked<T>(
  folder: string,
  work: (request: Omit<LockOptions, 'folder'>) => Promise<T>,
): Promise<T> {
  const { signal } = new AbortController();
  const quick = { who: 'state migrate', timeout: 0, waiting: () => {}, signal };
  const lock = await acquireLock({ ...quick, folder });
  try {
    return await work(quick);
  } finally {
    lock.release();
  }
}

async function refusePending(storage: Storage): Promise<void> {
  const pending = await readPending(storage);
  if (pending.length > 0) throw pendingRuns([...new Set(pending.map(({ run }) => run))]);
}
