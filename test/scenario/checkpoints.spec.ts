import { afterEach, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { createTestCluster, type TestCluster, type TestProcess } from '../../libs/elastic-job/src/testing/index.js';
import { Seeded } from '@test/support/seeded.js';
import { idOf } from './support/operators.js';

const JOB = 'count';
const SECOND = 1_000;

let cluster: TestCluster;
/** Instances that run nothing any more. */
const gone = new Set<number>();
afterEach(() => {
  gone.clear();
  return cluster.stop();
});

interface Save {
  readonly value: number;
  readonly token: bigint;
}

/** Counts on from the checkpoint of the item's last run. It ignores its signal; only a refused save ends it. */
async function count(saves: Save[], { checkpoint, token }: ShardingContext, { clock }: TestProcess): Promise<void> {
  for (let value = ((await checkpoint.load<number>()) ?? 0) + 1; value % 100 !== 0; value++) {
    await clock.sleep(300);
    await checkpoint.save(value);
    saves.push({ value, token: token! });
  }
  await checkpoint.clear();
}

it.each([1, 2, 3, 4, 5])(
  'no save of an older run follows one of a newer run, whatever happens to instances (seed %i)',
  async (seed) => {
    const chance = new Seeded(seed);
    const saves: Save[] = [];
    cluster = await createTestCluster({
      instances: 3,
      sessionTimeoutMs: 3 * SECOND,
      seed,
      jobs: [
        {
          name: JOB,
          cron: '0/5 * * * * ?',
          shardingTotalCount: 1,
          failover: true,
          shutdownGraceMs: SECOND,
          handler: (context, process) => count(saves, context, process),
        },
      ],
    });

    for (let trouble = 0; trouble < 30; trouble++) {
      await cluster.advance(chance.between(SECOND, 6 * SECOND));
      const victim = cluster
        .runs(JOB)
        .findLast(({ endedAt, instance }) => endedAt === undefined && !gone.has(instance))?.instance;
      if (victim === undefined) continue;
      await chance.of([cutOff, pause, shutDown, kill])(victim, chance.between(SECOND, 6 * SECOND));
    }

    expect(new Set(saves.map(({ token }) => token)).size).toBeGreaterThan(10);
    expect(saves.map(({ token }) => token)).toEqual(
      saves.map(({ token }) => token).toSorted((a, b) => (a < b ? -1 : 1)),
    );
    expect(saves.filter(({ value }, index) => !follows(saves[index - 1]?.value, value))).toEqual([]);
  },
);

/**
 * The count goes on by one, or begins again. One value may be missing: its instance was killed after the save, before
 * the answer.
 */
function follows(before: number | undefined, value: number): boolean {
  return value === 1 || (before !== undefined && (value === before + 1 || value === before + 2));
}

async function cutOff(victim: number, ms: number): Promise<void> {
  cluster.partition(victim);
  await cluster.advance(ms);
  await cluster.heal(victim);
}

async function pause(victim: number, ms: number): Promise<void> {
  cluster.pause(victim);
  await cluster.advance(ms);
  await cluster.resume(victim);
}

/**
 * The instance is cut off and does not see the shutdown. Others run the item after the grace period. Then it comes back
 * in its session, before it has seen the shutdown.
 */
async function shutDown(victim: number): Promise<void> {
  const operator = await cluster.join();
  cluster.partition(victim);
  const { center } = cluster.instances[operator]!;
  await cluster.clock.advanceUntil(center.delete(`/${JOB}/instances/${idOf(cluster, victim)}`));
  await cluster.advance(1.8 * SECOND);
  await cluster.heal(victim);
  gone.add(victim);
}

async function kill(victim: number): Promise<void> {
  cluster.crash(victim);
  gone.add(victim);
  await cluster.join();
}
