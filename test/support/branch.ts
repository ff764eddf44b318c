/** The remote of a state in memory: machines share its branches without git. `test/state/git` compares it with real git. */
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Failure } from '../../src/model/failure.js';
import { NO_WAITS, type Waits } from '../../src/model/waits.js';
import type { Backend } from '../../src/state/backend.js';
import { branchBackend } from '../../src/state/branch.js';
import type { Branch, BranchOptions } from '../../src/state/git.js';
import { broken, refusedPush, unreachable } from '../../src/state/git-failures.js';
import { stateUser } from './state.js';

/** What happens to a push: it arrives with or without a response, or it is refused. */
export type Answer = 'given' | 'lost' | 'refused';

/** What the memory and a bare repository can do. `name`: of a branch, with its environment. */
export interface Remote {
  /** Opens a branch on a machine that has fetched nothing. */
  open(options: Pick<BranchOptions, 'branch' | 'environment'>): Branch;
  tip(name: string): string | null;
  /** Moves a branch by hand; `null` deletes it. */
  move(name: string, commit: string | null): void;
  /** Applies to all pushes from now on. */
  answer(way: Answer): void;
  reach(isReachable: boolean): void;
}

export interface MemoryRemote extends Remote {
  /** `way`: called with the number of the push, from 1. */
  answer(way: Answer | ((nth: number) => Answer | Promise<Answer>)): void;
  /** Another path to the remote, which can be cut. */
  path(): Pick<Remote, 'open'> & { cut(): void };
  /** The first lines of the messages of a branch, newest first. */
  subjects(name: string): string[];
  /** The newest text of each file of a branch, by path. */
  texts(name: string): Record<string, string>;
}

interface Commit {
  id: string;
  parent: string | null;
  /** ISO 8601, in whole seconds. */
  committed: string;
  message: string;
  files: ReadonlyMap<string, Buffer>;
}

const ADDRESS = 'memory.git';

export function memoryRemote(): MemoryRemote {
  const commits = new Map<string, Commit>();
  const tips = new Map<string, string>();
  let isReachable = true;
  let pushes = 0;
  let way: (nth: number) => Answer | Promise<Answer> = () => 'given';

  /** Moves the branch if that loses no commit. Returns the reason if it would. */
  function update(name: string, commit: Commit, known: ReadonlyMap<string, Commit>): string | null {
    const tip = tips.get(name) ?? null;
    const sent: Commit[] = [];
    let at: string | null = commit.id;
    for (; at !== null && at !== tip; at = sent.at(-1)?.parent ?? null) {
      const next = known.get(at);
      if (next === undefined) break;
      sent.push(next);
    }
    const isOnTop = at === tip && (tip === null || known.has(tip));
    // A machine that fetched has not the commits below.
    if (!isOnTop) return tip === null ? 'shallow update not allowed' : 'fetch first';
    for (const each of sent) commits.set(each.id, each);
    tips.set(name, commit.id);
    return null;
  }

  function openAt(isCut: () => boolean): Remote['open'] {
    return ({ branch, environment }) => {
      const name = `${branch}/${environment}`;
      const known = new Map<string, Commit>();
      const isAway = () => isCut() || !isReachable;
      const commitOf = (id: string) => {
        const commit = known.get(id);
        if (commit === undefined) throw broken(`fatal: not a valid object name ${id}`);
        return commit;
      };
      return {
        async fetch() {
          await turn();
          if (isAway()) throw unreachable(ADDRESS, 'fatal: it is away', 'read the state from');
          const tip = commits.get(tips.get(name) ?? '');
          if (tip !== undefined) known.set(tip.id, tip);
          return tip?.id ?? null;
        },
        async files(id) {
          await turn();
          return copied(commitOf(id).files);
        },
        async describe(id) {
          await turn();
          const { parent, committed } = commitOf(id);
          return { parent, committed };
        },
        async push(parent, changes, message) {
          await turn();
          const before = parent === null ? new Map() : commitOf(parent).files;
          const commit = built(parent, changed(before, changes), message);
          known.set(commit.id, commit);
          const failed = (failure: Failure) => ({ commit: commit.id, failure });
          const away = (err: string) => failed(unreachable(ADDRESS, err, 'push the state to'));
          if (isAway()) return away('fatal: it is away');
          pushes += 1;
          const answer = await way(pushes);
          const reason = answer === 'refused' ? 'pre-receive hook declined' : update(name, commit, known);
          const rejection = `!\tx:y\t[rejected] (${reason})`;
          if (reason !== null) return failed(refusedPush({ remote: ADDRESS, branch: name }, rejection, ''));
          if (answer === 'lost') return away('fatal: the remote end hung up unexpectedly');
          return { commit: commit.id, failure: null };
        },
        async close() {
          known.clear();
        },
      };
    };
  }

  const newest = (name: string) => commits.get(tips.get(name) ?? '');
  return {
    open: openAt(() => false),
    path() {
      let isCut = false;
      return {
        open: openAt(() => isCut),
        cut() {
          isCut = true;
        },
      };
    },
    tip: (name) => tips.get(name) ?? null,
    move(name, commit) {
      if (commit === null) tips.delete(name);
      else tips.set(name, commit);
    },
    answer(next) {
      pushes = 0;
      way = typeof next === 'string' ? () => next : next;
    },
    reach(next) {
      isReachable = next;
    },
    subjects(name) {
      const subjects: string[] = [];
      for (let at = newest(name); at !== undefined; at = commits.get(at.parent ?? ''))
        subjects.push(at.message.split('\n')[0] ?? '');
      return subjects;
    },
    texts: (name) =>
      Object.fromEntries(
        [...(newest(name)?.files ?? [])].map(([path, text]) => [path, text.toString('utf8')]),
      ),
  };
}

function changed(
  before: ReadonlyMap<string, Buffer>,
  changes: ReadonlyMap<string, Buffer | string | null>,
): ReadonlyMap<string, Buffer> {
  const files = copied(before);
  for (const [path, content] of changes)
    if (content === null) files.delete(path);
    else files.set(path, Buffer.from(content as string));
  return copied(files);
}

/** Sorted as git does. */
function copied(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const sorted = [...files].sort(([each], [other]) => Buffer.compare(Buffer.from(each), Buffer.from(other)));
  return new Map(sorted.map(([path, content]) => [path, Buffer.from(content)]));
}

/** As in git, the same content in the same second is the same commit. */
function built(parent: string | null, files: ReadonlyMap<string, Buffer>, message: string): Commit {
  const committed = new Date(1000 * Math.floor(Date.now() / 1000)).toISOString();
  const texts = [...files].map(([path, content]) => [path, content.toString('base64')]);
  const text = JSON.stringify([parent, committed, message, texts]);
  return { id: createHash('sha1').update(text).digest('hex'), parent, committed, message, files };
}

export interface MachineOptions {
  remote: Pick<Remote, 'open'>;
  /** Where its local state would be. */
  folder: string;
  seconds?: number;
  environment?: string;
  id?: string | null;
  waits?: Waits;
  saveId?(id: string): void;
}

/** A machine that keeps nothing between runs, with the state on the branch `state` of a remote. */
export function machineOn({ remote, folder, ...options }: MachineOptions): Backend {
  const { seconds = 30, environment = 'production', id = 'shop', waits = NO_WAITS, saveId } = options;
  return branchBackend({
    open: () => remote.open({ branch: 'state', environment }),
    user: stateUser(MACHINE_SERVICE, { environment, project: id }),
    saveId: async (created) => saveId?.(created),
    ...{ folder, seconds, waits },
  });
}

/** The service of such a machine. */
export const MACHINE_SERVICE = 'https://send.example.com';
