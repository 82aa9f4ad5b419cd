import { afterEach, describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('a configuration that changes while the job runs', () => {
  it('fires by another cron expression on every instance as soon as it is written', async () => {
    await startCluster({ instances: 2 });

    await writeConfig(/^cron: .*$/m, 'cron: 30 * * * * ?');
    await untilNextMinute(31_000);

    expect(lastFired()[0]!.fireTime % MINUTE).toBe(30_000);
    expect(itemsOf(lastFired())).toEqual(range(4));
    expect(new Set(lastFired().map(({ instance }) => instance)).size).toBe(2);
    expect(cluster.runs(JOB).every(({ fireTime }) => fireTime % MINUTE === 30_000)).toBe(true);
  });

  it.each([6, 2])('runs exactly the items of the new total %i at the next fire time', async (total) => {
    await startCluster({ instances: 2 });
    await untilNextMinute(1_000);

    await writeConfig(/^shardingTotalCount: .*$/m, `shardingTotalCount: ${total}`);
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(total));
    expect([...cluster.assignment(JOB).keys()]).toEqual(range(total));
  });

  it('removes an item beyond a shrunk total once its run has ended', async () => {
    await startCluster({ instances: 2, handler: ({ shardingItem }) => sleep(shardingItem === 3 ? 20_000 : 10) });
    await untilNextMinute(1_000);

    await writeConfig(/^shardingTotalCount: .*$/m, 'shardingTotalCount: 2');
    await cluster.advance(2_000);
    expect([...cluster.assignment(JOB).keys()]).toEqual([0, 1, 3]);
    await cluster.advance(20_000);

    expect([...cluster.assignment(JOB).keys()]).toEqual([0, 1]);
    expect(cluster.runs(JOB).find(({ item }) => item === 3)!.endedAt).toBeDefined();
  });

  it('runs a queued item at its fire times again once failover is switched off', async () => {
    await startCluster({ instances: 1, handler: ({ shardingItem }) => sleep(shardingItem === 0 ? 3_600_000 : 10) });
    await untilNextMinute(1_000);
    cluster.crash(0);
    await cluster.advance(1_000);
    const late = await cluster.join();
    await writeConfig(/^failover: .*$/m, 'failover: false');
    await operator.create(`/${JOB}/leader/failover/items/1`, '', 'PERSISTENT');
    await cluster.advance(20_000);

    await untilNextMinute(1_000);

    expect(itemsOf(lastFired().filter(({ instance }) => instance === late))).toEqual(range(4));
  });
});

describe('a server that an operator disables', () => {
  it('moves its items to the other server, and back when it is enabled', async () => {
    await startCluster({ instances: 2 });

    await operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
    await untilNextMinute(1_000);
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([1]));
    expect(itemsOf(lastFired())).toEqual(range(4));
    expect(lastFired().every(({ instance }) => instance === 1)).toBe(true);

    await operator.set(`/${JOB}/servers/10.0.0.1`, 'ENABLED');
    await untilNextMinute(1_000);
    expect(new Set(lastFired().map(({ instance }) => instance))).toEqual(new Set([0, 1]));
  });

  it('hands the lead to another instance', async () => {
    await startCluster({ instances: 2 });
    const leader = leaderIndex();

    await operator.set(`/${JOB}/servers/10.0.0.${leader + 1}`, 'DISABLED');
    await cluster.advance(2_000);

    expect(leaderIndex()).toBe(1 - leader);
  });

  it('does not catch up on a fire time while the only server was disabled', async () => {
    await startCluster({ instances: 1 });
    await untilNextMinute(1_000);
    const before = cluster.runs(JOB).length;
    await operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
    await untilNextMinute(1_000);

    await operator.set(`/${JOB}/servers/10.0.0.1`, 'ENABLED');
    await cluster.advance(10_000);

    expect(cluster.runs(JOB).length).toBe(before);
  });
});

describe('an instance that an operator shuts down', () => {
  it('aborts a running item when its instance node is deleted, and another instance runs it', async () => {
    await startCluster({ instances: 2, handler: untilAborted });
    await untilNextMinute(1_000);
    const own = itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 0));

    await shutDown(0);
    await cluster.advance(2_000);

    const again = cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER');
    expect(itemsOf(again)).toEqual(own);
    expect(
      cluster
        .runs(JOB)
        .filter(({ instance }) => instance === 0)
        .every(({ endedAt }) => endedAt),
    ).toBe(true);
  });

  it('does not come back when its session is lost later', async () => {
    await startCluster({ instances: 2 });
    await shutDown(0);
    await cluster.advance(1_000);

    cluster.registry.expire(cluster.instances[0]!.center.session.id!);
    await cluster.advance(5_000);

    expect(cluster.instances[0]!.runtime.status().jobs[0]).toMatchObject({ isJoined: false });
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([1]));
  });

  it('learns of the shutdown when it is back from an outage', async () => {
    await startCluster({ instances: 2 });
    cluster.partition(0);
    await shutDown(0);
    await cluster.advance(2_000);

    await cluster.heal(0);
    await cluster.advance(2_000);

    const [status] = cluster.instances[0]!.runtime.status().jobs;
    expect(status).toMatchObject({ isJoined: false, problem: expect.stringContaining('removed') });
  });

  it('leaves a job that it has just rejoined, before it knows so, and the next to join leads', async () => {
    await startCluster({ instances: 1, latencyMs: 100 });
    cluster.registry.expire(cluster.instances[0]!.center.session.id!);
    let registered: readonly string[] = [];
    for (; registered.length === 0; registered = await operator.children(`/${JOB}/instances`))
      await cluster.advance(10);

    await operator.delete(`/${JOB}/instances/${registered[0]}`);
    await cluster.advance(5_000);
    expect(cluster.instances[0]!.runtime.status().jobs[0]).toMatchObject({
      isJoined: false,
      problem: expect.stringContaining('removed'),
    });
    expect(await traces(operator, JOB)).toEqual([]);

    await cluster.join();
    await cluster.advance(2_000);
    expect(cluster.instances[1]!.runtime.leader.isLeader(JOB)).toBe(true);
  });
});

describe('a job that is paused on one instance', () => {
  it('does not run the fire times of the pause when items move or the job is resumed', async () => {
    await startCluster({ instances: 1 });
    await untilNextMinute(1_000);
    const { registrar } = cluster.instances[0]!.runtime;
    registrar.pause(JOB);
    await untilNextMinute(1_000);

    await reshard();
    registrar.resume(JOB);
    await reshard();
    expect(cluster.runs(JOB)).toHaveLength(4);

    await untilNextMinute(1_000);
    expect(cluster.runs(JOB)).toHaveLength(8);
  });

  it('is still paused after a lost session', async () => {
    await startCluster({ instances: 1 });
    cluster.instances[0]!.runtime.registrar.pause(JOB);

    cluster.registry.expire(cluster.instances[0]!.center.session.id!);
    await cluster.advance(2 * MINUTE);

    expect(cluster.instances[0]!.runtime.status().jobs[0]).toMatchObject({ isJoined: true });
    expect(cluster.runs(JOB)).toEqual([]);
  });
});

async function startCluster(options: {
  instances: number;
  handler?: (context: ShardingContext) => unknown;
  latencyMs?: number;
}): Promise<void> {
  const { instances, latencyMs, handler = () => {} } = options;
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, failover: true, handler };
  cluster = await createTestCluster({ instances, latencyMs, jobs: [job] });
  operator = await operatorOf(cluster);
}

async function writeConfig(line: RegExp, replacement: string): Promise<void> {
  const { data } = (await operator.read(`/${JOB}/config`))!;
  expect(data).toMatch(line);
  await operator.set(`/${JOB}/config`, data.replace(line, replacement));
  await cluster.advance(1_000);
}

function shutDown(instance: number): Promise<void> {
  const [id] = cluster.instances[instance]!.instanceIds;
  return operator.delete(`/${JOB}/instances/${id}`);
}

async function reshard(): Promise<void> {
  await operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
  await cluster.advance(1_000);
}

function leaderIndex(): number {
  return cluster.instances.findIndex(({ runtime }) => runtime.leader.isLeader(JOB));
}

/** Moves to `further` milliseconds after the next full minute. */
function untilNextMinute(further: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + further);
}

function lastFired() {
  const runs = cluster.runs(JOB);
  return runs.filter(({ fireTime }) => fireTime === runs.at(-1)!.fireTime);
}

function sleep(ms: number): Promise<void> {
  return cluster.clock.sleep(ms);
}

/** Runs until it is aborted; the failover of such a run ends at once. */
async function untilAborted({ signal, source }: ShardingContext): Promise<void> {
  if (source !== 'FAILOVER') await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
