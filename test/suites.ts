// Every suite of this repository. `npm run verify`, .ci/run and the page of commands read this table.

/** A part that a suite runs over, besides Node and the packages of the lock file. */
export type Need =
  | 'zookeeper'
  | 'java'
  | 'postgresql'
  | 'mariadb'
  | 'chromium'
  | 'faketime'
  | 'spin'
  | 'prometheus'
  /** npm's registry: packages are installed as users do it. */
  | 'npm'
  /** Earlier commits of this repository. */
  | 'history'
  /** The files that the suite `build` has written. */
  | 'build';

export interface Suite {
  readonly name: string;
  /** A green run means this. */
  readonly shows: string;
  /** For bash, in the root of the repository. */
  readonly command: string;
  /** Usual time on two processors at full speed. */
  readonly seconds: number;
  /** True if each run of .ci/run includes it, also if nothing has changed. */
  readonly always?: true;
  /** True if the command is one run of vitest: a skipped test fails it, and two failed files may run once more. */
  readonly vitest?: true;
  /** True if it waits for nothing. It runs beside others then, on the processor time that they leave. */
  readonly onlyComputes?: true;
  readonly needs?: readonly Need[];
  /**
   * Globs of what it runs: specs, set-ups, scripts, processes, threads. Each counts with all code that it keeps of what
   * it imports, and with the files that this code names by `new URL(name, import.meta.url)`. Comments do not count.
   */
  readonly programs?: readonly string[];
  /** Globs of files that count as they are, such as configurations, pages, and sources of other languages. */
  readonly reads?: readonly string[];
  /** Globs of files that must be there, for a compiler or a tarball. Of these only what `programs` keep counts. */
  readonly atHand?: readonly string[];
}

const EVERYTHING = ['**'];

/** Settings of a run of vitest. */
const VITEST = ['vitest.base.ts', 'libs/elastic-job/package.json'];
/** Those of `npm test`. */
const USUAL = ['vitest.config.ts', ...VITEST];
const USUAL_SETUPS = ['test/support/only-node.ts', 'test/support/zookeeper/global-setup.ts'];
const SHARED_SERVER = 'test/support/zookeeper/global-setup.ts';
/** The loader of scripts in TypeScript, and its settings. */
const SCRIPT = ['test/support/faults/*.mjs'];

/** The programs of the package: its entries, and the threads and processes that these start. */
const PACKAGE = [
  'libs/elastic-job/src/{index,node-version}.ts',
  'libs/elastic-job/src/entries/*.ts',
  'libs/elastic-job/src/nest/{config,cloud,console,terminus,metrics}/index.ts',
  'libs/elastic-job/src/console/sql/index.ts',
  'libs/elastic-job/src/tracing/{opentelemetry,sql}/index.ts',
  'libs/elastic-job/src/guards/{sql,plain-sql}/index.ts',
  'libs/elastic-job/src/executor/{email,worker-pool,script}/index.ts',
  'libs/elastic-job/src/testing/index.ts',
];
/** How the package is built. Its types count by the reports that the suite `api` compares. */
const BUILDING = [
  'nest-cli.json',

  'libs/elastic-job/{bundle,commonjs}.ts',
  'libs/elastic-job/page/**',
  'libs/elastic-job/*.json',
  'libs/elastic-job/api/**',
];
const SOURCES = ['libs/elastic-job/src/**'];
/** The demo is compiled as a whole. */
const DEMO_SOURCES = ['apps/demo/**', 'test/support/zookeeper/**', ...SOURCES];
/** Pages in the tarball of the package. */
const PACKED = ['docs/**', '*.md', 'libs/elastic-job/LICENSE', 'LICENSE'];

export const SUITES: readonly Suite[] = [
  // Quick checks of the text, its types, and its structure.
  {
    name: 'format',
    shows: 'Every file looks as prettier writes it.',
    command: 'npm run format:check',
    seconds: 22,
    always: true,
    reads: EVERYTHING,
  },
  {
    name: 'lint',
    shows: 'No rule of code or prose is broken.',
    command: 'npm run lint',
    seconds: 10,
    always: true,
    reads: EVERYTHING,
  },
  {
    name: 'types',
    shows: 'The whole workspace compiles, strictly.',
    command: 'npm run typecheck',
    seconds: 17,
    always: true,
    reads: EVERYTHING,
  },
  {
    name: 'rooms',
    shows: 'No room imports what its charter does not allow.',
    command: 'npm run rooms',
    seconds: 4,
    always: true,
    reads: EVERYTHING,
  },
  {
    name: 'dead-code',
    shows: 'Each file, export, type and dependency has a user.',
    command: 'npm run knip',
    seconds: 4,
    always: true,
    reads: EVERYTHING,
  },
  {
    name: 'exclusions',
    shows: 'At most 60 mutants are excluded, each with its reason.',
    command: 'npm run mutate -- --excluded',
    seconds: 1,
    always: true,
    reads: EVERYTHING,
  },
  {
    name: 'build',
    shows: 'Library and demo are built.',
    command: 'npm run build',
    seconds: 40,
    always: true,
    reads: EVERYTHING,
  },
  {
    name: 'package',
    shows: 'Every module system and resolver finds each entry of the package, with its types.',
    command: 'npm run package:check',
    seconds: 15,
    always: true,
    needs: ['build'],
    reads: EVERYTHING,
  },
  {
    name: 'api',
    shows: 'The exports of each entry are those of its report in libs/elastic-job/api.',
    command: 'npm run api',
    seconds: 15,
    always: true,
    needs: ['build'],
    reads: EVERYTHING,
  },
  {
    name: 'supply',
    shows: 'Installed packages have their digests, licences and no known vulnerability. The tarball has its files.',
    command: 'npm run supply',
    seconds: 3,
    always: true,
    needs: ['build', 'npm'],
    reads: EVERYTHING,
  },
  {
    name: 'test',
    shows: 'All specs that need no more than Node, and those over one real ZooKeeper.',
    command: 'npm test',
    seconds: 230,
    always: true,
    vitest: true,
    needs: ['zookeeper', 'java', 'faketime'],
    reads: EVERYTHING,
  },

  // Suites that run when their inputs have changed.
  {
    name: 'site',
    shows:
      'Links of the site lead somewhere, diagrams, tables and pages keep in their room, the search answers questions.',
    command: 'npm run docs && npm run test:site',
    seconds: 120,
    vitest: true,
    needs: ['chromium', 'history'],
    programs: ['test/site/**/*.{spec,fixture}.{ts,mjs}'],
    reads: [
      'docs/**',
      '*.md',
      'typedoc.json',
      'vitest.site.config.ts',
      ...VITEST,
      'libs/elastic-job/**',
      'examples/**',
    ],
  },
  {
    name: 'weight',
    shows: 'The package adds at most 15 MB and 150 ms of import to a Nest application.',
    command: 'npm run weigh',
    seconds: 30,
    needs: ['build', 'npm'],
    programs: ['test/weight/weigh.ts', ...PACKAGE],
    reads: [...SCRIPT, ...BUILDING, ...PACKED],
    atHand: SOURCES,
  },
  {
    name: 'node-sqlite',
    shows: 'Fences hold over node:sqlite, which the Node of the other tests may lack.',
    command:
      'node=$(.ci/newest-node) && "$node" --no-warnings --eval "require(\'node:sqlite\')" && ' +
      '"$node" node_modules/vitest/vitest.mjs run libs/elastic-job/src/guards/plain-sql/shared-connection.spec.ts',
    seconds: 3,
    needs: ['npm'],
    programs: ['libs/elastic-job/src/guards/plain-sql/shared-connection.spec.ts', ...USUAL_SETUPS],
    reads: ['.ci/newest-node', ...USUAL],
  },
  {
    name: 'model',
    shows: 'The model of docs/model keeps its properties, and each of its mutants breaks one.',
    command: 'npm run model',
    seconds: 45,
    onlyComputes: true,
    needs: ['spin'],
    programs: ['test/model/check.ts'],
    reads: SCRIPT,
  },
  {
    name: 'simulation',
    shows: '2,000 histories of random faults keep every promise.',
    command:
      '"$(.ci/newest-node)" --single-threaded --max-semi-space-size=64 --no-deprecation ' +
      '--import ./test/support/faults/register-typescript.mjs ' +
      'test/simulation/cli.ts --seeds 2000 --workers "$(nproc)"',
    seconds: 125,
    onlyComputes: true,
    needs: ['npm'],
    programs: ['test/simulation/cli.ts'],
    reads: ['.ci/newest-node', ...SCRIPT],
  },
  {
    name: 'simulation-tasks',
    shows: '2,000 histories whose items are tasks keep every promise.',
    command:
      '"$(.ci/newest-node)" --single-threaded --max-semi-space-size=64 --no-deprecation ' +
      '--import ./test/support/faults/register-typescript.mjs ' +
      'test/simulation/cli.ts --tasks --seeds 2000 --workers "$(nproc)"',
    seconds: 110,
    onlyComputes: true,
    needs: ['npm'],
    programs: ['test/simulation/cli.ts'],
    reads: ['.ci/newest-node', ...SCRIPT],
  },
  {
    name: 'cron-year',
    shows:
      'Cron constants fire like those of the package cron for a whole year, and random ones as read second by second.',
    command: 'CRON_WHOLE_YEAR=1 npx vitest run test/property/schedule',
    seconds: 200,
    onlyComputes: true,
    programs: ['test/property/schedule/*.spec.ts', ...USUAL_SETUPS],
    reads: USUAL,
  },
  {
    name: 'databases',
    shows: 'Histories and fences hold over real PostgreSQL and MariaDB, which stop and come back.',
    command: 'npm run test:databases',
    seconds: 75,
    vitest: true,
    needs: ['postgresql', 'mariadb'],
    programs: ['test/databases/**/*.spec.ts', 'test/support/databases/*.fixture.ts'],
    reads: [
      'vitest.databases.config.ts',
      ...VITEST,
      'test/databases/recipes/**',
      'docs/recipes/**',
      'docs/operate/history.md',
    ],
  },
  {
    name: 'fuzz',
    shows: 'Random texts do no harm to any reader of the tree, for a minute.',
    command: 'npm run fuzz -- --minutes 1',
    seconds: 65,
    programs: ['test/fuzz/fuzz.ts'],
    reads: SCRIPT,
  },
  {
    name: 'security',
    shows: 'Attacks of those who write to the registry, or read logs and events, do no harm.',
    command: 'npm run test:security',
    seconds: 80,
    vitest: true,
    needs: ['zookeeper', 'faketime'],
    programs: ['test/security/**/*.spec.ts', SHARED_SERVER],
    reads: [
      'vitest.security.config.ts',
      ...VITEST,
      'package-lock.json',
      '.npmrc',
      '.github/workflows/*',
      '**/package.json',
    ],
  },
  {
    name: 'console',
    shows:
      'The API of operations answers, and refuses, on Express and Fastify as its description and its limits say; ' +
      '`npm start` shows its demo.',
    command: 'npm run test:console',
    seconds: 200,
    vitest: true,
    needs: ['zookeeper'],
    programs: ['test/console/**/*.{spec,fixture}.ts', 'src/main.ts', SHARED_SERVER],
    reads: ['vitest.console.config.ts', 'libs/elastic-job/page/**', ...VITEST, ...SCRIPT],
  },
  {
    name: 'browser',
    shows:
      'What people do on the page of the console, and what attackers try, in a real Chromium over a real ZooKeeper.',
    command: 'npm run test:browser',
    seconds: 260,
    vitest: true,
    needs: ['zookeeper', 'chromium'],
    programs: ['test/browser/**/*.{spec,fixture}.ts', 'test/browser/support/global-setup.ts', SHARED_SERVER],
    reads: [
      'vitest.browser.config.ts',
      'libs/elastic-job/page/**',
      'README{,-zh-CN}.md',
      'docs/{,zh/}operate/console.md',
      'docs/operate/console/*.webp',
      ...VITEST,
      ...SCRIPT,
    ],
  },
  {
    name: 'monitoring',
    shows: 'Prometheus takes the alerts, and answers the dashboard, over the demo, which runs as compose.yaml says.',
    command: 'npm run test:monitoring',
    seconds: 75,
    vitest: true,
    needs: ['zookeeper', 'prometheus'],
    programs: ['test/monitoring/**/*.spec.ts', 'apps/demo/src/main.ts'],
    reads: [
      'vitest.monitoring.config.ts',
      ...VITEST,
      'nest-cli.json',
      'apps/demo/*.json',
      'compose.yaml',
      '.dockerignore',
      '.gitignore',
      'docs/{,zh/}operate/monitoring.md',
      'docs/operate/{alerts.yml,grafana.json}',
      'docs/reference/environment.md',
    ],
    atHand: DEMO_SOURCES,
  },
  {
    name: 'cloud',
    shows: 'Items run as tasks in real processes, whose schedulers are killed and stopped.',
    command: 'npm run test:cloud',
    seconds: 185,
    vitest: true,
    needs: ['zookeeper'],
    programs: [
      'test/cloud/**/*.{spec,fixture}.{ts,cjs,mjs}',
      SHARED_SERVER,
      'libs/elastic-job/src/{,nest/cloud/}index.ts',
    ],
    reads: [
      'vitest.cloud.config.ts',
      ...VITEST,
      ...SCRIPT,
      ...BUILDING,
      'docs/cloud/worker.py',
      'test/nest-11/package.json',
    ],
    atHand: SOURCES,
  },
  {
    name: 'mutants',
    shows: 'Reports mutants of changed lines that no test notices, for five minutes. It fails by none.',
    command: 'npm run mutate -- --changed --minutes 5',
    seconds: 300,
    needs: ['history'],
    programs: [
      'test/mutation/{mutate,mutants.entry,mutant-runner}.ts',
      'libs/elastic-job/src/{domain,coordination,executor,runtime}/**/*.spec.ts',
      'test/scenario/**/*.spec.ts',
    ],
    reads: ['vitest.mutation.config.ts', ...VITEST, ...SCRIPT, 'libs/elastic-job/src/{domain,executor,runtime}/**'],
    atHand: SOURCES,
  },
  {
    name: 'requests',
    shows: '1,000 jobs that are due at one instant share their requests.',
    command: 'npm run bench:scale -- --quick --rows e',
    seconds: 50,
    needs: ['zookeeper', 'java'],
    programs: ['bench/scale.ts', 'bench/scale/child/instance.fixture.ts'],
    reads: SCRIPT,
  },
  {
    name: 'chaos',
    shows: 'Every promise holds while servers, networks and processes break, in the short form.',
    command: 'npm run test:chaos',
    seconds: 330,
    vitest: true,
    needs: ['zookeeper', 'java', 'faketime'],
    programs: ['test/chaos/**/*.{spec,fixture}.ts', 'test/chaos/global-setup.ts'],
    reads: ['vitest.chaos.config.ts', ...VITEST, ...SCRIPT],
  },
  {
    name: 'versions',
    shows: 'An earlier release, this one and the next run the same jobs: upgrade, rollback, half and half.',
    command: 'VERSIONS_SECONDS=15 npm run test:versions',
    seconds: 80,
    vitest: true,
    needs: ['zookeeper', 'java', 'history'],
    programs: ['test/versions/**/*.spec.ts', 'test/chaos/cluster/stage/worker.fixture.ts'],
    reads: ['vitest.versions.config.ts', ...VITEST],
    atHand: SOURCES,
  },
  {
    name: 'created-jobs',
    shows: 'A thousand jobs are created and removed at run time.',
    command: 'CREATED_JOBS=1000 npx vitest run test/integration/templates.spec.ts',
    seconds: 20,
    needs: ['zookeeper'],
    programs: ['test/integration/templates.spec.ts', ...USUAL_SETUPS],
    reads: USUAL,
  },
  {
    name: 'interop',
    shows: 'Real Java ElasticJob and this library share jobs.',
    command: 'npm run test:interop',
    seconds: 355,
    vitest: true,
    needs: ['zookeeper', 'java'],
    programs: ['test/interop/**/*.{spec,fixture}.ts', 'test/interop/global-setup.ts'],
    reads: ['vitest.interop.config.ts', ...VITEST, 'test/interop/java/**', 'test/interop/cloud/java/**'],
  },
  {
    name: 'interop-churn',
    shows: 'Instances of both kinds join, leave and die for a minute, and no item is lost.',
    command: 'INTEROP_MINUTES=1 npm run test:interop:long',
    seconds: 75,
    vitest: true,
    needs: ['zookeeper', 'java'],
    programs: ['test/interop/long/*.spec.ts', 'test/interop/support/*.fixture.ts', 'test/interop/global-setup.ts'],
    reads: ['vitest.interop.config.ts', ...VITEST, 'test/interop/java/**', 'test/interop/cloud/java/**'],
  },
  {
    name: 'consumers',
    shows: 'Projects of several kinds install, build, test and run the package, and so do the examples.',
    command: 'npm run test:consumers -- --short',
    seconds: 145,
    needs: ['npm', 'postgresql', 'zookeeper'],
    programs: ['test/consumers/consumers.ts', ...PACKAGE],
    reads: [
      'README.md',
      'test/consumers/projects/**',
      'test/nest/built/*',
      'examples/**',
      'docs/test/jest.md',
      ...BUILDING,
      ...SCRIPT,
    ],
    atHand: [...SOURCES, ...PACKED],
  },
  {
    name: 'first-hour',
    shows: 'A stranger gets from an empty folder to three processes on ZooKeeper, by the README.',
    command: 'npm run test:first-hour',
    seconds: 115,
    needs: ['npm', 'zookeeper'],
    programs: ['test/consumers/first-hour/first-hour.ts', ...PACKAGE],
    reads: ['README.md', 'docs/production/checklist.md', ...BUILDING, ...SCRIPT],
    atHand: [...SOURCES, ...PACKED],
  },
  {
    name: 'demo',
    shows: 'The demo on the embedded registry ends as it promises.',
    command: 'npm run demo',
    seconds: 30,
    programs: ['apps/demo/src/demo/embedded.ts'],
    reads: ['nest-cli.json', 'apps/demo/*.json'],
    atHand: DEMO_SOURCES,
  },
  {
    name: 'demo-cluster',
    shows: 'The demo on a real ZooKeeper ends as it promises.',
    command: 'npm run demo:cluster',
    seconds: 35,
    needs: ['zookeeper'],
    programs: ['apps/demo/src/demo/cluster.ts'],
    reads: ['nest-cli.json', 'apps/demo/*.json'],
    atHand: DEMO_SOURCES,
  },
  {
    name: 'demo-cloud',
    shows: 'The demo of items in tasks of their own ends as it promises.',
    command: 'npm run demo:cloud',
    seconds: 40,
    programs: ['apps/demo/src/demo/tasks.ts'],
    reads: ['nest-cli.json', 'apps/demo/*.json'],
    atHand: DEMO_SOURCES,
  },
];
