// Settings that every run of vitest in this repository shares: vitest.*.config.ts.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ViteUserConfig } from 'vitest/config';

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

// Rather than resolve.tsconfigPaths, which ignores files outside tsconfig's include.
// The longest first: a shorter one is the beginning of others.
export const resolve: ViteUserConfig['resolve'] = {
  alias: [support, ...entries.toSorted((a, b) => b.find.length - a.find.length)],
};

/** Specs that share their process with others. Most take milliseconds, and loading their modules takes longer. */
export const threads = {
  // A thousand seconds of virtual time take as long as the machine needs; nothing is measured by these limits.
  testTimeout: 30_000,
  hookTimeout: 30_000,
  pool: 'threads',
  isolate: false,
} satisfies ViteUserConfig['test'];

/** One real ZooKeeper server for a run, started for the first spec that asks for it. */
export const sharedServer = './test/support/zookeeper/global-setup.ts';
