import { defineConfig } from 'vitest/config';
import { resolve, sharedServer, threads } from './vitest.base.js';

/** Tasks in real processes, and schedulers that are killed and stopped. Some measure time, so they run one by one. */
export default defineConfig({
  resolve,
  test: { ...threads, include: ['test/cloud/**/*.spec.ts'], globalSetup: sharedServer, fileParallelism: false },
});
