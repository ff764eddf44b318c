import { createHash, randomUUID } from 'node:crypto';
import {
  differing,
  movedElsewhere,
  movedMeanwhile,
  movedToOriginal,
  pendingRuns,
} from './branch-failures.js';
import type { BranchHead } from './files.generated.js';
import { readPending } from './journal.js';
import { acquireLock, lockedFailure } from './lock.js';
import {
  beginHeir,
  HERE,
  heirOf,
  leaveBranch,
  type Mirror,
  type MirrorOptions,
  mirrored,
  readRecord,
} from './mirror.js';

/**
 * Moves a state between a folder and a branch, in one commit: either all of it is there, or nothing has happened. Nothing moves while
 * an apply is at work, or while it is not known what became of a request. Only the folder to which a state was moved gives it back.
 */

/** What was moved, in files; or how many there are where nothing had to be. */
export interface Moved {
  files: number;
  already: boolean;
}

/** What the folder and the branch hold, each alone or both alike, is then on the branch, and the folder is its mirror. */
export async function moveIn(
  { read, local, adopt, commit, heldAt }: Mirror,
  options: MirrorOptions,
): Promise<Moved> {
  const { folder } = options;
  return locked(folder, async () => {
    const found = await read({ evenMoved: true });
    const { moved } = found.head;
    const own = await local();
    const isMirror = (await readRecord(folder)) !== null;
    const isThere = isMirror || own.size === 0;
    if (moved === null && found.commit !== null && isThere) return { files: found.files.size, already: true };
    if (moved !== null) await refuseOther(options, { ...found.head, moved });
    const held = await heldAt(found);
    if (held !== null) throw lockedFailure(held, 0);
    await refusePending(folder);
    // The folder to which the state was moved may have gone on since; any other has to agree with what is kept.
    const other = [...own].find(([path, id]) => (found.files.get(path) ?? id) !== id);
    if (moved === null && other !== undefined) throw differing(folder, other[0]);
    if (!isMirror) await adopt();
    const done = await commit(found, HERE, 'State of a folder');
    if (done === null || !done.whole) throw movedMeanwhile();
    return { files: done.tip.files.size, already: false };
  });
}

/** The branch then says that the state has moved, so that no other machine goes on with it. Cut short anywhere, it goes on when it is run again. */
export async function moveOut(
  { read, mirror, restore, commit, heldAt }: Mirror,
  options: MirrorOptions,
  by: string,
): Promise<Moved> {
  const { folder, branch } = options;
  return locked(folder, async () => {
    const found = await read({ evenMoved: true });
    const { head, files } = found;
    if (head.moved !== null) {
      await refuseOther(options, { ...head, moved: head.moved });
      const already = (await readRecord(folder)) === null;
      await restore(found);
      if (!already) await leaveBranch(folder);
      await branch.remove();
      return { files: already ? (await mirrored(folder)).length : files.size, already };
    }
    const held = await heldAt(found);
    if (held !== null) throw lockedFailure(held, 0);
    if (!(await mirror(found))) throw movedMeanwhile();
    await refusePending(folder);
    const heir = randomUUID();
    await beginHeir(folder, heir);
    const moved = { moved: by, heir: `${heir}.${await bound(heir, branch)}` };
    const done = await commit(found, moved, 'State moved to a folder');
    if (done === null || !done.whole) throw movedMeanwhile();
    await leaveBranch(folder);
    await branch.remove();
    return { files: done.tip.files.size, already: false };
  });
}

/** The id of a move with the clone to which it was, of which a copy of the folder knows nothing. */
async function bound(heir: string, branch: MirrorOptions['branch']): Promise<string> {
  return createHash('sha256')
    .update(`${heir}\n${await branch.clone()}`)
    .digest('hex');
}

/** Failure where the folder is not the one to which the state was moved, or is a copy of it. */
async function refuseOther(
  { folder, branch }: MirrorOptions,
  { moved, heir }: { moved: string; heir: BranchHead['heir'] },
): Promise<void> {
  const own = await heirOf(folder);
  // A move of an earlier version is not bound.
  if (own !== null && (heir === own || heir === `${own}.${await bound(own, branch)}`)) return;
  throw own !== null && heir?.startsWith(`${own}.`) === true
    ? movedToOriginal(moved, folder)
    : movedElsewhere(moved);
}

async function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { signal } = new AbortController();
  const lock = await acquireLock({ folder, who: 'state migrate', timeout: 0, waiting: () => {}, signal });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function refusePending(folder: string): Promise<void> {
  const pending = await readPending(folder);
  if (pending.length > 0) throw pendingRuns([...new Set(pending.map(({ run }) => run))]);
}
