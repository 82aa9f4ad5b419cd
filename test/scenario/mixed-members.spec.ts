import { afterEach, describe, expect, it } from 'vitest';
import { JOB, MINUTE, MixedCluster, type MixedClusterOptions } from './support/mixed-cluster.js';
import { ascending, range } from './support/run-checks.js';

let cluster: MixedCluster;
afterEach(() => cluster.stop());

describe('leadership beside Java', () => {
  it("ours leads once Java's session is over, and items move at the next fire time", async () => {
    await start({ instances: 0 });
    const java = await cluster.java();
    await cluster.ours.join();
    await cluster.untilNextMinute(1_000);
    expect(await cluster.leader()).toBe(java.id);

    java.crash();
    await cluster.advance(20_000);

    expect(await cluster.leader()).toBe(cluster.id(0));
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: [], ours: range(4) });
  });

  it('one leads and every latch is given back if both kinds stand at the same time', async () => {
    await start({ instances: 3 });
    await cluster.java({ latencyMs: 3 });
    await cluster.java({ serverIp: '10.0.0.8', latencyMs: 7 });
    await cluster.untilNextMinute(1_000);

    for (let round = 0; round < 5; round++) {
      await cluster.operator.delete(`/${JOB}/leader/election/instance`);
      await cluster.advance(2_000);
      const leader = await cluster.leader();
      const believers = cluster.ours.instances.filter(({ runtime }) => runtime.leader.isLeader(JOB));
      expect(believers.map(({ instanceIds }) => [...instanceIds].at(-1))).toEqual(isOurs(leader) ? [leader] : []);
      expect(await cluster.nodes('leader/election/latch')).toEqual([]);
    }
  });

  it('ours ends its term if Java overwrites the election node in a race', async () => {
    await start({ instances: 1 });
    const java = await cluster.java();
    await cluster.untilNextMinute(1_000);
    const { leader } = cluster.ours.instances[0]!.runtime;
    const term = leader.term(JOB)!;

    await cluster.operator.delete(`/${JOB}/leader/election/instance`);
    await cluster.operator.create(`/${JOB}/leader/election/instance`, java.id, 'EPHEMERAL');
    await cluster.advance(1_000);

    expect(term.signal.aborted).toBe(true);
    expect(leader.isLeader(JOB)).toBe(false);
    expect(await cluster.operator.transaction([...term.guard])).toMatchObject({ kind: 'refused' });
  });

  it('ours leads after a while even if somebody keeps the latch (fault 29)', async () => {
    await start({ instances: 1 });
    await cluster.java();
    await cluster.untilNextMinute(1_000);
    await cluster.operator.create(
      `/${JOB}/leader/election/latch/_c_00000000-0000-4000-8000-000000000000-latch-`,
      '',
      'EPHEMERAL_SEQUENTIAL',
    );

    await cluster.operator.delete(`/${JOB}/leader/election/instance`);
    await cluster.advance(1_000);
    expect(await cluster.leader()).toBeUndefined();
    await cluster.advance(10_000);

    expect(await cluster.leader()).toBe(cluster.id(0));
  });

  it('only the enabled server stands if its address begins with that of a disabled one (fault 9)', async () => {
    await start({ instances: 1 });
    await cluster.java({ serverIp: '10.0.0.10' });
    await cluster.untilNextMinute(1_000);

    await cluster.operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
    await cluster.advance(2_000);

    expect(await cluster.leader()).toBe('10.0.0.10@-@4711');
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: range(4), ours: [] });
  });
});

describe('the server node of ours', () => {
  it.each(['ENABLED', 'DISABLED'])(
    'says %s again after a starting Java peer has deleted it (fault 1)',
    async (status) => {
      await start({ instances: 1 });
      await cluster.operator.set(`/${JOB}/servers/10.0.0.1`, status);
      await cluster.advance(1_000);

      await cluster.operator.delete(`/${JOB}/servers/10.0.0.1`);
      await cluster.advance(1_000);

      expect(await cluster.read('servers/10.0.0.1')).toBe(status);
    },
  );

  it('is there for each of ours if both kinds start at the same moment (fault 1)', async () => {
    await start({ instances: 1 });
    cluster.launchJava();
    cluster.launchJava({ serverIp: '10.0.0.8' }); // These two may delete each other's server node, but not ours.

    await cluster.ours.join();
    await cluster.advance(5_000);

    const { java, ours } = cluster.itemsAt(await cluster.untilNextMinute(2_000));
    expect([...java, ...ours].toSorted(ascending)).toEqual(range(4));
    expect(await cluster.nodes('servers')).toEqual(expect.arrayContaining(['10.0.0.1', '10.0.0.2']));
    expect(await cluster.owners()).toEqual(expect.arrayContaining([cluster.id(0), cluster.id(1)]));
  });

  it('does not come back after an operator has removed it', async () => {
    await start({ instances: 2 });

    await cluster.operator.delete(`/${JOB}/instances/${cluster.id(1)}`);
    await cluster.operator.delete(`/${JOB}/servers/10.0.0.2`);
    await cluster.advance(5_000);

    expect(await cluster.nodes('servers')).toEqual(['10.0.0.1']);
  });

  it('stays disabled when the instance leaves and another one starts there (fault 13)', async () => {
    await start({ instances: 1 });
    const java = await cluster.java({ serverIp: '10.0.0.2' });
    await cluster.untilNextMinute(1_000);
    await cluster.ours.clock.advanceUntil(java.shutdown());
    await cluster.operator.set(`/${JOB}/servers/10.0.0.2`, 'DISABLED');

    await cluster.ours.join();

    expect(await cluster.read('servers/10.0.0.2')).toBe('DISABLED');
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual(range(4));
    expect(new Set(await cluster.owners())).toEqual(new Set([cluster.id(0)]));
  });
});

describe('catching up beside Java', () => {
  it('one item of ours that outlasts a fire time runs once more, alone (fault 15)', async () => {
    let isLong = false;
    await start({
      instances: 1,
      handler: ({ shardingItem }) => isLong && shardingItem === 2 && cluster.ours.clock.sleep(70_000),
    });
    await cluster.java();
    await cluster.untilNextMinute(1_000);
    isLong = true;
    await cluster.untilNextMinute(1_000);
    isLong = false;
    const before = cluster.told().length;

    await cluster.untilNextMinute(20_000);

    expect(cluster.told(before)).toEqual(['3 NORMAL_TRIGGER', '2 MISFIRE']);
    expect(await cluster.nodes('sharding/2')).toEqual(['instance', 'record']);
  });

  it('an item that was flagged does not run once more if misfire is off (fault 15)', async () => {
    let isLong = false;
    await start({
      instances: 1,
      job: { misfire: false },
      handler: ({ shardingItem }) => isLong && shardingItem === 2 && cluster.ours.clock.sleep(40_000),
    });
    await cluster.java();
    await cluster.untilNextMinute(1_000);
    isLong = true;
    await cluster.untilNextMinute(1_000);
    const before = cluster.told().length;

    await cluster.operator.create(`/${JOB}/sharding/2/misfire`, '', 'PERSISTENT');
    await cluster.advance(50_000);

    expect(cluster.told(before)).toEqual([]);
  });

  it('runs an item once for the missed fire time if its dead owner left a flag', async () => {
    let hangs = false;
    await start({ instances: 1, job: { failover: false } });
    const java = await cluster.java({ handler: (item) => hangs && item === 0 && new Promise(() => {}) });
    await cluster.untilNextMinute(1_000);
    hangs = true;
    await cluster.untilNextMinute(1_000);
    await cluster.operator.create(`/${JOB}/sharding/0/misfire`, '', 'PERSISTENT');
    java.crash();

    const fireTime = await cluster.untilNextMinute(5_000);

    expect(cluster.itemsAt(fireTime)).toEqual({ java: [], ours: range(4) });
    expect(await cluster.nodes('sharding/0')).toEqual(['instance', 'record']);
  });

  it('does not run an item again that Java has begun for this fire time before it moved here', async () => {
    await start({ instances: 1 });
    const java = '10.0.0.9@-@4711';
    const [root, item] = [`/${JOB}`, `/${JOB}/sharding/0`];
    await cluster.operator.create(`${root}/instances/${java}`, 'jobInstanceId: x\nserverIp: 10.0.0.9\n', 'EPHEMERAL');
    await cluster.operator.transaction([
      { kind: 'renew', path: `${root}/leader/election/instance`, data: java, mode: 'EPHEMERAL' },
    ]);
    await cluster.operator.set(`${item}/instance`, java);
    const fireTime = (await cluster.untilNextMinute(-1)) + MINUTE;
    // The peer has looked for the flag just before it was set, and runs item 0 while ours waits for the plan.
    await cluster.operator.create(`${root}/leader/sharding/necessary`, '', 'PERSISTENT');
    await cluster.advance(50);
    await cluster.operator.create(`${item}/running`, java, 'EPHEMERAL');
    await cluster.advance(50);
    await cluster.operator.delete(`${item}/running`);
    await cluster.operator.transaction([
      { kind: 'set', path: `${item}/instance`, data: cluster.id(0) },
      { kind: 'delete', path: `${root}/leader/sharding/necessary` },
    ]);
    await cluster.advance(2_000);

    expect(cluster.itemsAt(fireTime).ours).toEqual([1, 2, 3]);
    const refused = cluster.ours.events(0).flatMap((event) => (event.kind === 'refused' ? [event] : []));
    expect(refused).toMatchObject([{ items: [0], cause: 'alreadyBegun' }]);
  });
});

describe('the cost for a Java peer', () => {
  it('writes one mark and one record for each item at a fire time, and nothing else', async () => {
    await start({ instances: 1 });
    await cluster.java();
    await cluster.untilNextMinute(1_000);
    await cluster.untilNextMinute(-100);
    const told: string[] = [];
    const view = await cluster.operator.openSubtree(`/${JOB}`, (event) => {
      if (event.kind !== 'reset' && /sharding\/[23]/.test(event.path)) told.push(`${event.kind} ${event.path}`);
    });

    await cluster.advance(5_000);
    view.close();

    const item = `/${JOB}/sharding/2`;
    expect(told.filter((text) => text.includes(item))).toEqual([
      `created ${item}/running`,
      `changed ${item}/record`,
      `deleted ${item}/running`,
    ]);
  });
});

async function start(options: MixedClusterOptions): Promise<void> {
  cluster = await MixedCluster.start(options);
}

function isOurs(instanceId: string | undefined): boolean {
  return cluster.ours.instances.some(({ instanceIds }) => instanceIds.has(instanceId!));
}
