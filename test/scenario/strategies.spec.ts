import { afterEach, describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { range } from './support/run-checks.js';

const JOB = 'settle-orders';

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('STICKY', () => {
  it('given three instances, when one joins and one dies, then only what is due has moved', async () => {
    cluster = await createTestCluster({
      instances: 3,
      jobs: [{ name: JOB, cron: '0/5 * * * * ?', shardingTotalCount: 12, strategy: 'STICKY', handler: () => {} }],
    });
    const atFirst = cluster.assignment(JOB);

    const late = await cluster.join();
    await cluster.advance(1_000);
    const joined = cluster.assignment(JOB);
    cluster.crash(0);
    await cluster.advance(15_000);

    expect(itemsThatMoved(atFirst, joined)).toEqual(itemsOf(joined, late));
    expect(range(4).map((instance) => itemsOf(joined, instance).length)).toEqual([3, 3, 3, 3]);
    expect(itemsThatMoved(joined, cluster.assignment(JOB))).toEqual(itemsOf(joined, 0));
  });
});

type Assignment = ReadonlyMap<number, number>;

function itemsThatMoved(before: Assignment, after: Assignment): number[] {
  return [...after].filter(([item, instance]) => before.get(item) !== instance).map(([item]) => item);
}

function itemsOf(assignment: Assignment, instance: number): number[] {
  return [...assignment].filter(([, owner]) => owner === instance).map(([item]) => item);
}
