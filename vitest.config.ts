import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests of several rooms together, and those that start a program, open a port, need a browser or take their time. */
const SYSTEM = ['test/system/**/*.test.ts', 'test/**/*.system.test.ts'];

/** A file system in memory, where the flushes of the state take no time. */
const MEMORY = '/dev/shm';
if (process.env.TMPDIR === undefined && freeBytes(MEMORY) > 2 ** 31) process.env.TMPDIR = MEMORY;

// Most of the time of the system tests is spent waiting.
const workers = Math.max(3, availableParallelism() - 1);

export default defineConfig({
  test: {
    projects: [
      {
        // What to run on every save: pure, and ready within seconds. `test/support/pure.ts` sees to the first.
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: SYSTEM,
          setupFiles: ['test/support/pure.ts', 'test/support/seed.ts'],
          // Pure tests do not disturb each other: they share the modules that one of them has loaded.
          pool: 'threads',
          isolate: false,
          maxWorkers: workers,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'system',
          include: SYSTEM,
          setupFiles: 'test/support/seed.ts',
          // Not threads: under Node 20 a thread that used sockets may never end.
          pool: 'forks',
          // Loading the program anew for each file took longer than most of them. What a test needs, it makes itself.
          isolate: false,
          maxWorkers: workers,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});

/** 0 if there is no such folder. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
