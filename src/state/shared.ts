import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../model/failure.js';
import { announcing, type Backend, behind, type Lease } from './backend.js';
import { atWork, leaseLost, nothingSent, notKept } from './branch-failures.js';
import type { BranchHead, LockHolder } from './files.generated.js';
import { noteUnkept } from './journal.js';
import {
  acquireLock,
  forceUnlock,
  type Held,
  interrupted,
  type Lock,
  type LockOptions,
  lockedFailure,
  ownHolder,
  readLock,
} from './lock.js';
import { type MirrorOptions, mirrored, openMirror, readRecord, type Tip } from './mirror.js';
import { moveIn, moveOut } from './move.js';
import { openStore, type Store } from './store.js';

/**
 * State on a branch that machines share. The folder is a mirror of it: what is written there reaches the branch in commits on top of
 * the last one. Lease and records are in one commit, so a machine that lost the lease cannot write.
 */
export interface SharedOptions extends MirrorOptions {
  /** Of the service. */
  address: string;
  /** Seconds that a lease holds without being renewed. */
  seconds: number;
}

const CLOSED = /^journal\/(?!.*\.open\.).*\.jsonl$/;
/** Closed runs that the branch keeps. */
const MOST_RUNS = 50;
/** Milliseconds for which the last push of a run is tried. */
const LAST_TRIES = 30_000;
/** Pushes that may fail before the lease is given up, or be refused before the remote is believed. */
const TRIES = 4;
/** Milliseconds for which another process of this machine may bring the folder up to date. */
const MIRRORING = 20_000;

export function sharedBackend({ address, seconds, ...options }: SharedOptions): Backend {
  const { folder, branch, environment } = options;
  const copy = openMirror(options);
  const store = openStore(folder, address, {
    environment,
    changing: (file, text) => (text === null ? copy.giveUp([file]) : copy.writing(file, text)),
  });
  const { read, mirror, isAhead, commit, heldAt } = copy;
  /** What was found when this began; null: not yet. */
  let pulling: ReturnType<typeof pull> | null = null;

  /** Takes the lease once it is free, or has not moved for as long as it holds. */
  async function take(options: Omit<LockOptions, 'folder'>): Promise<Lease> {
    const { who, timeout, signal } = options;
    const holder = ownHolder(who);
    const deadline = performance.now() + timeout;
    let still: Pick<Tip, 'commit'> & { since: number } = { commit: '', since: 0 };
    let told = false;
    let first: Clocks | null = null;
    const waiting = (other: LockHolder) => {
      if (!told) options.waiting(other);
      told = true;
    };
    for (let tries = 1; ; ) {
      const found = await read();
      const now = performance.now();
      if (still.commit !== found.commit) still = { commit: found.commit, since: now };
      const held = await heldAt(found);
      // An earlier push of this one may have arrived without an answer.
      const isFree = held === null || held.holder.id === holder.id || (await isEnded(held));
      const lease = isFree ? null : held.lease;
      if (held !== null && lease !== null && now - still.since < 1000 * lease.seconds) {
        if (now >= deadline) throw lockedFailure(held, timeout);
        waiting(held.holder);
        const pause = Math.min(2_000, 100 * lease.seconds) * (0.5 + Math.random());
        await wait(pause, undefined, { signal }).catch(interrupted);
        continue;
      }
      const left = 1000 * Math.ceil(Math.max(0, deadline - now) / 1000);
      const lock = await acquireLock({ ...options, folder, waiting, holder, timeout: left });
      try {
        const began = clocks();
        first ??= began;
        const change = { holder, lease: seconds, epoch: found.head.epoch + 1 };
        const taken = (await mirror(found)) ? await commit(found, change, `Lease of ${who}`) : null;
        if (taken !== null) {
          // From here on, the folder is ahead of the branch.
          pulling = Promise.resolve({ tip: taken.tip, apart: false });
          return leased(taken.tip, taken.whole ? began : first, lock);
        }
      } catch (error) {
        // Of two that push in the same moment, the remote may refuse both.
        if (tries === TRIES || !(error instanceof Failure)) {
          lock.release();
          nothingSent(error);
        }
        tries += 1;
      }
      lock.release();
      await wait(200 * Math.random());
    }
  }

  /** Whether it was a run of this machine that is known to be dead. A copy of this folder on another machine knows nothing of it. */
  async function isEnded({ holder, alive }: Held): Promise<boolean> {
    return alive === false && holder.id === (await readRecord(folder))?.holder;
  }

  function leased(taken: Tip, began: Clocks, lock: Lock): Lease {
    let at = taken;
    let renewed = began;
    let slowest = performance.now() - began.steady;
    let pushing: Clocks | null = null;
    let lost: Failure | null = null;
    const begun: string[] = [];
    let current: Promise<void> = Promise.resolve();
    let next: Promise<void> | null = null;
    const isOver = (since = renewed, limit = (2 / 3) * 1000 * seconds) => elapsed(since) > limit;

    const over = () => {
      const last = pushing === null ? 0 : performance.now() - pushing.steady;
      return leaseLost({ lease: seconds, push: Math.max(slowest, last) });
    };
    const check = () => {
      if (lost !== null) throw lost;
      if (isOver()) throw over();
    };

    async function push(change: Partial<BranchHead>, message: string, isLate: () => boolean): Promise<void> {
      let refusals = 0;
      for (let pause = 250; ; pause = Math.min(2 * pause, 4_000)) {
        const start = clocks();
        try {
          if (lost !== null) throw lost;
          pushing = start;
          const done = await commit(at, change, message).finally(() => {
            slowest = Math.max(slowest, performance.now() - start.steady);
            pushing = null;
          });
          if (done === null) {
            lost = over();
            throw lost;
          }
          at = done.tip;
          if (!done.whole) continue;
          renewed = start;
          return;
        } catch (error) {
          if (isRefusal(error)) refusals += 1;
          if (lost !== null || isLate() || refusals === TRIES) throw error;
          await wait(pause);
        }
      }
    }

    /** Those who ask while a push is under way share the next one. */
    function keep(): Promise<void> {
      if (next === null) {
        next = current.then(() => {
          next = null;
          return push({}, 'Records', () => isOver());
        });
        current = next.catch(() => undefined);
      }
      return next;
    }

    const begin: Store['begin'] = async (start, now) => {
      begun.push(start.run);
      await copy.growing([start.run]);
      return store.begin(start, now);
    };
    const closePending: Store['closePending'] = async (reconciled) => {
      await copy.growing(reconciled.map(({ run }) => run));
      await store.closePending(reconciled);
    };
    const renewal = setInterval(() => keep().catch(() => undefined), (1000 * seconds) / 3);
    renewal.unref();
    return {
      store: announcing({ ...store, begin, closePending }, keep, check),
      check,
      async end() {
        clearInterval(renewal);
        await current;
        const start = clocks();
        try {
          await prune();
          await push({ holder: null, lease: 0 }, 'Lease given back', () =>
            isOver(start, Math.min(LAST_TRIES, 1000 * seconds)),
          );
        } catch (error) {
          await noteUnkept(folder, begun);
          throw notKept(error);
        } finally {
          lock.release();
        }
      },
    };
  }

  /** Takes the oldest closed runs away. */
  async function prune(): Promise<void> {
    const closed = (await mirrored(folder)).filter((path) => CLOSED.test(path)).sort();
    const oldest = closed.slice(0, -MOST_RUNS);
    // One that was closed by this run may still be open on the branch.
    const names = oldest.flatMap((path) => [path, path.replace(/jsonl$/, 'open.jsonl')]);
    if (names.length > 0) await copy.giveUp(names);
    for (const path of oldest) await rm(join(folder, path), { force: true });
  }

  /**
   * Brings the folder up to date, once. The apply that holds the lease writes it by itself. `apart`: another process has the folder,
   * and may never give it back, so the branch is read without it.
   */
  async function pull(): Promise<{ tip: Tip; apart: boolean }> {
    const deadline = performance.now() + MIRRORING;
    for (;;) {
      const tip = await read();
      const other = readLock(folder);
      if (other !== null && other.alive !== false && other.holder.id === tip.head.holder?.id)
        return { tip, apart: false };
      let busy: Failure | null = null;
      const lock = await acquireLock({ ...quick('a reader'), folder }).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.code !== 'locked') throw error;
        busy = error;
        return null;
      });
      try {
        if (lock !== null && (await mirror(tip))) return { tip, apart: false };
      } finally {
        lock?.release();
      }
      if (busy === null) continue;
      const isLate = performance.now() > deadline;
      if ((isLate || readLock(folder)?.alive === null) && !(await isAhead(tip))) return { tip, apart: true };
      if (isLate) throw busy;
    }
  }
  const pulled = () => {
    pulling ??= pull();
    return pulling;
  };

  async function reading<T>(work: (kept: Store) => Promise<T>): Promise<T> {
    const { tip, apart } = await pulled();
    if (!apart) return work(store);
    const own = await mkdtemp(join(tmpdir(), 'campaignctl-'));
    try {
      await openMirror({ ...options, folder: own }).mirror(tip);
      return await work(openStore(own, address, { environment }));
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }

  return {
    store: behind(store, reading),
    local: store,
    async held() {
      const held = await heldAt((await pulled()).tip);
      const onMachine = readLock(folder);
      // Nothing can be done here before that lock is gone, not even take the lease of another away.
      if (onMachine?.alive === null && onMachine.holder.id !== held?.holder.id) return onMachine;
      if (held !== null) return held;
      // A process that runs and has no lease sends nothing.
      return onMachine?.alive === true ? null : onMachine;
    },
    former: async () => (await pulled()).tip.former,
    acquire: take,
    move: (to, by) => (to === 'git' ? moveIn(copy, options) : moveOut(copy, options, by)),
    async unlock(held) {
      forceUnlock(folder, held?.holder ?? null);
      if (held === null || held.lease === null) return;
      const found = await read();
      if (found.head.holder?.id !== held.holder.id) return;
      // The person has decided on what was shown: an apply that renews its lease is at work.
      if ((await branch.madeAt(found.commit ?? '')) !== held.lease.renewed) throw atWork(held);
      const lock = await acquireLock({ ...quick('unlock'), folder });
      try {
        const change = { holder: null, lease: 0, epoch: found.head.epoch + 1 };
        if (!(await mirror(found)) || (await commit(found, change, 'Lease taken away')) === null)
          throw atWork(held);
      } finally {
        lock.release();
      }
    },
  };
}

function quick(who: string): Omit<LockOptions, 'folder'> {
  return { who, timeout: 1_000, waiting: () => {}, signal: new AbortController().signal };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Failure && error.code === 'state-refused';
}

/** The wall clock goes on while a machine sleeps, the other one is not set back. */
interface Clocks {
  wall: number;
  steady: number;
}

function clocks(): Clocks {
  return { wall: Date.now(), steady: performance.now() };
}

function elapsed({ wall, steady }: Clocks): number {
  return Math.max(Date.now() - wall, performance.now() - steady);
}
