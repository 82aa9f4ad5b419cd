import { afterEach, describe, expect, it } from 'vitest';
import {
  type JobOptions,
  ResidentStoppedError,
  type ShardingContext,
} from '../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { JavaPeer } from './support/java-peer.js';
import { ask, editConfig } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'follow-orders';

let cluster: TestCluster;
let operator: RegistryCenter;
/** Why the handlers that were told to stop had to. */
let stops: string[];
afterEach(() => cluster.stop());

describe('a resident job', () => {
  it('given two instances, when they have started, then each item runs on its owner, once, and goes on', async () => {
    await start({ instances: 2 });
    await cluster.advance(600_000);

    expect(running()).toEqual([...cluster.assignment(JOB)]);
    expect(new Set(cluster.assignment(JOB).values()).size).toBe(2);
    expect(stops.filter((why) => why !== 'moved')).toEqual([]);
  });

  it('given an instance that joins, when items move, then their holders are told, and the new owner begins when they have ended', async () => {
    await start({ instances: 1, stopTakesMs: 2_000 });
    await cluster.join();
    await cluster.advance(1_000);
    const moved = [...cluster.assignment(JOB)].filter(([, owner]) => owner === 1).map(([item]) => item);
    expect(moved).toHaveLength(2);
    expect(stops).toEqual(['moved', 'moved']);
    expect(running().filter(([, instance]) => instance === 1)).toEqual([]);

    await cluster.advance(2_000);

    expect(running()).toEqual([...cluster.assignment(JOB)]);
    for (const item of moved) expect(overlaps(item)).toBe(false);
  });

  it.each([true, false])(
    'given failover: %s, when an instance crashes, then its items run on the others at once and nothing waits',
    async (failover) => {
      await start({ instances: 3, options: { failover } });
      const orphaned = running().filter(([, instance]) => instance === 1);
      expect(orphaned.length).toBeGreaterThan(0);

      cluster.crash(1);
      await cluster.advance(12_000);

      expect(running()).toEqual([...cluster.assignment(JOB)]);
      expect(cluster.runs(JOB).every(({ source }) => source === 'NORMAL_TRIGGER')).toBe(true);
      expect(cluster.events(0).filter(({ kind }) => kind === 'orphaned' || kind === 'claimed')).toEqual([]);
    },
  );

  it('given an item that fails again and again, when it is started again, then ever later, and at once again after a steady run', async () => {
    let steady = false;
    await start({
      instances: 1,
      options: { shardingTotalCount: 1 },
      handler: async ({ signal }) => {
        if (steady) return cluster.clock.sleep(60_000, signal);
        throw new Error('no broker');
      },
    });
    await cluster.advance(10_000);
    const startedAt = cluster.runs(JOB).map((run) => run.startedAt);
    const gaps = startedAt.slice(1).map((time, index) => Math.round((time - startedAt[index]!) / 100) * 100);
    expect(gaps).toEqual([100, 200, 400, 800, 1_600, 3_200]);

    steady = true;
    await cluster.advance(6_400);
    const before = cluster.runs(JOB).length;
    await cluster.advance(60_200);

    expect(cluster.runs(JOB)).toHaveLength(before + 1);
  });

  it('given a clock that is set back, when an item begins again, then no fire time is used twice', async () => {
    await start({ instances: 1, options: { shardingTotalCount: 1 }, handler: () => {} });
    await cluster.advance(1_000);
    cluster.setWall(0, cluster.clock.wallNow() - 2_000);
    await cluster.advance(20_000);

    const fireTimes = cluster.runs(JOB).map(({ fireTime }) => fireTime);
    expect(fireTimes.length).toBeGreaterThan(5);
    expect(fireTimes).toEqual([...new Set(fireTimes)].toSorted((a, b) => a - b));
  });

  it('given an item that an operator disables and enables, when it is switched, then it ends and begins again', async () => {
    await start({ instances: 1 });
    await operator.create(`/${JOB}/sharding/2/disabled`, '', 'PERSISTENT');
    await cluster.advance(100);
    expect(stops).toEqual(['disabled']);
    expect(running().map(([item]) => item)).toEqual([0, 1, 3]);

    await operator.delete(`/${JOB}/sharding/2/disabled`);
    await cluster.advance(100);

    expect(running().map(([item]) => item)).toEqual([0, 1, 2, 3]);
  });

  it('given an instance that leaves, when its items are told, then it is gone long before the drain deadline and others run them', async () => {
    await start({ instances: 2 });
    const leftAt = cluster.clock.wallNow();

    await cluster.leave(0);
    expect(cluster.clock.wallNow() - leftAt).toBeLessThan(1_000);
    await cluster.advance(1_000);

    expect(running()).toEqual([0, 1, 2, 3].map((item) => [item, 1]));
    expect(stops.filter((why) => why === 'leaving')).toHaveLength(2);
  });

  it('given an instance that is cut off, when its session is lost, then its items end there before others begin them', async () => {
    await start({ instances: 2 });
    cluster.partition(0);
    await cluster.advance(15_000);
    expect(running()).toEqual([0, 1, 2, 3].map((item) => [item, 1]));

    await cluster.heal(0);
    await cluster.advance(15_000);

    expect(running()).toEqual([...cluster.assignment(JOB)]);
    expect(new Set(cluster.assignment(JOB).values()).size).toBe(2);
    for (const item of [0, 1, 2, 3]) expect(overlaps(item)).toBe(false);
  });

  it('given a job that an operator makes a one-off job and resident again, when edited, then its items end and begin', async () => {
    await start({ instances: 2 });
    await editConfig(operator, JOB, /nestjs\.resident: 'true'/, "nestjs.resident: 'false'");
    await cluster.advance(100);
    expect(running()).toEqual([]);

    await editConfig(operator, JOB, /nestjs\.resident: 'false'/, "nestjs.resident: 'true'");
    await cluster.advance(1_000);

    expect(running()).toEqual([...cluster.assignment(JOB)]);
  });

  it('given a Java peer that joins, when it is there, then its items end and nothing begins until it is gone', async () => {
    await start({ instances: 1 });
    const peer = JavaPeer.launch(cluster, { jobName: JOB, serverIp: '10.0.0.9' });
    await cluster.advance(1_000);
    expect(stops).toEqual(['settings', 'settings', 'settings', 'settings']);
    expect(running()).toEqual([]);
    expect(cluster.instances[0]!.runtime.status().jobs[0]!.problem).toMatch(
      /resident is a kind of job that Java lacks/,
    );

    await cluster.clock.advanceUntil(peer.shutdown());
    await cluster.advance(5_000);

    expect(running()).toEqual([0, 1, 2, 3].map((item) => [item, 0]));
  });

  it('given an operator who triggers it, when the instances are asked, then they say that it runs anyway', async () => {
    await start({ instances: 1 });
    await ask(cluster, operator, JOB, { id: 'again' });
    await cluster.advance(100);

    expect(cluster.runs(JOB)).toHaveLength(4);
    expect(cluster.events(0).filter(({ kind }) => kind === 'skipped')).toMatchObject([
      { reason: 'the job is resident: its items run at all times' },
    ]);
  });
});

interface Start {
  readonly instances: number;
  readonly options?: Partial<JobOptions>;
  /** How long a handler that was told to stop takes to do so, in milliseconds. */
  readonly stopTakesMs?: number;
  readonly handler?: (context: ShardingContext) => unknown;
}

async function start({ instances, options, stopTakesMs = 0, handler }: Start): Promise<void> {
  stops = [];
  const follow = async ({ signal }: ShardingContext) => {
    await untilAborted(signal);
    if (signal.reason instanceof ResidentStoppedError) stops.push(signal.reason.why);
    if (stopTakesMs > 0) await cluster.clock.sleep(stopTakesMs);
  };
  const job = { name: JOB, shardingTotalCount: 4, resident: true, ...options, handler: handler ?? follow };
  cluster = await createTestCluster({ instances, jobs: [job] });
  operator = await operatorOf(cluster);
}

/** Handlers begin while their cluster is still being made, so they ask no clock of it. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Item and instance of what runs now, by item. */
function running(): [number, number][] {
  const open = cluster.runs(JOB).filter((run) => run.endedAt === undefined && isAlive(run.instance));
  return open.map(({ item, instance }): [number, number] => [item, instance]).toSorted(([a], [b]) => a - b);
}

function isAlive(instance: number): boolean {
  return cluster.instances[instance]!.isTakingPart(JOB);
}

function overlaps(item: number): boolean {
  const runs = cluster.runs(JOB).filter((run) => run.item === item);
  return runs.some((run, index) => index > 0 && run.startedAt < (runs[index - 1]!.endedAt ?? Infinity));
}
