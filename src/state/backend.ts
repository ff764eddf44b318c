import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { acquireLock, forceUnlock, type Held, type LockOptions, readLock } from './lock.js';
import { folderStorage } from './storage.js';
import { openStore, type Store, statePaths } from './store.js';

/** Where the state of an environment lives, and who may write it. No other room knows which backend it is. */
export interface Backend {
  /** What is kept, as it was when it was first read. */
  store: Store;
  /** Who holds the right to write, this process included; `null` if no one is known to. */
  held(): Promise<Held | null>;
  /** Takes the right to write, or waits for it. Failure `locked` once the time is up, `interrupted` when the signal is aborted. */
  acquire(options: Omit<LockOptions, 'folder'>): Promise<Lease>;
  /** Takes the right away from its holder, on the word of a person. */
  unlock(held: Held): Promise<void>;
  /** Moves what is kept to a folder or a branch, on the word of `by`. */
  move(to: StateKind, by: string): Promise<Moved>;
}

/** What was moved, in files; or how many there are if nothing had to be. */
export interface Moved {
  files: number;
  already: boolean;
}

export type StateKind = Environment['state']['backend'];

/** The right to write the state, and so to send. */
export interface Lease {
  /** Throws a Failure `lease-lost` if another run may have taken over: asked right before each write leaves. */
  check(): void;
  store: Store;
  /** Gives the right back with all that was written. Failure `state-not-kept` if that cannot be kept. */
  end(): Promise<void>;
}

/** State in a folder of one machine. `address`: of the service. */
export function folderBackend(
  folder: string,
  { address, environment }: { address: string; environment: string },
): Backend {
  const store = openStore(folder, address, { environment });
  return {
    store,
    held: async () => readLock(folder),
    async acquire(options) {
      const { check, release } = await acquireLock({ ...options, folder });
      return { store: guarded(store, check), check, end: async () => release() };
    },
    unlock: async ({ holder }) => forceUnlock(folder, holder),
    async move(to) {
      if (to === 'file') return { files: (await statePaths(folderStorage(folder))).length, already: true };
      throw new Failure({
        code: 'state-backend',
        message: 'The project file keeps the state in a folder, and does not say which branch it goes to.',
        hint: 'Write state: { backend: git } in the project file, then run campaignctl state migrate --to git.',
      });
    },
  };
}

/** A store that writes nothing once another run may have taken over. Its journal may still note what became of a request. */
export function guarded(store: Store, check: Lease['check']): Store {
  const guard =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      check();
      return write(...args);
    };
  return {
    ...store,
    rebase: guard(store.rebase),
    save: guard(store.save),
    remove: guard(store.remove),
    closePending: guard(store.closePending),
  };
}

/** A store that is opened when it is first used. */
export function behind(opened: () => Promise<Store>): Store {
  return {
    address: async () => (await opened()).address(),
    rebase: async () => (await opened()).rebase(),
    readAll: async () => (await opened()).readAll(),
    save: async (entry) => (await opened()).save(entry),
    remove: async (id) => (await opened()).remove(id),
    pending: async () => (await opened()).pending(),
    closePending: async (reconciled) => (await opened()).closePending(reconciled),
    begin: async (start, now) => (await opened()).begin(start, now),
    runs: async (wanted) => (await opened()).runs(wanted),
  };
}
