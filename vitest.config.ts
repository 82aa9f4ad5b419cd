import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const PACKAGE = new URL('./libs/elastic-job/', import.meta.url);
const { exports }: { exports: Record<string, string | { default: { default: string } }> } = JSON.parse(
  readFileSync(new URL('package.json', PACKAGE), 'utf8'),
);

/** Each entry of the package is its source, for this workspace and for the pages, which show it by its own name. */
const entries = Object.entries(exports).flatMap(([entry, target]) => {
  if (typeof target === 'string') return [];
  const source = target.default.default.replace('./dist/', './src/').replace(/js$/, 'ts');
  const replacement = fileURLToPath(new URL(source, PACKAGE));
  return ['@app/elastic-job', 'nestjs-elastic-job'].map((name) => ({ find: name + entry.slice(1), replacement }));
});

/** The folder of the tests, whose support specs anywhere import. */
const support = { find: '@test', replacement: fileURLToPath(new URL('./test', import.meta.url)) };

export default defineConfig({
  // Rather than resolve.tsconfigPaths, which ignores files outside tsconfig's include.
  // The longest first: a shorter one is the beginning of others.
  resolve: { alias: [support, ...entries.toSorted((a, b) => b.find.length - a.find.length)] },
  test: {
    include: ['bench/**/*.spec.ts', 'libs/**/*.spec.ts', 'apps/**/*.spec.ts', 'src/**/*.spec.ts', 'test/**/*.spec.ts'],
    // Those that break servers or attack, those beside Java or other releases, and those over database servers,
    // processes or the built site run by themselves: vitest.*.config.ts. Those of projects that use the package run
    // there: npm run test:consumers.
    exclude: [
      ...configDefaults.exclude,
      'test/chaos/**',
      'test/interop/**',
      'test/databases/**',
      'test/versions/**',
      'test/security/**',
      'test/cloud/**',
      'test/site/**',
      'test/consumers/projects/**',
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
