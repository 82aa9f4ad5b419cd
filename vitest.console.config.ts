import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { resolve, sharedServer, threads } from './vitest.base.js';

const NEST_11 = fileURLToPath(new URL('./test/nest-11/node_modules/@nestjs/', import.meta.url));
const nest11 = {
  find: /^@nestjs\/(common|core|platform-express|platform-fastify)(?=\/|$)/,
  replacement: `${NEST_11}$1`,
};
const alias = Array.isArray(resolve?.alias) ? resolve.alias : [];

/** The API of operations as a client and as an attacker meets it: over HTTP, on Express and Fastify. */
export default defineConfig({
  test: {
    fileParallelism: false,
    projects: [
      {
        resolve,
        test: { ...threads, name: 'nest-12', include: ['test/console/**/*.spec.ts'], globalSetup: sharedServer },
      },
      {
        resolve: { alias: [nest11, ...alias] },
        test: {
          ...threads,
          name: 'nest-11',
          include: ['test/console/{changes,routes}.spec.ts'],
          globalSetup: sharedServer,
        },
      },
    ],
  },
});
