import { defineConfig } from 'vitest/config';
import { resolve, sharedServer, threads } from './vitest.base.js';

/** The page of the console in a real Chromium, over a registry in memory and over a real ZooKeeper. */
export default defineConfig({
  resolve,
  test: {
    ...threads,
    // One Chromium at a time: two would only wait for each other.
    fileParallelism: false,
    include: ['test/browser/**/*.spec.ts'],
    globalSetup: [sharedServer, './test/browser/support/global-setup.ts'],
  },
});
