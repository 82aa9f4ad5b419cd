import { afterEach, describe, expect, it } from 'vitest';
import type { FailureRule } from '../../libs/elastic-job/src/registry/index.js';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import { ask } from './support/operators.js';
import { itemsOf, range } from './support/run-checks.js';
import { JOB, MINUTE, SECOND, WatchedJob } from './support/watched-job.js';

const NO_AUTH = -102;
const QUOTA = -125;
/** Another job of the same process. */
const OTHER = { name: 'send-mails', cron: '0 * * * * ?', shardingTotalCount: 4, handler: () => {} };

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
  it.each([
    ['once', [59]],
    ['all', range(60)],
    ['skip', []],
  ] as const)(
    'stops its job without a flood of events, until it may be written and misfires are handled by %s',
    async (misfirePolicy, caughtUp) => {
      job = await WatchedJob.start({ cron: '* * * * * ?', misfirePolicy, misfireLimit: 100 });
      const mend = job.cluster.registry.fail(belowItem(2));
      const first = await job.untilFireTime();
      await job.advance(59 * SECOND);
      expect(job.cluster.runs(JOB).filter(({ fireTime }) => fireTime >= first)).toEqual([]);
      expect(job.told('error').length).toBeGreaterThan(0);
      expect(job.told('error').length).toBeLessThan(5);
      expect(job.readiness()).toMatchObject({ status: 'degraded' });
      expect(job.readiness().details.reasons).toEqual([expect.stringContaining(`/${JOB}/sharding/2/`)]);
      expect(job.status.refused).toMatchObject({ error: { code: 'NO_AUTH' } });

      mend();
      await job.advance(9 * SECOND);
      const due = (second: number) => itemsOf(job.runsFor(first + second * SECOND));
      const run = range(60).filter((second) => due(second).length > 0);
      expect(run).toEqual(caughtUp);
      for (const second of [...caughtUp, 65, 66]) expect(due(second)).toEqual(range(4));
      expect(job.readiness().status).toBe('up');
    },
  );

  it('stops no other job of the process', async () => {
    job = await WatchedJob.start({}, [
      { name: 'send-mails', cron: '0 * * * * ?', shardingTotalCount: 4, handler: () => {} },
    ]);
    const mend = job.cluster.registry.fail(belowItem(2));
    const fireTime = await job.untilFireTime();
    await job.advance(20 * SECOND);
    expect([itemsOf(job.runsFor(fireTime)), itemsOf(job.runsFor(fireTime, OTHER.name))]).toEqual([[], range(4)]);
    expect(job.cluster.events(0).filter(({ kind }) => kind === 'settled')).toHaveLength(4);

    mend();
    await job.advance(6 * SECOND);
    expect(itemsOf(job.runsFor(fireTime))).toEqual(range(4));
  });

  it("postpones an operator's trigger until it may be written", async () => {
    job = await WatchedJob.start({ cron: '0 0 0 1 1 ?' });
    const mend = job.cluster.registry.fail(belowItem(2));
    await ask(job.cluster, job.operator, JOB, { id: 'a' });
    await job.advance(MINUTE);
    expect(job.cluster.runs(JOB)).toEqual([]);
    expect(job.readiness()).toMatchObject({ status: 'degraded' });

    mend();
    await job.advance(6 * SECOND);
    expect(itemsOf(job.cluster.runs(JOB))).toEqual(range(4));
  });

  it.each([
    ['its plan', 'sharding/2/instance', () => job.operator.exists(`/${JOB}/sharding/2/instance`)],
    ['its purge', 'leader/failover/items/7', () => job.operator.exists(`/${JOB}/leader/failover/items/7`)],
  ])('is named while the leader may not write %s, and the rest is done by itself afterwards', async (_, node, look) => {
    job = await WatchedJob.start({ cron: '0 0 * * * ?', failover: true });
    await job.operator.ensurePath(`/${JOB}/leader/failover/items/7`);
    const mend = job.cluster.registry.fail(({ kind, path }) =>
      kind !== 'check' && path === `/test/${JOB}/${node}` ? NO_AUTH : undefined,
    );
    const before = await look();
    await job.cluster.join();
    await job.advance(20 * SECOND);
    expect(await look()).toEqual(before);
    expect(job.readiness()).toMatchObject({ status: 'degraded' });
    expect(job.readiness().details.reasons.join()).toContain(`/${JOB}/${node}`);
    expect(job.told('error').length).toBeLessThan(3);

    mend();
    await job.advance(6 * SECOND);
    expect(await look()).not.toEqual(before);
    expect(new Set(job.cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
    expect(job.readiness().status).toBe('up');
  });

  it('keeps its job alone from joining in a new session', async () => {
    job = await WatchedJob.start({}, [OTHER]);
    const { center, runtime } = job.cluster.instances[0]!;
    const mend = job.cluster.registry.fail(({ kind, path }) =>
      kind === 'create' && path.startsWith(`/test/${JOB}/instances/`) ? NO_AUTH : undefined,
    );
    job.cluster.registry.expire(center.session.id!);
    await job.advance(5 * SECOND);
    const joined = () => runtime.status().jobs.flatMap(({ jobName, isJoined }) => (isJoined ? jobName : []));
    expect(joined()).toEqual([OTHER.name]);
    expect(job.readiness().status).toBe('degraded');
    expect(job.readiness().details.reasons.join()).toContain(`/${JOB}/instances/`);

    mend();
    await job.advance(6 * SECOND);
    expect(joined()).toEqual([JOB, OTHER.name]);
  });

  it('keeps the items of a crashed instance from failover and from new owners until it may be written', async () => {
    const handler: TestJobHandler = ({ source }, { clock }) => source !== 'FAILOVER' && clock.sleep(MINUTE);
    job = await WatchedJob.start({ handler, failover: true, cron: '0 0 * * * ?', instances: 2, shardingTotalCount: 8 });
    const fireTime = await job.untilFireTime();
    const lost = [...job.cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === 1 ? [item] : []));
    const plans = job.told('resharded').length;
    job.cluster.crash(1);
    const mend = job.cluster.registry.fail(belowItem(lost[1]!));
    await job.advance(20 * SECOND);
    const rescued = () => itemsOf(job.runsFor(fireTime).filter(({ source }) => source === 'FAILOVER'));
    expect([rescued(), job.told('resharded').length]).toEqual([[], plans]);
    expect(job.readiness()).toMatchObject({ status: 'degraded' });

    mend();
    await job.advance(10 * SECOND);
    expect(rescued()).toEqual(lost);
    expect(new Set(job.cluster.assignment(JOB).values())).toEqual(new Set([0]));
  });

  it('keeps no item from a new owner if only what failover left there stays', async () => {
    job = await WatchedJob.start({ cron: '0 0 * * * ?', failover: false });
    const mark = `/${JOB}/sharding/2/failovering`;
    await job.operator.create(mark, job.self, 'PERSISTENT');
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
