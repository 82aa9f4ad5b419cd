import { afterEach, describe, expect, it } from 'vitest';
import { ExecutorDeathError, type JobOptions, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import type { FailureRule, RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { itemsOf, range } from './support/run-checks.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NO_AUTH = -102;
const QUOTA = -125;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('a registry that answers, and refuses', () => {
  it.each([
    ['has no right', NO_AUTH],
    ['exceeds a quota', QUOTA],
    ['meets an overload', -127],
    ['meets a read-only server', -119],
    ['meets a timeout of the server', -122],
    ['gets a code that nobody knows', -999],
  ])('when a settle %s, then it is repeated until it is recorded, and every item runs again', async (_, code) => {
    await startCluster({ handler: () => cluster.clock.sleep(10 * SECOND) });
    await untilFireTime();
    await cluster.advance(9 * SECOND);
    const mend = cluster.registry.fail(belowItems(code));
    await cluster.advance(3.5 * SECOND);
    expect(outcomes()).toEqual([]);

    mend();
    await cluster.advance(6 * SECOND);
    expect(outcomes()).toEqual(Array(4).fill('succeeded'));
    const fireTime = await untilFireTime();

    expect(itemsOf(runsFor(fireTime))).toEqual(range(4));
    expect(told('settle-delayed')).toEqual([]);
    expect(told('mark-released')).toEqual([]);
  });

  it('when it refuses settles for longer, then that is told once after 5 s, and readiness is degraded until they are recorded', async () => {
    const handler = ({ shardingItem }: ShardingContext) => cluster.clock.sleep(shardingItem < 2 ? SECOND : 2 * MINUTE);
    await startCluster({ handler, cron: '0 0/10 * * * ?' });
    await untilFireTime();
    const mend = cluster.registry.fail(belowItems(NO_AUTH));
    await cluster.advance(5 * SECOND);
    expect(told('settle-delayed')).toEqual([]);
    expect(readiness().status).toBe('up');
    await cluster.advance(1.5 * SECOND);
    expect(told('settle-delayed')).toMatchObject([{ items: [0, 1], error: { code: 'NO_AUTH' } }]);
    await cluster.advance(30 * SECOND);

    expect(readiness()).toMatchObject({
      status: 'degraded',
      details: { reasons: [expect.stringContaining('items 0,1')] },
    });
    const before = cluster.instances[0]!.center.traffic.foreground;
    await cluster.advance(20 * SECOND);
    expect((cluster.instances[0]!.center.traffic.foreground - before) / 20).toBeLessThanOrEqual(1);
    mend();
    await cluster.advance(6 * SECOND);

    expect(told('settle-delayed')).toHaveLength(1);
    expect(outcomes()).toEqual(['succeeded', 'succeeded']);
    expect(readiness().status).toBe('up');
  });

  it('when it refuses the settle of one item, then the others are recorded at once', async () => {
    await startCluster({ handler: () => cluster.clock.sleep(SECOND) });
    await untilFireTime();
    const end = cluster.registry.fail(({ path }) => (path.startsWith(`/test/${JOB}/sharding/2/`) ? QUOTA : undefined));
    await cluster.advance(1.1 * SECOND);

    expect(settledItems()).toEqual([0, 1, 3]);
    end();
    await cluster.advance(6 * SECOND);
    expect(settledItems()).toEqual([0, 1, 2, 3]);
  });

  it.each([NO_AUTH, QUOTA, -127, -122, -999])(
    'when it answers begins with %i, then there is no storm, it is told and shown, and the items run once it is over',
    async (code) => {
      await startCluster({ cron: '0 0/10 * * * ?' });
      await untilFireTime();
      const mend = cluster.registry.fail(belowItems(code));
      const fireTime = await untilFireTime();
      await cluster.advance(20 * SECOND);
      const before = cluster.instances[0]!.center.traffic.foreground;
      await cluster.advance(100 * SECOND);
      const perSecond = (cluster.instances[0]!.center.traffic.foreground - before) / 100;

      expect(runsFor(fireTime)).toEqual([]);
      expect(perSecond).toBeLessThanOrEqual(1);
      expect(told('error').length).toBeGreaterThan(0);
      expect(told('error').length).toBeLessThan(5);
      expect(readiness()).toMatchObject({
        status: 'degraded',
        details: { reasons: [expect.stringContaining('refused')] },
      });
      mend();
      await cluster.advance(6 * SECOND);
      expect(itemsOf(runsFor(fireTime))).toEqual(range(4));
      expect(readiness().status).toBe('up');
    },
  );
});

describe('an instance that leaves a job while the registry refuses its writes', () => {
  it.each([
    ['an operator has shut it down', async () => operator.delete(`/${JOB}/instances/${self()}`)],
    ['its process removes the job', async () => void cluster.instances[0]!.runtime.registrar.remove(JOB)],
  ])('when %s, then it gives up its items and the lead once it may write again', async (_, depart) => {
    await startCluster({ instances: 2 });
    await untilFireTime();
    expect((await operator.read(`/${JOB}/leader/election/instance`))?.data).toBe(self());
    const { id } = cluster.instances[0]!.center.session;
    const mend = cluster.registry.fail((_operation, sessionId) => (sessionId === id ? QUOTA : undefined));
    await depart();
    await cluster.advance(10 * SECOND);

    mend();
    await cluster.advance(6 * SECOND);

    const other = [...cluster.instances[1]!.instanceIds][0]!;
    expect(await operator.children(`/${JOB}/instances`)).toEqual([other]);
    expect(await operator.children(`/${JOB}/sessions`)).toEqual([other]);
    expect((await operator.read(`/${JOB}/leader/election/instance`))?.data).toBe(other);
    await cluster.advance(MINUTE);
    expect(
      itemsOf(
        cluster
          .runs(JOB)
          .filter(({ instance }) => instance === 1)
          .slice(-4),
      ),
    ).toEqual(range(4));
  });
});

describe('a node of one item that this client may not write', () => {
  it('keeps no other item from its fire times, and its own are caught up on, also the first one', async () => {
    await startCluster({ cron: '0 0/10 * * * ?' });
    const mend = cluster.registry.fail(belowItem(2));
    const first = await untilFireTime();
    expect(itemsOf(runsFor(first))).toEqual([0, 1, 3]);
    expect(told('refused')).toMatchObject([{ items: [2], cause: 'no access' }]);
    expect(readiness()).toMatchObject({ status: 'degraded' });
    await cluster.advance(MINUTE);
    const before = cluster.instances[0]!.center.traffic.foreground;
    await cluster.advance(MINUTE);
    expect((cluster.instances[0]!.center.traffic.foreground - before) / 60).toBeLessThanOrEqual(1);
    mend();
    await cluster.advance(6 * SECOND);

    expect(itemsOf(runsFor(first))).toEqual([0, 1, 2, 3]);
    expect(readiness().status).toBe('up');
  });

  it.each([5, 12])('keeps no other item from its fire times, if %i of twenty are such', async (bad) => {
    await startCluster({ cron: '0 0 * * * ?', shardingTotalCount: 20 });
    await untilFireTime();
    const mends = range(bad).map((item) => cluster.registry.fail(belowItem(item)));
    const fireTime = await untilFireTime();
    await cluster.advance(MINUTE);
    expect(itemsOf(runsFor(fireTime))).toEqual(range(20).slice(bad));
    mends[0]!();
    await cluster.advance(20 * MINUTE);
    expect(itemsOf(runsFor(fireTime))).toEqual([0, ...range(20).slice(bad)]);

    for (const mend of mends) mend();
    await cluster.advance(MINUTE);
    expect(itemsOf(runsFor(fireTime))).toEqual(range(20));
  });

  it.each([1, 3, 4])(
    'keeps its item from no fire time once it may be written, if %i of four are such, also where nothing is caught up on',
    async (bad) => {
      await startCluster({ misfirePolicy: 'skip' });
      const mends = range(bad).map((item) => cluster.registry.fail(belowItem(item)));
      await untilFireTime();
      await untilFireTime();
      for (const mend of mends) mend();

      expect(itemsOf(runsFor(await untilFireTime()))).toEqual(range(4));
    },
  );

  it('keeps no other item of a crashed instance from failover', async () => {
    const handler = ({ source }: ShardingContext) => source !== 'FAILOVER' && cluster.clock.sleep(MINUTE);
    await startCluster({ handler, failover: true, cron: '0 0 * * * ?', instances: 2, shardingTotalCount: 8 });
    const fireTime = await untilFireTime();
    const lost = [...cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === 1 ? [item] : []));
    cluster.crash(1);
    const mend = cluster.registry.fail(belowItem(lost[1]!));
    await cluster.advance(20 * SECOND);
    const rescued = () => itemsOf(runsFor(fireTime).filter(({ source }) => source === 'FAILOVER'));
    expect(rescued()).toEqual(lost.filter((item) => item !== lost[1]));
    expect(readiness()).toMatchObject({ status: 'degraded' });

    mend();
    await cluster.advance(10 * SECOND);
    expect(rescued()).toEqual(lost);
  });

  it('keeps no other item from a new owner, though what failover left there stays', async () => {
    await startCluster({ cron: '0 0 * * * ?', failover: false });
    const mark = `/${JOB}/sharding/2/failovering`;
    await operator.create(mark, 'somebody', 'PERSISTENT');
    const mend = cluster.registry.fail(({ path }) => (path === `/test${mark}` ? NO_AUTH : undefined));
    await cluster.join();
    await cluster.advance(5 * SECOND);

    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
    expect(readiness()).toMatchObject({ status: 'degraded' });
    mend();
    await cluster.advance(6 * SECOND);
    expect(await operator.exists(mark)).toBeUndefined();
    expect(readiness().status).toBe('up');
  });
});

describe('a mark in the name of an instance that lives and does not run the item', () => {
  it.each(['running', 'failovering', 'failover'] as const)(
    'when somebody makes a %s mark by hand, then it goes within 20 s, is told, and the item runs again',
    async (mark) => {
      await startCluster();
      await untilFireTime();
      await cluster.advance(7 * SECOND);
      await operator.create(`/${JOB}/sharding/2/${mark}`, self(), 'PERSISTENT');
      await cluster.advance(20 * SECOND);

      expect(await operator.exists(`/${JOB}/sharding/2/${mark}`)).toBeUndefined();
      expect(told('mark-released')).toMatchObject([{ item: 2, marks: [mark], run: undefined }]);
      expect(itemsOf(runsFor(await untilFireTime()))).toEqual(range(4));
    },
  );

  it('when its run was never recorded as ended, then that is recorded as aborted, with the cause', async () => {
    await startCluster();
    await untilFireTime();
    await cluster.advance(SECOND);
    const path = `/${JOB}/sharding/1/record`;
    const { settled: _settled, ...open } = JSON.parse((await operator.read(path))!.data);
    await operator.set(path, JSON.stringify(open));
    await operator.create(`/${JOB}/sharding/1/running`, self(), 'PERSISTENT');
    await cluster.advance(20 * SECOND);

    expect(await operator.exists(`/${JOB}/sharding/1/running`)).toBeUndefined();
    expect(told('mark-released')).toMatchObject([{ item: 1, run: open.run }]);
    expect(JSON.parse((await operator.read(path))!.data)).toMatchObject({
      run: open.run,
      settled: { outcome: 'aborted', cause: 'released' },
    });
  });

  it('when marks appear at any moment, then none is older than 20 s', async () => {
    await startCluster({ cron: '0 0 * * * ?' });
    for (let second = 0; second < 40; second += 1) {
      const item = [0, 4, 13, 14].indexOf(second);
      if (item >= 0) await operator.create(`/${JOB}/sharding/${item}/running`, self(), 'PERSISTENT');
      for (const one of range(4)) {
        const mark = await operator.read(`/${JOB}/sharding/${one}/running`);
        expect(cluster.clock.wallNow() - (mark?.stat.ctime ?? Infinity), `item ${one}`).toBeLessThan(20 * SECOND);
      }
      await cluster.advance(SECOND);
    }
    expect(told('mark-released')).toHaveLength(4);
  });

  it('when an unmonitored job runs the item all the time, then it goes all the same: such a run has no mark', async () => {
    await startCluster({
      cron: '* * * * * ?',
      monitorExecution: false,
      handler: () => cluster.clock.sleep(10 * SECOND),
    });
    await cluster.advance(1.5 * SECOND);
    await operator.create(`/${JOB}/sharding/2/running`, self(), 'PERSISTENT');
    await cluster.advance(20 * SECOND);

    expect(await operator.exists(`/${JOB}/sharding/2/running`)).toBeUndefined();
    expect(told('mark-released')).toMatchObject([{ item: 2, marks: ['running'] }]);
  });

  it('when the item runs, hangs, or may run still in its executor, then its mark stays', async () => {
    const handler = ({ shardingItem }: ShardingContext) => {
      if (shardingItem === 0) throw new ExecutorDeathError('UNREACHABLE', 'gone');
      return cluster.clock.sleep(shardingItem === 1 ? 3 * MINUTE : 10 * MINUTE);
    };
    await startCluster({ handler, timeoutMs: MINUTE, failover: true, cron: '0 0 * * * ?' });
    await untilFireTime();
    await cluster.advance(2 * MINUTE);

    expect(told('mark-released')).toEqual([]);
    for (const item of range(4)) expect(await operator.exists(`/${JOB}/sharding/${item}/running`)).toBeDefined();
  });

  it('when nothing is marked, or all that is marked runs here, then looking costs no request', async () => {
    await startCluster({ handler: () => cluster.clock.sleep(10 * MINUTE), cron: '0 0 * * * ?' });
    const resting = cluster.instances[0]!.center.traffic.foreground;
    await cluster.advance(2 * MINUTE);
    expect(cluster.instances[0]!.center.traffic.foreground).toBe(resting);
    await untilFireTime();
    await cluster.advance(SECOND);
    const busy = cluster.instances[0]!.center.traffic.foreground;
    await cluster.advance(5 * MINUTE);
    expect(cluster.instances[0]!.center.traffic.foreground).toBe(busy);
  });
});

async function startCluster({ handler = () => {}, instances = 1, ...options }: ClusterOptions = {}): Promise<void> {
  cluster = await createTestCluster({
    instances,
    jobs: [{ name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, handler, ...options }],
  });
  operator = await operatorOf(cluster);
}

type ClusterOptions = Partial<JobOptions> & {
  readonly handler?: (context: ShardingContext) => unknown;
  readonly instances?: number;
};

function belowItem(item: number): FailureRule {
  return ({ path, kind }) =>
    kind !== 'check' && path.startsWith(`/test/${JOB}/sharding/${item}/`) ? NO_AUTH : undefined;
}

function belowItems(code: number): FailureRule {
  return ({ path, kind }) => (kind !== 'check' && path.startsWith(`/test/${JOB}/sharding/`) ? code : undefined);
}

async function untilFireTime(): Promise<number> {
  const fireTime = cluster.instances[0]!.runtime.status().jobs[0]!.nextFireTime!;
  await cluster.advance(fireTime - cluster.clock.wallNow() + 100);
  return fireTime;
}

function runsFor(fireTime: number) {
  return cluster.runs(JOB).filter((run) => run.fireTime === fireTime);
}

function told<Kind extends JobEvent['kind']>(kind: Kind): Extract<JobEvent, { kind: Kind }>[] {
  return cluster.events(0).filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind);
}

function outcomes(): string[] {
  return told('settled').map(({ outcome }) => outcome.kind);
}

function settledItems(): number[] {
  return told('settled')
    .map(({ item }) => item)
    .toSorted((a, b) => a - b);
}

function readiness() {
  return judgeReadiness(cluster.instances[0]!.runtime.status());
}

function self(): string {
  return [...cluster.instances[0]!.instanceIds][0]!;
}
