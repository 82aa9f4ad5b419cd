import { defineConfig } from 'vitest/config';
import { resolve } from './vitest.base.js';

/** Releases of the library beside each other, in processes over real ZooKeeper servers. They measure time. */
export default defineConfig({
  resolve,
  test: {
    include: ['test/versions/**/*.spec.ts'],
    pool: 'forks',
    fileParallelism: false,
    hookTimeout: 120_000,
  },
});
