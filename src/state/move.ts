import { differing, movedMeanwhile, pendingRuns } from './branch-failures.js';
import { readPending } from './journal.js';
import { acquireLock, lockedFailure } from './lock.js';
import { isHeirOf, leaveBranch, type Mirror, type MirrorOptions, readRecord } from './mirror.js';

/**
 * Moves a state between a folder and a branch, in one commit: either all of it is there, or nothing has happened. Nothing moves while
 * an apply is at work, or while it is not known what became of a request. Both give the number of files; null: it is there already.
 */

/** What the folder and the branch hold, each alone or both alike, is then on the branch, and the folder is its mirror. */
export async function moveIn(
  { read, local, commit, heldAt }: Mirror,
  { folder }: MirrorOptions,
): Promise<number | null> {
  return locked(folder, async () => {
    const found = await read({ evenMoved: true });
    if ((await readRecord(folder)) !== null && found.head.moved === null) return null;
    const held = await heldAt(found);
    if (held !== null) throw lockedFailure(held, 0);
    const own = await local([...found.files.values()][0]);
    if (own.size === 0 && found.commit !== null && found.head.moved === null) return null;
    await refusePending(folder);
    // The folder to which the state was moved has gone on since; any other has to agree with what is kept.
    if (!(await isHeirOf(folder, found.commit))) {
      const other = [...own].find(([path, id]) => (found.files.get(path) ?? id) !== id);
      if (other !== undefined) throw differing(folder, other[0]);
    }
    const done = await commit(found, { moved: null }, 'State of a folder');
    if (done === null || !done.whole) throw movedMeanwhile();
    return own.size;
  });
}

/** The branch then says that the state has moved, so that no other machine goes on with it. */
export async function moveOut(
  { read, mirror, commit, heldAt }: Mirror,
  { folder }: MirrorOptions,
  by: string,
): Promise<number | null> {
  return locked(folder, async () => {
    const found = await read({ evenMoved: true });
    const record = await readRecord(folder);
    if (found.head.moved !== null) {
      if (record?.commit !== found.commit) return null;
      // Cut short after the push.
      await leaveBranch(folder);
      return found.files.size;
    }
    const held = await heldAt(found);
    if (held !== null) throw lockedFailure(held, 0);
    if (!(await mirror(found))) throw movedMeanwhile();
    await refusePending(folder);
    const done = await commit(found, { moved: by }, 'State moved to a folder');
    if (done === null || !done.whole) throw movedMeanwhile();
    await leaveBranch(folder);
    return done.tip.files.size;
  });
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
  const pending = await readPending(folder, null);
  if (pending.length > 0) throw pendingRuns([...new Set(pending.map(({ run }) => run))]);
}
