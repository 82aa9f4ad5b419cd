import { afterEach, describe, expect, it } from 'vitest';
import { JOB, MixedCluster } from './support/mixed-cluster.js';
import { ascending, range } from './support/run-checks.js';

let cluster: MixedCluster;
afterEach(() => cluster.stop());

describe('resharding beside Java', () => {
  it('given ours leads, when somebody joins, then the flag stands at once and the plan comes with the next fire time', async () => {
    cluster = await MixedCluster.start({ instances: 1 });
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
    cluster = await MixedCluster.start({ instances: 1, job: { shardingTimeoutMs: 5_000 } });
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
    cluster = await MixedCluster.start({ instances: 1 });
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
    cluster = await MixedCluster.start({ instances: 1 });
    const java = await cluster.java();
    await cluster.untilNextMinute(1_000);
    cluster.ours.instances[0]!.runtime.registrar.pause(JOB);

    await cluster.ours.join();
    await cluster.advance(5_000);

    expect(await cluster.nodes('leader/sharding')).toEqual([]);
    expect(new Set(await cluster.owners())).toEqual(new Set([java.id, cluster.id(0), cluster.id(1)]));
  });

  it('given an item that Java has run for the last fire time, when it moves to ours in between, then ours does not run it for that', async () => {
    cluster = await MixedCluster.start({ instances: 1 });
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
    cluster = await MixedCluster.start({ instances: 0 });
    await cluster.java({ latencyMs: 50 });
    await cluster.untilNextMinute(3_000);
    await cluster.ours.join();

    await cluster.untilNextMinute(500);
    expect(cluster.itemsAt(cluster.minute()).ours).toEqual([]);
    await cluster.advance(5_000);

    expect(cluster.itemsAt(cluster.minute())).toEqual({ java: [0, 1], ours: [2, 3] });
  });

  it('fault 3: given Java leads and waits for an item with the plan, when ours joins meanwhile, then ours gets its items at the next fire time', async () => {
    cluster = await MixedCluster.start({ instances: 0 });
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
    cluster = await MixedCluster.start({
      instances: 0,
      handler: async () => void (isSlow && (await cluster.ours.clock.sleep(70_000))),
    });
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
    cluster = await MixedCluster.start({ instances: 2, handler: () => cluster.ours.clock.sleep(5_000) });
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
    cluster = await MixedCluster.start({ instances: 2 });
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
