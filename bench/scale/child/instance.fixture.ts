// A measured process, controlled by IPC: `instance.ts` is the other end.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { ZooKeeperRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import type { Call, CallName, InstanceCalls, Memory, Reply, WriteOptions } from './instance-calls.js';
import { RunningJobs } from './running-jobs.js';
import { timeResharding, timeTriggers } from './virtual-triggers.js';

type Answers = {
  readonly [Name in CallName]: (
    given: Parameters<InstanceCalls[Name]>[0],
  ) => ReturnType<InstanceCalls[Name]> | Promise<ReturnType<InstanceCalls[Name]>>;
};

/** Enough for the server's compiler to finish: its threads would compete with the measured work. */
const WARM_UP_WRITES = 4_000;
/** Once is not enough: objects that finalizers release are collected by the next one. */
const COLLECTIONS = 3;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
let jobs: RunningJobs | undefined;

const answers: Answers = {
  start: (options) => (jobs = new RunningJobs(options)).start(),
  watch: (options) => running().watch(options),
  memory,
  vitals: () => running().vitals(),
  add: (group) => running().add(group),
  declare: (template) => running().declare(template),
  untilJobs: (count) => running().untilJobs(count),
  create: ({ template, count }) => running().create(template, count),
  remove: ({ count }) => running().remove(count),
  write: timeWrites,
  trigger: ({ runs }) => timeTriggers(runs),
  reshard: timeResharding,
  openConsole: () => running().openConsole(),
  closeConsole: () => running().closeConsole(),
  leave: () => jobs?.leave(),
};

function running(): RunningJobs {
  if (jobs === undefined) throw new TypeError('The process has not started any jobs.');
  return jobs;
}

async function memory(): Promise<Memory> {
  for (let n = 0; n < COLLECTIONS; n += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed: heap, rss } = process.memoryUsage();
  return { heap, rss };
}

/** Measures writes of the bare client, one after the other, in milliseconds. */
async function timeWrites({ servers, writes, pauseMs }: WriteOptions): Promise<readonly number[]> {
  const center = new ZooKeeperRegistryCenter({ servers, namespace: 'bare' }, new SystemClock());
  await center.connect();
  await center.ensurePath('/node');
  const took: number[] = [];
  for (let n = 0; n < WARM_UP_WRITES + writes; n += 1) {
    if (pauseMs !== undefined && n >= WARM_UP_WRITES) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const begun = performance.now();
    await center.set('/node', String(n));
    if (n >= WARM_UP_WRITES) took.push(performance.now() - begun);
  }
  await center.close();
  return took;
}

async function answer<Name extends CallName>({ id, call, with: given }: Call<Name>): Promise<void> {
  const tell = (reply: Reply) => process.send!(reply);
  try {
    tell({ id, result: (await answers[call](given)) ?? null });
  } catch (error) {
    tell({ id, failed: error instanceof Error ? String(error.stack) : String(error) });
  }
}

process.on('message', (call: Call) => void answer(call));
process.on('disconnect', () => process.exit());
