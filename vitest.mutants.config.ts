import { defineConfig } from 'vitest/config';

/** The tests that Stryker runs for a mutant: those that need neither the built program nor other processes. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/system/**', 'test/!(apply|plan|sections)/**/*.system.test.ts'],
    setupFiles: 'test/support/seed.ts',
    testTimeout: 60_000,
  },
});
