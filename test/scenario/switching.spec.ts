import { afterEach, describe, expect, it } from 'vitest';
import type { JobOptions, ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { JobConfigurationApi, JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { editConfig, idOf } from './support/operators.js';
import { allNodes, operatorOf, traces } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('a job that an operator has disabled on all servers', () => {
  it('leaves its processes ready, though nobody leads it', async () => {
    await startCluster({ instances: 2, handler: () => {} });
    for (const serverIp of await operator.children(`/${JOB}/servers`)) {
      await operator.set(`/${JOB}/servers/${serverIp}`, 'DISABLED');
    }
    await cluster.advance(MINUTE);

    for (const { runtime } of cluster.instances) {
      const status = runtime.status();
      expect(status.jobs).toMatchObject([{ leader: undefined, isDisabled: true }]);
      expect(judgeReadiness(status)).toMatchObject({ status: 'up', details: { reasons: [] } });
    }
  });
});

describe('failover that is switched off while the job runs', () => {
  it('removes the queue and the marks that nobody acts on any more, and no others', async () => {
    await startCluster({ instances: 2, handler: () => sleep(40_000) });
    await setDisabled(3, true);
    await untilNextMinute(1_000);
    const running = await marks('running');
    expect(running).toHaveLength(3);
    await operator.create(`/${JOB}/leader/failover/items/0`, '', 'PERSISTENT');
    for (const mark of ['failover', 'failovering']) {
      await operator.create(`/${JOB}/sharding/3/${mark}`, idOf(cluster, 0), 'PERSISTENT');
    }
    await cluster.advance(1_000);
    expect(await operator.children(`/${JOB}/leader/failover/items`)).toEqual(['0']);

    await switchOff('failover');

    expect(await operator.children(`/${JOB}/leader/failover/items`)).toEqual([]);
    expect([...(await marks('failover')), ...(await marks('failovering'))]).toEqual([]);
    expect(await marks('running')).toEqual(running);
  });

  it('lets a running failover end normally, and leaves nothing of it', async () => {
    await startCluster({ instances: 2, handler: () => sleep(30_000) });
    await untilNextMinute(1_000);
    cluster.crash(0);
    await cluster.advance(14_000);
    const rescued = itemsOf(failovers());
    expect(rescued).toHaveLength(2);

    await switchOff('failover');
    expect(await marks('failovering')).toHaveLength(2);
    await cluster.advance(40_000);

    expect(outcomesOf(1, 'FAILOVER')).toEqual(['succeeded', 'succeeded']);
    expect(await marksOfItems()).toEqual([]);
  });

  it('removes the marks of an instance that dies afterwards, and nobody claims its items', async () => {
    await startCluster({ instances: 2, handler: () => sleep(30_000) });
    await untilNextMinute(1_000);
    await switchOff('failover');

    cluster.crash(0);
    await cluster.advance(40_000);

    expect(failovers()).toEqual([]);
    expect(await operator.children(`/${JOB}/leader/failover/items`)).toEqual([]);
    expect(await marksOfItems()).toEqual([]);
    await untilNextMinute(1_000);
    expect(itemsOf(lastFired())).toEqual(range(4));
  });
});

describe('monitorExecution that is switched off while the job runs', () => {
  it('lets running items end quietly, and leaves no mark', async () => {
    await startCluster({ instances: 2, handler: () => sleep(20_000) });
    await untilNextMinute(1_000);

    await switchOff('monitorExecution');
    await cluster.advance(25_000);

    expect([...outcomesOf(0), ...outcomesOf(1)]).toEqual(Array(4).fill('succeeded'));
    expect(await marksOfItems()).toEqual([]);
    await untilNextMinute(1_000);
    expect(itemsOf(lastFired())).toEqual(range(4));
    expect(lastFired().every(({ token }) => token === undefined)).toBe(true);
  });

  it('removes the marks of an instance that dies afterwards, and nobody claims its items', async () => {
    // The survivor is idle, so it would claim at once.
    const handler = ({ shardingItem }: ShardingContext) =>
      cluster.assignment(JOB).get(shardingItem) === 0 && sleep(50_000);
    await startCluster({ instances: 2, handler });
    await untilNextMinute(1_000);
    await switchOff('monitorExecution');
    expect(cluster.instances[1]!.runtime.status().jobs).toMatchObject([{ isFailoverIdle: true, problem: undefined }]);

    cluster.crash(0);
    await cluster.advance(55_000);

    expect(failovers()).toEqual([]);
    expect(await marksOfItems()).toEqual([]);
    expect(await operator.children(`/${JOB}/leader/failover/items`)).toEqual([]);
  });
});

describe('an item that an operator disables', () => {
  it('lets its current run go on, and the next fire time runs the others', async () => {
    await startCluster({ instances: 2, handler: () => sleep(20_000) });
    await untilNextMinute(1_000);

    await setDisabled(0, true);
    await cluster.advance(20_000);
    expect([...outcomesOf(0), ...outcomesOf(1)]).toEqual(Array(4).fill('succeeded'));

    await untilNextMinute(1_000);
    expect(itemsOf(lastFired())).toEqual([1, 2, 3]);
  });

  it('catches up on no fire time while it was disabled, and runs the next one', async () => {
    await startCluster({ instances: 2 });
    await untilNextMinute(1_000);
    await setDisabled(0, true);
    await untilNextMinute(1_000);

    await setDisabled(0, false);
    await reshard();
    expect(cluster.runs(JOB).filter(({ item }) => item === 0)).toHaveLength(1);

    await untilNextMinute(1_000);
    expect(itemsOf(lastFired())).toEqual(range(4));
  });

  it('is not caught up on by an instance that was cut off when the item was enabled', async () => {
    await startCluster({ instances: 1 });
    await untilNextMinute(1_000);
    await setDisabled(0, true);
    await untilNextMinute(1_000);

    cluster.partition(0);
    await setDisabled(0, false);
    await cluster.heal(0);
    await reshard();

    expect(cluster.runs(JOB).filter(({ item }) => item === 0)).toHaveLength(1);
  });

  it('has its run repeated elsewhere if its instance dies, once it is enabled', async () => {
    await startCluster({ instances: 2, handler: ({ source }) => source !== 'FAILOVER' && sleep(50_000) });
    await untilNextMinute(1_000);
    const lost = itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 0));
    await setDisabled(lost[0]!, true);

    cluster.crash(0);
    await cluster.advance(20_000);
    expect(itemsOf(failovers())).toEqual(lost.slice(1));
    await setDisabled(lost[0]!, false);
    await cluster.advance(1_000);

    expect(itemsOf(failovers()).toSorted((a, b) => a - b)).toEqual(lost);
  });
});

describe('a job all of whose servers an operator disables', () => {
  it('begins nothing and reports that once, and goes on when a server is enabled', async () => {
    await startCluster({ instances: 2 });
    await untilNextMinute(1_000);
    await setServers('DISABLED');
    await operator.ensurePath(`/${JOB}/leader/sharding/necessary`); // No instance is enabled that could reshard.

    await untilNextMinute(1_000);
    await untilNextMinute(1_000);
    expect(cluster.runs(JOB)).toHaveLength(4);
    expect(events('sharding-timeout')).toEqual([]);
    expect(switches(0)).toEqual(['10.0.0.1 DISABLED']);
    expect(cluster.instances.some(({ runtime }) => runtime.leader.isLeader(JOB))).toBe(false);

    await setServers('ENABLED');
    await cluster.advance(5_000);
    expect(cluster.runs(JOB)).toHaveLength(4);
    await untilNextMinute(1_000);
    expect(itemsOf(lastFired())).toEqual(range(4));
    expect(lastFired().every(({ source }) => source === 'NORMAL_TRIGGER')).toBe(true);
    expect(switches(0)).toEqual(['10.0.0.1 DISABLED', '10.0.0.1 ENABLED']);
  });

  it.each([false, true])('keeps new servers off too until it is enabled (overwrite: %s)', async (overwrite) => {
    await startCluster({ instances: 1, overwrite });
    const api = new JobOperateApi(operator, cluster.clock);
    const settings = new JobConfigurationApi(operator);
    await api.disable(JOB);

    await cluster.join();
    await untilNextMinute(1_000);

    expect(cluster.runs(JOB)).toEqual([]);
    expect(switches(1)).toEqual(['10.0.0.2 DISABLED']);
    expect((await settings.getJobConfiguration(JOB))?.disabled).toBe(true);
    await api.enable(JOB);
    await cluster.join();
    await untilNextMinute(1_000);
    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
    expect(new Set(lastFired().map(({ instance }) => instance))).toEqual(new Set([0, 1, 2]));
  });

  it('is reported by an instance that starts on a disabled server', async () => {
    await startCluster({ instances: 1, disabled: true });

    expect(switches(0)).toEqual(['10.0.0.1 DISABLED']);
  });
});

type Options = Partial<Omit<JobOptions, 'name'>> & {
  readonly instances: number;
  readonly handler?: (context: ShardingContext) => unknown;
};

async function startCluster({ instances, handler = () => {}, ...options }: Options): Promise<void> {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, failover: true, ...options, handler };
  cluster = await createTestCluster({ instances, jobs: [job] });
  operator = await operatorOf(cluster);
}

async function switchOff(setting: 'failover' | 'monitorExecution'): Promise<void> {
  await editConfig(operator, JOB, new RegExp(`^${setting}: true$`, 'm'), `${setting}: false`);
  await cluster.advance(1_000);
}

async function setDisabled(item: number, isDisabled: boolean): Promise<void> {
  const path = `/${JOB}/sharding/${item}/disabled`;
  if (isDisabled) await operator.create(path, '', 'PERSISTENT');
  else await operator.delete(path);
  await cluster.advance(10);
}

async function setServers(status: 'ENABLED' | 'DISABLED'): Promise<void> {
  for (const name of await operator.children(`/${JOB}/servers`)) {
    await operator.set(`/${JOB}/servers/${name}`, status);
  }
  await cluster.advance(1_000);
}

async function reshard(): Promise<void> {
  await operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
  await cluster.advance(1_000);
}

async function marks(name: string): Promise<string[]> {
  const nodes = await allNodes(operator, `/${JOB}/sharding`);
  return nodes.map(({ path }) => path).filter((path) => path.endsWith(`/${name}`));
}

/** Nodes that only a running item may have. */
async function marksOfItems(): Promise<string[]> {
  return (await traces(operator, JOB)).filter((path) => path.startsWith(`/${JOB}/sharding/`));
}

function failovers() {
  return cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER');
}

function outcomesOf(instance: number, source?: string): string[] {
  return cluster
    .events(instance)
    .flatMap((event) =>
      event.kind === 'settled' && (source === undefined || event.trigger.source === source) ? [event.outcome.kind] : [],
    );
}

function events(kind: string) {
  return cluster.instances.flatMap((_, index) => cluster.events(index).filter((event) => event.kind === kind));
}

function switches(instance: number): string[] {
  return cluster
    .events(instance)
    .flatMap((event) => (event.kind === 'server-switched' ? [`${event.serverIp} ${event.status}`] : []));
}

function lastFired() {
  const runs = cluster.runs(JOB);
  return runs.filter(({ fireTime }) => fireTime === runs.at(-1)!.fireTime);
}

/** Moves to `further` milliseconds after the next full minute. */
function untilNextMinute(further: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + further);
}

function sleep(ms: number): Promise<void> {
  return cluster.clock.sleep(ms);
}
