import { afterEach, describe, expect, it } from 'vitest';
import { parseRunRecord } from '../../libs/elastic-job/src/domain/index.js';
import type { JavaPeer } from './support/java-peer.js';
import { JOB, MixedCluster, type MixedClusterOptions } from './support/mixed-cluster.js';
import { allNodes } from './support/registry-walk.js';
import { ascending, range } from './support/run-checks.js';

let cluster: MixedCluster;
afterEach(() => cluster.stop());

/** While true, items of Java take a minute. */
let isSlow = false;
const slowly = () => isSlow && cluster.ours.clock.sleep(50_000);

describe('a Java peer that dies', () => {
  it('has its two items run again by ours, once, for their fire time, if ours leads', async () => {
    const java = await startSlow({ instances: 1 });
    const fireTime = cluster.minute();

    java.crash();
    await cluster.advance(20_000);

    expect(rescues()).toEqual([
      { item: 0, fireTime },
      { item: 1, fireTime },
    ]);
    expect(await marks()).toEqual([]);
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual(range(4));
  });

  it('has each item run again once if both kinds take over', async () => {
    const java = await startSlow({ instances: 2, job: { shardingTotalCount: 9 } });
    await cluster.java({ serverIp: '10.0.0.8' });
    await cluster.untilNextMinute(1_000);
    const fireTime = await cluster.untilNextMinute(1_000);
    isSlow = false;
    const items = java.running;
    expect(items.length).toBeGreaterThan(1);

    java.crash();
    await cluster.advance(30_000);

    const again = [...rescues().map(({ item }) => item), ...itemsSince(cluster.peers[1]!, fireTime)];
    expect(again.toSorted(ascending)).toEqual(items.toSorted(ascending));
    expect(await marks()).toEqual([]);
  });

  it.each([
    ['DISABLED', () => cluster.operator.set(`/${JOB}/servers/10.0.0.9`, 'DISABLED')],
    ['deleted', () => cluster.operator.delete(`/${JOB}/servers/10.0.0.9`)],
  ])('has its items run again although its server is %s and Java leads (fault 31)', async (_, change) => {
    isSlow = false;
    await start({ instances: 0 });
    const leader = await cluster.java({ serverIp: '10.0.0.8' });
    const victim = await cluster.java({ handler: slowly });
    await cluster.ours.join();
    await cluster.untilNextMinute(1_000);
    isSlow = true;
    const fireTime = await cluster.untilNextMinute(1_000);
    const items = victim.running;
    expect(await cluster.leader()).toBe(leader.id);
    expect(items.length).toBeGreaterThan(0);

    await change();
    victim.crash();
    await cluster.advance(20_000);

    expect([...rescues().map(({ item }) => item), ...itemsSince(leader, fireTime)].toSorted(ascending)).toEqual(items);
    expect(await marks()).toEqual([]);
  });

  it('has its items run again by ours after all Java peers have died together (fault 8)', async () => {
    isSlow = false;
    await start({ instances: 0 });
    const peers = [
      await cluster.java({ handler: slowly }),
      await cluster.java({ serverIp: '10.0.0.8', handler: slowly }),
    ];
    await cluster.untilNextMinute(1_000);
    isSlow = true;
    const fireTime = await cluster.untilNextMinute(1_000);
    expect(peers.flatMap(({ running }) => running)).toHaveLength(4);
    for (const peer of peers) peer.crash();
    await cluster.advance(20_000);

    await cluster.ours.join();
    await cluster.ours.join();
    await cluster.advance(5_000);

    expect(rescues()).toEqual(range(4).map((item) => ({ item, fireTime })));
    expect(await marks()).toEqual([]);
  });

  it('leaves an item to the next instance if its rescuer dies as well (fault 30)', async () => {
    const java = await startSlow({ instances: 2, handler: ({ source }) => source === 'FAILOVER' && never() });
    java.crash();
    await cluster.advance(15_000);
    const rescuers = new Set(
      cluster.ours.runs(JOB).flatMap((run) => (run.source === 'FAILOVER' ? [run.instance] : [])),
    );
    expect(rescuers.size).toBeGreaterThan(0);
    const [first] = rescuers;
    const taken = rescuesOf(first!);

    cluster.ours.crash(first!);
    await cluster.advance(20_000);

    expect(rescuesOf(1 - first!)).toEqual(expect.arrayContaining(taken));
  });

  it('loses no item that it runs if it is back within its grace', async () => {
    await startSlow({ instances: 1 });
    const java = cluster.peers[0]!;
    const path = `/${JOB}/instances/${java.id}`;
    const { data } = (await cluster.operator.read(path))!;

    await cluster.operator.delete(path);
    await cluster.advance(900);
    await cluster.operator.create(path, data, 'EPHEMERAL');
    await cluster.advance(10_000);

    expect(rescues()).toEqual([]);
    expect(java.running).toEqual([0, 1]);
  });
});

describe('an instance of ours that dies beside Java', () => {
  it('has its two items run again once, on either side', async () => {
    let hangs = false;
    await start({ instances: 2, handler: ({ source }) => hangs && source !== 'FAILOVER' && never() });
    const java = await cluster.java();
    await cluster.untilNextMinute(1_000);
    await cluster.untilNextMinute(1_000);
    hangs = true;
    const fireTime = await cluster.untilNextMinute(1_000);
    const victim = cluster.ours.instances.findIndex(({ runtime }) => !runtime.leader.isLeader(JOB));
    const items = runningOf(victim);
    expect(items.length).toBeGreaterThan(0);

    cluster.ours.crash(victim);
    await cluster.advance(20_000);

    const again = [...rescues().map(({ item }) => item), ...itemsSince(java, fireTime)];
    expect(again.toSorted(ascending)).toEqual(items);
  });

  it('leaves lead and items to Java if only Java is left', async () => {
    await start({ instances: 1 });
    const java = await cluster.java();
    await cluster.untilNextMinute(1_000);

    cluster.ours.crash(0);
    await cluster.advance(20_000);

    expect(await cluster.leader()).toBe(java.id);
    expect(cluster.itemsAt(await cluster.untilNextMinute(2_000)).java).toEqual(range(4));
  });
});

describe('an item that Java interferes with', () => {
  it('succeeds and is not repeated if a late survivor queues it and deletes its mark (fault 10)', async () => {
    let isLong = true;
    await start({ instances: 2, handler: () => isLong && cluster.ours.clock.sleep(10_000) });
    await cluster.java();
    await cluster.untilNextMinute(20_000);
    await cluster.untilNextMinute(1_000);
    isLong = false;
    const [run] = cluster.ours.runs(JOB).slice(-1);
    const before = cluster.told().length;

    // The Java peer is busy, or it would take the item.
    await cluster.operator.create(`/${JOB}/leader/failover/items/${run!.item}`, '', 'PERSISTENT');
    await cluster.operator.delete(`/${JOB}/sharding/${run!.item}/running`);
    await cluster.advance(20_000);

    expect(cluster.told(before)).toEqual([]);
    expect(await recordOf(run!.item)).toMatchObject({ record: { settled: { outcome: 'succeeded' } } });
    expect(await cluster.nodes('leader/failover/items')).toEqual([]);
    expect(settledOf(run!.instance, run!.item)).toBe('succeeded');
  });

  it('leaves no queue entry for a failover that has ended here (fault 11)', async () => {
    const java = await startSlow({ instances: 1 });
    await cluster.java({ serverIp: '10.0.0.8', handler: never });
    java.crash();
    await cluster.advance(15_000);
    const before = cluster.told().length;
    const { item } = rescues()[0]!;

    await cluster.operator.create(`/${JOB}/leader/failover/items/${item}`, '', 'PERSISTENT');
    await cluster.advance(5_000);

    expect(cluster.told(before)).toEqual([]);
    expect(await cluster.nodes('leader/failover/items')).toEqual([]);
  });

  it('ends quietly if Java has shrunk the total below it', async () => {
    await start({
      instances: 0,
      handler: ({ shardingItem }) => shardingItem === 3 && cluster.ours.clock.sleep(90_000),
    });
    await cluster.java();
    await cluster.ours.join();
    await cluster.untilNextMinute(1_000);
    const { data } = (await cluster.operator.read(`/${JOB}/config`))!;

    await cluster.operator.set(`/${JOB}/config`, data.replace('shardingTotalCount: 4', 'shardingTotalCount: 2'));
    await cluster.operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
    await cluster.untilNextMinute(1_000);
    expect(await cluster.nodes('sharding')).toEqual(['0', '1']);
    await cluster.untilNextMinute(1_000);

    expect(settledOf(0, 3)).toBe('succeeded');
    expect(cluster.ours.events(0).filter(({ kind }) => kind === 'error')).toEqual([]);
  });

  it('succeeds if an operator has switched off the marks while it runs', async () => {
    await start({ instances: 1, handler: () => cluster.ours.clock.sleep(10_000) });
    await cluster.java();
    await cluster.untilNextMinute(20_000);
    await cluster.untilNextMinute(1_000);
    for (const item of [2, 3]) await cluster.operator.delete(`/${JOB}/sharding/${item}/running`);

    await cluster.advance(15_000);

    expect([settledOf(0, 2), settledOf(0, 3)]).toEqual(['succeeded', 'succeeded']);
    expect(await recordOf(2)).toMatchObject({ record: { settled: { outcome: 'succeeded' } } });
  });
});

/** Instances of ours and one Java peer, which runs items 0 and 1 for a long time. */
async function startSlow(options: MixedClusterOptions): Promise<JavaPeer> {
  isSlow = false;
  await start(options);
  const java = await cluster.java({ handler: slowly });
  await cluster.untilNextMinute(1_000);
  isSlow = true;
  await cluster.untilNextMinute(1_000);
  return java;
}

async function start(options: MixedClusterOptions): Promise<void> {
  cluster = await MixedCluster.start(options);
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function rescues(): { item: number; fireTime: number }[] {
  return cluster.ours
    .runs(JOB)
    .filter(({ source }) => source === 'FAILOVER')
    .map(({ item, fireTime }) => ({ item, fireTime }))
    .toSorted((a, b) => a.item - b.item);
}

function rescuesOf(instance: number): number[] {
  const runs = cluster.ours.runs(JOB).filter((run) => run.instance === instance && run.source === 'FAILOVER');
  return runs.map(({ item }) => item);
}

function runningOf(instance: number): number[] {
  const runs = cluster.ours.runs(JOB).filter((run) => run.instance === instance && run.endedAt === undefined);
  return runs.map(({ item }) => item).toSorted(ascending);
}

/** Items that a Java peer has run after a fire time, such as its failovers. */
function itemsSince({ runs }: JavaPeer, fireTime: number): number[] {
  return runs.filter((run) => run.fireTime > fireTime).map(({ item }) => item);
}

/** Marks and queue entries by which an item would be held or would wait. */
async function marks(): Promise<string[]> {
  const nodes = await allNodes(cluster.operator, `/${JOB}`);
  return nodes
    .map(({ path }) => path)
    .filter((path) => /\/(running|failover|failovering)$|failover\/items\/\d+$/.test(path))
    .filter((path) => path !== `/${JOB}/leader/failover`);
}

async function recordOf(item: number) {
  return parseRunRecord((await cluster.read(`sharding/${item}/record`)) ?? '');
}

function settledOf(instance: number, item: number): string | undefined {
  const settled = cluster.ours
    .events(instance)
    .flatMap((event) => (event.kind === 'settled' && event.item === item ? [event.outcome.kind] : []));
  return settled.at(-1);
}
