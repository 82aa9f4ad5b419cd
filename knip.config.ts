// npm run knip: files, exports, types and dependencies without a user.
import { readFileSync } from 'node:fs';
import type { KnipConfig } from 'knip';

const { exports }: { exports: Record<string, string | { default: { default: string } }> } = JSON.parse(
  readFileSync('libs/elastic-job/package.json', 'utf8'),
);

/** The sources of the package's entries, whose exports are for applications. */
const entries = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.default.replace('./dist/', './src/').replace(/js$/, 'ts')],
);

export default {
  // Stands here although it is the default: an export that only its own file uses is a finding.
  ignoreExportsUsedInFile: false,
  // Each of the package's optional peers is loaded by an entry of its own, so all of them are referenced.
  exclude: ['optionalPeerDependencies'],
  // Its codec is loaded by createRequire, from a path that is put together.
  ignoreDependencies: ['node-zookeeper-client'],
  // Nest 11, for applications that specs write into this folder. No source of the workspace imports from it.
  ignoreWorkspaces: ['test/nest-11'],
  workspaces: {
    '.': {
      entry: [
        'src/main.ts',
        'apps/demo/src/main.ts',
        'apps/demo/src/demo/{embedded,cluster,tasks}.ts',
        'apps/demo/src/tasks/scheduler.ts',
        'docs/.vitepress/{config,theme/index}.ts',
        // A process of bench/cpu.ts, which names it by path.
        'bench/cpu-trial.ts',
        // A reporter that vitest is given by path.
        'test/verify/unhandled-errors.mjs',
        // Processes and threads begin with these. Specs name them by path.
        '{bench,test}/**/*.fixture.{ts,mjs,cjs}',
        'test/nest/built/copies.importer.mjs',
        // This configuration cannot be loaded without a plan of mutants, so the files that it names stand here.
        'vitest.mutation.config.ts',
        'test/mutation/{mutant-runner,mutants.entry}.ts',
      ],
      // Applications of the published package: they are copied to other folders and installed there.
      project: ['**/*.{ts,mjs,cjs,vue}', '!test/consumers/projects/**', '!examples/**'],
      // The library's optional peers, which npm installs for the workspace only if the root asks for them.
      ignoreDependencies: ['nodemailer', 'piscina', 'string-argv'],
      // Debian's, for the parts that suites run over.
      ignoreBinaries: ['apt-get'],
    },
    // The bundler puts the check of Node's version before each entry. mkfifo is a program of the system; a spec makes a
    // named pipe with it.
    'libs/elastic-job': { entry: [...entries, 'src/node-version.ts'], ignoreBinaries: ['mkfifo'] },
  },
} satisfies KnipConfig;
