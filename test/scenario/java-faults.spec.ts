import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { JobOptions, ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { ask, editConfig, idOf } from './support/operators.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

/** Faults of the Java implementation that ours must not have. The numbers are those of our notes on its protocol. */
const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('runs that end badly', () => {
  it('an item that has failed runs again at the next fire time (fault 2)', async () => {
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

  it('an idle instance that takes 4 items of a crash runs exactly these, once (fault 4)', async () => {
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
    'a shutdown leaves no running mark of items that run, with failover: %s (fault 6)',
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

  it('an item that outlasts its interval runs once more, alone, by its flag (fault 15)', async () => {
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

  it('writes no flag for an item that outlasts its interval if misfire is off (fault 15)', async () => {
    await startCluster({ instances: 1, misfire: false, handler: () => sleep(70_000) });
    await untilNextMinute(1_000);

    await untilNextMinute(1_000);

    for (const item of range(4)) expect(await operator.exists(`/${JOB}/sharding/${item}/misfire`)).toBeUndefined();
  });
});

describe('waiting', () => {
  it('an item that hangs does not stop others from moving and running (fault 7)', async () => {
    await startCluster({ instances: 1, handler: ({ shardingItem }) => shardingItem === 0 && forever() });
    await untilNextMinute(1_000);

    await cluster.join();
    await untilNextMinute(1_000);

    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
    expect(itemsOf(lastFired())).toEqual([1, 2, 3]);
  });

  it('fire times wait at most shardingTimeoutMs for a leader that is cut off (fault 7)', async () => {
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

  it('a handler that hangs does not stop changes, triggers and disabling (fault 29)', async () => {
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

  it('a listener of events that throws does not stop items (fault 29)', async () => {
    await startCluster({ instances: 1 });
    cluster.instances[0]!.runtime.events.on(() => {
      throw new Error('a broken sink');
    });

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
  });
});

describe('leftovers', () => {
  it('many triggers leave no timer and no listener behind (fault 16)', async () => {
    await startCluster({ instances: 1, failover: true, maxTimeDiffSeconds: 60, timeoutMs: 5_000 });
    await runBothWays(2);
    const before = openHandles();

    await runBothWays(50);

    expect(openHandles()).toEqual(before);
    expect(cluster.runs(JOB)).toHaveLength(4 * 104);
  });

  it("an operator's shutdown leaves no timer, watch or listener of the job (fault 17)", async () => {
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

describe('unexpected nodes', () => {
  it("takes the deletion of the node `instances` for an operator's shutdown (fault 19)", async () => {
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
  ])('runs on when the unexpected node %s comes, changes and goes (fault 19)', async (name) => {
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

  it('removes a request with everything below it, and runs the job (fault 19)', async () => {
    await startCluster({ instances: 1 });
    await operator.ensurePath(`/${JOB}/trigger/${idOf(cluster, 0)}/some/child`);

    await cluster.advance(1_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
    expect(await operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('goes by the configuration again once its text is repaired (fault 19)', async () => {
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
  /** If false, the instances run no job at all. */
  readonly jobs?: boolean;
};

async function startCluster({ instances, jobs = true, handler = () => {}, ...options }: Options): Promise<void> {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, failover: true, ...options, handler };
  cluster = await createTestCluster({ instances, drainTimeoutMs: 5_000, jobs: jobs ? [job] : [] });
  operator = await operatorOf(cluster);
}

/** Fire times and operators' triggers in turn. */
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

/** Moves to `offset` milliseconds from the next full minute. */
function untilNextMinute(offset: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + offset);
}

function forever(): Promise<void> {
  return new Promise(() => {});
}

function sleep(ms: number): Promise<void> {
  return cluster.clock.sleep(ms);
}
