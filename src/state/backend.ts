import type { RunStart } from '../model/state.js';
import { acquireLock, forceUnlock, type Held, type LockOptions, readLock } from './lock.js';
import { openStore, type Store } from './store.js';

/** Where the state of an environment lives, and who may write it. No other room knows which backend it is. */
export interface Backend {
  /** What is kept, as it was when it was first read; for reading, and for writing only under a lease. */
  store: Store;
  /** Who holds the right to write, this process included; null: no one is known to. */
  held(): Promise<Held | null>;
  /** Takes the right to write, or waits for it. Failure `locked` once the time is up, `interrupted` when the signal is aborted. */
  acquire(options: Omit<LockOptions, 'folder'>): Promise<Lease>;
  /** Takes the right away from its holder, on the word of a person. */
  unlock(held: Held | null): Promise<void>;
}

/** The right to write the state, and so to send. */
export interface Lease {
  /** Throws a Failure `lease-lost` where another machine may have taken over: asked right before each write leaves. */
  check(): void;
  /** Entries and journals that other machines see: its journals begin, and attachments are sent, only once these are kept there. */
  store: Store;
  /** Gives the right back with all that was written. Failure `state-not-kept` if that cannot be kept. */
  end(): Promise<void>;
}

/** State in a folder of one machine. `address`: of the service. */
export function folderBackend(folder: string, address: string): Backend {
  const store = openStore(folder, address);
  return {
    store,
    held: async () => readLock(folder),
    async acquire(options) {
      const lock = await acquireLock({ ...options, folder });
      return { store, check: () => {}, end: async () => lock.release() };
    },
    unlock: async (held) => forceUnlock(folder, held?.holder ?? null),
  };
}

/** A store whose run is announced, and whose attachments are noted, where `keep` puts them before anything is sent. */
export function announcing(store: Store, keep: () => Promise<void>): Store {
  return {
    ...store,
    async begin(start: RunStart, now: () => string) {
      const journal = await store.begin({ ...start, announced: true }, now);
      await keep();
      return {
        ...journal,
        async intend(intent) {
          await journal.intend(intent);
          if (intent.step.section === 'leads') await keep();
        },
      };
    },
  };
}
