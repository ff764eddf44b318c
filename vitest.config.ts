import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that span several rooms, start a program, open a port or are slow. */
const SYSTEM = ['test/system/**/*.test.ts', 'test/**/*.system.test.ts'];

/**
 * Tests that need a browser, build, pack or install the program, run pipelines, fill its memory, or wait for many processes.
 * `npm test` omits them.
 */
const RELEASE = [
  'test/**/*.browser.test.ts',
  'test/architecture/walk.system.test.ts',
  'test/operations/pause-at-work.system.test.ts',
  'test/system/ci/**/*.test.ts',
  'test/system/end-to-end/additions.test.ts',
  'test/system/end-to-end/agency-week.test.ts',
  'test/system/examples/package.test.ts',
  'test/system/security/manifests.test.ts',
];

/** These take longest, so they start first. A fresh clone knows no durations, by which Vitest sorts the others. */
const LONGEST = [
  'test/system/trust/literal.test.ts',
  'test/operations/emergency.system.test.ts',
  'test/system/trust/machines.test.ts',
  'test/operations/pause-matrix.system.test.ts',
  'test/operations/undone-applies.system.test.ts',
  'test/state/branch.system.test.ts',
  'test/system/trust/pauses.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(file));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** A file system in memory, on which flushing the state takes no time. */
const MEMORY = '/dev/shm';
if (process.env.TMPDIR === undefined && freeBytes(MEMORY) > 2 ** 31) process.env.TMPDIR = MEMORY;

// The system tests mostly wait.
const workers = Math.max(4, availableParallelism() - 1);

/** Options of tests that start processes or use sockets. */
const PROCESSES = {
  setupFiles: 'test/support/seed.ts',
  // In Node 20, a thread that used sockets may never end.
  pool: 'forks' as const,
  // Reloading the program for each file would take longer than most tests. Each test creates what it needs.
  isolate: false,
  maxWorkers: workers,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  server: { deps: { inline: [/node_modules\/(yargs|cliui|wrap-ansi)\//] } },
};

/** As in the bundle, because help is created on every parse. See scripts/build.js. */
const resolve = {
  alias: { 'string-width': fileURLToPath(new URL('scripts/string-width.js', import.meta.url)) },
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // For every save: pure tests, enforced by `test/support/pure.ts`, which end within seconds.
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...SYSTEM, ...RELEASE],
          setupFiles: ['test/support/pure.ts', 'test/support/seed.ts'],
          // Pure tests do not affect each other, so they share loaded modules.
          pool: 'threads',
          isolate: false,
          maxWorkers: workers,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      { resolve, test: { ...PROCESSES, name: 'system', include: SYSTEM, exclude: RELEASE } },
      { resolve, test: { ...PROCESSES, name: 'release', include: RELEASE } },
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
