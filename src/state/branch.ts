import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../model/failure.js';
import { decode } from '../model/json.js';
import type { RunStart } from '../model/state.js';
import { type Backend, behind, guarded, type Lease } from './backend.js';
import {
  atWork,
  edited,
  leaseLost,
  movedAway,
  nothingSent,
  notKept,
  otherProject,
  unmigrated,
} from './branch-failures.js';
import type { BranchHead } from './files.generated.js';
import type { Branch } from './git.js';
import { type Held, heldBy, interrupted, type LockOptions, lockedFailure, ownHolder } from './lock.js';
import { type BranchLease, moveIn, moveOut } from './move.js';
import { type MemoryStorage, memoryStorage } from './storage.js';
import { isState, STATE_FILE, type Store, storeIn } from './store.js';
import { isBranchHead } from './validators.generated.js';

/**
 * The branch is the store: a run reads its newest commit into memory and adds commits. Each holds the lease, so a run without it
 * cannot write.
 */
export interface BranchBackendOptions {
  /** With its own temporary repository. */
  open(): Branch;
  /** The folder of the file backend. */
  folder: string;
  /** Of the service. */
  address: string;
  environment: string;
  /** The project's id; `null` if its file has none. */
  id: string | null;
  /** Writes a new id into the project file. */
  saveId(id: string): Promise<void>;
  /** Validity of an unrenewed lease. */
  seconds: number;
}

/** The last commit read or pushed. `ids`: blobs by path, without the head. */
interface Tip {
  commit: string | null;
  head: BranchHead;
  ids: ReadonlyMap<string, string>;
}

const HEAD = 'branch.json';
const CLOSED = /^journal\/(?!.*\.open\.).*\.jsonl$/;
/** Closed runs on the branch. */
const MOST_RUNS = 50;
/** Milliseconds for the last push of a run. */
const LAST_TRIES = 30_000;
/** Failed pushes before the lease is given up, refused ones before the remote is believed. */
const TRIES = 4;

export function branchBackend(options: BranchBackendOptions): Backend {
  const { open, folder, address, environment, seconds } = options;
  let { id } = options;
  /** One store: reads at the start, and writes of this process. */
  let current: Promise<{ store: Store; held: Held | null }> | null = null;
  const storeOf = (storage: MemoryStorage) => storeIn(storage, { address, environment });

  async function readTip(branch: Branch, evenMoved: boolean): Promise<Tip> {
    const commit = await branch.fetch();
    if (commit === null) {
      const head = { version: 1, project: id ?? '', environment, parent: null, digest: '' } as const;
      return { commit, head: { ...head, holder: null, lease: 0, moved: null, move: null }, ids: new Map() };
    }
    const ids = new Map(await branch.list(commit));
    const headId = ids.get(HEAD);
    ids.delete(HEAD);
    const [text, made] = headId === undefined ? [] : await branch.read([headId, commit]);
    const { value: head } = decode(text?.toString('utf8') ?? '', isBranchHead);
    const [, parent = null] = /^tree .*\nparent (.*)\n/.exec(made?.toString('utf8') ?? '') ?? [];
    if (head === null || head.digest !== digestOf(ids, head) || head.parent !== parent) throw edited(commit);
    if (head.project !== id || head.environment !== environment)
      throw otherProject(head, { id, name: environment });
    if (head.moved !== null && !evenMoved) throw movedAway(head.moved, environment);
    return { commit, head, ids };
  }

  async function contentsOf(branch: Branch, { ids }: Tip): Promise<MemoryStorage> {
    const kept = [...ids].filter(([path]) => STATE_FILE.test(path));
    const contents = kept.length === 0 ? [] : await branch.read(kept.map(([, blob]) => blob));
    const files = new Map(kept.map(([path], at) => [path, contents[at] ?? Buffer.alloc(0)]));
    return memoryStorage('branch', files);
  }

  async function heldAt(branch: Branch, { commit, head: { holder, lease } }: Tip): Promise<Held | null> {
    if (commit === null || holder === null) return null;
    return heldBy(holder, { seconds: lease, renewed: await branch.madeAt(commit) });
  }

  async function pull() {
    return withBranch(open(), async (branch) => {
      const tip = await readTip(branch, false);
      if (await isState(folder)) throw unmigrated(folder);
      return { store: storeOf(await contentsOf(branch, tip)), held: await heldAt(branch, tip) };
    }).catch(nothingSent);
  }
  const pulled = () => {
    current ??= pull();
    return current;
  };

  /** Creates the project's id. A branch that exists needs the project file to name its id. */
  async function beginProject(evenMoved: boolean): Promise<void> {
    await withBranch(open(), (branch) => readTip(branch, evenMoved)).catch(nothingSent);
    const created = randomBytes(6).toString('hex');
    await options.saveId(created);
    id = created;
  }

  /** Takes the lease if it is free, its process is dead, or it has expired. */
  async function take(
    request: Omit<LockOptions, 'folder'>,
    { evenMoved = false } = {},
  ): Promise<BranchLease> {
    const { who, timeout, signal } = request;
    if (id === null) await beginProject(evenMoved);
    const branch = open();
    const holder = ownHolder(who);
    const deadline = performance.now() + timeout;
    let last = { commit: '' as string | null, since: 0 };
    let isWaiting = false;
    let first: Clocks | null = null;
    const committer = createCommitter(branch);
    try {
      for (let tries = 1; ; ) {
        const tip = await readTip(branch, evenMoved);
        if (!evenMoved && (await isState(folder))) throw unmigrated(folder);
        const now = performance.now();
        if (last.commit !== tip.commit) last = { commit: tip.commit, since: now };
        const held = await heldAt(branch, tip);
        // An unanswered push of this run may have arrived.
        const isFree = held === null || held.holder.id === holder.id || held.alive === false;
        if (!isFree && now - last.since < 1000 * tip.head.lease) {
          if (now >= deadline) throw lockedFailure(held, timeout);
          if (!isWaiting) request.waiting(held.holder);
          isWaiting = true;
          const pause = Math.min(2_000, 100 * tip.head.lease) * (0.5 + Math.random());
          await wait(pause, undefined, { signal }).catch(interrupted);
          continue;
        }
        const began = clocks();
        first ??= began;
        try {
          const taken = await committer.commit(tip, { holder, lease: seconds }, `Lease of ${who}`);
          if (taken !== null) {
            const storage = await contentsOf(branch, taken.tip);
            const store = storeOf(storage);
            current = Promise.resolve({ store, held: heldBy(holder, null) });
            return leased({ branch, storage, store, taken: taken.tip, began: taken.whole ? began : first });
          }
        } catch (error) {
          // The remote may refuse both of two simultaneous pushes.
          if (tries === TRIES || !(error instanceof Failure)) throw error;
          tries += 1;
        }
        await wait(200 * Math.random());
      }
    } catch (error) {
      await branch.close();
      return nothingSent(error);
    }
  }

  function leased({
    branch,
    storage,
    store,
    taken,
    began,
  }: {
    branch: Branch;
    storage: MemoryStorage;
    /** Shared with plans: saved entries include the runs they have read. */
    store: Store;
    taken: Tip;
    began: Clocks;
  }): BranchLease {
    const committer = createCommitter(branch, storage);
    let tip = taken;
    let renewed = began;
    let slowest = performance.now() - began.steady;
    let pushing: Clocks | null = null;
    let lost: Failure | null = null;
    let running: Promise<void> = Promise.resolve();
    let next: Promise<void> | null = null;
    const isOver = (since = renewed, limit = (2 / 3) * 1000 * seconds) => elapsed(since) > limit;
    const over = () => {
      const since = pushing === null ? 0 : performance.now() - pushing.steady;
      return leaseLost({ lease: seconds, push: Math.max(slowest, since) });
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
          const done = await committer.commit(tip, change, message).finally(() => {
            slowest = Math.max(slowest, performance.now() - start.steady);
            pushing = null;
          });
          if (done === null) {
            lost = over();
            throw lost;
          }
          tip = done.tip;
          if (!done.whole) continue;
          renewed = start;
          return;
        } catch (error) {
          if (error instanceof Failure && error.code === 'state-refused') refusals += 1;
          if (lost !== null || isLate() || refusals === TRIES) throw error;
          await wait(pause);
        }
      }
    }

    /** Callers during a push share the next one. */
    function keep(): Promise<void> {
      if (next === null) {
        next = running.then(() => {
          next = null;
          return push({}, 'Records', () => isOver());
        });
        running = next.catch(() => undefined);
      }
      return next;
    }

    let renewal: NodeJS.Timeout | null = null;
    const renewLater = () => {
      renewal = setTimeout(
        () => {
          keep().catch(() => undefined);
          renewLater();
        },
        (1000 * seconds) / 3,
      ).unref();
    };
    renewLater();

    let isEnded = false;
    async function endWith(change: Partial<BranchHead>): Promise<void> {
      if (isEnded) return;
      isEnded = true;
      if (renewal !== null) clearTimeout(renewal);
      await running;
      const start = clocks();
      const isLate = () => isOver(start, Math.min(LAST_TRIES, 1000 * seconds));
      try {
        prune(storage);
        await push({ ...change, holder: null, lease: 0 }, 'Lease given back', isLate);
      } catch (error) {
        throw notKept(error);
      } finally {
        await branch.close();
      }
    }

    return {
      ...{ storage, head: taken.head, check, endWith },
      store: announcing(guarded(store, check), keep, check),
      end: () => endWith({}),
      async discard() {
        storage.changed.clear();
        await endWith({});
      },
    };
  }

  return {
    store: behind(async () => (await pulled()).store),
    held: async () => (await pulled()).held,
    acquire: (request) => take(request),
    move: (to, by) =>
      to === 'git'
        ? moveIn(folder, { take: (request) => take(request, { evenMoved: true }), environment })
        : moveOut(folder, { take: (request) => take(request, { evenMoved: true }), environment, by }),
    unlock: (held) =>
      withBranch(open(), async (branch) => {
        const tip = await readTip(branch, false);
        if (tip.head.holder?.id !== held.holder.id) return;
        // The lease was renewed since it was shown: an apply is at work.
        if ((await branch.madeAt(tip.commit ?? '')) !== held.lease?.renewed) throw atWork(held);
        const change = { holder: null, lease: 0 };
        if ((await createCommitter(branch).commit(tip, change, 'Lease taken away')) === null)
          throw atWork(held);
      }),
  };
}

async function withBranch<T>(branch: Branch, work: (branch: Branch) => Promise<T>): Promise<T> {
  try {
    return await work(branch);
  } finally {
    await branch.close();
  }
}

/** Commits the changes of a storage. */
function createCommitter(branch: Branch, storage: MemoryStorage = memoryStorage('branch', new Map())) {
  /** Commits whose push was not answered: one may yet arrive. */
  const unsure = new Map<string, { tip: Tip; written: ReadonlyMap<string, Buffer | string | undefined> }>();
  return {
    /**
     * `null` if another run has written. Failure if refused or unknown. `whole`: false if only an earlier, unanswered push
     * arrived.
     */
    async commit(
      before: Tip,
      change: Partial<BranchHead>,
      message: string,
    ): Promise<{ tip: Tip; whole: boolean } | null> {
      const written = new Map([...storage.changed].map((path) => [path, storage.files.get(path)]));
      const ids = new Map(before.ids);
      const changes = new Map<string, Buffer | null>();
      for (const [path, content] of written) {
        if (content === undefined) {
          if (ids.delete(path)) changes.set(path, null);
          continue;
        }
        const buffer = Buffer.from(content);
        const blob = await branch.idOf(buffer);
        if (ids.get(path) !== blob) changes.set(path, buffer);
        ids.set(path, blob);
      }
      const next = { ...before.head, ...change, parent: before.commit };
      const head = { ...next, digest: digestOf(ids, next) };
      changes.set(HEAD, Buffer.from(`${JSON.stringify(head, null, 2)}\n`));
      const text = `${message}\n\nMade by campaignctl. Do not edit.\n`;
      const { commit, failure } = await branch.push(before.commit, changes, text);
      unsure.set(commit, { tip: { commit, head, ids }, written });
      const now = failure === null ? commit : await branch.fetch();
      if (failure !== null && now === before.commit) throw failure;
      const arrived = now === null ? undefined : unsure.get(now);
      unsure.clear();
      if (arrived === undefined) return null;
      for (const [path, content] of arrived.written)
        if (storage.files.get(path) === content) storage.changed.delete(path);
      return { tip: arrived.tip, whole: now === commit };
    },
  };
}

/** Pushes the plan and attachments before anything is sent. `check` throws if that took too long. */
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

function prune(storage: MemoryStorage): void {
  const closed = [...storage.files.keys()].filter((path) => CLOSED.test(path)).sort();
  for (const path of closed.slice(0, -MOST_RUNS)) {
    storage.files.delete(path);
    storage.changed.add(path);
  }
}

function digestOf(ids: ReadonlyMap<string, string>, head: BranchHead): string {
  const lines = [...ids].map(([path, id]) => `${path}\0${id}\n`).sort();
  lines.push(JSON.stringify({ ...head, digest: '' }));
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** The wall clock includes sleep; the monotonic one is never set back. */
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
