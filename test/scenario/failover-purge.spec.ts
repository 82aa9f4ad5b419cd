import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { JobConfigurationApi } from '../../libs/elastic-job/src/operations/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { editConfig } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const QUEUE = `/${JOB}/leader/failover/items`;

let cluster: TestCluster;
let operator: RegistryCenter;

// One slot on each instance, which a run fills for an hour: an orphan waits.
beforeEach(async () => {
  const handler = () => cluster.clock.sleep(3_600_000);
  const job = { name: JOB, cron: '0 0 * * * ?', shardingTotalCount: 4, failover: true, concurrency: 1, handler };
  cluster = await createTestCluster({ instances: 4, jobs: [job] });
  operator = await operatorOf(cluster);
  await cluster.advance(3_600_000 - (cluster.clock.wallNow() % 3_600_000) + 1_000);
  const last = [...cluster.assignment(JOB)].find(([item]) => item === 3)![1];
  cluster.crash(last);
  await cluster.advance(12_000);
});
afterEach(() => cluster.stop());

describe('an item that waits for failover', () => {
  it('given its job is disabled everywhere, when the leader hears of it, then it is removed, recorded and told', async () => {
    await setServers('DISABLED');

    expect(await operator.children(QUEUE)).toEqual([]);
    expect(await record(3)).toMatchObject({ settled: { outcome: 'aborted', cause: 'purged' } });
    expect(purged()).toEqual([[3]]);

    await setServers('ENABLED');
    expect(await operator.children(QUEUE)).toEqual([]);
  });

  it('given its servers are disabled one after the other, when the last one is, then it is removed', async () => {
    for (const ip of await operator.children(`/${JOB}/servers`)) {
      await operator.set(`/${JOB}/servers/${ip}`, 'DISABLED');
    }
    await cluster.advance(5_000);

    expect(await operator.children(QUEUE)).toEqual([]);
    expect(purged()).toEqual([[3]]);
  });

  it('given its job is removed, when the tree is gone, then nothing waits', async () => {
    await new JobConfigurationApi(operator).removeJobConfiguration(JOB);
    await cluster.advance(5_000);

    expect(await operator.exists(`/${JOB}`)).toBeUndefined();
  });

  it('given one of the servers stays enabled, when the others are disabled, then it goes on waiting', async () => {
    const living = cluster.instances.findIndex((instance) => instance.isTakingPart(JOB));
    for (const ip of await operator.children(`/${JOB}/servers`)) {
      if (ip !== `10.0.0.${living + 1}`) await operator.set(`/${JOB}/servers/${ip}`, 'DISABLED');
    }
    await cluster.advance(5_000);

    expect(await operator.children(QUEUE)).toEqual(['3']);
  });

  it('given the last enabled server is restarted, when nobody but disabled ones is there, then it goes on waiting', async () => {
    const living = cluster.instances.findIndex((instance) => instance.isTakingPart(JOB));
    for (const ip of await operator.children(`/${JOB}/servers`)) {
      if (ip !== `10.0.0.${living + 1}`) await operator.set(`/${JOB}/servers/${ip}`, 'DISABLED');
    }
    await cluster.leave(living);
    await cluster.advance(5_000);

    expect(await operator.children(QUEUE)).toContain('3');
    expect(purged()).toEqual([]);
  });

  it('given a smaller total, when the item is beyond it, then the leader removes it', async () => {
    await editConfig(operator, JOB, /^shardingTotalCount: 4$/m, 'shardingTotalCount: 3');
    await cluster.advance(1_000);

    expect(await operator.children(QUEUE)).toEqual([]);
    expect(purged()).toEqual([[3]]);
  });

  it('given a smaller total and an entry without an item, when the leader looks, then it removes that as well', async () => {
    await operator.create(`${QUEUE}/17`, '', 'PERSISTENT');
    await editConfig(operator, JOB, /^shardingTotalCount: 4$/m, 'shardingTotalCount: 3');
    await cluster.advance(1_000);

    expect(await operator.children(QUEUE)).toEqual([]);
    expect(purged()).toEqual([[3, 17]]);
  });
});

async function setServers(status: 'ENABLED' | 'DISABLED'): Promise<void> {
  const servers = await operator.children(`/${JOB}/servers`);
  await operator.transaction(servers.map((ip) => ({ kind: 'set', path: `/${JOB}/servers/${ip}`, data: status })));
  await cluster.advance(5_000);
}

async function record(item: number): Promise<unknown> {
  return JSON.parse((await operator.read(`/${JOB}/sharding/${item}/record`))!.data);
}

function purged(): (readonly number[])[] {
  const events = cluster.instances.flatMap((_, index) => cluster.events(index));
  return events.flatMap((event) => (event.kind === 'failover-purged' ? [event.items] : []));
}
