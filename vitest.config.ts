import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that span several rooms, start a program, open a port, need a browser or are slow. */
const SYSTEM = ['test/system/**/*.test.ts', 'test/**/*.system.test.ts'];

/** A file system in memory, on which flushing the state takes no time. */
const MEMORY = '/dev/shm';
if (process.env.TMPDIR === undefined && freeBytes(MEMORY) > 2 ** 31) process.env.TMPDIR = MEMORY;

// The system tests mostly wait.
const workers = Math.max(3, availableParallelism() - 1);

export default defineConfig({
  test: {
    projects: [
      {
        // For every save: pure tests, enforced by `test/support/pure.ts`, which end within seconds.
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: SYSTEM,
          setupFiles: ['test/support/pure.ts', 'test/support/seed.ts'],
          // Pure tests do not affect each other, so they share loaded modules.
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
          // In Node 20, a thread that used sockets may never end.
          pool: 'forks',
          // Reloading the program for each file would take longer than most tests. Each test creates what it needs.
          isolate: false,
          maxWorkers: workers,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});

/** 0 if the folder does not exist. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
