import { defineConfig } from 'vitest/config';
import { resolve } from './vitest.base.js';

/** Suites with real Java ElasticJob beside ours. They measure time, so they have the machine to themselves. */
export default defineConfig({
  resolve,
  test: {
    include: ['test/interop/**/*.spec.ts'],
    // Churn for minutes: npm run test:interop:long.
    exclude: process.env['INTEROP_LONG'] ? [] : ['test/interop/long/**'],
    globalSetup: './test/interop/global-setup.ts',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
});
