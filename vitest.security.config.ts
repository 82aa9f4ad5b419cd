import { defineConfig } from 'vitest/config';
import { resolve, sharedServer, threads } from './vitest.base.js';

/** Attacks by whoever can write to the registry, or reads what the library tells. They run over a real ZooKeeper. */
export default defineConfig({
  resolve,
  test: { ...threads, include: ['test/security/**/*.spec.ts'], globalSetup: sharedServer, fileParallelism: false },
});
