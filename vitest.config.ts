import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const library = (path: string) => fileURLToPath(new URL(`./libs/elastic-job/src/${path}`, import.meta.url));

export default defineConfig({
  // Explicit rather than resolve.tsconfigPaths, which ignores files outside tsconfig's include.
  resolve: {
    alias: [
      { find: '@app/elastic-job/terminus', replacement: library('nest/terminus/index.ts') },
      { find: '@app/elastic-job/email', replacement: library('executor/email/index.ts') },
      { find: '@app/elastic-job/worker-pool', replacement: library('executor/worker-pool/index.ts') },
      { find: '@app/elastic-job/script', replacement: library('executor/script/index.ts') },
      { find: '@app/elastic-job/opentelemetry', replacement: library('tracing/opentelemetry/index.ts') },
      { find: '@app/elastic-job/metrics', replacement: library('nest/metrics/index.ts') },
      { find: '@app/elastic-job/testing', replacement: library('testing/index.ts') },
      { find: '@app/elastic-job/guards/plain-sql', replacement: library('guards/plain-sql/index.ts') },
      { find: '@app/elastic-job/guards/sql', replacement: library('guards/sql/index.ts') },
      { find: '@app/elastic-job/tracing/sql', replacement: library('tracing/sql/index.ts') },
      { find: '@app/elastic-job', replacement: library('index.ts') },
    ],
  },
  test: {
    include: ['libs/**/*.spec.ts', 'apps/**/*.spec.ts', 'src/**/*.spec.ts', 'test/**/*.spec.ts'],
    // Those that break servers or attack, those beside Java or other releases, and those over database servers run by
    // themselves: vitest.*.config.ts.
    exclude: [
      ...configDefaults.exclude,
      'test/chaos/**',
      'test/interop/**',
      'test/databases/**',
      'test/versions/**',
      'test/security/**',
    ],
    globalSetup: './test/support/zookeeper/global-setup.ts',
    // A thousand seconds of virtual time take as long as the machine needs; nothing is measured by these limits.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'threads',
    isolate: false,
    coverage: { provider: 'v8', include: ['libs/*/src/**', 'apps/*/src/**'] },
  },
});
