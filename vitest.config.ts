import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Not threads: under Node 20 a thread that used sockets may never end.
    pool: 'forks',
    testTimeout: 60_000,
  },
});
