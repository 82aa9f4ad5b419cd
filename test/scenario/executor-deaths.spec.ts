import { spawn } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ExecutorDeathError,
  executorDeathOf,
  type JobOptions,
  type ShardingContext,
} from '../../libs/elastic-job/src/index.js';
import { createTestCluster, type TestCluster, type TestRun } from '../../libs/elastic-job/src/testing/index.js';

const JOB = 'render-invoices';

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('the executor of an item', () => {
  it('a killed child process fails its item over, and the item runs to its end', async () => {
    const pids: (number | undefined)[] = [];
    await start(async () => {
      const script = pids.length === 0 ? 'process.kill(process.pid, "SIGKILL")' : '';
      const child = spawn(process.execPath, ['-e', script]);
      pids.push(child.pid);
      const death = await new Promise<ExecutorDeathError | undefined>((resolve) =>
        child.once('exit', (code, signal) => resolve(executorDeathOf({ kind: 'process', code, signal }))),
      );
      if (death !== undefined) throw death;
    });
    await untilNextMinute();
    await untilRuns(2);

    expect(cluster.runs(JOB).map(({ source }) => source)).toEqual(['NORMAL_TRIGGER', 'FAILOVER']);
    expect(deaths()).toMatchObject([{ state: 'KILLED', requeue: 'queue', item: 0 }]);
    expect(sameTarget(cluster.runs(JOB))).toBe(true);
  });

  it('a worker thread that throws fails its item over, and the item runs to its end', async () => {
    let threads = 0;
    await start(async () => {
      const thread = new Worker((threads += 1) === 1 ? 'throw new Error("out of paper")' : '', { eval: true });
      const death = await new Promise<ExecutorDeathError | undefined>((resolve) => {
        thread.once('error', (error) => resolve(executorDeathOf({ kind: 'thread', error })));
        thread.once('exit', (code) => resolve(executorDeathOf({ kind: 'thread', code })));
      });
      if (death !== undefined) throw death;
    });
    await untilNextMinute();
    await untilRuns(2);

    expect(cluster.runs(JOB).map(({ source }) => source)).toEqual(['NORMAL_TRIGGER', 'FAILOVER']);
    expect(deaths()).toMatchObject([{ state: 'FAILED', requeue: 'queue' }]);
  });

  it('an item whose executors always die is given up after maxExecutorFailovers until its next fire time', async () => {
    await start(() => die('FAILED'), { maxExecutorFailovers: 2 });
    await untilNextMinute();
    await cluster.advance(30_000);

    expect(cluster.runs(JOB).map(({ source }) => source)).toEqual(['NORMAL_TRIGGER', 'FAILOVER', 'FAILOVER']);
    expect(deaths().map(({ requeue }) => requeue)).toEqual(['queue', 'queue', 'exhausted']);

    await untilNextMinute();
    await cluster.advance(100);
    expect(cluster.runs(JOB)[3]).toMatchObject({ source: 'NORMAL_TRIGGER' });
  });

  it('without failover, an item whose executor dies has failed like any other', async () => {
    await start(() => die('LOST'), { failover: false });
    await untilNextMinute();
    await cluster.advance(30_000);

    expect(cluster.runs(JOB)).toHaveLength(1);
    expect(deaths()).toMatchObject([{ state: 'LOST', requeue: 'none' }]);
  });

  it('an item whose executor cannot be reached fails over only once its instance has died', async () => {
    await start(({ source }) => (source === 'FAILOVER' ? undefined : die('UNREACHABLE')));
    await untilNextMinute();
    await cluster.advance(130_000);
    expect(cluster.runs(JOB)).toHaveLength(1);
    expect(deaths()).toMatchObject([{ state: 'UNREACHABLE', requeue: 'hold' }]);

    cluster.crash(cluster.runs(JOB)[0]!.instance);
    await cluster.advance(12_000);

    expect(cluster.runs(JOB)[1]).toMatchObject({ source: 'FAILOVER' });
    expect(sameTarget(cluster.runs(JOB).slice(0, 2))).toBe(true);
  });
});

async function start(handler: (context: ShardingContext) => unknown, options: Partial<JobOptions> = {}): Promise<void> {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 1, failover: true, ...options, handler };
  cluster = await createTestCluster({ instances: 2, jobs: [job] });
}

function die(state: 'FAILED' | 'LOST' | 'UNREACHABLE'): never {
  throw new ExecutorDeathError(state, 'spec');
}

async function untilNextMinute(): Promise<void> {
  await cluster.advance(60_000 - (cluster.clock.wallNow() % 60_000));
}

/**
 * Real executors end in real time, so this lets real time pass, with a little virtual time, until `count` runs are
 * over.
 */
async function untilRuns(count: number): Promise<void> {
  const ended = () => cluster.runs(JOB).filter(({ endedAt }) => endedAt !== undefined).length;
  await expect
    .poll(
      async () => {
        await cluster.advance(10);
        return ended();
      },
      { timeout: 10_000 },
    )
    .toBe(count);
}

function deaths() {
  return cluster.instances
    .flatMap((_, index) => cluster.events(index))
    .filter((event) => event.kind === 'executor-died');
}

function sameTarget(runs: readonly TestRun[]): boolean {
  return new Set(runs.map(({ fireTime, item }) => `${fireTime} ${item}`)).size === 1;
}
