// Measures the cost of a task over its application: the time from spawn to exit of `runTask(AppModule)`, compared with
// booting and closing the same module, in alternating pairs. Exits with 1 if the median of a task is more than 1.3
// times the other one's.
//
// npm run bench:worker             builds the package before
// PAIRS=9 npm run bench:worker     shorter, and less exact
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { formatTaskEnvelope, type TaskReport } from '../libs/elastic-job/src/cloud/index.js';

const PAIRS = Number(process.env.PAIRS ?? 25);
const MOST = 1.3;
const APPLICATION = resolve('test/cloud/worker/support/bare.fixture.mjs');
const DIST = resolve('libs/elastic-job/dist');

const folder = await mkdtemp(join(tmpdir(), 'bench-worker-'));
const report = join(folder, 'report');
const envelope = formatTaskEnvelope({
  v: 1,
  jobName: 'settle',
  taskId: 'settle@-@0@-@READY@-@10.0.0.1@-@1-s1',
  shardingTotalCount: 3,
  jobParameter: '',
  shardingItem: 0,
  fireTime: Date.now(),
  source: 'NORMAL_TRIGGER',
  trigger: 'schedule',
  attempt: 1,
  launch: 1,
  token: '1',
  tokenEpoch: 0,
  run: 'run-1',
  props: {},
  graceMs: 5_000,
  report,
});
try {
  const [bare, task]: [number[], number[]] = [[], []];
  await pair();
  for (let round = 0; round < PAIRS; round += 1) {
    const [bareMs, taskMs] = await pair();
    bare.push(bareMs);
    task.push(taskMs);
  }
  const ratio = median(task.map((ms, round) => ms / bare[round]!));
  console.log(
    `bare ${median(bare).toFixed(0)} ms, runTask ${median(task).toFixed(0)} ms, ` +
      `median of the ratios ${ratio.toFixed(2)}, of ${MOST} (${PAIRS} pairs)`,
  );
  process.exitCode = ratio <= MOST ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}

async function pair(): Promise<[number, number]> {
  const bareMs = await timeOf({});
  const taskMs = await timeOf({ ELASTIC_JOB_TASK: envelope });
  const { outcome }: TaskReport = JSON.parse(await readFile(report, 'utf8'));
  if (outcome !== 'succeeded') throw new Error(`The task has ended, ${outcome}.`);
  return [bareMs, taskMs];
}

/** From spawn to exit, in milliseconds. */
async function timeOf(env: Readonly<Record<string, string>>): Promise<number> {
  const since = performance.now();
  const child = spawn(process.execPath, [APPLICATION, DIST], {
    env: { PATH: process.env.PATH, ...env },
    stdio: 'inherit',
  });
  const [code]: unknown[] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The application has ended with ${String(code)}.`);
  return performance.now() - since;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
