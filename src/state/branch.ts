import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { errorMessage, Failure } from '../model/failure.js';
import { decode } from '../model/json.js';
import { awaiting, NO_WAITS, type Waits } from '../model/waits.js';
import { KEPT_JOURNALS } from './archive.js';
import { type Backend, lazyStore } from './backend.js';
import { HEAD, isStatePath } from './file-names.js';
import type { BranchHead, LockHolder } from './files.js';
import type { Branch } from './git.js';
import { atWork, edited, nothingSent, notKept, otherEnvironment, unmigrated } from './git-failures.js';
import {
  type Held,
  heldBy,
  interrupted,
  type LockOptions,
  leaseLost,
  lockedFailure,
  ownHolder,
} from './lock.js';
import { type BranchLease, moveIn } from './move.js';
import { otherId, type StateUser } from './owner.js';
import { type MemoryStorage, memoryStorage } from './storage.js';
import { isState, type LeasableStore, type Store, storeIn } from './store.js';
import { isBranchHead } from './validators.generated.js';

/** The branch is the store. Each commit contains the lease, so a run without the lease cannot write. */
export interface BranchBackendOptions {
  open(): Branch;
  folder: string;
  user: StateUser;
  saveId(id: string): Promise<void>;
  /** Seconds after which an unrenewed lease expires. */
  seconds: number;
  waits?: Waits;
}

interface Tip {
  commit: string | null;
  head: BranchHead;
  /** ISO 8601. */
  renewed: string;
  files: ReadonlyMap<string, Buffer>;
}

/** A branch keeps 50 runs, because every command fetches all of them. */
const LIMITS = { journals: KEPT_JOURNALS, runs: 50 - KEPT_JOURNALS };
/** Milliseconds allowed for a run's last push. */
const LAST_TRIES = 30_000;
/** Failed attempts before a run gives up taking the lease; refused pushes before the refusal is final. */
const TRIES = 4;

export function branchBackend(options: BranchBackendOptions): Backend {
  const { folder, seconds, waits = NO_WAITS } = options;
  const opened = new Set<Branch>();
  const open = () => {
    const branch = options.open();
    opened.add(branch);
    return branch;
  };
  let { user } = options;
  let current: Promise<{ store: Store; held: Held | null }> | null = null;
  const storeOf = (storage: MemoryStorage) => storeIn(storage, user);
  const read = (branch: Branch, commit: string | null) => readTip(branch, commit, user);
  const readMigrated = async (branch: Branch, commit: string | null) => {
    const tip = await read(branch, commit);
    if (await isState(folder)) throw unmigrated(folder);
    return tip;
  };

  async function pull() {
    return withBranch(open(), async (branch) => {
      const tip = await readMigrated(branch, await branch.fetch());
      return { store: storeOf(memoryStorage('branch', new Map(tip.files))), held: heldAt(tip) };
    }).catch(nothingSent);
  }
  const pulled = () => {
    current ??= pull();
    return current;
  };

  /** Creates the project's id. If the branch exists, its id must be in the project file. */
  async function beginProject(): Promise<void> {
    await withBranch(open(), async (branch) => read(branch, await branch.fetch())).catch(nothingSent);
    // Begins with a letter, so that YAML reads it as a string.
    const created = `c${randomBytes(6).toString('hex').slice(1)}`;
    await options.saveId(created);
    user = { ...user, project: created };
  }

  async function take(request: LeaseRequest, reader = readMigrated): Promise<BranchLease> {
    if (user.project === null) await beginProject();
    const branch = open();
    const holder = ownHolder(request.who);
    try {
      const taken = await takeLease(branch, { ...request, holder, seconds, reader });
      const storage = memoryStorage('branch', new Map(taken.tip.files));
      const store = storeOf(storage);
      current = Promise.resolve({ store, held: heldBy(holder, null) });
      return hold({ branch, storage, store, seconds, taken, waits });
    } catch (error) {
      await branch.close();
      return nothingSent(error);
    }
  }

  return {
    store: lazyStore(async () => (await pulled()).store),
    held: async () => (await pulled()).held,
    heldNow: async () => (await pull()).held,
    acquire: (request) => take(request),
    migrate: () => moveIn(folder, user, (request) => take(request, read)),
    async close() {
      await Promise.all([...opened].map((branch) => branch.close()));
    },
    unlock: (held) =>
      withBranch(open(), async (branch) => {
        const tip = await read(branch, await branch.fetch());
        if (tip.head.holder?.id !== held.holder.id) return;
        // If the lease was renewed after it was shown, an apply is in progress.
        if (tip.renewed !== held.lease?.renewed) throw atWork(held);
        const change = { holder: null, lease: 0 };
        if ((await createCommitter(branch).commit(tip, change, 'Lease removed')) === null) throw atWork(held);
      }),
  };
}

async function readTip(branch: Branch, commit: string | null, user: StateUser): Promise<Tip> {
  const { project, environment } = user;
  if (commit === null) {
    const free = { parent: null, holder: null, lease: 0 };
    const head = { version: 1, project: project ?? '', environment, ...free } as const;
    return { commit, head, renewed: '', files: new Map() };
  }
  const files = await branch.files(commit);
  const { parent, committed } = await branch.describe(commit);
  const { value: head } = decode(files.get(HEAD)?.toString('utf8') ?? '', isBranchHead);
  if (head === null || head.parent !== parent) throw edited(commit);
  if (head.project !== project) throw otherId(head.project, user);
  if (head.environment !== environment) throw otherEnvironment(head.environment, environment);
  const kept = [...files].filter(([path]) => isStatePath(path));
  return { commit, head, renewed: committed, files: new Map(kept) };
}

type LeaseRequest = Omit<LockOptions, 'folder'>;

/** `renewed`: the time just before the push that took the lease. */
interface Taken {
  tip: Tip;
  renewed: Clocks;
}

/** Takes the lease if it is free or expired, or if its holder's process is dead. */
async function takeLease(
  branch: Branch,
  request: LeaseRequest & {
    holder: LockHolder;
    seconds: number;
    reader(branch: Branch, commit: string | null): Promise<Tip>;
  },
): Promise<Taken> {
  const { holder, seconds, timeout, signal, who } = request;
  const committer = createCommitter(branch);
  const deadline = performance.now() + timeout;
  let tip: Tip | null = null;
  let unchangedSince = 0;
  let isWaiting = false;
  let firstPush: Clocks | null = null;
  for (let tries = 1; ; ) {
    const commit = await branch.fetch();
    const now = performance.now();
    if (tip === null || tip.commit !== commit) {
      tip = await request.reader(branch, commit);
      unchangedSince = now;
    }
    const held = heldAt(tip);
    // This run's own push may have arrived even though it got no response.
    const isFree = held === null || held.holder.id === holder.id || held.alive === false;
    if (!isFree && now - unchangedSince < 1000 * tip.head.lease) {
      if (now >= deadline) throw lockedFailure(held, timeout);
      if (!isWaiting) request.waiting(held.holder);
      isWaiting = true;
      const pause = Math.min(2_000, 100 * tip.head.lease) * (0.5 + Math.random());
      await wait(pause, undefined, { signal }).catch(interrupted);
      continue;
    }
    const push = clocks();
    firstPush ??= push;
    try {
      const taken = await committer.commit(tip, { holder, lease: seconds }, `Lease of ${who}`);
      if (taken !== null) return { tip: taken.tip, renewed: taken.isWhole ? push : firstPush };
    } catch (error) {
      // The remote may refuse both of two simultaneous pushes.
      if (tries === TRIES || !(error instanceof Failure)) throw error;
      tries += 1;
    }
    await wait(200 * Math.random());
  }
}

/** `store`: shared with plans, so that saved entries include the runs that plans have read. */
function hold(lease: {
  branch: Branch;
  storage: MemoryStorage;
  store: LeasableStore;
  seconds: number;
  taken: Taken;
  waits: Waits;
}): BranchLease {
  const { branch, storage, store, seconds, taken, waits } = lease;
  const pusher = createPusher(createCommitter(branch, storage), taken, waits);
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const isOver = () => elapsed(pusher.renewed()) > (2 / 3) * 1000 * seconds;
  const check = () => {
    pusher.check();
    if (isOver()) throw leaseLost();
  };

  /** All calls during a push share the next push. */
  function keep(): Promise<void> {
    if (next === null) {
      next = running.then(() => {
        next = null;
        return pusher.push({}, 'Records', isOver);
      });
      running = next.catch(() => undefined);
    }
    return next;
  }

  const renewal = setInterval(() => keep().catch(() => undefined), (1000 * seconds) / 3).unref();
  const leased = store.under({ check, keep });
  let isEnded = false;
  return {
    storage,
    check,
    store: leased,
    async end() {
      if (isEnded) return;
      isEnded = true;
      clearInterval(renewal);
      await running;
      const start = clocks();
      const isLate = () => elapsed(start) > Math.min(LAST_TRIES, 1000 * seconds);
      try {
        // If it fails, a later run archives them.
        await leased.archive(LIMITS).catch(() => {});
        await pusher.push({ holder: null, lease: 0 }, 'Lease released', isLate);
      } catch (error) {
        throw notKept(error);
      } finally {
        await branch.close();
      }
    },
  };
}

function createPusher(committer: ReturnType<typeof createCommitter>, taken: Taken, waits: Waits) {
  let { tip, renewed } = taken;
  let lost: Failure | null = null;
  const check = () => {
    if (lost !== null) throw lost;
  };
  return {
    check,
    /** The time just before the last push that arrived completely. */
    renewed: () => renewed,
    async push(change: Partial<BranchHead>, message: string, isLate: () => boolean): Promise<void> {
      const first = clocks();
      let refusals = 0;
      for (let pause = 250; ; pause = Math.min(2 * pause, 4_000)) {
        const start = clocks();
        try {
          check();
          const pushed = await committer.commit(tip, change, message);
          if (pushed === null) {
            lost = leaseLost();
            throw lost;
          }
          tip = pushed.tip;
          if (!pushed.isWhole) continue;
          renewed = start;
          return;
        } catch (error) {
          if (error instanceof Failure && error.code === 'state-refused') refusals += 1;
          if (lost !== null || isLate() || refusals === TRIES) throw error;
          const again = { kind: 'push', fault: errorMessage(error) } as const;
          const length = { most: pause, isCertain: true, before: elapsed(first) };
          await awaiting(waits, again, { work: wait(pause), ...length });
        }
      }
    },
  };
}

function heldAt({ head: { holder, lease }, renewed }: Tip): Held | null {
  return holder === null ? null : heldBy(holder, { seconds: lease, renewed });
}

async function withBranch<T>(branch: Branch, work: (branch: Branch) => Promise<T>): Promise<T> {
  try {
    return await work(branch);
  } finally {
    await branch.close();
  }
}

function createCommitter(branch: Branch, storage: MemoryStorage = memoryStorage('branch', new Map())) {
  /** Commits whose pushes got no response. One of them may still arrive. */
  const unanswered = new Map<string, { tip: Tip; written: ReadonlyMap<string, Buffer | string | null> }>();
  return {
    /**
     * Returns `null` if another run has written. Fails if the push was refused or its outcome is unknown. `isWhole`: false
     * if only an earlier push, whose response was lost, has arrived.
     */
    async commit(
      before: Tip,
      change: Partial<BranchHead>,
      message: string,
    ): Promise<{ tip: Tip; isWhole: boolean } | null> {
      const written = new Map([...storage.changed].map((path) => [path, storage.files.get(path) ?? null]));
      const head = { ...before.head, ...change, parent: before.commit };
      const changes = new Map([...written, [HEAD, `${JSON.stringify(head, null, 2)}\n`]]);
      const text = `${message}\n\nMade by campaignctl. Do not edit.\n`;
      const { commit, failure } = await branch.push(before.commit, changes, text);
      unanswered.set(commit, { tip: { ...before, commit, head }, written });
      const now = failure === null ? commit : await branch.fetch();
      if (failure !== null && now === before.commit) throw failure;
      const arrived = now === null ? undefined : unanswered.get(now);
      unanswered.clear();
      if (arrived === undefined) return null;
      for (const [path, content] of arrived.written)
        if ((storage.files.get(path) ?? null) === content) storage.changed.delete(path);
      return { tip: arrived.tip, isWhole: now === commit };
    },
  };
}

/** The wall clock includes sleep; the monotonic clock is never set back. */
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
