import type { Lease, Moved } from './backend.js';
import { differing } from './git-failures.js';
import { HISTORY, wholeLines } from './journal.js';
import { acquireLock, type LockOptions } from './lock.js';
import { folderStorage, type MemoryStorage, type Storage } from './storage.js';
import { statePaths } from './store.js';

export interface BranchLease extends Lease {
  storage: MemoryStorage;
}

/** Never runs during an apply. Can be repeated after a crash. */
export async function moveIn(
  folder: string,
  take: (request: Omit<LockOptions, 'folder'>) => Promise<BranchLease>,
): Promise<Moved> {
  const { signal } = new AbortController();
  const request = { who: 'state migrate', timeout: 0, waiting: () => {}, signal };
  const lock = await acquireLock({ ...request, folder });
  try {
    const source = folderStorage(folder);
    const paths = await statePaths(source);
    const lease = await take(request);
    const { storage } = lease;
    try {
      const read = (from: Storage, path: string) => from.read(path)?.toString('utf8') ?? null;
      const texts = paths.map((path) => {
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
    for (const path of paths) await source.remove(path);
    return { files: storage.files.size, already: paths.length === 0 };
  } finally {
    lock.release();
  }
}

function withLines(text: string, more: string): string {
  return [...new Set([text, more].flatMap(wholeLines)), ''].join('\n');
}
