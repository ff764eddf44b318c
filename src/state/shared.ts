import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeFolder, writeAtomic } from '../files/atomic.js';
import { decode } from '../model/decode.js';
import { Failure } from '../model/failure.js';
import { announcing, type Backend, type Lease } from './backend.js';
import { atWork, edited, gone, leaseLost, notKept, others, rewound, unmigrated } from './branch-failures.js';
import { missing, refused } from './failure.js';
import type { BranchHead, BranchRecord, LockHolder } from './files.generated.js';
import { type Branch, idOf } from './git.js';
import {
  acquireLock,
  forceUnlock,
  type Held,
  heldBy,
  interrupted,
  type Lock,
  type LockOptions,
  lockedFailure,
  ownHolder,
  readLock,
} from './lock.js';
import { openStore } from './store.js';
import { isBranchHead, isBranchRecord } from './validators.generated.js';

/**
 * State on a branch that machines share. The folder is a mirror of it: what is written there reaches the branch in commits on top of
 * the last one. Lease and records are in one commit, so a machine that lost the lease cannot write.
 */
export interface SharedOptions {
  /** The mirror, on this machine only. */
  folder: string;
  branch: Branch;
  /** Of the service. */
  address: string;
  environment: string;
  /** Seconds that a lease holds without being renewed. */
  seconds: number;
}

const HEAD = 'state.json';
const RECORD = '.branch.json';
const MIRRORED = /^(\d+(-\d+)?\.json|journal\/[\w.-]+\.jsonl)$/;
const CLOSED = /^journal\/(?!.*\.open\.).*\.jsonl$/;
/** Closed runs that the branch keeps. */
const MOST_RUNS = 50;
/** Milliseconds for which the last push of a run is tried. */
const LAST_TRIES = 30_000;
/** Pushes that may fail before the lease is given up. */
const TRIES = 4;
/** Milliseconds for which another process of this machine may bring the folder up to date. */
const MIRRORING = 20_000;

/** What the branch held when it was last read or pushed. */
interface Tip {
  commit: string | null;
  head: BranchHead;
  /** Ids of contents by path, without the head. */
  files: Map<string, string>;
}

export function sharedBackend({ folder, branch, address, environment, seconds }: SharedOptions): Backend {
  const store = openStore(folder, address);
  const stats = new Map<string, { stamp: string; id: string }>();
  /** Commits whose push got no answer, by their names: one of them may yet arrive. */
  const unsure = new Map<string, Tip>();
  /** What was found when this began; null: not yet. */
  let pulling: Promise<Tip> | null = null;

  async function read(): Promise<Tip> {
    const project = await branch.project();
    const of = { project, environment };
    const commit = await branch.fetch();
    const record = await readRecord(folder);
    if (commit === null) {
      if (record !== null) throw gone(record);
      return {
        commit,
        head: { version: 1, ...of, serial: 0, epoch: 0, digest: '', holder: null, lease: 0 },
        files: new Map(),
      };
    }
    const files = await branch.list(commit);
    const id = files.get(HEAD);
    files.delete(HEAD);
    const [text] = id === undefined ? [] : await branch.read([id]);
    const { value: head } = decode(text?.toString('utf8') ?? '', isBranchHead);
    if (head === null || head.digest !== digestOf(files)) throw edited(commit);
    if (head.project !== of.project || head.environment !== of.environment) throw others(head);
    const isOther = record !== null && head.serial === record.serial && commit !== record.commit;
    if (record !== null && (isOther || head.serial < record.serial)) throw rewound(head, record);
    return { commit, head, files };
  }

  /** The files of the mirror: the id of each content, by path. */
  async function local(like: string | undefined): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const path of await mirrored(folder)) {
      const file = join(folder, path);
      const { mtimeNs, size, ino } = await stat(file, { bigint: true });
      const stamp = `${mtimeNs} ${size} ${ino}`;
      const known = stats.get(path);
      const id = known?.stamp === stamp ? known.id : idOf(await readFile(file), like);
      stats.set(path, { stamp, id });
      found.set(path, id);
    }
    return found;
  }

  /**
   * Makes the folder what the branch holds. One that is at this commit may be ahead of it: it is left as it is. False: another process
   * has brought it further meanwhile.
   */
  async function mirror({ commit, head, files }: Tip): Promise<boolean> {
    const record = await readRecord(folder);
    if (record?.commit === commit && commit !== null) return true;
    if (record !== null && record.serial >= head.serial) return false;
    const own = await local([...files.values()][0]);
    if (record === null && own.size > 0) throw unmigrated(folder);
    const wanted = [...files].filter(([path, id]) => MIRRORED.test(path) && own.get(path) !== id);
    const contents = await branch.read(wanted.map(([, id]) => id));
    if (wanted.length > 0) await makeFolder(join(folder, 'journal')).catch(refused(folder));
    for (const [at, [path]] of wanted.entries())
      await writeAtomic(join(folder, path), (contents[at] ?? '').toString('utf8'), { mode: 0o600 }).catch(
        refused(folder),
      );
    for (const path of own.keys()) if (!files.has(path)) await rm(join(folder, path), { force: true });
    await writeRecord({ commit, head, files }, record?.holder ?? null);
    return true;
  }

  async function writeRecord({ commit, head }: Tip, holder: string | null): Promise<void> {
    if (commit === null) return;
    const record: BranchRecord = { commit, serial: head.serial, holder };
    await makeFolder(folder).catch(refused(folder));
    await writeAtomic(join(folder, RECORD), `${JSON.stringify(record)}\n`, { mode: 0o600 }).catch(
      refused(folder),
    );
  }

  /**
   * Commits what the folder holds, with another head, and pushes it; null: the branch has moved. Failure where it is not known, or
   * refused. `whole`: false where only an earlier push, which got no answer, has arrived.
   */
  async function commit(
    before: Tip,
    change: Partial<BranchHead>,
    message: string,
  ): Promise<{ tip: Tip; whole: boolean } | null> {
    const own = await local([...before.files.values()][0]);
    const files = new Map(before.files);
    const changes = new Map<string, Buffer | null>();
    for (const path of before.files.keys())
      if (!own.has(path)) {
        changes.set(path, null);
        files.delete(path);
      }
    for (const [path, id] of own) {
      if (before.files.get(path) === id) continue;
      const content = await readFile(join(folder, path));
      changes.set(path, content);
      files.set(path, idOf(content, id));
    }
    const head = { ...before.head, ...change, serial: before.head.serial + 1, digest: digestOf(files) };
    changes.set(HEAD, Buffer.from(`${JSON.stringify(head, null, 2)}\n`));
    const text = `${message}\n\nMade by campaignctl. Do not edit.\n`;
    const pushed = await branch.push(before.commit, changes, text);
    const next = { commit: pushed.commit, head, files };
    unsure.set(pushed.commit, next);
    const now = pushed.failure === null ? pushed.commit : await branch.fetch();
    if (pushed.failure !== null && now === before.commit) throw pushed.failure;
    const tip = now === null ? undefined : unsure.get(now);
    unsure.clear();
    if (tip === undefined) return null;
    await writeRecord(tip, tip.head.holder?.id ?? null);
    return { tip, whole: tip === next };
  }

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
      if (held?.lease != null && !(await isEnded(held)) && now - still.since < 1000 * held.lease.seconds) {
        if (now >= deadline) throw lockedFailure(held, timeout);
        waiting(held.holder);
        await wait(Math.min(2_000, 100 * held.lease.seconds) * (0.5 + Math.random()), undefined, {
          signal,
        }).catch(interrupted);
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
          pulling = Promise.resolve(taken.tip);
          return leased(taken.tip, taken.whole ? began : first, lock);
        }
      } catch (error) {
        // Of two that push in the same moment, the remote may refuse both.
        if (tries === TRIES || !(error instanceof Failure)) {
          lock.release();
          throw error;
        }
        tries += 1;
      }
      lock.release();
      await wait(200 * Math.random());
    }
  }

  async function heldAt({ commit, head: { holder, lease } }: Tip): Promise<Held | null> {
    if (commit === null || holder === null) return null;
    return heldBy(holder, { seconds: lease, renewed: await branch.madeAt(commit) });
  }

  /** Whether it was a run of this machine that is known to be dead. A copy of this folder on another machine knows nothing of it. */
  async function isEnded({ holder, alive }: Held): Promise<boolean> {
    return alive === false && holder.id === (await readRecord(folder))?.holder;
  }

  function leased(taken: Tip, began: Clocks, lock: Lock): Lease {
    let at = taken;
    let renewed = began;
    let lost: Failure | null = null;
    let current: Promise<void> = Promise.resolve();
    let next: Promise<void> | null = null;
    const isOver = (since = renewed, limit = (2 / 3) * 1000 * seconds) => elapsed(since) > limit;

    async function push(change: Partial<BranchHead>, message: string, isLate: () => boolean): Promise<void> {
      for (let pause = 250; ; pause = Math.min(2 * pause, 4_000)) {
        const start = clocks();
        try {
          if (lost !== null) throw lost;
          const done = await commit(at, change, message);
          if (done === null) {
            lost = leaseLost();
            throw lost;
          }
          at = done.tip;
          if (!done.whole) continue;
          renewed = start;
          return;
        } catch (error) {
          if (lost !== null || isLate()) throw notKept(error);
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

    const renewal = setInterval(() => keep().catch(() => undefined), (1000 * seconds) / 3);
    renewal.unref();
    return {
      store: announcing(store, keep),
      check() {
        if (lost !== null) throw lost;
        if (isOver()) throw leaseLost();
      },
      async end() {
        clearInterval(renewal);
        await current;
        const start = clocks();
        try {
          await prune(folder);
          await push({ holder: null, lease: 0 }, 'Lease given back', () =>
            isOver(start, Math.min(LAST_TRIES, 1000 * seconds)),
          );
        } finally {
          lock.release();
        }
      },
    };
  }

  /** Brings the folder up to date, once. The apply that holds the lease writes it by itself. */
  async function pull(): Promise<Tip> {
    const deadline = performance.now() + MIRRORING;
    const quick = {
      who: 'a reader',
      timeout: 1_000,
      waiting: () => {},
      signal: new AbortController().signal,
    };
    for (;;) {
      const tip = await read();
      const other = readLock(folder);
      if (other !== null && other.alive !== false && other.holder.id === tip.head.holder?.id) return tip;
      const lock = await acquireLock({ ...quick, folder }).catch((error: unknown) => {
        if (performance.now() > deadline || !(error instanceof Failure) || error.code !== 'locked')
          throw error;
        return null;
      });
      try {
        if (lock !== null && (await mirror(tip))) return tip;
      } finally {
        lock?.release();
      }
    }
  }
  const pulled = () => {
    pulling ??= pull();
    return pulling;
  };

  return {
    store: {
      ...store,
      read: () => pulled().then(store.read),
      readAll: () => pulled().then(store.readAll),
      pending: () => pulled().then(store.pending),
      runs: (wanted) => pulled().then(() => store.runs(wanted)),
    },
    async held() {
      const held = await heldAt(await pulled());
      if (held !== null) return held;
      // A process that runs and has no lease sends nothing.
      const onMachine = readLock(folder);
      return onMachine?.alive === true ? null : onMachine;
    },
    acquire: take,
    async unlock(held) {
      forceUnlock(folder, held?.holder ?? null);
      if (held === null || held.lease === null) return;
      const found = await read();
      if (found.head.holder?.id !== held.holder.id) return;
      // The person has decided on what was shown: an apply that renews its lease is at work.
      if ((await branch.madeAt(found.commit ?? '')) !== held.lease.renewed) throw atWork(held);
      const quick = {
        who: 'unlock',
        timeout: 1_000,
        waiting: () => {},
        signal: new AbortController().signal,
      };
      const lock = await acquireLock({ ...quick, folder });
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

function digestOf(files: ReadonlyMap<string, string>): string {
  const lines = [...files].map(([path, id]) => `${path}\0${id}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}

async function mirrored(folder: string): Promise<string[]> {
  const [entries, runs] = await Promise.all(
    ['', 'journal'].map((part) => readdir(join(folder, part)).catch(missing(join(folder, part)))),
  );
  const all = [...(entries ?? []), ...(runs ?? []).map((name) => `journal/${name}`)];
  return all.filter((path) => MIRRORED.test(path));
}

/** Takes the oldest closed runs away. */
async function prune(folder: string): Promise<void> {
  const closed = (await mirrored(folder)).filter((path) => CLOSED.test(path)).sort();
  for (const path of closed.slice(0, -MOST_RUNS)) await rm(join(folder, path), { force: true });
}

async function readRecord(folder: string): Promise<BranchRecord | null> {
  const file = join(folder, RECORD);
  const text = await readFile(file, 'utf8').catch(missing(file));
  return text === null ? null : decode(text, isBranchRecord).value;
}
