import { beforeAll, describe, expect, it } from 'vitest';
import { type Suite, SUITES } from '../suites.js';
import { type Inputs, inputsOf } from './inputs.js';
import { Tree } from './tree.js';

const LIBRARY = 'libs/elastic-job/src';
const CHANGE = '\nObject.assign(globalThis, { changed: true });\n';
const COMMENT = '\n// A comment.\n/** A docstring. */\n';
/** Suites that are always run read everything. */
const JUDGED = SUITES.filter(({ always }) => !always);

const PACKED = ['weight', 'consumers', 'first-hour'];
/** The demo's application, in suites that start it. */
const DEMOS = ['demo', 'demo-cluster', 'demo-cloud', 'monitoring'];
const SIMULATIONS = ['simulation', 'simulation-tasks'];
const JAVA = ['interop', 'interop-churn'];
const SERVERS = ['chaos', 'versions', 'created-jobs', ...JAVA];
/** Applications of the Nest module, which can take either registry. */
const APPLICATIONS = ['databases', 'security', 'console', 'browser', 'cloud', 'requests'];

/** Each run needs these rooms, over whichever registry. */
const CORE = ['site', ...PACKED, ...DEMOS, ...SIMULATIONS, ...SERVERS, ...APPLICATIONS, 'mutants'];

/** Suites that notice a change of a file, by hand. */
const NOTICED: Readonly<Record<string, readonly string[]>> = {
  // ZooKeeper's client is of no concern to virtual clusters, nor to readers of texts.
  [`${LIBRARY}/registry/zookeeper/wire/sasl.ts`]: ['site', ...PACKED, ...DEMOS, ...SERVERS, ...APPLICATIONS, 'mutants'],
  // Nor is the memory registry to processes over servers.
  [`${LIBRARY}/registry/memory/memory-registry.ts`]: [
    'site',
    ...PACKED,
    ...DEMOS,
    ...SIMULATIONS,
    ...APPLICATIONS,
    'mutants',
  ],
  [`${LIBRARY}/coordination/sharding/plan-operations.ts`]: CORE,
  [`${LIBRARY}/scheduling/ticker.ts`]: CORE,
  // An entry of its own: only the demo that Prometheus scrapes, and the application whose metrics are attacked.
  [`${LIBRARY}/nest/metrics/metric-set.ts`]: ['site', ...PACKED, 'monitoring', 'security'],
  // Configuration files of Java applications are read by an operator's tool, which the fuzzer attacks.
  [`${LIBRARY}/migration/settings-tree.ts`]: ['site', ...PACKED, 'fuzz'],
  // The store of the demo, of the fault suites and of the releases is fenced.
  [`${LIBRARY}/guards/sql/sql-guard.ts`]: ['site', ...PACKED, ...DEMOS, 'databases', 'chaos', 'versions'],
  [`${LIBRARY}/cloud/process/supervisor/task-supervisor.ts`]: ['site', ...PACKED, 'cloud', 'chaos', 'demo-cloud'],
  'test/support/seeded.ts': ['cron-year', 'mutants', 'chaos', 'versions', ...JAVA],
  'test/support/faults/fault-proxy.ts': ['console', 'chaos', 'versions', ...JAVA],
  'test/fixtures/quartz-vectors.json': ['fuzz', 'mutants'],
  'docs/cloud/worker.py': ['site', 'weight', 'cloud'],
  'docs/model/failover.pml': ['site', 'weight', 'model'],
  'docs/concepts/token.md': ['site', 'weight'],
  // A page whose blocks a project of the consumers follows.
  'docs/test/jest.md': ['site', 'weight', 'consumers'],
  'README.md': ['site', 'weight', 'first-hour', 'consumers', 'browser'],
  'vitest.chaos.config.ts': ['chaos'],
  'test/interop/java/pom.xml': JAVA,
  'test/versions/former-release.json': ['versions'],
  'package-lock.json': JUDGED.map(({ name }) => name),
};

let tree: Tree;
let inputs: ReadonlyMap<string, Inputs>;
beforeAll(async () => {
  tree = Tree.at(process.cwd());
  inputs = new Map(await Promise.all(JUDGED.map(async (suite) => [suite.name, await inputsOf(suite, tree)] as const)));
}, 60_000);

/** The digest of a suite once a text has been added to a file. */
async function digestWith(name: string, file: string, added: string): Promise<string> {
  const text = file.endsWith('.json') ? tree.text(file).replace('{', `{${added}`) : `${tree.text(file)}${added}`;
  return (await inputsOf(suiteOf(name), tree.with({ [file]: text }))).digest;
}

function suiteOf(name: string): Suite {
  return SUITES.find((suite) => suite.name === name)!;
}

describe('a change of a file', () => {
  it.each(Object.entries(NOTICED))('of %s is noticed by the suites that depend on it, and no other', (file, names) => {
    const counting = [...inputs].filter(([, { counted }]) => counted.has(file)).map(([name]) => name);
    expect(counting.toSorted()).toEqual([...names].toSorted());
  });

  it.each([
    [`${LIBRARY}/registry/zookeeper/wire/sasl.ts`, 'versions', 'simulation', CHANGE],
    [`${LIBRARY}/registry/memory/memory-registry.ts`, 'simulation', 'versions', CHANGE],
    [`${LIBRARY}/domain/schedule/cron-schedule.ts`, 'simulation', 'node-sqlite', CHANGE],
    [`${LIBRARY}/guards/plain-sql/plain-sql-guard.ts`, 'node-sqlite', 'fuzz', CHANGE],
    ['test/support/seeded.ts', 'cron-year', 'fuzz', CHANGE],
    ['test/fixtures/quartz-vectors.json', 'fuzz', 'cron-year', ' '],
    ['test/interop/java/pom.xml', 'interop-churn', 'versions', ' '],
    ['vitest.interop.config.ts', 'interop', 'chaos', ' '],
  ] as const)('of %s changes the digest of %s, but not that of %s', async (file, noticing, other, added) => {
    expect(await digestWith(noticing, file, added)).not.toBe(inputs.get(noticing)!.digest);
    expect(await digestWith(other, file, added)).toBe(inputs.get(other)!.digest);
  });

  it('changes every digest if the file is the lock file', async () => {
    const { digest } = inputs.get('model')!;
    expect(await digestWith('model', 'package-lock.json', ' ')).not.toBe(digest);
  });

  it('does not count if it is one of comments', async () => {
    const file = `${LIBRARY}/domain/schedule/cron-schedule.ts`;
    expect(await digestWith('simulation', file, COMMENT)).toBe(inputs.get('simulation')!.digest);
  });
});

it('counts all of a process that a program starts, although the program imports a name of it as well', async () => {
  const suite: Suite = { ...suiteOf('fuzz'), programs: ['test/support/stalls.ts'] };
  const starts = "import { name } from './limits.js';\nconsole.log(name(), new URL('./limits.js', import.meta.url));\n";
  const digestOf = async (rest: string) => {
    const process = `export const name = () => 'a';\n${rest}`;
    const texts = { 'test/support/stalls.ts': starts, 'test/support/limits.ts': process };
    return (await inputsOf(suite, tree.with(texts))).digest;
  };
  expect(await digestOf('export const work = () => 1;\n')).not.toBe(await digestOf('export const work = () => 2;\n'));
});

it('needs only files of the repository', () => {
  const strange = [...inputs].flatMap(([, { needed }]) => [...needed].filter((file) => !tree.has(file)));
  expect(strange).toEqual([]);
});

describe('the digest of a suite', () => {
  const manifest = () => JSON.parse(tree.text('package.json'));
  const withManifest = async (changed: object) => {
    const texts = { 'package.json': JSON.stringify({ ...manifest(), ...changed }) };
    return (await inputsOf(suiteOf('fuzz'), tree.with(texts))).digest;
  };

  it('changes with the scripts that its command runs, and with no others', async () => {
    const { digest } = inputs.get('fuzz')!;
    const { scripts } = manifest();
    expect(await withManifest({ scripts: { ...scripts, fuzz: 'true' } })).not.toBe(digest);
    expect(await withManifest({ scripts: { ...scripts, rooms: 'true' } })).toBe(digest);
    expect(await withManifest({ type: 'commonjs' })).not.toBe(digest);
  });

  it('changes with the scripts that its programs run, and those of the build that it needs', async () => {
    const texts = {
      'package.json': JSON.stringify({ ...manifest(), scripts: { ...manifest().scripts, 'build:library': 'true' } }),
    };
    for (const name of ['consumers', 'weight']) {
      expect((await inputsOf(suiteOf(name), tree.with(texts))).digest).not.toBe(inputs.get(name)!.digest);
    }
  });

  it('changes with its row, but not with its usual time or its description', async () => {
    const { digest } = inputs.get('fuzz')!;
    const digestOf = async (changed: Partial<Suite>) =>
      (await inputsOf({ ...suiteOf('fuzz'), ...changed }, tree)).digest;
    expect(await digestOf({ command: 'npm run fuzz -- --minutes 2' })).not.toBe(digest);
    expect(await digestOf({ seconds: 1, shows: 'Nothing.' })).toBe(digest);
  });

  it('needs each of its globs to name a file', async () => {
    const typo = { ...suiteOf('fuzz'), reads: ['test/fuzz/no-such-file.json'] };
    await expect(inputsOf(typo, tree)).rejects.toThrow('matches "test/fuzz/no-such-file.json"');
  });
});
