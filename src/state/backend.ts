import { Failure } from '../model/failure.js';
import { KEPT_JOURNALS } from './archive.js';
import { acquireLock, forceUnlock, type Held, type LockOptions, readLock } from './lock.js';
import type { StateUser } from './owner.js';
import { folderStorage } from './storage.js';
import { type Store, storeIn } from './store.js';

const LIMITS = { journals: KEPT_JOURNALS, runs: Number.POSITIVE_INFINITY };

export interface Backend {
  /** The state as first read. */
  store: Store;
  /** The lock's holder, which may be this process; `null` if none is known. */
  held(): Promise<Held | null>;
  /** Like `held`, but reads again. */
  heldNow(): Promise<Held | null>;
  /** Waits for the lock. Fails with `locked` after the timeout, and with `interrupted` on abort. */
  acquire(options: Omit<LockOptions, 'folder'>): Promise<Lease>;
  unlock(held: Held): Promise<void>;
  migrate(): Promise<Moved>;
  /** Ends whatever still runs. A result that is awaited then fails. */
  close(): Promise<void>;
}

/** `files`: number of files on the branch. `already`: true if the folder contained no state. */
export interface Moved {
  files: number;
  already: boolean;
}

/** The right to write the state and to apply. `pause` does not need it. */
export interface Lease {
  /** Fails with `lease-lost` if another run may have taken over. Called before each write. */
  check(): void;
  store: Store;
  /** Saves everything and releases the lock. Fails with `state-not-kept`. */
  end(): Promise<void>;
}

export function folderBackend(folder: string, user: StateUser): Backend {
  const store = storeIn(folderStorage(folder), user);
  return {
    store,
    held: async () => readLock(folder),
    heldNow: async () => readLock(folder),
    async acquire(options) {
      const { check, release } = await acquireLock({ ...options, folder });
      const leased = store.under({ check, keep: null });
      const end = async () => {
        // If it fails, a later run archives them.
        await leased.archive(LIMITS).catch(() => {});
        release();
      };
      return { store: leased, check, end };
    },
    unlock: async ({ holder }) => forceUnlock(folder, holder),
    async migrate() {
      throw new Failure({
        code: 'state-backend',
        message: 'The project file does not name a branch to move the state to.',
        hint: 'Write state: { backend: git } in the project file, then run campaignctl state migrate.',
      });
    },
    close: async () => {},
  };
}

export function lazyStore(opened: () => Promise<Store>): Store {
  return {
    owner: async () => (await opened()).owner(),
    rebase: async () => (await opened()).rebase(),
    readAll: async () => (await opened()).readAll(),
    save: async (entry) => (await opened()).save(entry),
    remove: async (id) => (await opened()).remove(id),
    pending: async () => (await opened()).pending(),
    pausesAfter: async (run) => (await opened()).pausesAfter(run),
    closePending: async (reconciled) => (await opened()).closePending(reconciled),
    begin: async (start, now) => (await opened()).begin(start, now),
    archive: async (limits) => (await opened()).archive(limits),
    runs: async (wanted) => (await opened()).runs(wanted),
  };
}
