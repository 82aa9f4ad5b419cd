/**
 * The rooms and their arrows, as docs/architecture.md draws them. A room is entered through its index; a row names the
 * rooms that it may import.
 */
const ROOMS = {
  copies: [],
  'async-context': [],
  // Built-in strategies and hidden texts are one in the process.
  domain: ['copies'],
  clock: ['domain'],
  repeat: ['domain', 'clock'],
  turns: ['domain', 'clock'],
  registry: ['async-context', 'copies', 'domain', 'clock', 'repeat', 'turns'],
  tracing: ['async-context', 'copies', 'domain', 'clock', 'repeat'],
  coordination: ['async-context', 'domain', 'clock', 'repeat', 'registry'],
  scheduling: ['domain', 'clock'],
  executor: ['async-context', 'domain', 'clock', 'turns', 'coordination', 'tracing'],
  runtime: [
    'async-context',
    'copies',
    'domain',
    'clock',
    'repeat',
    'turns',
    'registry',
    'tracing',
    'coordination',
    'scheduling',
    'executor',
  ],
  cloud: ['async-context', 'domain', 'clock', 'repeat', 'registry', 'executor', 'tracing', 'coordination'],
  operations: ['async-context', 'copies', 'domain', 'clock', 'repeat', 'turns', 'registry', 'coordination'],
  migration: ['domain', 'registry', 'coordination'],
  guards: ['async-context', 'domain', 'repeat', 'registry'],
  health: ['domain', 'clock', 'registry', 'tracing', 'coordination', 'runtime'],
  console: [
    'async-context',
    'copies',
    'domain',
    'clock',
    'repeat',
    'turns',
    'registry',
    'tracing',
    'coordination',
    'cloud',
    'operations',
  ],
  testing: ['async-context', 'domain', 'clock', 'registry', 'coordination', 'runtime', 'tracing', 'cloud'],
  'testing/nest': ['domain', 'clock', 'registry', 'runtime', 'nest', 'testing'],
};

/** Rooms within a room that have a row of their own. */
const INNER = ['testing/nest'];

/** Inside coordination, left may not import right. */
const COORDINATION = [
  'job-tree',
  'removal',
  'configuration',
  'membership',
  'leadership',
  'dependencies',
  'execution',
  'sharding',
  'failover',
  'guarantee',
];

/** The rooms of runtime, by subject: left may not import right. */
const RUNTIME = ['news', 'time', 'settings', 'runs', 'rescuing', 'leading', 'triggering', 'job', 'process'];

/** The rooms of the console: left may not import right. */
const CONSOLE = ['contract', 'page', 'identity', 'audit', 'history', 'jobs', 'changes', 'api', 'sql'];

/** The lower folders of the ZooKeeper adapter, which may import its options as well: left may not import right. */
const ZOOKEEPER = ['wire', 'session'];

/** The folders of domain: left may not import right. All of them may import the files in its root. */
const DOMAIN = ['cluster', 'schedule', 'sharding', 'options', 'run', 'dependencies', 'failover', 'handlers'];

const SOURCE = 'libs/elastic-job/src';
/** The page of the console, which runs in browsers. */
const PAGE = 'libs/elastic-job/page';
const SPEC = String.raw`\.(for-)?spec\.ts$`;
const inRoom = (room) => `^${SOURCE}/${room}/`;
const inRootOf = (room) => `^${SOURCE}/${room}/(?!index\\.)[^/]+\\.ts$`;

const arrows = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `${room}-imports`,
  comment: `${room} may import: ${allowed.join(', ') || 'nothing of this package'}`,
  severity: 'error',
  from: { path: inRoom(room), pathNot: [SPEC, ...INNER.filter((inner) => inner !== room).map(inRoom)] },
  to: { path: `^${SOURCE}/`, pathNot: [room, ...allowed].map(inRoom) },
}));

/**
 * Inner rooms of which each may import what stands left of it, by its index.
 * @param general further files of the room that each may import
 */
const inOrder = (room, rooms, general = []) =>
  rooms.flatMap((inner, index) => [
    {
      name: `${room}-${inner}-imports`,
      comment: `${room}/${inner} may import what stands left of it`,
      severity: 'error',
      from: { path: inRoom(`${room}/${inner}`), pathNot: SPEC },
      to: {
        path: inRoom(room),
        pathNot: [...rooms.slice(0, index + 1).map((left) => inRoom(`${room}/${left}`)), ...general],
      },
    },
    {
      name: `${room}-${inner}-has-one-door`,
      severity: 'error',
      from: { path: inRoom(room), pathNot: [inRoom(`${room}/${inner}`), SPEC] },
      to: { path: inRoom(`${room}/${inner}`), pathNot: `^${SOURCE}/${room}/${inner}/index\\.ts$` },
    },
  ]);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...arrows,
    ...inOrder('coordination', COORDINATION),
    ...inOrder('runtime', RUNTIME),
    ...inOrder('console', CONSOLE),
    ...inOrder('registry/zookeeper', ZOOKEEPER, [`^${SOURCE}/registry/zookeeper/zookeeper-options\\.ts$`]),
    ...inOrder('domain', DOMAIN, [inRootOf('domain')]),
    {
      name: 'domain-root-is-general',
      comment: 'what stands in the root of domain knows none of its folders',
      severity: 'error',
      from: { path: inRootOf('domain'), pathNot: SPEC },
      to: { path: `^${SOURCE}/domain/[^/]+/` },
    },
    {
      name: 'domain-is-pure',
      comment: 'values and decisions need no platform: class-validator is all that domain may import',
      severity: 'error',
      from: { path: inRoom('domain'), pathNot: SPEC },
      to: { pathNot: [`^${SOURCE}/`, 'node_modules/class-validator/'] },
    },
    {
      name: 'no-cycles',
      comment:
        'compiled modules die of a cycle ("Cannot access before initialization") that tests do not see; files that ' +
        'need types of each other are one subject in two places: move the type to where it belongs',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'rooms-have-one-door',
      comment: 'enter a room by its index.ts; inner rooms of coordination count as rooms',
      severity: 'error',
      from: { path: `^${SOURCE}/([^/]+)/`, pathNot: SPEC },
      to: {
        path: `^${SOURCE}/[^/]+/`,
        pathNot: [`^${SOURCE}/$1/`, `^${SOURCE}/[^/]+/index\\.ts$`, `^${SOURCE}/coordination/[^/]+/index\\.ts$`],
      },
    },
    {
      name: 'nest-stays-outside',
      comment: 'only nest and testing/nest know Nest',
      severity: 'error',
      from: { path: `^${SOURCE}/`, pathNot: [inRoom('nest'), inRoom('testing/nest'), SPEC] },
      to: { path: '^(node_modules/)?@nestjs/' },
    },
    {
      name: 'one-room-knows-the-client',
      comment: 'only registry/zookeeper knows a ZooKeeper client',
      severity: 'error',
      from: { pathNot: [inRoom('registry/zookeeper'), '^test/'] },
      to: { path: 'node-zookeeper-client' },
    },
    {
      name: 'nobody-imports-testing',
      severity: 'error',
      from: { path: `^${SOURCE}/`, pathNot: [inRoom('testing'), SPEC] },
      to: { path: inRoom('testing') },
    },
    {
      name: 'nobody-imports-the-console-application',
      severity: 'error',
      from: { pathNot: '^(src|test)/' },
      to: { path: '^src/' },
    },
    {
      name: 'the-page-knows-the-contract-alone',
      comment:
        'the page is bundled for browsers: of the library it may import the files of the contract without Node, and ' +
        'how a unix cron becomes one of Quartz',
      severity: 'error',
      from: { path: `^${PAGE}/` },
      to: {
        path: `^(${SOURCE}|apps|src|test)/`,
        pathNot: [
          `^${SOURCE}/console/contract/(answers|history-answers|job-answers|problem-answers|queries|roles)\\.ts$`,
          `^${SOURCE}/domain/schedule/unix-cron\\.ts$`,
        ],
      },
    },
    {
      name: 'only-the-page-knows-its-packages',
      severity: 'error',
      // A test compares its form with the rules of options.
      from: { pathNot: [`^${PAGE}/`, '^test/architecture/'] },
      to: { path: [`^${PAGE}/`, 'node_modules/(preact|@preact|preact-iso|@tanstack|cronstrue)/'] },
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      // Packages of the page are bundled, and declared by the workspace.
      from: { path: '^(libs|apps|src)/', pathNot: [SPEC, `^${PAGE}/`] },
      // An optional peer is of two types: npm-peer for itself, npm-no-pkg for its entry in peerDependenciesMeta.
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
    exclude: { path: '(^|/)dist/' },
  },
};
