import { afterEach, describe, expect, it } from 'vitest';
import { JOB, MixedCluster } from './support/mixed-cluster.js';
import { ascending, range } from './support/run-checks.js';

let cluster: MixedCluster;
afterEach(() => cluster.stop());

describe('resharding beside Java', () => {
  it('sets the flag at once when ours leads and somebody joins, and plans at the next fire time', async () => {
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

  it('keeps a fire time waiting for an item of Java no longer than the limit (fault 7)', async () => {
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

  it('runs the fire time on the new plan if a long item of Java ends in time, and nothing twice at once', async () => {
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

  it('does not wait for a fire time with the plan if the leader is paused', async () => {
    cluster = await MixedCluster.start({ instances: 1 });
    const java = await cluster.java();
    await cluster.untilNextMinute(1_000);
    cluster.ours.instances[0]!.runtime.registrar.pause(JOB);

    await cluster.ours.join();
    await cluster.advance(5_000);

    expect(await cluster.nodes('leader/sharding')).toEqual([]);
    expect(new Set(await cluster.owners())).toEqual(new Set([java.id, cluster.id(0), cluster.id(1)]));
  });

  it('does not repeat an item that Java has run for the last fire time and that moves to ours', async () => {
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

  it('holds a fire time of ours back while Java replaces the owners', async () => {
    cluster = await MixedCluster.start({ instances: 0 });
    await cluster.java({ latencyMs: 50 });
    await cluster.untilNextMinute(3_000);
    await cluster.ours.join();

    await cluster.untilNextMinute(500);
    expect(cluster.itemsAt(cluster.minute()).ours).toEqual([]);
    await cluster.advance(5_000);

    expect(cluster.itemsAt(cluster.minute())).toEqual({ java: [0, 1], ours: [2, 3] });
  });

  it('gives ours its items at the next fire time if it joins while Java waits with the plan (fault 3)', async () => {
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

  it('gives a Java peer its items, by ours, if it joins while Java waits with the plan (fault 3)', async () => {
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

  it('moves and repeats nothing when a Java peer reconnects in its session (fault 5)', async () => {
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
  it('is waited for by the plan of a fire time, and nothing moves (fault 5)', async () => {
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
