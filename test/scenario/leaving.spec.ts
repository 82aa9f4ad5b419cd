import { afterEach, describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { createTestCluster, type TestCluster, VirtualClock } from '../../libs/elastic-job/src/testing/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { MemoryRegistry } from '../../libs/elastic-job/src/registry/index.js';
import { resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { ascending, itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const HOURLY = '0 0 * * * ?';
const HOUR = 3_600_000;

let cluster: TestCluster;
afterEach(() => cluster?.stop());

describe('an instance that leaves in order', () => {
  it('given items that end within the deadline, when it leaves, then they end undisturbed and nothing of it is left', async () => {
    cluster = await startCluster({ instances: 1, handler: () => cluster.clock.sleep(5_000) });
    await cluster.advance(untilNextHour() + 1_000);

    await cluster.leave(0);

    expect(cluster.runs(JOB).map(({ startedAt, endedAt }) => endedAt! - startedAt)).toEqual([5_000, 5_000, 5_000]);
    expect(outcomes(0)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(errors(0)).toEqual([]);
    expect(await traces(await operatorOf(cluster), JOB)).toEqual([]);
    expect(cluster.clock.pendingTimers).toBe(0);
  });

  it('given items that it takes over with a fire time to catch up on, when it leaves at any moment of that, then it waits for what it begins', async () => {
    for (let moment = 0; moment <= 900; moment += 50) {
      const handler = () => cluster.clock.sleep(6_000);
      cluster = await startCluster({ instances: 1, total: 2, cron: '0/2 * * * * ?', latencyMs: 200, handler });
      while (cluster.runs(JOB).length < 2) await cluster.advance(10);
      await cluster.join();
      while (cluster.runs(JOB).some(({ endedAt }) => endedAt === undefined)) await cluster.advance(10);

      await cluster.advance(moment);
      await cluster.leave(1);

      const runs = cluster.runs(JOB).filter(({ instance }) => instance === 1);
      const cutShort = runs.filter(({ startedAt, endedAt }) => endedAt !== startedAt + 6_000);
      expect(cutShort, `leaving ${moment} ms after the release`).toEqual([]);
      await cluster.stop();
    }
  }, 20_000);

  it('given items that outlast the deadline, when it leaves, then they are told and another instance runs them again', async () => {
    cluster = await startCluster({ instances: 2, handler: untilAborted, drainTimeoutMs: 3_000 });
    await cluster.advance(untilNextHour() + 1_000);
    const aborted = itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 0));

    await cluster.leave(0);
    await cluster.advance(2_000);

    expect(outcomes(0)).toEqual(aborted.map(() => 'aborted'));
    const again = cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER');
    expect(itemsOf(again)).toEqual(aborted);
    expect(again.every(({ instance }) => instance === 1)).toBe(true);
  });

  it('given a handler that does not heed its signal, when its instance leaves, then the mark is swept and the item runs elsewhere', async () => {
    cluster = await startCluster({ instances: 2, handler: hang, drainTimeoutMs: 3_000 });
    await cluster.advance(untilNextHour() + 1_000);
    const hung = itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 0));

    await cluster.leave(0);
    await cluster.advance(5_000);

    expect(itemsOf(cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER'))).toEqual(hung);
    const operator = await operatorOf(cluster);
    for (const item of hung) expect(await operator.exists(`/${JOB}/sharding/${item}/running`)).toBeUndefined();
  });

  it('given a job that is removed while its failover run hangs, when others look, then they can take the item', async () => {
    let rescues = 0;
    const handler = ({ source }: ShardingContext) => {
      if (source === 'FAILOVER') rescues += 1;
      return rescues < 2 && new Promise(() => {});
    };
    cluster = await startCluster({ instances: 2, total: 1, drainTimeoutMs: 3_000, handler });
    await cluster.advance(untilNextHour() + 1_000);
    const first = cluster.runs(JOB)[0]!.instance;
    cluster.crash(first);
    await cluster.advance(14_000);
    const rescuer = cluster.runs(JOB)[1]!.instance;
    const third = await cluster.join();

    const removal = cluster.instances[rescuer]!.runtime.registrar.remove(JOB);
    await cluster.advance(10_000);
    await removal;

    expect(cluster.runs(JOB)[2]).toMatchObject({ instance: third, source: 'FAILOVER' });
    expect(cluster.runs(JOB)[2]!.endedAt).toBeDefined();
  });

  it('given items that heed the deadline, when no other instance is there, then each is recorded as aborted and queued at once', async () => {
    cluster = await startCluster({ instances: 1, handler: untilAborted, drainTimeoutMs: 3_000 });
    await cluster.advance(untilNextHour() + 1_000);

    await cluster.leave(0);

    const operator = await operatorOf(cluster);
    for (const item of range(3)) {
      const [record, entry] = await operator.readMany([
        `/${JOB}/sharding/${item}/record`,
        `/${JOB}/leader/failover/items/${item}`,
      ]);
      expect(JSON.parse(record!.data)).toMatchObject({ settled: { outcome: 'aborted' } });
      expect(entry!.stat.czxid).toBe(record!.stat.mzxid);
    }
    expect(await traces(operator, JOB)).toEqual([]);
  });

  it('given one item that heeds the deadline and one that does not, when their instance leaves, then each runs elsewhere and no mark is left', async () => {
    cluster = await startCluster({
      instances: 2,
      total: 4,
      drainTimeoutMs: 3_000,
      handler: (context) => (context.shardingItem % 2 === 0 ? untilAborted(context) : hang(context)),
    });
    await cluster.advance(untilNextHour() + 1_000);
    const own = itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 0));
    expect(own.map((item) => item % 2).toSorted(ascending)).toEqual([0, 1]);

    await cluster.leave(0);
    await cluster.advance(500);

    expect(outcomes(0)).toEqual(['aborted']);
    expect(itemsOf(cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER'))).toEqual(own);
    const left = await traces(await operatorOf(cluster), JOB);
    expect(left.filter((path) => own.some((item) => path.includes(`/sharding/${item}/`)))).toEqual([]);
  });

  it('given failover that is off, when a drain aborts items, then they are recorded as aborted and run again at the next fire time', async () => {
    cluster = await startCluster({ instances: 2, handler: untilAborted, drainTimeoutMs: 3_000, failover: false });
    await cluster.advance(untilNextHour() + 1_000);
    const own = itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 0));

    await cluster.leave(0);
    await cluster.advance(60_000);

    expect(outcomes(0)).toEqual(own.map(() => 'aborted'));
    expect(cluster.runs(JOB)).toHaveLength(3);
    const second = await cluster.advance(untilNextHour() + 1_000).then(() => cluster.runs(JOB).slice(3));
    expect(itemsOf(second).filter((item) => own.includes(item))).toEqual(own);
  });

  it('given an item that ran longer than its time limit, when it has ended, then no other instance repeats it', async () => {
    cluster = await startCluster({ instances: 2, handler: untilAborted, timeoutMs: 500 });

    await cluster.advance(untilNextHour() + 10_000);

    expect([...outcomes(0), ...outcomes(1)]).toEqual(['failed', 'failed', 'failed']);
    expect(cluster.runs(JOB)).toHaveLength(3);
  });

  it.each(['leader', 'follower'])(
    'given a %s whose items take long to end, when it leaves, then others own its items within 500 ms, and it ends what runs',
    async (role) => {
      cluster = await startCluster({ instances: 3, handler: () => cluster.clock.sleep(25_000) });
      await cluster.advance(untilNextHour() + 1_000);
      const isLeader = cluster.instances.map(({ runtime }) => runtime.leader.isLeader(JOB));
      const leaver = isLeader.indexOf(role === 'leader');

      const leaving = cluster.instances[leaver]!.runtime.stop();
      const handOverMs = await timeUntil(() => ![...cluster.assignment(JOB).values()].includes(leaver));

      expect(handOverMs).toBeLessThanOrEqual(500);
      expect(cluster.runs(JOB).every(({ endedAt }) => endedAt === undefined)).toBe(true);
      await cluster.advance(30_000);
      await leaving;
      expect(outcomes(leaver)).toEqual(['succeeded']);
      expect(cluster.runs(JOB)).toHaveLength(3);
    },
  );

  it('given a drain that lasts over a fire time, when that comes, then free items of the leaver run elsewhere, and the others once they are free', async () => {
    cluster = await startCluster({
      instances: 2,
      total: 4,
      cron: '0/10 * * * * ?',
      handler: ({ shardingItem }) => cluster.clock.sleep(shardingItem === 0 ? 15_000 : 100),
    });
    await cluster.advance(untilNextHour() + 1_000);
    const fireTime = cluster.clock.wallNow() - (cluster.clock.wallNow() % 10_000) + 10_000;
    const holder = cluster.runs(JOB).find(({ item }) => item === 0)!.instance;

    const leaving = cluster.instances[holder]!.runtime.stop();
    await cluster.advance(fireTime - cluster.clock.wallNow() + 50);
    const onTime = cluster.runs(JOB).filter((run) => run.fireTime === fireTime);
    await cluster.advance(6_000);
    await leaving;

    expect(itemsOf(onTime)).toEqual([1, 2, 3]);
    expect(onTime.every(({ instance }) => instance !== holder)).toBe(true);
    const late = cluster.runs(JOB).find((run) => run.item === 0 && run.fireTime === fireTime)!;
    expect(late).toMatchObject({ instance: 1 - holder, source: 'MISFIRE' });
  });

  it('given a drain, when an operator removes the instance meanwhile, then what runs is aborted at once and runs elsewhere', async () => {
    cluster = await startCluster({ instances: 2, handler: untilAborted });
    await cluster.advance(untilNextHour() + 1_000);
    const own = itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 0));
    const leaving = cluster.instances[0]!.runtime.stop();
    await cluster.advance(1_000);

    const [id] = cluster.instances[0]!.instanceIds;
    await (await operatorOf(cluster)).delete(`/${JOB}/instances/${id}`);
    await cluster.advance(1_000);

    await leaving;
    expect(outcomes(0)).toEqual(own.map(() => 'aborted'));
    expect(itemsOf(cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER'))).toEqual(own);
  });

  it('given a begin whose answer is on its way, when the instance leaves, then what was begun is run to its end first', async () => {
    cluster = await startCluster({ instances: 2, latencyMs: 100, handler: () => cluster.clock.sleep(1_000) });
    const follower = cluster.instances.findIndex(({ runtime }) => !runtime.leader.isLeader(JOB));
    const own = [...cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === follower ? [item] : []));
    await cluster.advance(untilNextHour());
    await cluster.advance(150); // The sync is answered, the begin is not.
    expect(cluster.runs(JOB)).toEqual([]);

    await cluster.leave(follower);

    expect(outcomes(follower)).toEqual(own.map(() => 'succeeded'));
  });

  it('given an instance that leaves, when fire times come during its drain, then it begins nothing', async () => {
    cluster = await startCluster({
      instances: 1,
      cron: '0/1 * * * * ?',
      handler: ({ shardingItem }) => cluster.clock.sleep(shardingItem === 0 ? 5_000 : 100),
    });
    await cluster.advance(3_500);
    const begun = cluster.runs(JOB).length;

    await cluster.leave(0);

    expect(cluster.runs(JOB).length).toBe(begun);
  });

  it('given an instance that has just learnt what it owes, when it leaves, then it begins none of it', async () => {
    cluster = await startCluster({ instances: 2, latencyMs: 100 });
    await cluster.advance(untilNextHour() + 1_000);
    await cluster.advance(untilNextHour() - 1_000);
    cluster.crash(1);
    await cluster.advance(5_000);
    while (new Set(cluster.assignment(JOB).values()).size > 1) await cluster.advance(10);
    const begun = cluster.runs(JOB).length;

    await cluster.leave(0);

    expect(cluster.runs(JOB).length).toBe(begun);
  });

  it('given a leader whose items take long to end, when it leaves, then another instance leads at once', async () => {
    cluster = await startCluster({ instances: 3, handler: () => cluster.clock.sleep(25_000) });
    await cluster.advance(untilNextHour() + 1_000);
    const leader = cluster.instances.findIndex(({ runtime }) => runtime.leader.isLeader(JOB));

    const leaving = cluster.instances[leader]!.runtime.stop();
    await cluster.advance(2_000);

    const leaders = cluster.instances.map(({ runtime }) => runtime.leader.isLeader(JOB));
    expect(leaders.filter(Boolean)).toHaveLength(1);
    expect(leaders[leader]).toBe(false);
    await cluster.advance(30_000);
    await leaving;
  });
});

describe('a stop at a bad moment', () => {
  it.each(range(30).map((step) => step * 10))(
    'given a start that has taken %i ms, when it is stopped, then nothing is left behind',
    async (ms) => {
      const clock = new VirtualClock();
      const registry = new MemoryRegistry(clock);
      const options = { namespace: 'test', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000, latencyMs: 20 };
      const runtime = new ElasticJobRuntime({ registry: registry.center(options), clock });
      const configuration = resolveJobOptions(
        { name: JOB, cron: '0/1 * * * * ?', shardingTotalCount: 2 },
        { place: 'spec' },
      );
      await runtime.registrar.register({ configuration, className: JOB, place: 'spec', handler: () => {} });
      const starting = runtime.start().catch(() => 'refused');
      await clock.advance(ms);

      const stopping = runtime.stop();
      await clock.advance(10_000);

      await Promise.all([starting, stopping]);
      expect(runtime.status().phase).toBe('stopped');
      expect(clock.pendingTimers).toBe(0);
      const operator = registry.center({ ...options, latencyMs: 0 });
      await operator.connect();
      expect(await traces(operator, JOB)).toEqual([]);
    },
  );

  it.each(range(25).map((step) => step * 10))(
    'given a job that has been added for %i ms, when it is removed, then nothing of it is left behind',
    async (ms) => {
      cluster = await createTestCluster({ instances: 1, latencyMs: 20, jobs: [] });
      const { runtime } = cluster.instances[0]!;
      const { registrar } = runtime;
      const configuration = resolveJobOptions({ name: JOB, cron: HOURLY, shardingTotalCount: 2 }, { place: 'spec' });
      const definition = { configuration, className: JOB, place: 'spec', handler: () => {} };
      const adding = registrar.register(definition).catch(() => 'refused');
      await cluster.advance(ms);

      const removing = registrar.remove(JOB);
      await cluster.advance(5_000);
      await Promise.all([adding, removing]);

      expect(await traces(await operatorOf(cluster), JOB)).toEqual([]);
      expect(registrar.jobs).toEqual([]);
      await Promise.all([runtime.stop(), cluster.advance(5_000)]);
      expect(cluster.clock.pendingTimers).toBe(0);
    },
  );

  it('given a job that is added during the start, when the process runs, then the job runs', async () => {
    cluster = await createTestCluster({ instances: 1, jobs: [] });
    const clock = cluster.clock.fork({ hostAddress: '10.0.9.9' });
    const center = cluster.registry.center({
      namespace: 'test',
      clock,
      sessionTimeoutMs: 10_000,
      requestTimeoutMs: 5_000,
      latencyMs: 20,
    });
    const runtime = new ElasticJobRuntime({ registry: center, clock });
    const add = (name: string) => {
      const configuration = resolveJobOptions({ name, cron: HOURLY, shardingTotalCount: 1 }, { place: 'spec' });
      return runtime.registrar.register({ configuration, className: name, place: 'spec', handler: () => {} });
    };
    await add('early');
    const starting = runtime.start();
    await cluster.advance(60);
    expect(runtime.status().phase).toBe('starting');
    const adding = add('late');
    await cluster.advance(2_000);
    await Promise.all([starting, adding]);

    expect(runtime.status().jobs).toMatchObject([{ isJoined: true }, { jobName: 'late', isJoined: true }]);
    const stopping = runtime.stop();
    await cluster.advance(1_000);
    await stopping;
  });

  it('given a registry that goes away during the start, when the process is stopped, then it does not wait for the session to end', async () => {
    const clock = new VirtualClock();
    const registry = new MemoryRegistry(clock);
    const center = registry.center({
      namespace: 'test',
      clock,
      sessionTimeoutMs: 600_000,
      requestTimeoutMs: 5_000,
      latencyMs: 20,
    });
    const runtime = new ElasticJobRuntime({ registry: center, clock });
    const configuration = resolveJobOptions({ name: JOB, cron: HOURLY, shardingTotalCount: 2 }, { place: 'spec' });
    await runtime.registrar.register({ configuration, className: JOB, place: 'spec', handler: () => {} });
    const starting = runtime.start().catch((error: unknown) => error);
    await clock.advance(70);
    registry.suspend(center.session.id!);
    await clock.advance(10_000);

    const stopping = runtime.stop();
    await clock.advance(5_000);

    expect(runtime.status().phase).toBe('stopped');
    await Promise.all([starting, stopping]);
    expect(await starting).toBeInstanceOf(Error);
  });

  it('given a registry that cannot be reached, when an instance leaves, then one warning tells so, and no error', async () => {
    cluster = await startCluster({ instances: 2 });
    cluster.partition(0);

    await cluster.leave(0);

    const told = cluster.events(0).filter(({ kind }) => kind === 'warning' || kind === 'error');
    expect(told).toMatchObject([{ kind: 'warning', jobName: JOB }]);
    await cluster.advance(60_000);
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([1]));
  });

  it('given a job whose instance cannot reach the registry, when the job is removed, then the instance is gone once it is reached', async () => {
    cluster = await startCluster({ instances: 2 });
    cluster.partition(0);
    const removal = cluster.instances[0]!.runtime.registrar.remove(JOB);
    await cluster.advance(3_000);

    await cluster.heal(0);
    await cluster.advance(5_000);
    await removal;

    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([1]));
  });
});

interface Options {
  readonly instances: number;
  readonly handler?: (context: ShardingContext) => unknown;
  readonly drainTimeoutMs?: number;
  readonly latencyMs?: number;
  readonly total?: number;
  readonly cron?: string;
  readonly failover?: boolean;
  readonly timeoutMs?: number;
}

function startCluster({
  handler = () => {},
  total = 3,
  cron = HOURLY,
  failover = true,
  timeoutMs,
  ...options
}: Options): Promise<TestCluster> {
  return createTestCluster({
    ...options,
    jobs: [{ name: JOB, cron, shardingTotalCount: total, failover, timeoutMs, handler }],
  });
}

/** How long it takes until something is so, in milliseconds of virtual time; a minute if it never is. */
async function timeUntil(isSo: () => boolean): Promise<number> {
  const start = cluster.clock.monotonicNow();
  while (!isSo() && cluster.clock.monotonicNow() - start < 60_000) await cluster.advance(1);
  return cluster.clock.monotonicNow() - start;
}

function untilNextHour(): number {
  return HOUR - (cluster.clock.wallNow() % HOUR);
}

function outcomes(instance: number): string[] {
  return cluster.events(instance).flatMap((event) => (event.kind === 'settled' ? [event.outcome.kind] : []));
}

function errors(instance: number): unknown[] {
  return cluster.events(instance).filter(({ kind }) => kind === 'error');
}

/** Runs until it is told to stop; the failover of such a run ends at once. */
async function untilAborted({ signal, source }: ShardingContext): Promise<void> {
  if (source !== 'FAILOVER') await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

/** Heeds no signal; the failover of such a run ends at once. */
async function hang({ source }: ShardingContext): Promise<void> {
  if (source !== 'FAILOVER') await new Promise(() => {});
}
