import { expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { createTestCluster, VirtualClock } from '../../libs/elastic-job/src/testing/index.js';
import { ask } from './support/operators.js';
import { allNodes, operatorOf, traces } from './support/registry-walk.js';
import { expectGrowingTokens, expectNoOverlap, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const TOTAL = 6;

it.each(range(12))(
  'each trigger runs every item once among random fire times, triggers and joins (seed %i)',
  async (seed) => {
    const chance = new VirtualClock({ seed: seed + 1 });
    const ran: string[] = [];
    const handler = async ({ trigger, shardingItem }: ShardingContext) => {
      if (trigger !== 'schedule') ran.push(`${trigger.id} ${shardingItem}`);
      await cluster.clock.sleep(pick(3_000));
    };
    const job = { name: JOB, cron: '0/10 * * * * ?', shardingTotalCount: TOTAL, failover: true, handler };
    const cluster = await createTestCluster({ instances: 2, seed, latencyMs: 10, jobs: [job] });
    const operator = await operatorOf(cluster);
    const pick = (below: number) => Math.floor(chance.random() * below);

    const ids = range(30).map((id) => `t${id}`);
    for (const id of ids) {
      if (cluster.instances.length < 5 && pick(5) === 0) await cluster.join();
      await ask(cluster, operator, JOB, { id });
      await cluster.advance(100 + pick(1_500));
    }
    await cluster.advance(300_000);

    expect(ran.toSorted()).toEqual(ids.flatMap((id) => range(TOTAL).map((item) => `${id} ${item}`)).toSorted());
    expectNoOverlap(cluster.runs(JOB), ({ endedAt }) => endedAt ?? Infinity);
    expectGrowingTokens(cluster.runs(JOB));
    const events = cluster.instances.flatMap((_, index) => cluster.events(index));
    expect(events.filter(({ kind }) => kind === 'error' || kind === 'skipped')).toEqual([]);
    await cluster.stop();
    expect(cluster.clock.pendingTimers).toBe(0);
    expect(await traces(operator, JOB)).toEqual([]);
    expect(await allNodes(operator, `/${JOB}/trigger`)).toHaveLength(1);
  },
);
