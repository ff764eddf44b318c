import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeFolder, writeAtomic } from '../files/atomic.js';
import { decode } from '../model/decode.js';
import { EXIT, Failure } from '../model/failure.js';
import { announcing, type Backend, type Lease } from './backend.js';
import { missing, refused } from './failure.js';
import type { BranchHead, BranchRecord } from './files.generated.js';
import { type Branch, idOf } from './git.js';
import {
  acquireLock,
  forceUnlock,
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
const MIRRORED = /^(\d+(-\d+)?\.json|journal\/[^/]+\.jsonl)$/;
const CLOSED = /^journal\/(?!.*\.open\.).*\.jsonl$/;
/** Closed runs that the branch keeps. */
const MOST_RUNS = 50;
/** Milliseconds for which the last push of a run is tried. */
const LAST_TRIES = 30_000;

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
    if (record !== null && head.serial < record.serial) throw rewound(head, record);
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

  /** Makes the folder what the branch holds. One that is at this commit may be ahead of it: it is left as it is. */
  async function mirror({ commit, head, files }: Tip): Promise<void> {
    const record = await readRecord(folder);
    if (record?.commit === commit && commit !== null) return;
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
  }

  async function writeRecord({ commit, head }: Tip, holder: string | null): Promise<void> {
    if (commit === null) return;
    const record: BranchRecord = { commit, serial: head.serial, holder };
    await makeFolder(folder).catch(refused(folder));
    await writeAtomic(join(folder, RECORD), `${JSON.stringify(record)}\n`, { mode: 0o600 }).catch(
      refused(folder),
    );
  }

  /** Commits what the folder holds, with another head, and pushes it; null: the branch has moved. Failure where it is not known. */
  async function commit(before: Tip, change: Partial<BranchHead>, message: string): Promise<Tip | null> {
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
    const pushed = await branch.push(
      before.commit,
      changes,
      `${message}\n\nMade by campaignctl. Do not edit.\n`,
    );
    // No answer, or a late one to an earlier try: the branch itself tells.
    const isThere = pushed.result === 'pushed' || (await branch.fetch()) === pushed.commit;
    if (!isThere && pushed.result === 'unknown' && (await branch.fetch()) === before.commit)
      throw unanswered();
    if (!isThere) return null;
    const next = { commit: pushed.commit, head, files };
    await writeRecord(next, head.holder?.id ?? null);
    return next;
  }

  /** Takes the lease once it is free, or has not moved for as long as it holds. */
  async function take(options: Omit<LockOptions, 'folder'>, lock: Lock): Promise<Lease> {
    const { who, timeout, waiting, signal } = options;
    const holder = ownHolder(who);
    const deadline = performance.now() + timeout;
    let still: Pick<Tip, 'commit'> & { since: number } = { commit: '', since: 0 };
    let told = false;
    for (;;) {
      const found = await read();
      const { holder: other, lease, epoch } = found.head;
      const record = await readRecord(folder);
      // A run of this machine: its lock was free, so it has ended.
      const isOwn = other !== null && other.id === record?.holder;
      if (other !== null && !isOwn) {
        const now = performance.now();
        if (still.commit !== found.commit) still = { commit: found.commit, since: now };
        if (now - still.since < 1000 * lease) {
          if (now >= deadline) throw lockedFailure({ holder: other, alive: null, own: false }, timeout);
          if (!told) waiting(other);
          told = true;
          await wait(Math.min(2_000, 100 * lease) * (0.5 + Math.random()), undefined, { signal }).catch(
            interrupted,
          );
          continue;
        }
      }
      await mirror(found);
      const began = clocks();
      const taken = await commit(found, { holder, lease: seconds, epoch: epoch + 1 }, `Lease of ${who}`);
      if (taken !== null) {
        // From here on, the folder is ahead of the branch.
        pulling = Promise.resolve(taken);
        return leased(taken, began, lock);
      }
      // Between two commits of others there may be no time at all.
      await wait(100 * Math.random());
    }
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
          at = done;
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

  /** Brings the folder up to date, once. A process at work writes it by itself. */
  async function pull(): Promise<Tip> {
    const tip = await read();
    const other = readLock(folder);
    if (other !== null && (other.own || other.alive !== false)) return tip;
    const quick = { who: 'plan', timeout: 10_000, waiting: () => {}, signal: new AbortController().signal };
    const lock = await acquireLock({ ...quick, folder });
    try {
      await mirror(tip);
    } finally {
      lock.release();
    }
    return tip;
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
      const other = readLock(folder);
      if (other !== null) return other;
      const { holder } = (await pulled()).head;
      return holder === null ? null : { holder, alive: null, own: false };
    },
    async acquire(options) {
      const lock = await acquireLock({ ...options, folder });
      try {
        return await take(options, lock);
      } catch (error) {
        lock.release();
        throw error;
      }
    },
    async unlock(held) {
      const onMachine = readLock(folder);
      if (onMachine !== null || held === null) forceUnlock(folder, onMachine?.holder ?? null);
      const found = await read();
      if (found.head.holder === null || (held !== null && found.head.holder.id !== held.holder.id)) return;
      await mirror(found);
      const freed = await commit(
        found,
        { holder: null, lease: 0, epoch: found.head.epoch + 1 },
        'Lease taken away',
      );
      if (freed === null) throw leaseLost();
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

function asText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unanswered(): Failure {
  return new Failure({
    code: 'state-unreachable',
    message: 'The git remote gave no answer to a push.',
    hint: '',
  });
}

/** Thrown before a write leaves: what it would have sent is not sent. */
function leaseLost(): Failure {
  return new Failure(
    {
      code: 'lease-lost',
      message:
        'This run could not renew its lease on the state in time, so another machine may have taken over. It sends nothing more.',
      hint: 'Run apply again: it reads what was sent before it sends anything.',
    },
    { exitCode: EXIT.incomplete },
  );
}

function notKept(cause: unknown): Failure {
  return new Failure(
    {
      code: 'state-not-kept',
      message: `What this run did is not on the branch that keeps the state: ${asText(cause)}`,
      hint: 'Run apply again as soon as the remote can be reached: it reads in the service what was sent.',
    },
    { cause, exitCode: EXIT.incomplete },
  );
}

function edited(commit: string): Failure {
  return new Failure({
    code: 'state-edited',
    message: `The branch that keeps the state was written to by hand: commit ${commit.slice(0, 12)} is not one of campaignctl. Nothing was sent.`,
    hint: 'Put the branch back to the last commit of campaignctl. To take a campaign out of the state, use campaignctl forget.',
  });
}

function others({ project, environment }: BranchHead): Failure {
  return new Failure({
    code: 'state-of-other',
    message: `The branch keeps the state of the environment ${environment} of the project in "${project || '.'}", which is another one. Nothing was sent.`,
    hint: 'Give each project its own state.branch in the project file.',
  });
}

function rewound({ serial }: BranchHead, record: BranchRecord): Failure {
  return new Failure({
    code: 'state-rewound',
    message: `The branch that keeps the state went back: it is at change ${serial}, and this machine has seen change ${record.serial}. Nothing was sent.`,
    hint: `Put the branch back to commit ${record.commit.slice(0, 12)}. If going back is meant, delete the mirror on this machine (state.path); what was attached since is then not known.`,
  });
}

function gone(record: BranchRecord): Failure {
  return new Failure({
    code: 'state-gone',
    message: `The branch that keeps the state is gone; this machine has seen it at change ${record.serial}. Nothing was sent.`,
    hint: `Push it again from commit ${record.commit.slice(0, 12)}. If a fresh start is meant, delete the mirror on this machine (state.path); what is attached is then not known.`,
  });
}

function unmigrated(folder: string): Failure {
  return new Failure({
    code: 'state-to-migrate',
    message: `The project file keeps the state on a branch, but ${folder} holds a state of this machine. Nothing was sent.`,
    hint: 'Move it to the branch with campaignctl state migrate.',
  });
}
