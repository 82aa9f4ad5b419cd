import { describe, expect, it } from 'vitest';
import { ElasticJobError } from '../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { Seeded } from '@test/support/seeded.js';
import { operatorOf } from './support/registry-walk.js';
import { expectGrowingTokens, range } from './support/run-checks.js';

const SECOND = 1_000;
const NAMES = ['report-a', 'report-b', 'report-c'];
const NEW = { template: 'report', cron: '0/5 * * * * ?', shardingTotalCount: 3, failover: true };
/** Codes with which a call may reject: the job exists or is being removed, or there is no such job. */
const REFUSALS = ['JOB_EXISTS', 'UNKNOWN_JOB'];

interface Stage {
  readonly cluster: TestCluster;
  readonly operator: RegistryCenter;
  readonly jobs: JobOperateApi;
  /** Instances that have not crashed. */
  readonly living: Set<number>;
}

describe('jobs that are created and removed while instances come and go', () => {
  it.each(range(25))(
    'end up run by every instance, or gone without a trace (seed %i)',
    async (seed) => {
      const chance = new Seeded(seed + 1);
      const stage = await start(seed);
      const { cluster, operator, living } = stage;
      const wanted = new Set<string>();
      for (const _ of range(25)) {
        await disturb(stage, chance);
        await change(stage, chance.of(NAMES), wanted, chance.of(['create', 'remove']));
        await cluster.advance(chance.below(8 * SECOND));
      }
      for (const index of living) {
        await cluster.heal(index);
        await cluster.resume(index);
      }
      await cluster.advance(90 * SECOND);

      for (const name of NAMES) {
        const owners = new Set(cluster.assignment(name).values());
        const isThere = (await operator.exists(`/${name}`)) !== undefined;
        expect({ name, isThere, owners }).toEqual({
          name,
          isThere: wanted.has(name),
          owners: wanted.has(name) ? living : new Set(),
        });
        expectGrowingTokens(cluster.runs(name));
      }
      await end(stage);
    },
    20_000,
  );
});

describe('the removal of a created job during which an instance dies', () => {
  it.each(range(40))('is completed by the others after a death %i ms into it', async (ms) => {
    const stage = await start(1);
    const { cluster, operator, jobs } = stage;
    const name = 'report-a';
    await cluster.clock.advanceUntil(jobs.create({ ...NEW, name }));
    await cluster.advance(12 * SECOND);
    const leader = cluster.instances.findIndex(({ runtime }) => runtime.leader.isLeader(name));

    const removal = jobs.remove(name);
    await cluster.advance(ms);
    cluster.crash(leader);
    await cluster.clock.advanceUntil(removal);
    await cluster.advance(30 * SECOND);

    expect(await operator.exists(`/${name}`)).toBeUndefined();
    await cluster.clock.advanceUntil(jobs.create({ ...NEW, name }));
    await cluster.advance(20 * SECOND);
    expect(new Set(cluster.assignment(name).values())).toEqual(new Set([0, 1, 2].filter((one) => one !== leader)));
    await end(stage);
  });
});

async function start(seed: number): Promise<Stage> {
  const cluster: TestCluster = await createTestCluster({
    instances: 3,
    seed,
    latencyMs: 2,
    drainTimeoutMs: 4_000,
    jobs: [],
    templates: [{ name: 'report', handler: ({ shardingItem }) => cluster.clock.sleep(200 * shardingItem) }],
  });
  const operator = await operatorOf(cluster);
  return { cluster, operator, jobs: new JobOperateApi(operator, cluster.clock), living: new Set([0, 1, 2]) };
}

async function end({ cluster, operator }: Stage): Promise<void> {
  await operator.close();
  await cluster.stop();
  await cluster.advance(10 * SECOND);
  expect(cluster.clock.pendingTimers).toBe(0);
}

/** Disturbs one instance, or heals it; an instance that has crashed is replaced. */
async function disturb({ cluster, living }: Stage, chance: Seeded): Promise<void> {
  const index = chance.of([...living]);
  switch (chance.below(8)) {
    case 0:
      cluster.crash(index);
      living.delete(index);
      living.add(await cluster.join());
      return;
    case 1:
      return cluster.partition(index);
    case 2:
      return cluster.pause(index);
    case 3:
    case 4:
      await cluster.heal(index);
      return cluster.resume(index);
    default:
      return;
  }
}

async function change(
  { cluster, jobs }: Stage,
  name: string,
  wanted: Set<string>,
  call: 'create' | 'remove',
): Promise<void> {
  const asked = call === 'create' ? jobs.create({ ...NEW, name }) : jobs.remove(name);
  try {
    await cluster.clock.advanceUntil(asked);
    if (call === 'create') wanted.add(name);
    else wanted.delete(name);
  } catch (error) {
    if (!(error instanceof ElasticJobError) || !REFUSALS.includes(error.code)) throw error;
  }
}
