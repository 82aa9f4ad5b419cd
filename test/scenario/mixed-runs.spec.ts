import { afterEach, describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import type { FailureRule } from '../../libs/elastic-job/src/registry/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { JOB, MixedCluster, type MixedClusterOptions } from './support/mixed-cluster.js';
import { ascending, range } from './support/run-checks.js';

/** This client may not write the nodes of items. */
const belowItems: FailureRule = ({ path }) => (path.startsWith(`/test/${JOB}/sharding/`) ? -102 : undefined);

let cluster: MixedCluster;
afterEach(() => cluster.stop());

describe('a job that Java and our instances share', () => {
  it('given Java is there first, when ours joins, then both run their part from the next fire time on', async () => {
    await start({ instances: 0 });
    await cluster.java();
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: range(4), ours: [] });

    await cluster.ours.join();

    for (let minute = 0; minute < 3; minute++) {
      expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: [0, 1], ours: [2, 3] });
    }
  });

  it('given ours are there first, when Java joins, then both run their part from the next fire time on', async () => {
    await start({ instances: 1 });
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: [], ours: range(4) });

    await cluster.java();

    for (let minute = 0; minute < 3; minute++) {
      expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: [0, 1], ours: [2, 3] });
    }
  });

  it('given both kinds come and go, when each fire time has come, then each item has run for it once', async () => {
    await start({ instances: 1 });
    const first = await cluster.java();
    await cluster.untilNextMinute(1_000);
    const steps: (() => Promise<unknown>)[] = [
      () => cluster.ours.join(),
      () => cluster.java({ serverIp: '10.0.0.8' }),
      () => cluster.ours.leave(0),
      () => cluster.ours.clock.advanceUntil(first.shutdown()),
      () => cluster.ours.join(),
    ];

    for (const step of steps) {
      await step();
      const { java, ours } = cluster.itemsAt(await cluster.untilNextMinute(2_000));
      expect([...java, ...ours].toSorted(ascending)).toEqual(range(4));
      expect([java.length, ours.length].every((count) => count > 0)).toBe(true);
    }
  });

  it('given both run items, when an operator cancels one of each, then ours aborts its own and leaves nothing, and of the peer he is told', async () => {
    const handler = ({ signal }: ShardingContext) =>
      new Promise((resolve) => signal.addEventListener('abort', resolve));
    await start({ instances: 1, handler });
    await cluster.java({ handler: () => cluster.ours.clock.sleep(30_000) });
    await cluster.untilNextMinute(5_000);
    const { clock } = cluster.ours;
    const api = new JobOperateApi(cluster.operator, clock);
    const cancel = (item: number) => clock.advanceUntil(api.cancel(JOB, item));

    expect(await cancel(3)).toMatchObject({ kind: 'requested', instanceId: cluster.id(0) });
    expect(await cancel(0)).toEqual({ kind: 'not-ours', instanceId: cluster.peers[0]!.id });
    await cluster.advance(5_000);

    const ended = cluster.ours.runs(JOB).filter(({ endedAt }) => endedAt !== undefined);
    expect(ended.map(({ item }) => item)).toEqual([3]);
    expect(await cluster.nodes('cancel')).toEqual([]);
    expect(await cluster.nodes('leader/failover/items')).toEqual([]);
    expect(await cluster.nodes('sharding/3')).toEqual(['instance', 'record']);
  });

  it('given a Java peer that has left, when ours join or change, then what it has run is not caught up on', async () => {
    await start({ instances: 1 });
    await cluster.untilNextMinute(1_000);
    const java = await cluster.java();
    for (let minute = 0; minute < 3; minute++) await cluster.untilNextMinute(1_000);
    await cluster.ours.clock.advanceUntil(java.shutdown());
    await cluster.advance(5_000);
    const before = cluster.told().length;

    await cluster.ours.join();
    await cluster.ours.leave(0);
    await cluster.advance(5_000);
    expect(cluster.told(before)).toEqual([]);

    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: [], ours: range(4) });
  });

  it('given items that no begin could write for a while, when a fire time comes after that, then all of them run for it', async () => {
    await start({ instances: 1 });
    await cluster.java();
    const mend = cluster.ours.registry.fail(belowItems);
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual([]);
    mend();

    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual([2, 3]);
  });

  it('given an item whose first fire time was refused here, when it comes back from Java, then what Java has run is not caught up on', async () => {
    await start({ instances: 2 });
    const mend = cluster.ours.registry.fail(belowItems);
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual([]);
    const java = await cluster.java();
    await cluster.java({ serverIp: '10.0.0.0' });
    mend();
    for (let minute = 0; minute < 2; minute++) await cluster.untilNextMinute(1_000);
    expect(java.runs.map(({ item }) => item)).toEqual([0, 0]);
    const before = cluster.told().length;
    cluster.ours.instances[0]!.runtime.registrar.pause(JOB);

    await cluster.ours.clock.advanceUntil(java.shutdown());
    await cluster.advance(20_000);

    expect(cluster.ours.assignment(JOB).get(0)).toBe(1);
    expect(cluster.told(before)).toEqual([]);
  });
});

describe('resharding beside Java', () => {
  it('given ours leads, when somebody joins, then the flag stands at once and the plan comes with the next fire time', async () => {
    await start({ instances: 1 });
    await cluster.java();
    await cluster.untilNextMinute(1_000);
    const before = await cluster.owners();

    await cluster.ours.join();
    await cluster.advance(10_000);
    expect(await cluster.nodes('leader/sharding')).toEqual(['necessary']);
    expect(await cluster.owners()).toEqual(before);

    const { java, ours } = cluster.itemsAt(await cluster.untilNextMinute(1_000));
    expect(await cluster.nodes('leader/sharding')).toEqual([]);
    expect([...java, ...ours].toSorted(ascending)).toEqual(range(4));
    expect(new Set(await cluster.owners()).size).toBe(3);
  });

  it('fault 7: given an item of Java that does not end, when ours leads, then fire times wait no longer than the limit', async () => {
    await start({ instances: 1, job: { shardingTimeoutMs: 5_000 } });
    let hangs = false;
    await cluster.java({ handler: (item) => hangs && item === 0 && new Promise(() => {}) });
    await cluster.untilNextMinute(1_000);
    hangs = true;
    await cluster.untilNextMinute(1_000);
    await cluster.ours.join();
    const before = await cluster.owners();

    expect(cluster.itemsAt(await cluster.untilNextMinute(4_000)).ours).toEqual([]);
    await cluster.advance(2_000);

    expect(cluster.itemsAt(cluster.minute()).ours).toEqual([2, 3]);
    expect(await cluster.owners()).toEqual(before);
    expect(cluster.ours.events(0).filter(({ kind }) => kind === 'sharding-timeout')).toHaveLength(1);
  });

  it('given a long item of Java, when it ends in time, then the fire time runs on the new plan and nothing ran twice at once', async () => {
    await start({ instances: 1 });
    let isLong = false;
    const java = await cluster.java({ handler: () => isLong && cluster.ours.clock.sleep(70_000) });
    await cluster.untilNextMinute(1_000);
    isLong = true;
    const long = await cluster.untilNextMinute(1_000);
    isLong = false;
    await cluster.ours.join();

    const fireTime = await cluster.untilNextMinute(5_000);
    expect(cluster.itemsAt(fireTime)).toEqual({ java: [], ours: [] });
    await cluster.advance(20_000);

    const end = Math.max(...java.runs.filter((run) => run.fireTime === long).map(({ endedAt }) => endedAt!));
    const later = cluster.ours.runs(JOB).filter((run) => run.fireTime === fireTime);
    expect(later.length).toBeGreaterThan(0);
    expect(later.every(({ startedAt }) => startedAt >= end)).toBe(true);
  });

  it('given a leader that is paused, when somebody joins, then the plan does not wait for a fire time that does not come', async () => {
    await start({ instances: 1 });
    const java = await cluster.java();
    await cluster.untilNextMinute(1_000);
    cluster.ours.instances[0]!.runtime.registrar.pause(JOB);

    await cluster.ours.join();
    await cluster.advance(5_000);

    expect(await cluster.nodes('leader/sharding')).toEqual([]);
    expect(new Set(await cluster.owners())).toEqual(new Set([java.id, cluster.id(0), cluster.id(1)]));
  });

  it('given an item that Java has run for the last fire time, when it moves to ours in between, then ours does not run it for that', async () => {
    await start({ instances: 1 });
    await cluster.untilNextMinute(1_000);
    await cluster.java();
    await cluster.untilNextMinute(1_000);
    const before = cluster.told().length;
    cluster.ours.instances[0]!.runtime.registrar.pause(JOB);

    await cluster.ours.join();
    await cluster.advance(5_000);

    expect(cluster.ours.assignment(JOB).get(1)).toBe(1);
    expect(cluster.told(before)).toEqual([]);
  });

  it('given Java leads and is replacing the owners, when a fire time comes to ours, then it waits for the plan', async () => {
    await start({ instances: 0 });
    await cluster.java({ latencyMs: 50 });
    await cluster.untilNextMinute(3_000);
    await cluster.ours.join();

    await cluster.untilNextMinute(500);
    expect(cluster.itemsAt(cluster.minute()).ours).toEqual([]);
    await cluster.advance(5_000);

    expect(cluster.itemsAt(cluster.minute())).toEqual({ java: [0, 1], ours: [2, 3] });
  });

  it('fault 3: given Java leads and waits for an item with the plan, when ours joins meanwhile, then ours gets its items at the next fire time', async () => {
    await start({ instances: 0 });
    const leader = await cluster.java();
    let isSlow = false;
    await cluster.java({ serverIp: '10.0.0.8', handler: () => isSlow && cluster.ours.clock.sleep(70_000) });
    await cluster.untilNextMinute(1_000);
    expect(await cluster.leader()).toBe(leader.id);
    isSlow = true;
    await cluster.untilNextMinute(1_000);
    isSlow = false;
    await cluster.operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
    await cluster.untilNextMinute(2_000); // The leader has read the members.

    await cluster.ours.join();
    await cluster.advance(20_000);
    expect(await cluster.owners()).not.toContain(cluster.id(0));
    const fireTime = await cluster.untilNextMinute(2_000);

    expect(await cluster.owners()).toContain(cluster.id(0));
    expect(cluster.itemsAt(fireTime).ours).not.toEqual([]);
  });

  it('fault 3: given Java leads and waits for an item with the plan, when another Java peer joins meanwhile, then one of ours sees to its items', async () => {
    let isSlow = false;
    await start({ instances: 0, handler: async () => void (isSlow && (await cluster.ours.clock.sleep(70_000))) });
    const leader = await cluster.java();
    await cluster.ours.join();
    await cluster.untilNextMinute(1_000);
    expect(await cluster.leader()).toBe(leader.id);
    isSlow = true;
    await cluster.untilNextMinute(1_000);
    isSlow = false;
    await cluster.operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
    await cluster.untilNextMinute(2_000); // The leader has read the members.

    const late = await cluster.java({ serverIp: '10.0.0.8' });
    await cluster.advance(20_000);
    expect(await cluster.owners()).not.toContain(late.id);
    for (let minute = 0; minute < 2; minute++) await cluster.untilNextMinute(2_000);

    expect(await cluster.owners()).toContain(late.id);
  });

  it('fault 5: given a Java peer that reconnects in its session, when the flag has gone, then every item is where it was and ran once', async () => {
    await start({ instances: 2, handler: () => cluster.ours.clock.sleep(5_000) });
    const java = await cluster.java({ handler: () => cluster.ours.clock.sleep(5_000) });
    await cluster.untilNextMinute(10_000);
    const owners = await cluster.owners();
    const fireTime = await cluster.untilNextMinute(1_000);

    await cluster.ours.clock.advanceUntil(java.reconnect());
    await cluster.advance(20_000);
    const { java: theirs, ours } = cluster.itemsAt(fireTime);
    expect([...theirs, ...ours].toSorted(ascending)).toEqual(range(4));
    expect(cluster.told().some((run) => run.includes('FAILOVER'))).toBe(false);

    await cluster.untilNextMinute(10_000);
    expect(await cluster.owners()).toEqual(owners);
  });
});

describe('a Java peer whose node is away for a moment', () => {
  it('fault 5: given a fire time comes just then, when the plan is made, then it waits for the peer and moves nothing', async () => {
    await start({ instances: 2 });
    const java = await cluster.java();
    await cluster.java({ serverIp: '10.0.0.8' });
    await cluster.untilNextMinute(1_000);
    const owners = await cluster.owners();
    const path = `/${JOB}/instances/${java.id}`;
    const { data } = (await cluster.operator.read(path))!;
    await cluster.untilNextMinute(-300);

    await cluster.operator.delete(path);
    await cluster.advance(500);
    expect(await cluster.owners()).toEqual(owners);
    await cluster.operator.create(path, data, 'EPHEMERAL');
    await cluster.advance(10_000);

    expect(await cluster.owners()).toEqual(owners);
    expect(await cluster.nodes('leader/sharding')).toEqual([]);
    expect(cluster.itemsAt(cluster.minute()).ours).toEqual([2, 3]);
  });
});

describe('settings that Java cannot share', () => {
  it('given Java is there, when ours starts with such settings, then it does not start and says which they are', async () => {
    await start({ instances: 0, job: { timeZone: 'Europe/Berlin' } });
    await cluster.java({ config: { ...JAVA_CONFIG, props: "\n  nestjs.timeZone: 'Europe/Berlin'" } });

    await expect(cluster.ours.join()).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('Europe/Berlin'),
    });
  });

  it('given ours runs with such settings, when Java joins, then ours begins nothing until Java has left', async () => {
    await start({ instances: 1, job: { timeZone: 'Europe/Berlin' } });
    await cluster.untilNextMinute(1_000);

    const java = await cluster.java();
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual([]);
    expect(statusOf(0)).toMatchObject({
      isJoined: true,
      mixedWith: [java.id],
      problem: expect.stringContaining('Europe/Berlin'),
    });
    expect(cluster.ours.events(0)).toContainEqual({
      kind: 'mixed',
      jobName: JOB,
      peers: [java.id],
      unshareable: [expect.stringContaining('Europe/Berlin')],
    });

    await cluster.ours.clock.advanceUntil(java.shutdown());
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual(range(4));
    expect(statusOf(0)).toMatchObject({ mixedWith: [], problem: undefined });
  });
});

const JAVA_CONFIG = {
  cron: '0 * * * * ?',
  failover: true,
  misfire: true,
  monitorExecution: true,
  shardingTotalCount: 4,
};

async function start(options: MixedClusterOptions): Promise<void> {
  cluster = await MixedCluster.start(options);
}

function statusOf(instance: number) {
  return cluster.ours.instances[instance]!.runtime.status().jobs[0];
}
