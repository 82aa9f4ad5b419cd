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
/** The reasons for which handlers were aborted. */
let stops: string[];
afterEach(() => cluster.stop());

describe('a resident job', () => {
  it('runs each item on its owner, once, and goes on', async () => {
    await start({ instances: 2 });
    await cluster.advance(600_000);

    expect(running()).toEqual([...cluster.assignment(JOB)]);
    expect(new Set(cluster.assignment(JOB).values()).size).toBe(2);
    expect(stops.filter((why) => why !== 'moved')).toEqual([]);
  });

  it('ends items that move to a new instance before their new owner begins them', async () => {
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
    'moves the items of a crashed instance to the others at once, and queues none (failover: %s)',
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

  it('restarts a failing item ever later, and at once again after a steady run', async () => {
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

  it('uses no fire time twice if the clock is set back', async () => {
    await start({ instances: 1, options: { shardingTotalCount: 1 }, handler: () => {} });
    await cluster.advance(1_000);
    cluster.setWall(0, cluster.clock.wallNow() - 2_000);
    await cluster.advance(20_000);

    const fireTimes = cluster.runs(JOB).map(({ fireTime }) => fireTime);
    expect(fireTimes.length).toBeGreaterThan(5);
    expect(fireTimes).toEqual([...new Set(fireTimes)].toSorted((a, b) => a - b));
  });

  it('ends an item that an operator disables, and begins it again when it is enabled', async () => {
    await start({ instances: 1 });
    await operator.create(`/${JOB}/sharding/2/disabled`, '', 'PERSISTENT');
    await cluster.advance(100);
    expect(stops).toEqual(['disabled']);
    expect(running().map(([item]) => item)).toEqual([0, 1, 3]);

    await operator.delete(`/${JOB}/sharding/2/disabled`);
    await cluster.advance(100);

    expect(running().map(([item]) => item)).toEqual([0, 1, 2, 3]);
  });

  it('leaves long before the drain deadline, since its items end at once, and others run them', async () => {
    await start({ instances: 2 });
    const leftAt = cluster.clock.wallNow();

    await cluster.leave(0);
    expect(cluster.clock.wallNow() - leftAt).toBeLessThan(1_000);
    await cluster.advance(1_000);

    expect(running()).toEqual([0, 1, 2, 3].map((item) => [item, 1]));
    expect(stops.filter((why) => why === 'leaving')).toHaveLength(2);
  });

  it('ends items of an instance that is cut off before others begin them', async () => {
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

  it('ends its items when an operator makes it a one-off job, and begins them when it is resident again', async () => {
    await start({ instances: 2 });
    await editConfig(operator, JOB, /nestjs\.resident: 'true'/, "nestjs.resident: 'false'");
    await cluster.advance(100);
    expect(running()).toEqual([]);

    await editConfig(operator, JOB, /nestjs\.resident: 'false'/, "nestjs.resident: 'true'");
    await cluster.advance(1_000);

    expect(running()).toEqual([...cluster.assignment(JOB)]);
  });

  it('ends its items and begins nothing while a Java peer is there', async () => {
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

  it("answers an operator's trigger that it runs anyway", async () => {
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
  /** Time that an aborted handler takes to stop, in milliseconds. */
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

/** Handlers begin while their cluster is still being made, so they cannot use its clock. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** The item and instance of each run that is under way, by item. */
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
