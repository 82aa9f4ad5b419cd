import { defineConfig } from 'vitest/config';

/** Suites that break servers, networks and processes. They measure time, so they have the machine to themselves. */
export default defineConfig({
  test: {
    include: ['test/chaos/**/*.spec.ts'],
    globalSetup: './test/chaos/global-setup.ts',
    pool: 'forks',
    fileParallelism: false,
    hookTimeout: 60_000,
  },
});
