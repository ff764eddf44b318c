import type { Lease, Moved } from './backend.js';
import { differing } from './git-failures.js';
import { acquireLock, type LockOptions } from './lock.js';
import { folderStorage, type MemoryStorage } from './storage.js';
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
      const texts = paths.map((path) => [path, source.read(path)?.toString('utf8') ?? ''] as const);
      const conflict = texts.find(([path, text]) => (storage.read(path)?.toString('utf8') ?? text) !== text);
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
