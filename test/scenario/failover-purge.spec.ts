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

// One slot on each instance, occupied by a run of one hour, so that an orphan has to wait.
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
  it('is removed, recorded and reported when its job is disabled everywhere', async () => {
    await setServers('DISABLED');

    expect(await operator.children(QUEUE)).toEqual([]);
    expect(await record(3)).toMatchObject({ settled: { outcome: 'aborted', cause: 'purged' } });
    expect(purged()).toEqual([[3]]);

    await setServers('ENABLED');
    expect(await operator.children(QUEUE)).toEqual([]);
  });

  it('is removed when the last of its servers is disabled', async () => {
    for (const ip of await operator.children(`/${JOB}/servers`)) {
      await operator.set(`/${JOB}/servers/${ip}`, 'DISABLED');
    }
    await cluster.advance(5_000);

    expect(await operator.children(QUEUE)).toEqual([]);
    expect(purged()).toEqual([[3]]);
  });

  it('is removed with its job', async () => {
    await new JobConfigurationApi(operator).removeJobConfiguration(JOB);
    await cluster.advance(5_000);

    expect(await operator.exists(`/${JOB}`)).toBeUndefined();
  });

  it('goes on waiting while one server is enabled', async () => {
    const living = cluster.instances.findIndex((instance) => instance.isTakingPart(JOB));
    for (const ip of await operator.children(`/${JOB}/servers`)) {
      if (ip !== `10.0.0.${living + 1}`) await operator.set(`/${JOB}/servers/${ip}`, 'DISABLED');
    }
    await cluster.advance(5_000);

    expect(await operator.children(QUEUE)).toEqual(['3']);
  });

  it('goes on waiting while the last enabled server is restarted', async () => {
    const living = cluster.instances.findIndex((instance) => instance.isTakingPart(JOB));
    for (const ip of await operator.children(`/${JOB}/servers`)) {
      if (ip !== `10.0.0.${living + 1}`) await operator.set(`/${JOB}/servers/${ip}`, 'DISABLED');
    }
    await cluster.leave(living);
    await cluster.advance(5_000);

    expect(await operator.children(QUEUE)).toContain('3');
    expect(purged()).toEqual([]);
  });

  it('is removed by the leader if a smaller total excludes it', async () => {
    await editConfig(operator, JOB, /^shardingTotalCount: 4$/m, 'shardingTotalCount: 3');
    await cluster.advance(1_000);

    expect(await operator.children(QUEUE)).toEqual([]);
    expect(purged()).toEqual([[3]]);
  });

  it('is removed together with an entry that has no item if the total shrinks', async () => {
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
