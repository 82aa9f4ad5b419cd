/**
 * Measures the index of the operations console: 10,000 jobs of 10 items, 440,000 nodes, in a real ZooKeeper. Ends with
 * status 1 if it falls short of what is promised.
 */
import { startZooKeeperServer, type TestServer } from '@test/support/faults/index.js';
import { type PlantedJob, plantingOf, recordOf } from '@test/support/unit/console-jobs.js';
import { fourLetter } from '@test/support/zookeeper/four-letter.js';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { SystemClock } from '../libs/elastic-job/src/clock/index.js';
import { type ConsoleCaller, JobIndex, type JobsQuery, LiveStreams } from '../libs/elastic-job/src/console/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../libs/elastic-job/src/registry/index.js';

const JOBS = 10_000;
const ITEMS = 10;
const AT_ONCE = 64;
const ROUNDS = 200;
const OPEN_JOBS = 64;
const STREAMS = 200;
const WIDE_ITEMS = 1_000;
const CHANGES_PER_SECOND = 100;
const STREAM_SECONDS = 10;
const MB = 1024 * 1024;
const VIEWER: ConsoleCaller = { name: 'bench', role: 'viewer', by: 'page' };
const QUERIES: Readonly<Record<string, JobsQuery>> = {
  list: {},
  search: { q: 'job-77' },
  attention: { attention: 'any', limit: 200 },
  'sort by next fire time': { sort: 'nextFireTime' },
  'sort by attention': { sort: '-attention', limit: 200 },
};

/** A promise, and what was measured. */
interface Finding {
  readonly what: string;
  readonly value: number;
  readonly most: number;
  readonly unit: string;
}

const clock = new SystemClock();
const [, , planted] = process.argv;
if (planted === undefined) await runBench();
else await runPlanter(planted);

async function runBench(): Promise<void> {
  const server = await startZooKeeperServer({ jvmFlags: ['-Dzookeeper.forceSync=no', '-Xmx2g'] });
  // A process of its own, since what it takes is not measured. It holds the jobs' ephemeral nodes.
  const planter = fork(fileURLToPath(import.meta.url), [server.connect]);
  try {
    await once(planter, 'message');
    console.log(`${JOBS} jobs of ${ITEMS} items are there.`);
    const findings = await measure(server, planter);
    for (const { most, unit, value, what } of findings) {
      const verdict = value <= most ? 'kept  ' : 'BROKEN';
      console.log(`${verdict}  ${what}: ${value.toFixed(value < 100 ? 1 : 0)} ${unit} (at most ${most})`);
    }
    process.exitCode = findings.every(({ most, value }) => value <= most) ? 0 : 1;
  } finally {
    planter.kill();
    await server.stop();
  }
}

/** Plants the jobs, and changes records of the wide one when it is told to. */
async function runPlanter(servers: string): Promise<void> {
  const center = await connected(servers);
  await plantAll(center);
  process.on('message', () => void changeRecords(center));
  process.send?.('planted');
}

async function changeRecords(center: RegistryCenter): Promise<void> {
  const begun = clock.monotonicNow();
  for (let change = 0; change < CHANGES_PER_SECOND * STREAM_SECONDS; change += 1) {
    void center.set(`/wide/sharding/${change % WIDE_ITEMS}/record`, recordOf('succeeded', change * 1_000));
    await clock.sleep(Math.max(0, begun + (change * 1_000) / CHANGES_PER_SECOND - clock.monotonicNow()));
  }
}

async function measure(on: TestServer, planter: ChildProcess): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const registry = await connected(on.connect);
  const idleMb = process.memoryUsage().rss / MB;
  const parts = { registry, clock, redact: (text: string) => text, namespace: 'bench', isShared: false };
  const index = new JobIndex({ ...parts, onError: (error) => console.error(error) });
  const before = cpuSeconds();
  findings.push({ what: 'index full', value: await fill(index), most: 30, unit: 's' });
  console.log(`Filling took ${(cpuSeconds() - before).toFixed(1)} s of processor time.`);
  for (const [name, query] of Object.entries(QUERIES)) {
    findings.push({ what: `${name}, p95`, value: await p95Of(() => index.list(query, VIEWER)), most: 200, unit: 'ms' });
  }
  findings.push({ what: 'overview, p95', value: await p95Of(() => index.overview(VIEWER)), most: 200, unit: 'ms' });
  findings.push({ what: 'servers, p95', value: await p95Of(() => index.servers({}, VIEWER)), most: 200, unit: 'ms' });
  global.gc?.();
  console.log(`Heap: ${(process.memoryUsage().heapUsed / MB).toFixed(0)} MB after the filling.`);
  const watched = await watches(on);
  const open = Array.from({ length: OPEN_JOBS }, (_, n) => index.open(nameOf(n)));
  await Promise.all(open.map((job) => job.job()));
  findings.push({
    what: `watches of the server, ${OPEN_JOBS} open jobs`,
    value: await watches(on),
    most: 130,
    unit: '',
  });
  console.log(`Watches: ${watched} without an open job.`);
  for (const job of open) job.close();
  findings.push(await streaming(index, planter));
  console.log(`The process took ${idleMb.toFixed(0)} MB before, with the compiler of this script.`);
  findings.push({ what: 'memory', value: process.memoryUsage().rss / MB, most: 300, unit: 'MB' });
  await index.stop();
  findings.push({ what: 'watches after the end', value: await watches(on), most: 0, unit: '' });
  await registry.close();
  return findings;
}

/** @returns seconds until all jobs were read */
async function fill(index: JobIndex): Promise<number> {
  const begun = clock.monotonicNow();
  index.start();
  for (;;) {
    const { indexed } = index.state({});
    if (indexed === JOBS + 1) return (clock.monotonicNow() - begun) / 1_000;
    await clock.sleep(50);
  }
}

/** 200 streams on a job of 1,000 items with 100 changes a second. */
async function streaming(index: JobIndex, planter: ChildProcess): Promise<Finding> {
  let frames = 0;
  let bytes = 0;
  const sink = {
    write: (frame: string) => {
      frames += 1;
      bytes += frame.length;
      return true;
    },
    onDrain: () => {},
    onClose: () => {},
    end: () => {},
  };
  const streams = new LiveStreams({ index, clock, perPerson: STREAMS });
  for (let n = 0; n < STREAMS; n += 1) streams.open(VIEWER, ['job:wide'], sink);
  await clock.sleep(2_000);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  planter.send('change');
  await clock.sleep(STREAM_SECONDS * 1_000);
  delay.disable();
  streams.stop();
  console.log(`${frames} frames, ${(bytes / MB).toFixed(0)} MB in ${STREAM_SECONDS} s.`);
  const value = delay.percentile(99) / 1e6 - 5;
  return { what: `event loop p99, ${STREAMS} streams`, value, most: 50, unit: 'ms' };
}

async function p95Of(work: () => unknown): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    work();
    took.push(performance.now() - begun);
    await clock.nextTurn();
  }
  return took.toSorted((a, b) => a - b)[Math.floor(ROUNDS * 0.95)]!;
}

async function plantAll(center: RegistryCenter): Promise<void> {
  for (let from = 0; from < JOBS; from += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, JOBS - from) }, (_, n) => nameOf(from + n));
    await Promise.all(names.map((name, n) => center.transaction(plantingOf(name, jobOf(from + n)))));
  }
  const config = ['cron: 0 0 2 * * ?'];
  await center.transaction(plantingOf('wide', { items: WIDE_ITEMS, config, records: recordsOf(WIDE_ITEMS) }));
}

function nameOf(n: number): string {
  return `job-${String(n).padStart(5, '0')}`;
}

/** Crons of 1,000 texts, a failure in every 50th job. */
function jobOf(n: number): PlantedJob {
  const [minute, hour] = [n % 60, n % 17];
  const config = [
    `cron: ${n % 7} ${minute} ${hour} * * ?`,
    'timeZone: Europe/Paris',
    `description: '[team-${n % 40}] settles the orders of market ${n}'`,
    "shardingItemParameters: '0=Beijing,1=Shanghai,2=Guangzhou,3=Shenzhen'",
  ];
  const records = n % 50 === 0 ? { ...recordsOf(ITEMS), 0: recordOf('failed', 0) } : recordsOf(ITEMS);
  return { items: ITEMS, config, records, servers: serversOf(n), running: n % 10 === 0 ? [0, 1] : [] };
}

function serversOf(n: number): Readonly<Record<string, 'ENABLED'>> {
  return { '10.0.0.7': 'ENABLED', [`10.0.${n % 20}.8`]: 'ENABLED' };
}

function recordsOf(items: number): Readonly<Record<number, string>> {
  return Object.fromEntries(Array.from({ length: items }, (_, item) => [item, recordOf('succeeded', Date.now())]));
}

async function connected(servers: string): Promise<RegistryCenter> {
  const center = new ZooKeeperRegistryCenter({ servers, namespace: 'bench' }, clock);
  await center.connect();
  return center;
}

/** Watches of all clients, the planter's included, which has none. */
async function watches({ port }: TestServer): Promise<number> {
  const text = await fourLetter(port, 'mntr', 10_000);
  return Number(/^zk_watch_count\s+(\d+)$/m.exec(text)?.[1]);
}

function cpuSeconds(): number {
  const { system, user } = process.cpuUsage();
  return (user + system) / 1e6;
}
