import { afterEach, describe, expect, it } from 'vitest';
import {
  createTestCluster,
  type TestCluster,
  type TestJobOptions,
  type TestJobHandler,
  type TestRun,
} from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { editConfig } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('a run that a crash has cut short', () => {
  it.each([
    ['and is not repeated is told once, with its items, fire time and reason', false],
    ['and is repeated by failover is not told as lost', true],
  ])('%s', async (_, failover) => {
    const { items, fireTime } = await crashInRun({ failover });

    const lost = { kind: 'cut-short', jobName: JOB, items, fireTime, reason: 'failover-off' };
    expect(told(1)).toEqual(failover ? [] : [lost]);
  });

  it('is told where failover is switched off while its items wait', async () => {
    await crashInRun({ failover: true, concurrency: 1 }, 3 * MINUTE);
    const waiting = await cluster.clock.advanceUntil(cluster.instances[1]!.runtime.failover.pending(JOB));
    expect(waiting.map(({ item }) => item)).toEqual([0, 1]);

    await editConfig(await operatorOf(cluster), JOB, /^failover: true$/m, 'failover: false');
    await cluster.advance(1_000);

    expect(cluster.events(1).filter(({ kind }) => kind === 'failover-purged')).toMatchObject([{ items: [0, 1] }]);
  });

  it('is told by a process that starts alone after the crash of the only one', async () => {
    await start({}, 1);
    await cluster.advance(MINUTE);
    cluster.crash(0);
    await cluster.advance(20_000);
    const next = await cluster.join();
    await cluster.advance(MINUTE);

    expect(told(next)).toMatchObject([{ items: [0, 1, 2, 3], reason: 'failover-off' }]);
  });

  it('is told by the next leader if the leader itself has died', async () => {
    await start({}, 3);
    await cluster.advance(MINUTE);
    const leader = [0, 1, 2].find((index) => cluster.events(index).some(({ kind }) => kind === 'leader-elected'))!;
    const items = openRunsOf(leader).map(({ item }) => item);
    cluster.crash(leader);
    await cluster.advance(40_000);

    expect([0, 1, 2].flatMap(told)).toMatchObject([{ items }]);
  });

  it('is no run that an instance has ended before it left, or that a drain has aborted', async () => {
    await start({ handler: (context, { clock }) => clock.sleep(30_000, context.signal) }, 2);
    await cluster.advance(MINUTE);
    expect(openRunsOf(0)).not.toEqual([]);
    await cluster.leave(0);
    await cluster.advance(2 * MINUTE);

    expect(told(1)).toEqual([]);
  });
});

/** Runs four items for a part of each minute. */
async function start(job: Partial<TestJobOptions>, instances: number, runMs = 30_000): Promise<void> {
  const handler: TestJobHandler = (_context, { clock }) => clock.sleep(runMs);
  const options = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, misfire: false, handler };
  cluster = await createTestCluster({ instances, drainTimeoutMs: 3_000, jobs: [{ ...options, ...job }] });
}

/** The first of two instances dies in mid-run. */
async function crashInRun(
  job: Partial<TestJobOptions>,
  runMs?: number,
): Promise<{ items: number[]; fireTime: number }> {
  await start(job, 2, runMs);
  await cluster.advance(MINUTE);
  const cut = openRunsOf(0);
  cluster.crash(0);
  await cluster.advance(20_000);
  return { items: cut.map(({ item }) => item), fireTime: cut[0]!.fireTime };
}

function openRunsOf(index: number): readonly TestRun[] {
  return cluster.runs(JOB).filter(({ instance, endedAt }) => instance === index && endedAt === undefined);
}

function told(index: number): readonly JobEvent[] {
  return cluster.events(index).filter(({ kind }) => kind === 'cut-short');
}
