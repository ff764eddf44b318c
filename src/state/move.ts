import type { Lease, Moved } from './backend.js';
import { HISTORY, OWNER } from './file-names.js';
import type { StateOwner } from './files.js';
import { differing } from './git-failures.js';
import { wholeLines } from './journal.js';
import { acquireLock, type LockOptions } from './lock.js';
import { otherId, type StateUser } from './owner.js';
import { folderStorage, type MemoryStorage, type Storage } from './storage.js';
import { readOwner, statePaths } from './store.js';

export interface BranchLease extends Lease {
  storage: MemoryStorage;
}

/** Never runs during an apply. Can be repeated after a crash. */
export async function moveIn(
  folder: string,
  user: StateUser,
  take: (request: Omit<LockOptions, 'folder'>) => Promise<BranchLease>,
): Promise<Moved> {
  const { signal } = new AbortController();
  const request = { who: 'state migrate', timeout: 0, waiting: () => {}, signal };
  const lock = await acquireLock({ ...request, folder });
  try {
    const source = folderStorage(folder);
    const owner = await readOwner(source, user);
    // The branch would record the id in the project file, and the state the folder's.
    if (owner !== null && owner.project !== null && owner.project !== user.project)
      throw otherId(owner.project, user);
    const paths = await statePaths(source);
    const lease = await take(request);
    const { storage } = lease;
    try {
      const recorded = await lease.store.owner();
      if (owner !== null && recorded !== null && !isSameProject(owner, recorded))
        throw differing(folder, OWNER);
      const read = (from: Storage, path: string) => from.read(path)?.toString('utf8') ?? null;
      const moved = recorded === null ? paths : paths.filter((path) => path !== OWNER);
      const texts = moved.map((path) => {
        const [text, other] = [read(source, path) ?? '', read(storage, path)];
        return [path, path === HISTORY && other !== null ? withLines(other, text) : text] as const;
      });
      const conflict = texts.find(
        ([path, text]) => path !== HISTORY && (read(storage, path) ?? text) !== text,
      );
      if (conflict !== undefined) throw differing(folder, conflict[0]);
      for (const [path, text] of texts) await storage.write(path, text);
    } finally {
      await lease.end();
    }
    // After a crash, the rest can be moved only if it still has an owner.
    for (const path of [...paths.filter((path) => path !== OWNER), OWNER]) await source.remove(path);
    return { files: storage.files.size, already: paths.length === 0 };
  } finally {
    lock.release();
  }
}

/** A folder may record no id. */
function isSameProject(owner: StateOwner, other: StateOwner): boolean {
  return owner.base_url === other.base_url && owner.file === other.file;
}

function withLines(text: string, more: string): string {
  return [...new Set([text, more].flatMap(wholeLines)), ''].join('\n');
}
