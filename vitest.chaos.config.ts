import { defineConfig } from 'vitest/config';
import { resolve } from './vitest.base.js';

/**
 * Suites that break servers, networks and processes. Each waits for most of its time, so two of them run side by side.
 * They measure time, so nothing else may take the processor from them.
 */
export default defineConfig({
  resolve,
  test: {
    include: ['test/chaos/**/*.spec.ts'],
    globalSetup: './test/chaos/global-setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    hookTimeout: 60_000,
  },
});
