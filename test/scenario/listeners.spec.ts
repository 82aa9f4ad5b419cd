import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DistributeOnceElasticJobListener,
  type ElasticJobListener,
  type ShardingContext,
  type ShardingContexts,
} from '../../libs/elastic-job/src/domain/index.js';
import { createTestCluster, type TestCluster, type TestJobOptions } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
let log: string[];
beforeEach(() => {
  log = [];
});
afterEach(() => cluster.stop());

describe('listeners', () => {
  it('are called in order on each instance, before and after its items', async () => {
    const listeners = [note('last'), note('second', 2), note('first', 1)];
    await startCluster({ instances: 1, shardingTotalCount: 2, listeners, handler: noteRun });

    await untilNextMinute(1_000);

    expect(log).toEqual([
      ...['first', 'second', 'last'].map((name) => `before ${name}`),
      'run 0',
      'run 1',
      ...['first', 'second', 'last'].map((name) => `after ${name}`),
    ]);
  });

  it('are told the items of their own instance and the parameters of these', async () => {
    const told: ShardingContexts[] = [];
    const listener = { beforeJobExecuted: (contexts: ShardingContexts) => told.push(contexts), afterJobExecuted() {} };
    await startCluster({ listeners: [listener], shardingItemParameters: '0=Beijing,2=Shanghai', jobParameter: 'all' });

    await untilNextMinute(1_000);

    expect(new Map(told.flatMap(({ shardingItemParameters }) => [...shardingItemParameters]))).toEqual(
      new Map([
        [0, 'Beijing'],
        [1, undefined],
        [2, 'Shanghai'],
        [3, undefined],
      ]),
    );
    expect(told[0]).toMatchObject({
      jobName: JOB,
      jobParameter: 'all',
      shardingTotalCount: 4,
      source: 'NORMAL_TRIGGER',
    });
    expect(told[0]!.taskId).toMatch(/^settle-orders@-@(0,1|2,3)@-@READY@-@10\.0\.0\.\d@-@/);
  });

  it('do not stop a run when they throw, and the error is reported', async () => {
    const broken = {
      beforeJobExecuted: () => fail('before'),
      afterJobExecuted: () => Promise.reject(new Error('after')),
    };
    await startCluster({ instances: 1, listeners: [broken, note('next')] });

    await untilNextMinute(1_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
    expect(log).toEqual(['before next', 'after next']);
    expect(errors()).toEqual(['before', 'after']);
  });
});

describe('a distribute-once listener', () => {
  it('is called once before all items and once after all, over three instances', async () => {
    await startCluster({ instances: 3, listeners: [new Once()], handler: sleepByItem });

    await untilNextMinute(10_000);
    await untilNextMinute(10_000);

    const round = ['started', ...range(4).map((item) => `run ${item}`), 'completed'];
    expect(sortedRuns(log)).toEqual([...round, ...round]);
    expect(errors()).toEqual([]);
    expect(await arrivals()).toEqual([]);
  });

  it('runs no two rounds at once, even if it takes longer than the interval', async () => {
    await startCluster({
      instances: 3,
      cron: '0/2 * * * * ?',
      listeners: [new Once({ durationMs: 3_000 })],
      handler: noteRun,
    });

    await cluster.advance(60_000);

    const rounds = log.join(' ').split('started ').slice(1, -1);
    expect(rounds.length).toBeGreaterThan(4);
    for (const round of rounds) {
      expect(
        round
          .trim()
          .split(' ')
          .filter((word) => word === 'completed'),
      ).toHaveLength(1);
      expect(round.trim().endsWith('completed')).toBe(true);
    }
    expect(errors()).toEqual([]);
  });

  it('does not wait for a disabled item (fault 22)', async () => {
    await startCluster({ listeners: [new Once()], handler: noteRun });
    const operator = await operatorOf(cluster);
    await operator.create(`/${JOB}/sharding/1/disabled`, '', 'PERSISTENT');

    await untilNextMinute(1_000);

    expect(sortedRuns(log)).toEqual(['started', 'run 0', 'run 2', 'run 3', 'completed']);
  });

  it('completes the round by the last failover of an instance that dies in mid-run (fault 22)', async () => {
    await startCluster({ failover: true, listeners: [new Once()], handler: () => cluster.clock.sleep(5_000) });
    await untilNextMinute(1_000);

    cluster.crash(1);
    await cluster.advance(30_000);

    expect(log).toEqual(['started', 'completed']);
    const last = cluster.runs(JOB).at(-1)!;
    expect(last).toMatchObject({ source: 'FAILOVER', instance: 0 });
    expect(errors()).toEqual([]);
  });

  it('does not wait for the items of a dead instance without failover (fault 22)', async () => {
    await startCluster({ listeners: [new Once()], handler: () => cluster.clock.sleep(5_000) });
    await untilNextMinute(1_000);

    cluster.crash(1);
    await cluster.advance(20_000);

    expect(log).toEqual(['started', 'completed']);
    expect(errors()).toEqual([]);
  });

  it('waits for everybody in the next round, although a dead instance left arrivals (fault 22)', async () => {
    await startCluster({ listeners: [new Once()], handler: noteRun });
    await untilNextMinute(1_000); // An item that has never run is not caught up on.
    log = [];
    const operator = await operatorOf(cluster);
    const left = JSON.stringify({ by: '10.0.0.9@-@1', round: { fireTime: 1, origin: 'schedule' } });
    await operator.ensurePath(`/${JOB}/guarantee/started`);
    for (const item of range(4)) await operator.create(`/${JOB}/guarantee/started/${item}`, left, 'PERSISTENT');
    await untilNextMinute(-1_000);
    cluster.partition(1);

    await cluster.advance(4_000);
    expect(log).toEqual([]);
    await cluster.heal(1);
    await cluster.advance(10_000);

    expect(sortedRuns(log)).toEqual(['started', ...range(4).map((item) => `run ${item}`), 'completed']);
    expect(await arrivals()).toEqual([]);
  });

  it('goes on when the time is up, and the error names who is missing', async () => {
    await startCluster({ listeners: [new Once({ timeoutMs: 5_000 })], handler: noteRun });
    cluster.instances[1]!.runtime.registrar.pause(JOB);
    const paused = [...cluster.assignment(JOB)].filter(([, owner]) => owner === 1).map(([item]) => item);

    await untilNextMinute(4_000);
    expect(log).toEqual([]);
    await cluster.advance(10_000);

    expect(errors()).toEqual([expect.stringContaining(`(missing: ${paused.join(', ')})`)]);
    expect(sortedRuns(log)).toEqual([
      ...range(4)
        .filter((item) => !paused.includes(item))
        .map((item) => `run ${item}`),
      'completed',
    ]);
    cluster.instances[1]!.runtime.registrar.resume(JOB);
    log = [];
    await untilNextMinute(1_000);
    expect(sortedRuns(log)).toEqual(['started', ...range(4).map((item) => `run ${item}`), 'completed']);
  });

  it('begins and ends each round once while instances join and leave', async () => {
    await startCluster({ cron: '0/5 * * * * ?', listeners: [new Once()], handler: noteRun });

    await cluster.advance(12_000);
    await cluster.join();
    await cluster.advance(12_000);
    await cluster.leave(0);
    await cluster.advance(20_000);

    const rounds = log.join(' ').split('started ').slice(1);
    expect(rounds.length).toBeGreaterThan(6);
    expect(new Set(rounds.map((round) => round.match(/run/g)?.length))).toEqual(new Set([4]));
    expect(rounds.every((round) => round.trim().endsWith('completed'))).toBe(true);
    expect(errors()).toEqual([]);
  });

  it('lets everybody go on at once when it throws', async () => {
    const listener = new Once();
    listener.doBeforeJobExecutedAtLastStarted = () => fail('no table');
    await startCluster({ listeners: [listener], handler: noteRun });

    await untilNextMinute(1_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
    expect(errors()).toEqual(['no table']);
    expect(log.at(-1)).toBe('completed');
  });

  it('lets waiting instances leave at once, and leaves nothing behind', async () => {
    await startCluster({ listeners: [new Once()], handler: noteRun });
    cluster.instances[1]!.runtime.registrar.pause(JOB);
    await untilNextMinute(1_000);

    await cluster.leave(0);
    expect(log).toEqual([]);
    expect(await arrivals()).toEqual([]);
    await cluster.stop();

    expect(cluster.clock.pendingTimers).toBe(0);
  });
});

class Once extends DistributeOnceElasticJobListener {
  constructor(private readonly options: { readonly timeoutMs?: number; readonly durationMs?: number } = {}) {
    super(options.timeoutMs, options.timeoutMs);
  }

  doBeforeJobExecutedAtLastStarted(): unknown {
    return this.note('started');
  }

  doAfterJobExecutedAtLastCompleted(): unknown {
    return this.note('completed');
  }

  private async note(what: string): Promise<void> {
    await cluster.clock.sleep(this.options.durationMs ?? 0);
    log.push(what);
  }
}

function note(name: string, order?: number): ElasticJobListener {
  return {
    order,
    beforeJobExecuted: () => void log.push(`before ${name}`),
    afterJobExecuted: () => void log.push(`after ${name}`),
  };
}

function noteRun({ shardingItem }: ShardingContext): void {
  log.push(`run ${shardingItem}`);
}

async function sleepByItem(context: ShardingContext): Promise<void> {
  await cluster.clock.sleep(1_000 * context.shardingItem);
  noteRun(context);
}

async function startCluster(options: Partial<TestJobOptions> & { readonly instances?: number }): Promise<void> {
  const { instances = 2, ...job } = options;
  cluster = await createTestCluster({
    instances,
    jobs: [{ name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, handler: () => {}, ...job }],
    drainTimeoutMs: 1_000,
  });
}

function untilNextMinute(offset: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + offset);
}

/** Items of one round run at the same time, so their order is not promised. */
function sortedRuns(entries: readonly string[]): string[] {
  const rounds: string[][] = [[]];
  for (const entry of entries) {
    if (entry === 'started' && rounds.at(-1)!.length > 0) rounds.push([]);
    rounds.at(-1)!.push(entry);
  }
  return rounds.flatMap((round) => [
    ...round.filter((entry) => entry === 'started'),
    ...round.filter((entry) => entry.startsWith('run')).toSorted(),
    ...round.filter((entry) => entry === 'completed'),
  ]);
}

function errors(): string[] {
  return cluster.instances
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.kind === 'error' && event.error instanceof Error ? [event.error.message] : []));
}

async function arrivals(): Promise<readonly string[]> {
  const operator = await operatorOf(cluster);
  return (await operator.children(`/${JOB}/guarantee`)).filter((name) => !name.endsWith('-latch'));
}

function fail(message: string): never {
  throw new Error(message);
}
