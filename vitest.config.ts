import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Not threads: under Node 20 a thread that used sockets may never end.
    pool: 'forks',
    // Most of the time is spent waiting: on two cores, one process less than cores would be one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
  },
});
