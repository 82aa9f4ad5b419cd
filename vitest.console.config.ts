import { defineConfig } from 'vitest/config';
import { resolve, sharedServer, threads } from './vitest.base.js';

/** The API of operations as a client and as an attacker meets it: over HTTP, on Express and Fastify. */
export default defineConfig({
  resolve,
  test: { ...threads, include: ['test/console/**/*.spec.ts'], globalSetup: sharedServer, fileParallelism: false },
});
