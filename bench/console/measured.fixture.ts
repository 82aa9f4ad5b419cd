// A console in a process as users have it: no compiler, no flags. It sends what it has measured.
import { FakeConsole } from '@test/support/unit/console.js';
import { fourLetter } from '@test/support/zookeeper/four-letter.js';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import {
  ConsoleApi,
  type ConsoleCaller,
  type ConsoleRequest,
  type FrameSink,
  JobIndex,
  type JobsQuery,
  LiveStreams,
} from '../../libs/elastic-job/src/console/index.js';
import { ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import type { Finding } from './finding.js';
import { nameOf, WIDE } from './planted.js';

const ROUNDS = 200;
const OPEN_JOBS = 64;
const STREAMS = 200;
const STREAM_SECONDS = 10;
/** Resolution of the event loop's delay, which is part of each of its figures. */
const RESOLUTION_MS = 5;
/** Time between two looks at the memory: what the system knows of its peak includes that of the forking process. */
const SAMPLE_MS = 50;
const MB = 1024 * 1024;
const VIEWER: ConsoleCaller = { name: 'bench', role: 'viewer', by: 'page' };
const QUERIES: Readonly<Record<string, JobsQuery>> = {
  list: {},
  search: { q: 'job-77' },
  attention: { attention: 'any', limit: 200 },
  'sort by next fire time': { sort: 'nextFireTime' },
  'sort by attention': { sort: '-attention', limit: 200 },
};

const [, , servers = '', namespace = '', jobs = ''] = process.argv;
const clock = new SystemClock();
const findings: Finding[] = [];
let mostRss = 0;
setInterval(() => (mostRss = Math.max(mostRss, process.memoryUsage.rss())), SAMPLE_MS).unref();
process.on('disconnect', () => process.exit());
await measure();
process.send!({ findings });

async function measure(): Promise<void> {
  const registry = new ZooKeeperRegistryCenter({ servers, namespace }, clock);
  await registry.connect();
  console.log(`The process takes ${mb(process.memoryUsage.rss())} before.`);
  const parts = { registry, clock, redact: (text: string) => text, namespace, isShared: false };
  const index = new JobIndex({ ...parts, onError: (error) => console.error(error) });
  const before = process.cpuUsage();
  find('index full', await fill(index), 30, 's');
  const { system, user } = process.cpuUsage(before);
  console.log(`Filling took ${((user + system) / 1e6).toFixed(1)} s of processor time, and ${memory()}.`);
  for (const [name, query] of Object.entries(QUERIES)) {
    find(`${name}, p95`, await p95Of(() => index.list(query, VIEWER)), 200, 'ms');
  }
  find('overview, p95', await p95Of(() => index.overview(VIEWER)), 200, 'ms');
  find('servers, p95', await p95Of(() => index.servers({}, VIEWER)), 200, 'ms');
  console.log(`Watches: ${await watches()} without an open job.`);
  find(`event loop p99, ${STREAMS} streams`, await streaming(index), 50, 'ms');
  const open = [WIDE, ...Array.from({ length: OPEN_JOBS }, (_, n) => nameOf(n))].map((job) => index.open(job));
  await Promise.all(open.map((job) => job.job()));
  find(`watches of the server, ${open.length} open jobs`, await watches(), 130, '');
  for (const job of open) job.close();
  await index.stop();
  // The server answers in order, so the watches are gone with this answer.
  await registry.children('/');
  find('watches after the end', await watches(), 0, '');
  console.log(`At the end: ${memory()}.`);
  find('memory at its most', mostRss / MB, 300, 'MB');
  await registry.close();
}

function find(what: string, value: number, most: number, unit: string): void {
  findings.push({ what, value, most, unit });
}

/** @returns seconds until all jobs were read */
async function fill(index: JobIndex): Promise<number> {
  const begun = clock.monotonicNow();
  index.start();
  for (;;) {
    // The wide one is one more.
    if (index.state({}).indexed === Number(jobs) + 1) return (clock.monotonicNow() - begun) / 1_000;
    await clock.sleep(50);
  }
}

/** Streams of the API on the wide job, whose items change. @returns p99 of the event loop's delay, in milliseconds */
async function streaming(index: JobIndex): Promise<number> {
  const streams = new LiveStreams({ audit: { onChange: () => () => {} }, index, clock, perPerson: STREAMS });
  const { parts } = new FakeConsole({ clock, index, streams });
  const api = new ConsoleApi(parts);
  let frames = 0;
  let bytes = 0;
  const sink: FrameSink = {
    write: (frame) => {
      frames += 1;
      bytes += frame.length;
      return true;
    },
    onDrain: () => {},
    onClose: () => {},
    end: () => {},
  };
  const leaving = new AbortController();
  for (let n = 0; n < STREAMS; n += 1) {
    const answer = await api.handle(liveRequest(leaving.signal));
    if (!('open' in answer)) throw new Error(`A stream was refused: ${JSON.stringify(answer.body)}`);
    answer.open(sink);
  }
  await clock.sleep(2_000);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const before = process.cpuUsage();
  process.send!({ change: STREAM_SECONDS });
  await clock.sleep(STREAM_SECONDS * 1_000);
  delay.disable();
  const { system, user } = process.cpuUsage(before);
  leaving.abort();
  const core = (user + system) / 1e4 / STREAM_SECONDS;
  console.log(`${frames} frames, ${mb(bytes)} in ${STREAM_SECONDS} s, ${core.toFixed(1)} % of a core.`);
  return delay.percentile(99) / 1e6 - RESOLUTION_MS;
}

function liveRequest(signal: AbortSignal): ConsoleRequest {
  return {
    id: 'bench',
    method: 'GET',
    url: `/api/v1/live?topics=job:${WIDE}`,
    headers: { authorization: 'Bearer viewer' },
    body: async () => Buffer.of(),
    peer: '127.0.0.1',
    isEncrypted: false,
    raw: undefined,
    signal,
  };
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

/** Watches of all clients, the planter's included, which has none. */
async function watches(): Promise<number> {
  const text = await fourLetter(Number(servers.split(':')[1]), 'mntr', 10_000);
  return Number(/^zk_watch_count\s+(\d+)$/m.exec(text)?.[1]);
}

function memory(): string {
  const { external, heapTotal, heapUsed, rss } = process.memoryUsage();
  return `takes ${mb(rss)}: a heap of ${mb(heapUsed)} in ${mb(heapTotal)}, and ${mb(external)} outside of it`;
}

function mb(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`;
}
