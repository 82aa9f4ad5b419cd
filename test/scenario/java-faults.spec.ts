import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { JobOptions, ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { ask, editConfig, idOf } from './support/operators.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

/** Faults of the Java implementation that ours must not have, by their numbers in our notes on its protocol. */
const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('runs that end badly', () => {
  it('fault 2: given an item that fails, when the next fire time comes and another instance joins, then it runs again', async () => {
    await startCluster({
      instances: 1,
      handler: ({ shardingItem }) => {
        if (shardingItem === 0) throw new Error('broken');
      },
    });
    await untilNextMinute(1_000);
    expect(await traces(operator, JOB)).not.toContain(`/${JOB}/sharding/0/running`);

    await cluster.join();
    await untilNextMinute(1_000);
    await untilNextMinute(1_000);

    expect(cluster.runs(JOB).filter(({ item }) => item === 0)).toHaveLength(3);
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
  });

  it('fault 4: given a crash with 4 items, when an idle instance takes them, then exactly these 4 run, once', async () => {
    const handler = ({ shardingItem, source }: ShardingContext) =>
      source !== 'FAILOVER' && cluster.assignment(JOB).get(shardingItem) === 0 && sleep(MINUTE / 2);
    await startCluster({ instances: 2, shardingTotalCount: 8, handler });
    await untilNextMinute(1_000);
    const lost = itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 0));
    expect(lost).toHaveLength(4);

    cluster.crash(0);
    await cluster.advance(50_000);

    const runs = cluster.runs(JOB).slice(8);
    expect(itemsOf(runs)).toEqual(lost);
    expect(runs.every(({ source }) => source === 'FAILOVER')).toBe(true);
  });

  it.each([true, false])(
    'fault 6: given items that run (failover: %s), when their instance is shut down, then it leaves no running mark',
    async (failover) => {
      const handler = ({ signal, source }: ShardingContext) =>
        source !== 'FAILOVER' && cluster.clock.sleep(10 * MINUTE, signal);
      await startCluster({ instances: 2, failover, handler });
      await untilNextMinute(1_000);

      await cluster.leave(0);
      await cluster.leave(1);

      expect(await traces(operator, JOB)).toEqual([]);
    },
  );

  it('fault 15: given one item that outlasts its interval, when it ends, then it alone runs once more, by its flag', async () => {
    const handler = ({ shardingItem, fireTime }: ShardingContext) =>
      shardingItem === 0 && fireTime.getTime() === cluster.runs(JOB)[0]!.fireTime && sleep(70_000);
    await startCluster({ instances: 1, handler });
    await untilNextMinute(1_000);
    await untilNextMinute(1_000);
    expect(await operator.exists(`/${JOB}/sharding/0/misfire`)).toBeDefined();

    await cluster.advance(20_000);
    const late = await cluster.join(); // A new owner finds no flag.
    await cluster.advance(10_000);

    const misfires = cluster.runs(JOB).filter(({ source }) => source === 'MISFIRE');
    expect(misfires).toMatchObject([{ item: 0, instance: 0 }]);
    expect(cluster.runs(JOB).filter(({ instance }) => instance === late)).toEqual([]);
    expect(await operator.exists(`/${JOB}/sharding/0/misfire`)).toBeUndefined();
  });

  it('fault 15: given misfire is off, when an item outlasts its interval, then no flag is written', async () => {
    await startCluster({ instances: 1, misfire: false, handler: () => sleep(70_000) });
    await untilNextMinute(1_000);

    await untilNextMinute(1_000);

    for (const item of range(4)) expect(await operator.exists(`/${JOB}/sharding/${item}/misfire`)).toBeUndefined();
  });
});

describe('waits', () => {
  it('fault 7: given an item that hangs, when instances come and go, then items move and the others run', async () => {
    await startCluster({ instances: 1, handler: ({ shardingItem }) => shardingItem === 0 && forever() });
    await untilNextMinute(1_000);

    await cluster.join();
    await untilNextMinute(1_000);

    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
    expect(itemsOf(lastFired())).toEqual([1, 2, 3]);
  });

  it('fault 7: given a leader that is cut off and the resharding flag, when a fire time comes, then the others wait no longer than shardingTimeoutMs', async () => {
    await startCluster({ instances: 2, shardingTimeoutMs: 2_000 });
    const leader = cluster.instances.findIndex(({ runtime }) => runtime.leader.isLeader(JOB));
    await untilNextMinute(-1_000);
    cluster.partition(leader);
    await operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');

    await cluster.advance(4_000);

    const own = [...cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === leader ? [] : [item]));
    expect(itemsOf(cluster.runs(JOB))).toEqual(own);
    expect(cluster.runs(JOB)[0]!.startedAt % MINUTE).toBeLessThan(2_100);
    expect(kinds(1 - leader)).toContain('sharding-timeout');
  });

  it('fault 29: given a handler that hangs, when operators change, trigger and disable, then the instance reacts to all of it', async () => {
    await startCluster({ instances: 2, handler: ({ shardingItem }) => shardingItem === 0 && forever() });
    await untilNextMinute(1_000);
    const holder = cluster.runs(JOB).find(({ item }) => item === 0)!.instance;

    await ask(cluster, operator, JOB, { id: 'a' }, [holder]);
    await cluster.advance(1_000);
    const manual = cluster.runs(JOB).slice(4);
    expect(manual.length).toBeGreaterThan(0);
    expect(itemsOf(manual)).not.toContain(0);

    await editConfig(operator, JOB, /^cron: .*$/m, 'cron: 30 * * * * ?');
    await cluster.advance(MINUTE);
    expect(lastFired().map(({ instance }) => instance)).toContain(holder);
    expect(lastFired()[0]!.fireTime % MINUTE).toBe(30_000);

    await operator.set(`/${JOB}/servers/10.0.0.${holder + 1}`, 'DISABLED');
    await cluster.advance(1_000);
    expect(kinds(holder)).toContain('server-switched');
    expect(cluster.instances[holder]!.runtime.leader.isLeader(JOB)).toBe(false);

    await operator.delete(`/${JOB}/instances/${idOf(cluster, holder)}`);
    await cluster.advance(1_000);
    expect(cluster.instances[holder]!.runtime.status().jobs[0]).toMatchObject({ isJoined: false });
  });

  it('fault 29: given a listener of events that throws, when triggers come, then items run', async () => {
    await startCluster({ instances: 1 });
    cluster.instances[0]!.runtime.events.on(() => {
      throw new Error('a broken sink');
    });

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
  });
});

describe('what stays behind', () => {
  it('fault 16: given many triggers, when they have run, then no timer and no listener is left of any', async () => {
    await startCluster({ instances: 1, failover: true, maxTimeDiffSeconds: 60, timeoutMs: 5_000 });
    await runBothWays(2);
    const before = openHandles();

    await runBothWays(50);

    expect(openHandles()).toEqual(before);
    expect(cluster.runs(JOB)).toHaveLength(4 * 104);
  });

  it("fault 17: given an operator's shutdown, when it is done, then neither timers nor watches nor listeners of the job are left", async () => {
    await startCluster({ instances: 1, jobs: false });
    const idle = cluster.clock.pendingTimers;
    await cluster.stop();
    await startCluster({ instances: 1, handler: ({ signal }) => cluster.clock.sleep(10 * MINUTE, signal) });
    await untilNextMinute(1_000);
    const { tree } = cluster.instances[0]!.runtime.registrar.of(JOB).currentSession!;

    await operator.delete(`/${JOB}/instances/${idOf(cluster, 0)}`);
    await cluster.advance(10_000);

    expect(cluster.clock.pendingTimers).toBe(idle);
    expect(tree.signal.aborted).toBe(true);
    expect(getEventListeners(tree.signal, 'abort')).toHaveLength(0);
    expect(await traces(operator, JOB)).toEqual([]);
    const { background } = { ...cluster.instances[0]!.center.traffic };
    const heard = cluster.events(0).length;
    await operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
    await cluster.advance(1_000);
    expect(cluster.instances[0]!.center.traffic.background).toBe(background);
    expect(cluster.events(0)).toHaveLength(heard);
  });
});

describe('odd nodes', () => {
  it("fault 19: given the node `instances` itself is deleted, when that is heard, then it is an operator's shutdown and nothing breaks", async () => {
    await startCluster({ instances: 2 });
    const ids = await operator.children(`/${JOB}/instances`);

    await operator.transaction(
      [...ids.map((id) => `/${JOB}/instances/${id}`), `/${JOB}/instances`].map((path) => ({ kind: 'delete', path })),
    );
    await untilNextMinute(1_000);

    expect(cluster.runs(JOB)).toEqual([]);
    for (const { runtime } of cluster.instances) {
      expect(runtime.status().jobs[0]).toMatchObject({ isJoined: false, problem: expect.stringContaining('removed') });
    }
  });

  it.each([
    'sharding/abc',
    'sharding/-1',
    'sharding/007',
    'sharding/99999999999999999999',
    'sharding/0/unknown',
    'servers/not an address',
    'trigger/nobody',
    'trigger/nobody/else',
    'leader/failover/items/x',
    'instances/garbage',
    'guarantee/started/x',
    'unheard-of/child',
  ])('fault 19: given the odd node %s, when it comes, changes and goes, then the job runs on', async (name) => {
    await startCluster({ instances: 1 });
    const path = `/${JOB}/${name}`;

    await operator.ensurePath(path);
    await cluster.advance(1_000);
    await operator.set(path, 'garbage: [');
    if (name !== 'instances/garbage') await untilNextMinute(1_000); // An unknown instance is taken for a Java peer.
    await operator.delete(path);
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(4));
    expect(kinds(0)).not.toContain('error');
  });

  it('fault 19: given children below a request, when it is taken, then all of it goes and the job runs', async () => {
    await startCluster({ instances: 1 });
    await operator.ensurePath(`/${JOB}/trigger/${idOf(cluster, 0)}/some/child`);

    await cluster.advance(1_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
    expect(await operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('fault 19: given a text that is no configuration, when it is repaired, then the job goes by it', async () => {
    await startCluster({ instances: 1 });
    const { data } = (await operator.read(`/${JOB}/config`))!;

    await operator.set(`/${JOB}/config`, 'cron: [');
    await untilNextMinute(1_000);
    await operator.set(`/${JOB}/config`, data.replace(/^cron: .*$/m, 'cron: 30 * * * * ?'));
    await untilNextMinute(31_000);

    expect(lastFired()[0]!.fireTime % MINUTE).toBe(30_000);
    expect(cluster.instances[0]!.runtime.status().jobs[0]!.problem).toBeUndefined();
  });
});

type Options = Partial<Omit<JobOptions, 'name'>> & {
  readonly instances: number;
  readonly handler?: (context: ShardingContext) => unknown;
  /** False: the instances run no job at all. */
  readonly jobs?: boolean;
};

async function startCluster({ instances, jobs = true, handler = () => {}, ...options }: Options): Promise<void> {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, failover: true, ...options, handler };
  cluster = await createTestCluster({ instances, drainTimeoutMs: 5_000, jobs: jobs ? [job] : [] });
  operator = await operatorOf(cluster);
}

/** Fire times and triggers of operators in turn. */
async function runBothWays(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await untilNextMinute(1_000);
    await ask(cluster, operator, JOB, { id: `${cluster.clock.wallNow()}` });
    await cluster.advance(1_000);
  }
}

function openHandles() {
  const { tree } = cluster.instances[0]!.runtime.registrar.of(JOB).currentSession!;
  return {
    timers: cluster.clock.pendingTimers,
    sessionListeners: getEventListeners(tree.signal, 'abort').length,
    processListeners: process.eventNames().map((name) => process.listenerCount(name)),
  };
}

function kinds(instance: number): string[] {
  return cluster.events(instance).map(({ kind }) => kind);
}

function lastFired() {
  const runs = cluster.runs(JOB);
  return runs.filter(({ fireTime }) => fireTime === runs.at(-1)!.fireTime);
}

/** Moves to an offset from the next full minute. */
function untilNextMinute(offset: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + offset);
}

function forever(): Promise<void> {
  return new Promise(() => {});
}

function sleep(ms: number): Promise<void> {
  return cluster.clock.sleep(ms);
}
