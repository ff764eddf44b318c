import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, renameDurably, writeAtomic } from '../files/atomic.js';
import { decode } from '../model/json.js';
import { edited, gone, movedAway, nothingSent, others, rewound, unmigrated } from './branch-failures.js';
import { missing, refused } from './failure.js';
import type { BranchHead, BranchRecord } from './files.generated.js';
import { type Branch, idOf } from './git.js';
import { type Held, heldBy } from './lock.js';
import { isBranchHead, isBranchRecord } from './validators.generated.js';

/** A folder that is a mirror of a branch, and may be ahead of it. */
export interface MirrorOptions {
  /** On this machine only. */
  folder: string;
  branch: Branch;
  environment: string;
}

const HEAD = 'state.json';
const RECORD = '.branch.json';
const LEFT = '.left-branch.json';
const OPEN = /\.open\.jsonl$/;
/** Files that are read at once. */
const SLICE = 64;
const MIRRORED = /^(\d+(-\d+)?\.json|journal\/[\w.-]+\.jsonl)$/;

/** A state that was not moved to a folder. */
export const HERE = { moved: null, heir: null };
/** What is known of a branch that was not read as a whole yet. */
const UNREAD: BranchRecord = { commit: '', serial: 0, holder: null, heir: null, removed: [] };

/** What the branch held when it was last read or pushed. */
export interface Tip {
  commit: string | null;
  head: BranchHead;
  /** Ids of contents by path, without the head. */
  files: Map<string, string>;
}

export type Mirror = ReturnType<typeof openMirror>;

export function openMirror({ folder, branch, environment }: MirrorOptions) {
  const stats = new Map<string, { stamp: string; id: string }>();
  /** Commits whose push got no answer, by their names: one of them may yet arrive. */
  const unsure = new Map<string, Tip>();
  let noting: Promise<void> = Promise.resolve();

  /** The newest commit. Failure where it is not what this machine knows it to be, or is of another environment. */
  async function read({ evenMoved = false } = {}): Promise<Tip> {
    const project = await branch.project();
    const of = { project, environment };
    const record = await readRecord(folder);
    const commit = await branch.fetch().catch(nothingSent);
    if (commit === null) {
      if (record !== null && record.serial > 0) throw gone(record);
      return {
        commit,
        head: {
          version: 1,
          ...of,
          serial: 0,
          epoch: 0,
          parent: null,
          digest: '',
          holder: null,
          lease: 0,
          ...HERE,
        },
        files: new Map(),
      };
    }
    const files = await branch.list(commit);
    const id = files.get(HEAD);
    files.delete(HEAD);
    const [text, made] = id === undefined ? [] : await branch.read([id, commit]);
    const { value: head } = decode(text?.toString('utf8') ?? '', isBranchHead);
    const [, parent = null] = /^tree .*\nparent (.*)\n/.exec(made?.toString('utf8') ?? '') ?? [];
    if (head === null || head.digest !== digestOf(files, head) || head.parent !== parent)
      throw edited(commit);
    if (head.project !== of.project || head.environment !== of.environment) throw others(head);
    const isOther = record !== null && record.commit !== '' && record.commit !== commit;
    if (isOther && head.serial <= record.serial) throw rewound(record);
    if (head.moved !== null && !evenMoved) throw movedAway(head.moved, environment);
    return { commit, head, files };
  }

  /** The files of the mirror: the id of each content, by path. */
  async function local(like: string | undefined): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const paths = await mirrored(folder);
    const idAt = async (path: string) => {
      const file = join(folder, path);
      const { mtimeNs, size, ino } = await stat(file, { bigint: true });
      const stamp = `${mtimeNs} ${size} ${ino}`;
      const known = stats.get(path);
      const id = known?.stamp === stamp ? known.id : idOf(await readFile(file), like);
      stats.set(path, { stamp, id });
      return [path, id] as const;
    };
    for (let at = 0; at < paths.length; at += SLICE) {
      const slice = await Promise.all(paths.slice(at, at + SLICE).map(idAt));
      for (const [path, id] of slice) found.set(path, id);
    }
    return found;
  }

  /**
   * Makes the folder what the branch holds. Only while the lease on the branch is the last one of this folder, it may be ahead: then
   * what it lacks is filled in. False: another process has brought it further meanwhile.
   */
  async function mirror({ commit, head, files }: Tip): Promise<boolean> {
    const record = await readRecord(folder);
    const isThere = record !== null && commit !== null && record.commit === commit;
    if (!isThere && record !== null && record.commit !== '' && record.serial >= head.serial) return false;
    const own = await local([...files.values()][0]);
    if (record === null && own.size > 0) throw unmigrated(folder);
    const since = head.serial - (record?.serial ?? 0);
    const isBehind = record !== null && commit !== null && !isThere && record.commit !== '';
    if (isBehind && !(await branch.descends(commit, record.commit, since))) throw rewound(record);
    if (isThere && record.holder !== null && record.holder === head.holder?.id) {
      await restore(files, own, record);
      return true;
    }
    // From here on, the files are those of the branch, also if this is cut short.
    if (record === null && commit !== null) await writeRecord(folder, UNREAD);
    await fill(files, own);
    for (const path of own.keys()) if (!files.has(path)) await rm(join(folder, path), { force: true });
    if (commit !== null)
      await writeRecord(folder, { ...UNREAD, ...record, commit, serial: head.serial, removed: [] });
    return true;
  }

  /** Writes what the folder lacks of the branch, unless it is to leave the branch. */
  async function restore(files: Tip['files'], own: ReadonlyMap<string, string>, record: BranchRecord | null) {
    const lacking = [...files].filter(([path]) => !own.has(path) && !isTakenAway(path, own, record));
    await fill(new Map(lacking), own);
  }

  /** Writes what the branch holds and the folder does not hold alike. */
  async function fill(files: Tip['files'], own: ReadonlyMap<string, string>): Promise<void> {
    const wanted = [...files].filter(([path, id]) => MIRRORED.test(path) && own.get(path) !== id);
    const contents = await branch.read(wanted.map(([, id]) => id));
    if (wanted.length > 0) await makeFolder(join(folder, 'journal')).catch(refused(folder));
    for (const [at, [path]] of wanted.entries())
      await writeAtomic(join(folder, path), (contents[at] ?? '').toString('utf8'), { mode: 0o600 }).catch(
        refused(folder),
      );
  }

  /** One after the other: each change of the record begins with what it is. */
  function note(work: () => Promise<void>): Promise<void> {
    const done = noting.then(work);
    noting = done.catch(() => undefined);
    return done;
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
    const record = await knownOf(folder);
    const files = new Map(before.files);
    const changes = new Map<string, Buffer | null>();
    for (const path of before.files.keys())
      if (isTakenAway(path, own, record)) {
        changes.set(path, null);
        files.delete(path);
      }
    for (const [path, id] of own) {
      if (before.files.get(path) === id) continue;
      const content = await readFile(join(folder, path));
      changes.set(path, content);
      files.set(path, idOf(content, id));
    }
    const next = { ...before.head, ...change, serial: before.head.serial + 1, parent: before.commit };
    const head = { ...next, digest: digestOf(files, next) };
    changes.set(HEAD, Buffer.from(`${JSON.stringify(head, null, 2)}\n`));
    const text = `${message}\n\nMade by campaignctl. Do not edit.\n`;
    const pushed = await branch.push(before.commit, changes, text);
    const made = { commit: pushed.commit, head, files };
    unsure.set(pushed.commit, made);
    const now = pushed.failure === null ? pushed.commit : await branch.fetch();
    if (pushed.failure !== null && now === before.commit) throw pushed.failure;
    const tip = now === null ? undefined : unsure.get(now);
    unsure.clear();
    if (tip === undefined) return null;
    await note(async () => {
      // What was given up while the push was under way is still to leave the branch.
      const now = { ...UNREAD, ...(await readRecord(folder)) };
      const removed = now.removed.filter((path) => tip.files.has(path));
      const { serial, holder } = tip.head;
      const known = { commit: tip.commit ?? '', serial, holder: holder?.id ?? null };
      await writeRecord(folder, { ...now, ...known, removed });
    });
    return { tip, whole: tip === made };
  }

  /** Who holds the lease there, and since when it was renewed. */
  async function heldAt({ commit, head: { holder, lease } }: Tip): Promise<Held | null> {
    if (commit === null || holder === null) return null;
    return heldBy(holder, { seconds: lease, renewed: await branch.madeAt(commit) });
  }

  return {
    read,
    local,
    mirror,
    commit,
    heldAt,
    /** Into a folder that is no mirror any more. */
    restore: async ({ files }: Tip) =>
      restore(files, await local([...files.values()][0]), await knownOf(folder)),
    giveUp: (paths: readonly string[]) => note(() => giveUp(folder, paths)),
  };
}

/** A file leaves the branch only because that was noted, or as the journal of a run that is closed now. */
function isTakenAway(path: string, own: ReadonlyMap<string, string>, record: BranchRecord | null): boolean {
  if (own.has(path)) return false;
  return (
    record?.removed.includes(path) === true || (OPEN.test(path) && own.has(path.replace(OPEN, '.jsonl')))
  );
}

function digestOf(files: ReadonlyMap<string, string>, head: BranchHead): string {
  const lines = [...files].map(([path, id]) => `${path}\0${id}\n`).sort();
  lines.push(JSON.stringify({ ...head, digest: '' }));
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** What of a folder reaches the branch. */
export async function mirrored(folder: string): Promise<string[]> {
  const [entries, runs] = await Promise.all(
    ['', 'journal'].map((part) => readdir(join(folder, part)).catch(missing(join(folder, part)))),
  );
  const all = [...(entries ?? []), ...(runs ?? []).map((name) => `journal/${name}`)];
  return all.filter((path) => MIRRORED.test(path));
}

/** What this machine knows of the branch; null: the folder is no mirror. */
export async function readRecord(folder: string, name = RECORD): Promise<BranchRecord | null> {
  const file = join(folder, name);
  const text = await readFile(file, 'utf8').catch(missing(file));
  return text === null ? null : decode(text, isBranchRecord).value;
}

async function writeRecord(folder: string, record: BranchRecord, name = RECORD): Promise<void> {
  await makeFolder(folder).catch(refused(folder));
  const text = `${JSON.stringify(record)}\n`;
  await writeAtomic(join(folder, name), text, { mode: 0o600 }).catch(refused(folder));
}

/** Notes that files are about to be removed from a folder: what is only missing there stays on the branch. */
export async function giveUp(folder: string, paths: readonly string[]): Promise<void> {
  for (const name of [RECORD, LEFT]) {
    const record = await readRecord(folder, name);
    if (record === null) continue;
    await writeRecord(folder, { ...record, removed: [...record.removed, ...paths] }, name);
    return;
  }
}

/** Notes a move to this folder that is about to be made on the branch. */
export async function beginHeir(folder: string, heir: string): Promise<void> {
  await writeRecord(folder, { ...UNREAD, ...(await readRecord(folder)), heir });
}

/** The folder keeps the state by itself from now on. It knows the move with which the state left the branch. */
export async function leaveBranch(folder: string): Promise<void> {
  await renameDurably(join(folder, RECORD), join(folder, LEFT)).catch(refused(folder));
}

/** Whether the folder is the one to which the state was moved. */
export async function isHeir(folder: string, { heir }: BranchHead): Promise<boolean> {
  return heir !== null && (await knownOf(folder))?.heir === heir;
}

/** Of a folder that is a mirror, or was one when the state was moved to it. */
async function knownOf(folder: string): Promise<BranchRecord | null> {
  return (await readRecord(folder)) ?? (await readRecord(folder, LEFT));
}
