// Measures the cost of a task over a bare `spawn` of the same program, in pairs, and the time of many tasks. Exits with
// 1 if a launch costs more than its limit, or a thousand take longer than theirs.
//
// npm run bench:tasks -- --pairs 100 --count 1000
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { SystemClock } from '../libs/elastic-job/src/clock/index.js';
import { isTaskEnd, LocalProcesses, type TaskOrder } from '../libs/elastic-job/src/cloud/index.js';
import { inheritedEnvironment } from '../libs/elastic-job/src/executor/index.js';
import { bundleTaskSupervisor } from '@test/support/bundle/bundle.js';

const MOST_OVERHEAD_MS = 30;
/** Limit for a plain Node worker. */
const MOST_PER_THOUSAND_MS = 300_000;
const WARM_UP = 5;
const PROGRAMS = { true: ['true'], node: [process.execPath, '-e', '0'] } as const;
/** A worker that reads its envelope, and reports success by its exit code. */
const WORKER = [process.execPath, '-e', 'process.exit(JSON.parse(process.env.ELASTIC_JOB_TASK).v === 1 ? 0 : 78)'];

const { values: given } = parseArgs({
  options: {
    pairs: { type: 'string', default: '60' },
    count: { type: 'string', default: '1000' },
    'max-tasks': { type: 'string', default: '8' },
  },
});
const pairs = Number(given.pairs);
const count = Number(given.count);
const maxTasks = Number(given['max-tasks']);

const clock = new SystemClock();
const supervisor = await bundleTaskSupervisor();
const backend = new LocalProcesses({ supervisorUrl: supervisor.url, maxTasks });
const link = {
  heldForMs: () => 60_000,
  lossGraceMs: 7_500,
  isLost: () => false,
  saveCheckpoint: () => Promise.resolve(),
};
await backend.start({
  clock,
  cluster: 'bench',
  emit: (event) => event.kind === 'disconnected' && console.error(event),
});
let item = 0;
try {
  const overheads = Object.entries(PROGRAMS).map(([name, command]) => async () => ({
    name,
    ...(await measure(command)),
  }));
  const rows = [];
  for (const overhead of overheads) rows.push(await overhead());
  const table = new Table({ head: ['program', 'spawn p50', 'task p50', 'overhead p50', 'overhead p95'] });
  for (const { name, bare, task, p50, p95 } of rows) table.push([name, ms(bare), ms(task), ms(p50), ms(p95)]);
  console.info(table.toString());
  const many = [];
  for (const [name, command] of Object.entries({ true: PROGRAMS.true, 'a plain Node worker': WORKER })) {
    const tookMs = await runMany(command);
    many.push(tookMs);
    console.info(`${count} tasks of ${name}, ${maxTasks} at a time: ${ms(tookMs)}, load average ${loadavg()[0]}`);
  }
  if (rows.some(({ p50 }) => p50 > MOST_OVERHEAD_MS)) {
    console.error(`A launch may cost ${MOST_OVERHEAD_MS} ms over a bare spawn.`);
    process.exitCode = 1;
  }
  if (many.some((tookMs) => tookMs > (MOST_PER_THOUSAND_MS * count) / 1_000)) {
    console.error(`A thousand tasks may take ${MOST_PER_THOUSAND_MS / 1_000} s.`);
    process.exitCode = 1;
  }
} finally {
  await backend.stop();
  await supervisor.remove();
}

/** Alternates, so that both meet the same load of the machine. */
async function measure(command: readonly string[]) {
  const bare: number[] = [];
  const task: number[] = [];
  for (let pair = 0; pair < pairs + WARM_UP; pair += 1) {
    const spawned = await timed(() => spawnOnce(command));
    const launched = await timed(() => runOnce(command));
    if (pair < WARM_UP) continue;
    bare.push(spawned);
    task.push(launched);
  }
  const overhead = task.map((each, pair) => each - bare[pair]!);
  return { bare: at(bare, 0.5), task: at(task, 0.5), p50: at(overhead, 0.5), p95: at(overhead, 0.95) };
}

async function spawnOnce([program, ...args]: readonly string[]): Promise<void> {
  const env = inheritedEnvironment(); // The same environment as a task's: this process's Node options would cost time.
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true, env });
  child.stdout?.resume();
  child.stderr?.resume();
  await once(child, 'close');
}

/** From the claim to the release. */
async function runOnce(command: readonly string[]): Promise<void> {
  const claimed = await backend.claim(orderOf(command));
  if (claimed.kind !== 'launched') throw new Error(`The claim has said ${claimed.kind}.`);
  const { handle } = claimed;
  await backend.open(handle, link);
  for await (const state of backend.watch(handle, new AbortController().signal)) {
    if (isTaskEnd(state) && state.report?.outcome !== 'succeeded') throw new Error(JSON.stringify(state));
  }
  await backend.release(handle);
}

async function runMany(command: readonly string[]): Promise<number> {
  return timed(() => Promise.all(Array.from({ length: count }, () => runOnce(command))));
}

function orderOf(command: readonly string[]): TaskOrder {
  item += 1;
  return {
    key: { cluster: 'bench', jobName: 'bench', item },
    target: { fireTime: item, origin: 'schedule', launch: 1 },
    run: `run-${item}`,
    token: 1n,
    template: { command },
    resources: { cpu: 1, memoryMb: 512 },
    envelope: (answers) => JSON.stringify({ v: 1, ...answers }),
    graceMs: 5_000,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunAt = clock.monotonicNow();
  await work();
  return clock.monotonicNow() - begunAt;
}

/** @param share 0.5 is the median */
function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
