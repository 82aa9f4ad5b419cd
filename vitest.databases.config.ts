import { defineConfig } from 'vitest/config';
import { resolve } from './vitest.base.js';

/** Suites over real PostgreSQL and MariaDB servers. Some stop them for a while and measure, so they run one by one. */
export default defineConfig({
  resolve,
  test: {
    include: ['test/databases/**/*.spec.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
