import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { RunStart } from '../model/state.js';
import { isMirror, nothingSent } from './branch-failures.js';
import { acquireLock, forceUnlock, type Held, type LockOptions, readLock } from './lock.js';
import { giveUp, mirrored, readRecord } from './mirror.js';
import type { Moved } from './move.js';
import { openStore, type Store } from './store.js';

/** Where the state of an environment lives, and who may write it. No other room knows which backend it is. */
export interface Backend {
  /** What is kept, as it was when it was first read; for reading, and for writing only under a lease. */
  store: Store;
  /** What this machine has of it, which may be old: reading it asks no remote. */
  local: Pick<Store, 'runs' | 'readAll'>;
  /** Who holds the right to write, this process included; null: no one is known to. */
  held(): Promise<Held | null>;
  /** The project file that is no more and whose state this one goes on with; null: none. */
  former(): Promise<string | null>;
  /** Takes the right to write, or waits for it. Failure `locked` once the time is up, `interrupted` when the signal is aborted. */
  acquire(options: Omit<LockOptions, 'folder'>): Promise<Lease>;
  /** Takes the right away from its holder, on the word of a person. */
  unlock(held: Held | null): Promise<void>;
  /** Moves what is kept to a folder or a branch, on the word of `by`. */
  move(to: StateKind, by: string): Promise<Moved>;
}

export type StateKind = Environment['state']['backend'];

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
export function folderBackend(
  folder: string,
  { address, environment }: { address: string; environment: string },
): Backend {
  const store = openStore(folder, address, {
    environment,
    async changing(file, text) {
      if (text === null) await giveUp(folder, [file]);
    },
  });
  const check = async () => {
    if ((await readRecord(folder)) !== null) throw isMirror(folder);
  };
  return {
    store: behind(store, async (work) => {
      await check();
      return work(store);
    }),
    local: store,
    held: async () => readLock(folder),
    former: async () => null,
    async acquire(options) {
      const lock = await acquireLock({ ...options, folder });
      try {
        await check();
      } catch (error) {
        lock.release();
        throw error;
      }
      return { store, check: () => {}, end: async () => lock.release() };
    },
    unlock: async (held) => forceUnlock(folder, held?.holder ?? null),
    async move(to) {
      await check();
      if (to === 'file') return { files: (await mirrored(folder)).length, already: true };
      throw new Failure({
        code: 'state-backend',
        message: 'The project file keeps the state in a folder, and does not say which branch it goes to.',
        hint: 'Write state: { backend: git } in the project file, then run campaignctl state migrate --to git.',
      });
    },
  };
}

/** A store that is read where `reading` says, once it is what is kept. */
export function behind(store: Store, reading: <T>(work: (kept: Store) => Promise<T>) => Promise<T>): Store {
  return {
    ...store,
    address: () => reading((kept) => kept.address()),
    readAll: () => reading((kept) => kept.readAll()),
    pending: () => reading((kept) => kept.pending()),
    runs: (wanted) => reading((kept) => kept.runs(wanted)),
  };
}

/**
 * A store whose run is announced, and whose attachments are noted, where `keep` puts them before anything is sent. What cannot be put
 * there is not sent, and no later run has to doubt that. `check`: throws where that took too long for anything to be sent.
 */
export function announcing(store: Store, keep: () => Promise<void>, check: Lease['check']): Store {
  return {
    ...store,
    async begin(start: RunStart, now: () => string) {
      const journal = await store.begin({ ...start, announced: true }, now);
      await keep()
        .then(check)
        .catch(async (error: unknown) => {
          await journal.end('incomplete');
          nothingSent(error);
        });
      return {
        ...journal,
        async intend(intent) {
          await journal.intend(intent);
          if (intent.step.section !== 'leads') return;
          await keep().catch(async (error: unknown) => {
            const { manifest, name, id, step } = intent;
            const detail = 'it could not be noted on the branch';
            const outcome = { manifest, name, id, step: step.id, result: 'not_run', detail } as const;
            await journal.conclude({ ...outcome, visible_in: null });
            throw error;
          });
        },
      };
    },
  };
}
