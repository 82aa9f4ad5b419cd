import { afterEach, describe, expect, it } from 'vitest';
import type { FailureRule } from '../../libs/elastic-job/src/registry/index.js';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import { itemsOf, range } from './support/run-checks.js';
import { JOB, MINUTE, SECOND, WatchedJob } from './support/watched-job.js';

const NO_AUTH = -102;
const QUOTA = -125;

let job: WatchedJob;
afterEach(() => job.stop());

describe('a registry that answers, and refuses', () => {
  it.each([
    ['has no right', NO_AUTH],
    ['exceeds a quota', QUOTA],
    ['meets an overload', -127],
    ['meets a read-only server', -119],
    ['meets a timeout of the server', -122],
    ['gets a code that nobody knows', -999],
  ])('repeats a settle that %s until it is recorded, and every item runs again', async (_, code) => {
    job = await WatchedJob.start({ handler: (_context, { clock }) => clock.sleep(10 * SECOND) });
    await job.untilFireTime();
    await job.advance(9 * SECOND);
    const mend = job.cluster.registry.fail(belowItems(code));
    await job.advance(3.5 * SECOND);
    expect(outcomes()).toEqual([]);

    mend();
    await job.advance(6 * SECOND);
    expect(outcomes()).toEqual(Array(4).fill('succeeded'));
    const fireTime = await job.untilFireTime();

    expect(itemsOf(job.runsFor(fireTime))).toEqual(range(4));
    expect(job.told('settle-delayed')).toEqual([]);
    expect(job.told('mark-released')).toEqual([]);
  });

  it('reports refused settles once, after 5 s, and degrades readiness until they are recorded', async () => {
    const handler: TestJobHandler = ({ shardingItem }, { clock }) =>
      clock.sleep(shardingItem < 2 ? SECOND : 2 * MINUTE);
    job = await WatchedJob.start({ handler, cron: '0 0/10 * * * ?' });
    await job.untilFireTime();
    const mend = job.cluster.registry.fail(belowItems(NO_AUTH));
    await job.advance(5 * SECOND);
    expect(job.told('settle-delayed')).toEqual([]);
    expect(job.readiness().status).toBe('up');
    await job.advance(1.5 * SECOND);
    expect(job.told('settle-delayed')).toMatchObject([{ items: [0, 1], error: { code: 'NO_AUTH' } }]);
    await job.advance(30 * SECOND);

    expect(job.readiness()).toMatchObject({
      status: 'degraded',
      details: { reasons: [expect.stringContaining('items 0,1')] },
    });
    const before = job.requests;
    await job.advance(20 * SECOND);
    expect((job.requests - before) / 20).toBeLessThanOrEqual(1);
    mend();
    await job.advance(6 * SECOND);

    expect(job.told('settle-delayed')).toHaveLength(1);
    expect(outcomes()).toEqual(['succeeded', 'succeeded']);
    expect(job.readiness().status).toBe('up');
  });

  it('records the settles of the other items at once if it refuses that of one', async () => {
    job = await WatchedJob.start({ handler: (_context, { clock }) => clock.sleep(SECOND) });
    await job.untilFireTime();
    const end = job.cluster.registry.fail(({ path }) =>
      path.startsWith(`/test/${JOB}/sharding/2/`) ? QUOTA : undefined,
    );
    await job.advance(1.1 * SECOND);

    expect(settledItems()).toEqual([0, 1, 3]);
    end();
    await job.advance(6 * SECOND);
    expect(settledItems()).toEqual([0, 1, 2, 3]);
  });

  it.each([NO_AUTH, QUOTA, -127, -122, -999])(
    'causes no storm if it answers begins with %i, is reported and shown, and items then run once',
    async (code) => {
      job = await WatchedJob.start({ cron: '0 0/10 * * * ?' });
      await job.untilFireTime();
      const mend = job.cluster.registry.fail(belowItems(code));
      const fireTime = await job.untilFireTime();
      await job.advance(20 * SECOND);
      const before = job.requests;
      await job.advance(100 * SECOND);
      const perSecond = (job.requests - before) / 100;

      expect(job.runsFor(fireTime)).toEqual([]);
      expect(perSecond).toBeLessThanOrEqual(1);
      expect(job.told('error').length).toBeGreaterThan(0);
      expect(job.told('error').length).toBeLessThan(5);
      expect(job.readiness()).toMatchObject({
        status: 'degraded',
        details: { reasons: [expect.stringContaining('refused')] },
      });
      mend();
      await job.advance(6 * SECOND);
      expect(itemsOf(job.runsFor(fireTime))).toEqual(range(4));
      expect(job.readiness().status).toBe('up');
    },
  );
});

describe('an instance that leaves a job while the registry refuses its writes', () => {
  it.each([
    ['an operator has shut it down', async () => job.operator.delete(`/${JOB}/instances/${job.self}`)],
    ['its process removes the job', async () => void job.cluster.instances[0]!.runtime.registrar.remove(JOB)],
  ])('gives up its items and the lead once it may write again, after %s', async (_, depart) => {
    job = await WatchedJob.start({ instances: 2 });
    await job.untilFireTime();
    expect((await job.operator.read(`/${JOB}/leader/election/instance`))?.data).toBe(job.self);
    const { id } = job.cluster.instances[0]!.center.session;
    const mend = job.cluster.registry.fail((_operation, sessionId) => (sessionId === id ? QUOTA : undefined));
    await depart();
    await job.advance(10 * SECOND);

    mend();
    await job.advance(6 * SECOND);

    const other = [...job.cluster.instances[1]!.instanceIds][0]!;
    expect(await job.operator.children(`/${JOB}/instances`)).toEqual([other]);
    expect(await job.operator.children(`/${JOB}/sessions`)).toEqual([other]);
    expect((await job.operator.read(`/${JOB}/leader/election/instance`))?.data).toBe(other);
    await job.advance(MINUTE);
    expect(
      itemsOf(
        job.cluster
          .runs(JOB)
          .filter(({ instance }) => instance === 1)
          .slice(-4),
      ),
    ).toEqual(range(4));
  });
});

describe('a node of one item that this client may not write', () => {
  it('delays no other item; its own fire times, even the first, are caught up on', async () => {
    job = await WatchedJob.start({ cron: '0 0/10 * * * ?' });
    const mend = job.cluster.registry.fail(belowItem(2));
    const first = await job.untilFireTime();
    expect(itemsOf(job.runsFor(first))).toEqual([0, 1, 3]);
    expect(job.told('refused')).toMatchObject([{ items: [2], cause: 'no access' }]);
    expect(job.readiness()).toMatchObject({ status: 'degraded' });
    await job.advance(MINUTE);
    const before = job.requests;
    await job.advance(MINUTE);
    expect((job.requests - before) / 60).toBeLessThanOrEqual(1);
    mend();
    await job.advance(6 * SECOND);

    expect(itemsOf(job.runsFor(first))).toEqual([0, 1, 2, 3]);
    expect(job.readiness().status).toBe('up');
  });

  it.each([5, 12])('delays no other item if %i of twenty have such a node', async (bad) => {
    job = await WatchedJob.start({ cron: '0 0 * * * ?', shardingTotalCount: 20 });
    await job.untilFireTime();
    const mends = range(bad).map((item) => job.cluster.registry.fail(belowItem(item)));
    const fireTime = await job.untilFireTime();
    await job.advance(MINUTE);
    expect(itemsOf(job.runsFor(fireTime))).toEqual(range(20).slice(bad));
    mends[0]!();
    await job.advance(20 * MINUTE);
    expect(itemsOf(job.runsFor(fireTime))).toEqual([0, ...range(20).slice(bad)]);

    for (const mend of mends) mend();
    await job.advance(MINUTE);
    expect(itemsOf(job.runsFor(fireTime))).toEqual(range(20));
  });

  it.each([1, 3, 4])(
    'blocks no fire time once it may be written, even under the policy skip (%i of four such nodes)',
    async (bad) => {
      job = await WatchedJob.start({ misfirePolicy: 'skip' });
      const mends = range(bad).map((item) => job.cluster.registry.fail(belowItem(item)));
      await job.untilFireTime();
      await job.untilFireTime();
      for (const mend of mends) mend();

      expect(itemsOf(job.runsFor(await job.untilFireTime()))).toEqual(range(4));
    },
  );

  it('keeps no other item of a crashed instance from failover', async () => {
    const handler: TestJobHandler = ({ source }, { clock }) => source !== 'FAILOVER' && clock.sleep(MINUTE);
    job = await WatchedJob.start({ handler, failover: true, cron: '0 0 * * * ?', instances: 2, shardingTotalCount: 8 });
    const fireTime = await job.untilFireTime();
    const lost = [...job.cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === 1 ? [item] : []));
    job.cluster.crash(1);
    const mend = job.cluster.registry.fail(belowItem(lost[1]!));
    await job.advance(20 * SECOND);
    const rescued = () => itemsOf(job.runsFor(fireTime).filter(({ source }) => source === 'FAILOVER'));
    expect(rescued()).toEqual(lost.filter((item) => item !== lost[1]));
    expect(job.readiness()).toMatchObject({ status: 'degraded' });

    mend();
    await job.advance(10 * SECOND);
    expect(rescued()).toEqual(lost);
  });

  it('keeps no other item from its new owner, although what failover left there stays', async () => {
    job = await WatchedJob.start({ cron: '0 0 * * * ?', failover: false });
    const mark = `/${JOB}/sharding/2/failovering`;
    await job.operator.create(mark, 'somebody', 'PERSISTENT');
    const mend = job.cluster.registry.fail(({ path }) => (path === `/test${mark}` ? NO_AUTH : undefined));
    await job.cluster.join();
    await job.advance(5 * SECOND);

    expect(new Set(job.cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
    expect(job.readiness()).toMatchObject({ status: 'degraded' });
    mend();
    await job.advance(6 * SECOND);
    expect(await job.operator.exists(mark)).toBeUndefined();
    expect(job.readiness().status).toBe('up');
  });
});

function belowItem(item: number): FailureRule {
  return ({ path, kind }) =>
    kind !== 'check' && path.startsWith(`/test/${JOB}/sharding/${item}/`) ? NO_AUTH : undefined;
}

function belowItems(code: number): FailureRule {
  return ({ path, kind }) => (kind !== 'check' && path.startsWith(`/test/${JOB}/sharding/`) ? code : undefined);
}

function outcomes(): string[] {
  return job.told('settled').map(({ outcome }) => outcome.kind);
}

function settledItems(): number[] {
  return job
    .told('settled')
    .map(({ item }) => item)
    .toSorted((a, b) => a - b);
}
