import { afterEach, describe, expect, it } from 'vitest';
import type { JobOptions, ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { ask, askWith, editConfig, idOf } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';
import { expectNoOverlap, itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
let contexts: ShardingContext[];
afterEach(() => cluster.stop());

describe('a trigger of an operator', () => {
  it('given a one-off job on two instances, when it is triggered, then each item runs once, with what was passed along', async () => {
    await startCluster({ instances: 2 });
    await cluster.advance(10 * MINUTE);
    expect(contexts).toEqual([]);

    await ask(cluster, operator, JOB, { id: 'abc', parameters: 'only Tuesday' });
    await cluster.advance(1_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
    expect(new Set(cluster.runs(JOB).map(({ instance }) => instance))).toEqual(new Set([0, 1]));
    for (const { trigger } of contexts) expect(trigger).toEqual({ id: 'abc', parameters: 'only Tuesday' });
    expect(contexts.every(({ source }) => source === 'NORMAL_TRIGGER')).toBe(true);
    expect(await operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it("given Java's empty request, when it is taken, then its id and instant are the node's", async () => {
    await startCluster({ instances: 1 });
    await askWith(cluster, operator, JOB, '');
    const { stat } = (await operator.read(`/${JOB}/trigger/${idOf(cluster, 0)}`))!;

    await cluster.advance(1_000);

    expect(contexts[0]!.trigger).toEqual({ id: stat.czxid.toString(), parameters: undefined });
    expect(contexts[0]!.fireTime.getTime()).toBe(stat.ctime);
  });

  it('given a scheduled job, when it is triggered twice, then it runs twice more', async () => {
    await startCluster({ instances: 1, cron: '0 * * * * ?' });
    await untilNextMinute(1_000);

    for (const id of ['a', 'b']) {
      await ask(cluster, operator, JOB, { id });
      await cluster.advance(1_000);
    }

    expect(origins()).toEqual([...Array(4).fill('schedule'), ...Array(4).fill('a'), ...Array(4).fill('b')]);
  });

  it('given the resharding flag, when the job is triggered, then the trigger waits for the new owners', async () => {
    await startCluster({ instances: 1 });
    const late = await cluster.join();
    await ask(cluster, operator, JOB, { id: 'a' });

    await cluster.advance(2_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
    expect(new Set(cluster.runs(JOB).map(({ instance }) => instance))).toEqual(new Set([0, late]));
  });

  it('given an item that has run for a request, when it goes to an instance that is late with it, then it does not run again', async () => {
    await startCluster({ instances: 2, cron: '* * * * * ?' });
    await cluster.advance(2_000);
    cluster.pause(0);
    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(2_000);
    expect(origins(0)).toContain('a');

    await operator.set(`/${JOB}/sharding/0/instance`, idOf(cluster, 0));
    await cluster.resume(0);
    await cluster.advance(2_000);

    expect(runsOfRequest('a')).toEqual(range(4));
    expect(cluster.events(0)).toContainEqual(
      expect.objectContaining({ kind: 'refused', items: [0], cause: 'alreadyBegun' }),
    );
  });

  it('given items that are failed over, when the job is triggered, then they run for the trigger as soon as they are released', async () => {
    const handler = ({ trigger }: ShardingContext) => trigger === 'schedule' && sleep(5_000);
    await startCluster({ instances: 2, cron: '0 * * * * ?', failover: true, handler });
    await untilNextMinute(1_000);
    cluster.crash(0);
    await cluster.advance(11_000);
    expect(contexts.filter(({ source }) => source === 'FAILOVER')).toHaveLength(2);

    await ask(cluster, operator, JOB, { id: 'a' }, [1]);
    await cluster.advance(10_000);

    expect(runsOfRequest('a')).toEqual(range(4));
  });

  it('given items that go to an instance which came after the request, when the request is taken, then none of them is forgotten', async () => {
    await startCluster({ instances: 1 });
    cluster.partition(0);
    await ask(cluster, operator, JOB, { id: 'a' });
    const late = await cluster.join();
    await operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');

    await cluster.heal(0);
    await cluster.advance(2_000);

    expect([...cluster.assignment(JOB).values()].filter((owner) => owner === late)).toHaveLength(2);
    expect(cluster.events(0)).toContainEqual(expect.objectContaining({ kind: 'triggered', items: [2, 3] }));
    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
  });

  it('given an item that its former owner runs for the same trigger, when its new owner is asked as well, then it runs once', async () => {
    await startCluster({ instances: 1, handler: () => sleep(20_000) });
    await ask(cluster, operator, JOB, { id: 'a' });
    const { fireTime } = await cluster.advance(1_000).then(() => contexts[0]!);
    const late = await cluster.join();
    await cluster.advance(2_000);

    // Both were asked at the same time, and the one had to wait for the resharding.
    cluster.clock.setWall(fireTime.getTime());
    await ask(cluster, operator, JOB, { id: 'a' }, [late]);
    await cluster.advance(50_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
    expect(cluster.events(late)).toContainEqual(expect.objectContaining({ kind: 'refused', cause: 'alreadyBegun' }));
    expect(cluster.events(late).map(({ kind }) => kind)).not.toContain('postponed');
  });

  it('given a request that comes while the instance is cut off, when it is back, then it runs', async () => {
    await startCluster({ instances: 1 });
    cluster.partition(0);
    await cluster.advance(1_000);
    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);

    await cluster.heal(0);
    await cluster.advance(1_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
  });

  it.each([
    ['removal of the request', 10],
    ['begin', 36],
    ['settle', 46],
  ])('given the answer to the %s is lost, when the instance goes on, then each item has run once', async (_, ms) => {
    await startCluster({ instances: 1 });
    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(ms);

    cluster.registry.loseNextReply(cluster.instances[0]!.center.session.id!);
    await cluster.advance(10_000);

    expect(cluster.events(0)).toContainEqual(expect.objectContaining({ kind: 'session', state: 'SUSPENDED' }));
    expect(itemsOf(cluster.runs(JOB))).toEqual(range(4));
    expect(await operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('given a disabled server, when it is asked, then it takes the request and runs nothing, also not when enabled', async () => {
    await startCluster({ instances: 1 });
    await operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
    await cluster.advance(1_000);

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);
    expect(await operator.children(`/${JOB}/trigger`)).toEqual([]);
    expect(skipped()).toEqual(['server 10.0.0.1 is disabled']);

    await operator.set(`/${JOB}/servers/10.0.0.1`, 'ENABLED');
    await cluster.advance(MINUTE);
    expect(contexts).toEqual([]);
  });

  it('given a disabled item, when the job is triggered, then the others run', async () => {
    await startCluster({ instances: 1 });
    await operator.create(`/${JOB}/sharding/2/disabled`, '', 'PERSISTENT');

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);

    expect(itemsOf(cluster.runs(JOB))).toEqual([0, 1, 3]);
  });

  it('given a paused schedule, when the job is triggered, then it runs', async () => {
    await startCluster({ instances: 1, cron: '0 * * * * ?' });
    cluster.instances[0]!.runtime.registrar.pause(JOB);

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);

    expect(origins()).toEqual(Array(4).fill('a'));
  });

  it('given parameters that no begin can hold, when the job is triggered, then that is told, and the next trigger runs', async () => {
    await startCluster({ instances: 1 });
    await ask(cluster, operator, JOB, { id: 'huge', parameters: 'x'.repeat(260_000) });
    await cluster.advance(1_000);
    expect(contexts).toEqual([]);
    expect(errors()).toEqual(['the trigger manual:huge failed']);

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);

    expect(origins()).toEqual(Array(4).fill('a'));
  });

  it('tells of a request that is too large to be read, and runs nothing for it', async () => {
    await startCluster({ instances: 1 });
    await ask(cluster, operator, JOB, { id: 'huge', parameters: 'x'.repeat(300_000) });
    await cluster.advance(1_000);

    const reasons = cluster.events(0).flatMap((event) => (event.kind === 'skipped' ? event.reason : []));
    expect(reasons).toEqual([expect.stringContaining('its request cannot be read: it has more than 262144 bytes')]);
    expect(contexts).toEqual([]);
  });

  it('given a job that marks nothing as running, when it is triggered while it runs, then it runs again afterwards', async () => {
    await startCluster({ instances: 1, monitorExecution: false, handler: () => sleep(5_000) });

    for (const id of ['a', 'b']) {
      await ask(cluster, operator, JOB, { id });
      await cluster.advance(1_000);
    }
    await cluster.advance(10_000);

    expect(origins()).toEqual([...Array(4).fill('a'), ...Array(4).fill('b')]);
  });
});

it.each([
  [-1, 5],
  [60, 5],
])(
  'given maxTimeDiffSeconds %i, when an operator triggers the job, then that costs %i requests',
  async (maxTimeDiffSeconds, cost) => {
    await startCluster({ instances: 1, maxTimeDiffSeconds });
    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);
    const { foreground: before } = { ...cluster.instances[0]!.center.traffic };

    await ask(cluster, operator, JOB, { id: 'b' });
    await cluster.advance(1_000);

    expect(cluster.instances[0]!.center.traffic.foreground - before).toBe(cost);
  },
);

describe('a trigger that comes while items run', () => {
  it('fault 18: given item 0 still runs, when the job is triggered twice, then the free items begin at once and item 0 follows, twice', async () => {
    await startCluster({ instances: 1, handler: ({ shardingItem }) => sleep(shardingItem === 0 ? 10_000 : 100) });

    for (const id of ['a', 'b', 'c']) {
      await ask(cluster, operator, JOB, { id });
      await cluster.advance(1_000);
    }
    expect(origins(1)).toEqual(['a', 'b', 'c']);
    expect(origins(0)).toEqual(['a']);
    expect(postponed()).toEqual(['manual:b 0', 'manual:c 0']);

    await cluster.advance(30_000);
    expect(origins(0)).toEqual(['a', 'b', 'c']);
    expectNoOverlap(cluster.runs(JOB), ({ endedAt }) => endedAt!);
    expect(misfireFlagsSeen()).toBe(false);
  });

  it('fault 18: given an item that its former owner still runs, when its new owner is asked, then it runs as soon as it is released', async () => {
    await startCluster({
      instances: 1,
      handler: ({ trigger }) => trigger !== 'schedule' && trigger.id === 'a' && sleep(20_000),
    });
    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);
    const late = await cluster.join();
    await cluster.advance(2_000);

    await ask(cluster, operator, JOB, { id: 'b' });
    await cluster.advance(1_000);
    expect(origins()).toEqual(Array(4).fill('a'));

    await cluster.advance(20_000);
    expect(itemsOf(cluster.runs(JOB))).toEqual([...range(4), ...range(4)].toSorted((a, b) => a - b));
    expect(
      cluster
        .runs(JOB)
        .slice(4)
        .some(({ instance }) => instance === late),
    ).toBe(true);
  });

  it('given items that owe many fire times and end one by one, when the job is triggered, then each runs for it before all is caught up on', async () => {
    let runMs: ((item: number) => number) | undefined;
    const handler = ({ shardingItem }: ShardingContext) => runMs && sleep(runMs(shardingItem));
    await startCluster({ instances: 1, cron: '* * * * * ?', misfirePolicy: 'all', handler });
    runMs = () => MINUTE;
    await cluster.advance(2_000);
    runMs = (item) => 5 + 3 * item;
    await cluster.advance(MINUTE);
    await ask(cluster, operator, JOB, { id: 'a' });

    await cluster.advance(500);

    expect(runsOfRequest('a')).toEqual(range(4));
    for (const item of range(4)) expect(runsOf(item).at(-1)).toBe('schedule MISFIRE');
  });

  it('fault 18: given more triggers than may wait, when another comes, then it is skipped and that is told', async () => {
    await startCluster({ instances: 1, handler: () => new Promise(() => {}) });

    for (const id of range(102)) {
      await ask(cluster, operator, JOB, { id: `${id}` });
      await cluster.advance(100);
    }

    expect(postponed()).toHaveLength(100);
    expect(skipped()).toEqual(['100 triggers wait already']);
  });

  it('given triggers that wait, when the instance leaves, then it says which ones it did not run', async () => {
    await startCluster({ instances: 1, handler: ({ signal }) => cluster.clock.sleep(MINUTE, signal) });
    for (const id of ['a', 'b']) {
      await ask(cluster, operator, JOB, { id });
      await cluster.advance(1_000);
    }

    await cluster.leave(0);

    expect(skipped()).toEqual(['this instance leaves']);
    expect(origins()).toEqual(Array(4).fill('a'));
  });

  it('given an item that is disabled while a trigger waits for it, when it is released, then it is not run', async () => {
    await startCluster({ instances: 1, handler: () => sleep(5_000) });
    for (const id of ['a', 'b']) {
      await ask(cluster, operator, JOB, { id });
      await cluster.advance(1_000);
    }

    await operator.create(`/${JOB}/sharding/0/disabled`, '', 'PERSISTENT');
    await cluster.advance(10_000);

    expect(origins(0)).toEqual(['a']);
    expect(origins(1)).toEqual(['a', 'b']);
  });
});

describe('triggers beside the schedule', () => {
  it('given a manual run across a fire time, when it ends, then the fire time is caught up on once', async () => {
    await startCluster({
      instances: 1,
      cron: '0 * * * * ?',
      handler: ({ trigger }) => trigger !== 'schedule' && sleep(20_000),
    });
    await untilNextMinute(50_000);

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(25_000);

    expect(runsOf(0)).toEqual(['schedule NORMAL_TRIGGER', 'a NORMAL_TRIGGER', 'schedule MISFIRE']);
    await reshard();
    expect(runsOf(0)).toHaveLength(3);
  });

  it('given a trigger that was asked for before a fire time and runs after it, when items move, then the fire time is not run again', async () => {
    await startCluster({
      instances: 1,
      cron: '0 * * * * ?',
      handler: ({ trigger }) => trigger !== 'schedule' && sleep(10_000),
    });
    await untilNextMinute(1_000);
    await untilNextMinute(-5_000);
    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);
    await ask(cluster, operator, JOB, { id: 'b' });
    await cluster.advance(30_000);

    await reshard();

    expect(runsOf(0).toSorted()).toEqual(
      ['schedule NORMAL_TRIGGER', 'a NORMAL_TRIGGER', 'b NORMAL_TRIGGER', 'schedule MISFIRE'].toSorted(),
    );
  });

  it('given a manual run since the last fire time, when the instance misses the next one, then it catches up on it', async () => {
    await startCluster({ instances: 1, cron: '0 * * * * ?' });
    await untilNextMinute(1_000);
    await untilNextMinute(-5_000);
    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);

    cluster.partition(0);
    await cluster.advance(7_000);
    await cluster.heal(0);
    await cluster.advance(5_000);

    expect(runsOf(0)).toEqual(['schedule NORMAL_TRIGGER', 'a NORMAL_TRIGGER', 'schedule MISFIRE']);
  });
});

describe('a one-off job', () => {
  it.each([
    ['few', 'p'],
    ['many', 'p'.repeat(50_000)],
  ])(
    'given failover and %s parameters, when an instance dies in mid-run, then the others run its items for the same trigger',
    async (_, parameters) => {
      await startCluster({
        instances: 2,
        failover: true,
        handler: ({ source }) => source !== 'FAILOVER' && sleep(MINUTE),
      });
      await ask(cluster, operator, JOB, { id: 'a', parameters });
      await cluster.advance(1_000);
      const lost = itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 0));

      cluster.crash(0);
      await cluster.advance(15_000);

      const again = contexts.filter(({ source }) => source === 'FAILOVER');
      expect(itemsOf(cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER'))).toEqual(lost);
      for (const { trigger } of again) expect(trigger).toEqual({ id: 'a', parameters });
    },
  );

  it('fault 20: given a scheduled job, when its cron is removed and put back, then it stops and goes on by itself', async () => {
    await startCluster({ instances: 2, cron: '0 * * * * ?' });
    await untilNextMinute(1_000);
    expect(cluster.runs(JOB)).toHaveLength(4);

    await editConfig(operator, JOB, /^cron: .*\n/m, '');
    await cluster.advance(3 * MINUTE);
    expect(cluster.runs(JOB)).toHaveLength(4);
    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);
    expect(cluster.runs(JOB)).toHaveLength(8);

    await editConfig(operator, JOB, /^/, 'cron: 30 * * * * ?\n');
    await cluster.advance(1_000);
    expect(cluster.runs(JOB)).toHaveLength(8);
    await cluster.advance(MINUTE);
    expect(cluster.runs(JOB)).toHaveLength(12);
    expect(
      cluster
        .runs(JOB)
        .slice(8)
        .every(({ fireTime }) => fireTime % MINUTE === 30_000),
    ).toBe(true);
  });

  it('given a one-off job that became a scheduled one while this instance was shut down by an operator, when that is read, then nothing ticks here', async () => {
    await startCluster({ instances: 1 });
    await operator.delete(`/${JOB}/instances/${idOf(cluster, 0)}`);
    await editConfig(operator, JOB, /^/, 'cron: 0 * * * * ?\n');

    await cluster.advance(2 * MINUTE);

    expect(cluster.instances[0]!.runtime.registrar.isTicking(JOB)).toBe(false);
  });
});

type Options = Partial<Omit<JobOptions, 'name'>> & {
  readonly instances: number;
  readonly handler?: (context: ShardingContext) => unknown;
};

/** Without cron: a one-off job. */
async function startCluster({ instances, handler = () => {}, ...options }: Options): Promise<void> {
  contexts = [];
  const job = {
    name: JOB,
    shardingTotalCount: 4,
    ...options,
    handler: (context: ShardingContext) => {
      contexts.push(context);
      return handler(context);
    },
  };
  cluster = await createTestCluster({ instances, latencyMs: 10, drainTimeoutMs: 5_000, jobs: [job] });
  operator = await operatorOf(cluster);
}

async function reshard(): Promise<void> {
  await operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
  await cluster.advance(1_000);
}

/** Moves to an offset from the next full minute. */
function untilNextMinute(offset: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + offset);
}

function sleep(ms: number): Promise<void> {
  return cluster.clock.sleep(ms);
}

/** What has asked for the runs so far, in the order in which they began. */
function origins(item?: number): string[] {
  return contexts.filter(({ shardingItem }) => item === undefined || shardingItem === item).map(originOf);
}

function runsOf(item: number): string[] {
  return contexts
    .filter(({ shardingItem }) => shardingItem === item)
    .map((context) => `${originOf(context)} ${context.source}`);
}

function runsOfRequest(id: string): number[] {
  return contexts
    .filter((context) => originOf(context) === id)
    .map(({ shardingItem }) => shardingItem)
    .toSorted((a, b) => a - b);
}

function originOf({ trigger }: ShardingContext): string {
  return trigger === 'schedule' ? trigger : trigger.id;
}

function postponed(): string[] {
  return cluster
    .events(0)
    .flatMap((event) => (event.kind === 'postponed' ? [`${event.trigger.origin} ${event.items.join()}`] : []));
}

function skipped(): string[] {
  return cluster.events(0).flatMap((event) => (event.kind === 'skipped' ? [event.reason] : []));
}

function errors(): string[] {
  return cluster.events(0).flatMap((event) => (event.kind === 'error' ? [event.message] : []));
}

function misfireFlagsSeen(): boolean {
  return cluster.events(0).some(({ kind }) => kind === 'misfired');
}
