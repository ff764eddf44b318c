import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, renameDurably, writeAtomic } from '../files/atomic.js';
import { decode, isObject, type Json, type JsonObject } from '../model/json.js';
import {
  edited,
  gone,
  movedAway,
  nothingSent,
  older,
  others,
  rewound,
  unmigrated,
} from './branch-failures.js';
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

const HEAD = 'branch.json';
const RECORD = '.branch.json';
const LEFT = '.left-branch.json';
const RUN = /^journal/;
const OPEN = /\.open\.jsonl$/;
/** Files that are read at once. */
const SLICE = 64;
const MIRRORED = /^(state\.json|\d+\.json|journal\/[\w.-]+\.jsonl)$/;

/** A state that was not moved to a folder. */
export const HERE = { moved: null, heir: null };
/** Nothing is ahead of the branch. */
const NONE = { written: {}, runs: [] };
/** What is known of a branch that was not read as a whole yet. */
const UNREAD: BranchRecord = { commit: '', serial: 0, holder: null, heir: null, removed: [], ...NONE };

/** What the branch held when it was last read or pushed. */
export interface Tip {
  commit: string | null;
  head: BranchHead;
  /** Ids of contents by path, without the head. */
  files: Map<string, string>;
  /** The project file whose place this one takes; null: none. */
  former: string | null;
}

export type Mirror = ReturnType<typeof openMirror>;

export function openMirror({ folder, branch, environment }: MirrorOptions) {
  /** What the folder is ahead of the branch by, without journals that grow: contents by path, as this folder has written them. */
  const ahead = new Map<string, Buffer>();
  /** An id of the repository: the others are as long. */
  let like: string | undefined;
  /** Commits whose push got no answer, by their names: one of them may yet arrive. */
  const unsure = new Map<string, Tip>();
  let noting: Promise<void> = Promise.resolve();

  /** The newest commit. Failure where it is not what this machine knows it to be, or is of another environment. */
  async function read({ evenMoved = false } = {}): Promise<Tip> {
    const project = await branch.project();
    const of = { project, environment };
    const record = await readRecord(folder);
    const commit = await branch.fetch().catch(nothingSent);
    like = commit ?? (await branch.anyId());
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
        former: null,
      };
    }
    const files = await branch.list(commit);
    const id = files.get(HEAD);
    files.delete(HEAD);
    const [text, made] = id === undefined ? [] : await branch.read([id, commit]);
    const { value: head } = decode(text?.toString('utf8') ?? '', isBranchHead);
    const [, parent = null] = /^tree .*\nparent (.*)\n/.exec(made?.toString('utf8') ?? '') ?? [];
    if (head === null && isOlder(text?.toString('utf8') ?? '')) throw older(commit);
    if (head === null || head.digest !== digestOf(files, head) || head.parent !== parent)
      throw edited(commit);
    if (head.project !== of.project || head.environment !== of.environment) throw others(head);
    await branch.refuseOtherRepository(head);
    const former = await branch.formerOwner(head);
    const isOther = record !== null && record.commit !== '' && record.commit !== commit;
    if (isOther && head.serial <= record.serial) throw rewound(record);
    if (head.moved !== null && !evenMoved) throw movedAway(head.moved, environment);
    return { commit, head, files, former };
  }

  /** The files of the mirror: contents by path. */
  async function contents(): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    const paths = await mirrored(folder);
    for (let at = 0; at < paths.length; at += SLICE) {
      const slice = paths.slice(at, at + SLICE);
      const read = await Promise.all(
        slice.map((path) => readFile(join(folder, path)).catch(refused(join(folder, path)))),
      );
      for (const [index, path] of slice.entries()) found.set(path, read[index] ?? Buffer.alloc(0));
    }
    return found;
  }

  function idsOf(found: ReadonlyMap<string, Buffer>): Map<string, string> {
    return new Map(Array.from(found, ([path, content]) => [path, idOf(content, like)]));
  }

  /**
   * Makes the folder what the branch holds. Only while the lease on the branch is the last one of this folder, it may be ahead: by what
   * it has written itself since, if all of that is still there. False: another process has brought it further meanwhile.
   */
  async function mirror({ commit, head, files }: Tip): Promise<boolean> {
    const record = await readRecord(folder);
    const isThere = record !== null && commit !== null && record.commit === commit;
    if (!isThere && record !== null && record.commit !== '' && record.serial >= head.serial) return false;
    const found = await contents();
    if (record === null && found.size > 0) throw unmigrated(folder);
    if (record !== null) await refuseRewound(record, { commit, head });
    const kept = isThere && isLast(record, head) ? await aheadBy(files, found, record) : null;
    ahead.clear();
    for (const path of kept ?? []) {
      const content = found.get(path);
      if (content !== undefined) ahead.set(path, content);
    }
    // From here on, the files are those of the branch, also if this is cut short.
    if (record === null && commit !== null) await writeRecord(folder, UNREAD);
    if (isThere && kept === null) await writeRecord(folder, { ...record, removed: [], ...NONE });
    const staying = kept === null ? files : without(files, ahead, record?.removed ?? []);
    const own = idsOf(found);
    await fill(new Map([...staying].filter(([path]) => !ahead.has(path))), own);
    for (const path of own.keys())
      if (!staying.has(path) && !ahead.has(path)) await rm(join(folder, path), { force: true });
    for (const path of ahead.keys()) if (RUN.test(path)) ahead.delete(path);
    if (commit !== null && kept === null)
      await writeRecord(folder, {
        ...{ ...UNREAD, ...record, commit, serial: head.serial },
        ...{ removed: [], ...NONE },
      });
    return true;
  }

  /** Failure where the branch does not go on from what this folder has seen. */
  async function refuseRewound(record: BranchRecord, { commit, head }: Pick<Tip, 'commit' | 'head'>) {
    if (commit === null || record.commit === commit || record.commit === '') return;
    if (!(await branch.descends(commit, record.commit, head.serial - record.serial))) throw rewound(record);
  }

  /** Whether the folder holds what the branch lacks: only its own run can have written that, under the lease that is still there. */
  async function isAhead(tip: Tip): Promise<boolean> {
    const record = await readRecord(folder);
    if (record === null) return (await mirrored(folder)).length > 0;
    // Another process has brought it further meanwhile.
    if (record.commit !== tip.commit && record.serial >= tip.head.serial) return true;
    await refuseRewound(record, tip);
    const own = [...Object.keys(record.written), ...record.runs];
    return own.length > 0 && record.commit === tip.commit && isLast(record, tip.head);
  }

  /** The files that the folder has written since its last push; null where one of them is not as it was written. */
  async function aheadBy(files: Tip['files'], found: ReadonlyMap<string, Buffer>, record: BranchRecord) {
    const paths: string[] = [];
    for (const [path, id] of Object.entries(record.written)) {
      const content = found.get(path);
      if (content === undefined || idOf(content, like) !== id) return null;
      paths.push(path);
    }
    for (const run of record.runs) {
      const names = namesOf(run);
      const path = names.find((name) => found.has(name));
      const ids = names.flatMap((name) => files.get(name) ?? []);
      const [known = Buffer.alloc(0)] = ids.length === 0 ? [] : await branch.read(ids);
      const content = found.get(path ?? '');
      // A journal only grows.
      if (path === undefined || content?.subarray(0, known.length).equals(known) !== true) return null;
      paths.push(path);
    }
    return paths;
  }

  /** Writes what a folder lacks that is no mirror any more, unless it was to leave the branch. */
  async function restore({ files }: Tip): Promise<void> {
    const own = await contents();
    const staying = without(files, own, (await knownOf(folder))?.removed ?? []);
    await fill(new Map([...staying].filter(([path]) => !own.has(path))), new Map());
  }

  /** Writes what the branch holds and the folder does not hold alike. */
  async function fill(files: Tip['files'], own: ReadonlyMap<string, string>): Promise<void> {
    const wanted = [...files].filter(([path, id]) => MIRRORED.test(path) && own.get(path) !== id);
    const contents = await branch.read(wanted.map(([, id]) => id));
    if (wanted.length > 0) await makeFolder(join(folder, 'journal')).catch(refused(folder));
    for (const [at, [path]] of wanted.entries()) {
      const file = join(folder, path);
      const text = (contents[at] ?? '').toString('utf8');
      await writeAtomic(file, text, { mode: 0o600 }).catch(refused(file));
    }
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
    const record = await knownOf(folder);
    // Journals first: what they say is in an entry, is then in the entry that goes with them.
    const journals = await Promise.all((record?.runs ?? []).map(readRun));
    const own = new Map([...journals.flat(), ...ahead]);
    const files = without(before.files, own, record?.removed ?? []);
    const changes = new Map<string, Buffer | null>();
    for (const path of before.files.keys()) if (!files.has(path)) changes.set(path, null);
    for (const [path, content] of own) {
      const id = idOf(content, like);
      if (before.files.get(path) !== id) changes.set(path, content);
      files.set(path, id);
    }
    const owner = (await branch.file()) ?? before.head.owner;
    const repository = before.head.repository ?? (await branch.repository());
    const owned = {
      ...before.head,
      ...(owner === undefined ? {} : { owner }),
      ...(repository === null ? {} : { repository }),
    };
    const next = { ...owned, ...change, serial: before.head.serial + 1, parent: before.commit };
    const head = { ...next, digest: digestOf(files, next) };
    changes.set(HEAD, Buffer.from(`${JSON.stringify(head, null, 2)}\n`));
    const text = `${message}\n\nMade by campaignctl. Do not edit.\n`;
    const pushed = await branch.push(before.commit, changes, text);
    const made = { ...before, commit: pushed.commit, head, files };
    unsure.set(pushed.commit, made);
    const now = pushed.failure === null ? pushed.commit : await branch.fetch();
    if (pushed.failure !== null && now === before.commit) throw pushed.failure;
    const tip = now === null ? undefined : unsure.get(now);
    unsure.clear();
    if (tip === undefined) return null;
    for (const [path, content] of ahead) if (tip.files.get(path) === idOf(content, like)) ahead.delete(path);
    await note(async () => {
      // What was given up while the push was under way is still to leave the branch.
      const now = { ...UNREAD, ...(await readRecord(folder)) };
      const removed = now.removed.filter((path) => tip.files.has(path));
      const { serial, holder } = tip.head;
      const known = { commit: tip.commit ?? '', serial, holder: holder?.id ?? null };
      const written = Object.entries(now.written).filter(([path, id]) => tip.files.get(path) !== id);
      const runs = holder === null ? [] : now.runs;
      await writeRecord(folder, { ...now, ...known, removed, written: Object.fromEntries(written), runs });
    });
    return { tip, whole: tip === made };
  }

  /** The journal of a run, as it is now; none where it was given up, or never begun. */
  async function readRun(run: string): Promise<(readonly [string, Buffer])[]> {
    const names = namesOf(run);
    // It may be closed meanwhile.
    for (const path of [...names, ...names]) {
      const file = join(folder, path);
      const content = await readFile(file).catch(missing(file));
      if (content !== null) return [[path, content]];
    }
    return [];
  }

  /** Who holds the lease there, and since when it was renewed. */
  async function heldAt({ commit, head: { holder, lease } }: Tip): Promise<Held | null> {
    if (commit === null || holder === null) return null;
    return heldBy(holder, { seconds: lease, renewed: await branch.madeAt(commit) });
  }

  return {
    read,
    local: async () => idsOf(await contents()),
    mirror,
    isAhead,
    commit,
    heldAt,
    restore,
    /** All that is in a folder that is no mirror is ahead of the branch. */
    async adopt() {
      for (const [path, content] of await contents()) ahead.set(path, content);
    },
    /** Notes what is about to be written to a file. */
    writing: (path: string, text: string) =>
      note(async () => {
        const content = Buffer.from(text);
        const record = await readRecord(folder);
        const removed = record?.removed.filter((one) => one !== path) ?? [];
        const written = { ...record?.written, [path]: idOf(content, like) };
        if (record !== null) await writeRecord(folder, { ...record, removed, written });
        ahead.set(path, content);
      }),
    /** Notes the runs whose journals are about to grow. */
    growing: (runs: readonly string[]) =>
      note(async () => {
        const record = { ...UNREAD, ...(await readRecord(folder)) };
        await writeRecord(folder, { ...record, runs: [...new Set([...record.runs, ...runs])] });
      }),
    giveUp: (paths: readonly string[]) =>
      note(async () => {
        await giveUp(folder, paths);
        for (const path of paths) ahead.delete(path);
      }),
  };
}

/** The files of a branch without those that leave it: what was given up, and the open journals of runs that are closed now. */
function without(
  files: Tip['files'],
  own: ReadonlyMap<string, Buffer>,
  removed: readonly string[],
): Tip['files'] {
  const isLeaving = (path: string) =>
    !own.has(path) && (removed.includes(path) || (OPEN.test(path) && own.has(path.replace(OPEN, '.jsonl'))));
  return new Map([...files].filter(([path]) => !isLeaving(path)));
}

/** Of the journal of a run: the first that is there is the one. */
const namesOf = (run: string) => [`journal/${run}.jsonl`, `journal/${run}.open.jsonl`];

/** Whether it is a head from before commits named the one before them. */
function isOlder(text: string): boolean {
  const { value } = decode(text, (head): head is JsonObject => isObject(head as Json));
  return typeof value?.digest === 'string' && value.parent === undefined;
}

function digestOf(files: ReadonlyMap<string, string>, head: BranchHead): string {
  const lines = [...files].map(([path, id]) => `${path}\0${id}\n`).sort();
  lines.push(JSON.stringify({ ...head, digest: '' }));
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** Whether the lease on the branch is the last one of this folder. */
const isLast = ({ holder }: BranchRecord, head: BranchHead) => holder !== null && holder === head.holder?.id;

/** What of a folder reaches the branch. */
export async function mirrored(folder: string): Promise<string[]> {
  const [entries, runs] = await Promise.all(
    ['', 'journal'].map(async (part) => {
      const found = await readdir(join(folder, part), { withFileTypes: true }).catch(
        missing(join(folder, part)),
      );
      return found?.flatMap((one) => (one.isDirectory() ? [] : [one.name])) ?? [];
    }),
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
  await writeAtomic(join(folder, name), text, { mode: 0o600 }).catch(refused(join(folder, name)));
}

/** Notes that files are about to be removed from a folder: what is only missing there stays on the branch. */
export async function giveUp(folder: string, paths: readonly string[]): Promise<void> {
  for (const name of [RECORD, LEFT]) {
    const record = await readRecord(folder, name);
    if (record === null) continue;
    const written = Object.fromEntries(
      Object.entries(record.written).filter(([path]) => !paths.includes(path)),
    );
    const runs = record.runs.filter((run) => !namesOf(run).some((path) => paths.includes(path)));
    await writeRecord(folder, { ...record, removed: [...record.removed, ...paths], written, runs }, name);
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

/** Id of the last move to this folder that was begun; null: none. A copy of the folder has it too. */
export async function heirOf(folder: string): Promise<string | null> {
  return (await knownOf(folder))?.heir ?? null;
}

/** Of a folder that is a mirror, or was one when the state was moved to it. */
async function knownOf(folder: string): Promise<BranchRecord | null> {
  return (await readRecord(folder)) ?? (await readRecord(folder, LEFT));
}
