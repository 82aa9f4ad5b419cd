import { afterEach, describe, expect, it } from 'vitest';
import { parseStartLedger } from '../../libs/elastic-job/src/domain/index.js';
import { JobConfigurationApi } from '../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestJobHandler,
  type TestJobOptions,
  type TestRun,
} from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { JavaPeer } from './support/java-peer.js';
import { ask, editConfig } from './support/operators.js';
import { allNodes, operatorOf } from './support/registry-walk.js';
import { expectOncePerTarget, itemsOf, range } from './support/run-checks.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CHILDREN = range(3);

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('a job that is started after another one', () => {
  it('given a parent on two instances, when all its items have succeeded, then each item of the child runs once, for the same fire time', async () => {
    await start([parent(), child()]);

    await untilNextMinute(5_000);

    expect(itemsOf(runs('import'))).toEqual(range(4));
    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    expect(new Set([...runs('import'), ...runs('report')].map(({ fireTime }) => fireTime)).size).toBe(1);
    expect(new Set(runs('report').map(({ source }) => source))).toEqual(new Set(['NORMAL_TRIGGER']));
  });

  it('given items of the parent that end one after the other, when the last one ends, then the child begins, and not before', async () => {
    await start([parent({ handler: ({ shardingItem }) => sleep(1_000 + 2_000 * shardingItem) }), child()]);

    await untilNextMinute(6_500);
    expect(runs('report')).toEqual([]);
    await cluster.advance(1_000);

    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
  });

  it('given an item that fails, when the others succeed, then the child is not started, one event tells so, and the next run starts it again', async () => {
    let fails = true;
    const handler: TestJobHandler = async ({ shardingItem }) => {
      await sleep(100);
      if (fails && shardingItem === 2) throw new Error('no data');
    };
    await start([parent({ handler }), child()]);

    await untilNextMinute(5_000);
    expect(runs('report')).toEqual([]);
    expect(unmet()).toMatchObject([{ jobName: 'report', parent: 'import', reason: 'failed' }]);
    fails = false;
    await untilNextMinute(5_000);

    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    expect(unmet()).toHaveLength(1);
  });

  it('given a disabled item, when the others have succeeded, then it holds nothing back', async () => {
    await start([parent(), child()]);
    const operator = await operatorOf(cluster);
    await operator.create('/import/sharding/1/disabled', '', 'PERSISTENT');

    await untilNextMinute(5_000);

    expect(itemsOf(runs('import'))).toEqual([0, 2, 3]);
    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    await operator.close();
  });

  it("given an operator's trigger of the parent, when its items have succeeded, then nothing is started; one of the child runs it", async () => {
    await start([parent(), child()]);
    const operator = await operatorOf(cluster);

    await ask(cluster, operator, 'import', { id: 'now' });
    await cluster.advance(3_000);
    expect(itemsOf(runs('import'))).toEqual(range(4));
    expect(runs('report')).toEqual([]);
    await ask(cluster, operator, 'report', { id: 'now' });
    await cluster.advance(3_000);
    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    await untilNextMinute(5_000);

    expect(itemsOf(runs('report'))).toEqual([...CHILDREN, ...CHILDREN].toSorted((a, b) => a - b));
    await operator.close();
  });

  it.each([
    ['once', 2],
    ['all', 3],
  ] as const)(
    'given a child that still runs when it is started twice more, with misfirePolicy %s, when it is free, then it has run %i times',
    async (misfirePolicy, times) => {
      let isSlow = true;
      const handler = () => sleep(isSlow ? 2.5 * MINUTE : 100);
      await start([parent(), child({ shardingTotalCount: 1, handler, misfirePolicy })]);

      await untilNextMinute(30_000);
      isSlow = false;
      await cluster.advance(2 * MINUTE + 15_000);

      expect(runs('report')).toHaveLength(times);
      expect(runs('report').at(-1)!.fireTime).toBe(runs('import').at(-1)!.fireTime);
      expectOncePerTarget(runs('report'));
    },
  );

  it('given a child that is busy while it is started 150 times, then what it misses is told in one event', async () => {
    let isSlow = true;
    const handler = () => sleep(isSlow ? 150 * MINUTE + 30_000 : 100);
    await start([parent({ shardingTotalCount: 1 }), child({ shardingTotalCount: 1, handler })], 1);

    await untilNextMinute(30_000);
    isSlow = false;
    await cluster.advance(150 * MINUTE + 20_000);

    const first = runs('import')[0]!.fireTime;
    expect(runs('report').map(({ fireTime }) => (fireTime - first) / MINUTE)).toEqual([0, 150]);
    const missed = cluster.events(0).filter((event) => event.kind === 'missed');
    expect(missed).toMatchObject([
      { jobName: 'report', items: [0], count: 149, reason: 'superseded', since: first + MINUTE },
    ]);
  });

  it('given more items of the child than before, when they are new, then they have no part in what was started before', async () => {
    await start([parent(), child()]);
    await untilNextMinute(5_000);
    const operator = await operatorOf(cluster);

    await editConfig(operator, 'report', /^shardingTotalCount: .*$/m, 'shardingTotalCount: 5');
    await cluster.advance(10_000);
    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    await untilNextMinute(5_000);

    expect(itemsOf(runs('report').slice(3))).toEqual(range(5));
    await operator.close();
  });
});

describe('chains of jobs', () => {
  it('given a job after two of which one runs after the other, when both have succeeded, then it runs once', async () => {
    const check = child({ name: 'check', handler: () => sleep(4_000) });
    await start([child({ after: ['import', 'check'] }), parent(), check]);

    await untilNextMinute(4_000);
    expect(itemsOf(runs('check'))).toEqual(CHILDREN);
    expect(runs('report')).toEqual([]);
    await cluster.advance(2_000);

    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    const [fireTime, ...others] = new Set(
      ['import', 'check', 'report'].flatMap((job) => runs(job)).map((run) => run.fireTime),
    );
    expect([fireTime! % MINUTE, others]).toEqual([0, []]);
  });

  it('given another parent in the registry, when the settings are written, then the child is started after that one alone', async () => {
    await start([parent(), parent({ name: 'export', cron: '30 * * * * ?' }), child()]);
    await untilNextMinute(5_000);
    const operator = await operatorOf(cluster);

    await editConfig(operator, 'report', /nestjs\.after: .*$/m, 'nestjs.after: export');
    await cluster.advance(50_000);

    expect(runs('report').map(({ fireTime }) => fireTime % MINUTE)).toEqual([0, 0, 0, 30_000, 30_000, 30_000]);
    expect(await operator.children('/import/dependents')).toEqual([]);
    expect(await operator.children('/export/dependents')).toEqual(['report']);
    await operator.close();
  });

  it('given a child, when an operator removes it, then its parent knows of it no more, and runs on', async () => {
    await start([parent(), child()]);
    const operator = await operatorOf(cluster);

    await new JobConfigurationApi(operator).removeJobConfiguration('report');
    expect(await operator.children('/import/dependents')).toEqual([]);
    await untilNextMinute(5_000);

    expect(itemsOf(runs('import'))).toEqual(range(4));
    expect(runs('report')).toEqual([]);
    await operator.close();
  });

  it('given a parent that was removed, when the leader looks at it again, then it says so, once', async () => {
    await start([parent(), child({ reconcileIntervalMinutes: 1 })]);
    const operator = await operatorOf(cluster);
    await new JobConfigurationApi(operator).removeJobConfiguration('import');

    await cluster.advance(3 * MINUTE);

    const warnings = [...cluster.instances.keys()].flatMap((instance) =>
      cluster.events(instance).filter(({ kind }) => kind === 'warning'),
    );
    expect(warnings).toMatchObject([{ jobName: 'report', message: expect.stringContaining('gone (import)') }]);
    await operator.close();
  });

  it('given a child whose nodes were removed, when its parent has succeeded, then the parent forgets it', async () => {
    await start([parent(), child()]);
    const operator = await operatorOf(cluster);
    expect(await operator.children('/import/dependents')).toEqual(['report']);
    for (const { path } of (await allNodes(operator, '/report')).toReversed()) await operator.delete(path);

    await untilNextMinute(5_000);

    expect(itemsOf(runs('import'))).toEqual(range(4));
    expect(await operator.children('/import/dependents')).toEqual([]);
    await operator.close();
  });
});

describe('crashes around a start', () => {
  it('given an instance that dies before its last item has ended, when that is failed over, then the child is started once', async () => {
    await start([parent({ handler: ({ shardingItem }) => sleep(shardingItem === 3 ? 5_000 : 100) }), child()]);
    await untilNextMinute(1_000);
    cluster.crash(cluster.assignment('import').get(3)!);

    await cluster.advance(30_000);

    expect(
      runs('import')
        .filter(({ source }) => source === 'FAILOVER')
        .map(({ item }) => item),
    ).toEqual([3]);
    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    expectOncePerTarget(runs('report'));
  });

  it('given all instances dead after the start was written, when new ones come, then the child runs for it', async () => {
    await start([parent(), child()]);
    const operator = await operatorOf(cluster);
    const started = startWritten(operator);
    await untilNextMinute(0);
    await cluster.clock.advanceUntil(started);
    for (const instance of cluster.instances.keys()) cluster.crash(instance);
    const before = runs('report').length;

    await cluster.join();
    await cluster.advance(20_000);

    const after = runs('report');
    expect(new Set(itemsOf(after))).toEqual(new Set(CHILDREN));
    expect(after.length).toBeLessThanOrEqual(before + CHILDREN.length);
    expect(new Set(after.map(({ fireTime }) => fireTime)).size).toBe(1);
    expectOncePerTarget(after);
    await operator.close();
  });

  it('given a start that an item was begun for early, by a clock that most agreed on, when more starts come, then it runs for each of them', async () => {
    await start([parent(), child({ misfirePolicy: 'all' })]);
    await untilNextMinute(5_000);
    const { fireTime } = runs('report')[0]!;
    const operator = await operatorOf(cluster);
    const path = '/report/sharding/1/record';
    const record = JSON.parse((await operator.read(path))!.data);
    const before = fireTime - MINUTE;
    const early = { after: before, until: fireTime, fireTimes: [fireTime] };
    await operator.set(path, JSON.stringify({ ...record, target: { ...record.target, fireTime: before }, early }));

    await untilNextMinute(5_000);
    await untilNextMinute(5_000);

    const fireTimes = runs('report').flatMap((run) => (run.item === 1 ? [run.fireTime] : []));
    expect(fireTimes).toEqual([fireTime, fireTime + MINUTE, fireTime + 2 * MINUTE]);
    await operator.close();
  });

  it("given the child's leader dead while the parent runs, when the parent has succeeded, then each item of the child runs once", async () => {
    await start([parent({ handler: () => sleep(5_000) }), child()], 3);
    await untilNextMinute(1_000);
    const operator = await operatorOf(cluster);
    const leader = (await operator.read('/report/leader/election/instance'))!.data;
    cluster.crash(cluster.instances.findIndex(({ instanceIds }) => instanceIds.has(leader)));

    await cluster.advance(40_000);

    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    expectOncePerTarget(runs('report'));
    await operator.close();
  });

  it('given an instance that joins when a start waits for a disabled server, when it has its items, then it runs them', async () => {
    await start([parent(), child()], 1);
    const operator = await operatorOf(cluster);
    await operator.set('/report/servers/10.0.0.1', 'DISABLED');
    await untilNextMinute(5_000);
    expect(runs('report')).toEqual([]);

    await cluster.join();
    await cluster.advance(10_000);

    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    await operator.close();
  });
});

describe('dependencies under a clock that is hours ahead', () => {
  it('given a start that is written while the clock is set wrong for a moment, when a disabled item is enabled, then it does not catch up on it', async () => {
    await start([parent(), child()], 1);
    await cluster.advance(5_000);
    const operator = await operatorOf(cluster);
    await operator.create('/report/sharding/1/disabled', '', 'PERSISTENT');

    await untilNextMinute(50);
    setAhead(5 * HOUR);
    await cluster.advance(1_000);
    setAhead(0);
    await cluster.advance(5_000);
    await operator.delete('/report/sharding/1/disabled');
    await cluster.advance(10_000);

    expect(itemsOf(runs('import'))).toEqual(range(4));
    expect(itemsOf(runs('report'))).toEqual([0, 2]);
    await operator.close();
  });

  it('given a count of its runs that is damaged, when the parent has succeeded twice more, then the child runs', async () => {
    await start([parent(), child()], 1);
    await cluster.advance(5_000);
    setAhead(5 * HOUR);
    const operator = await operatorOf(cluster);
    await operator.set('/import/dependents', 'damaged');

    await untilNextMinute(5_000);
    await untilNextMinute(5_000);

    expect(itemsOf(runs('report'))).toEqual(CHILDREN);
    await operator.close();
  });
});

describe('dependencies under a clock that is hours behind', () => {
  it('given an item that was disabled as its job was started, when it is enabled, then it does not catch up on it', async () => {
    await start([parent({ shardingTotalCount: 2 }), child()], 3);
    const owners = [...cluster.assignment('import').values()];
    const idle = [0, 1, 2].find((instance) => !owners.includes(instance))!;
    cluster.setWall(idle, cluster.clock.wallNow() - 2 * HOUR);
    await cluster.advance(15_000);
    const operator = await operatorOf(cluster);
    for (const item of CHILDREN) await operator.create(`/report/sharding/${item}/disabled`, '', 'PERSISTENT');

    await untilNextMinute(5_000);
    for (const item of CHILDREN) await operator.delete(`/report/sharding/${item}/disabled`);
    await cluster.advance(10_000);
    cluster.setWall(idle, cluster.clock.wallNow());
    await cluster.advance(10_000);

    expect(itemsOf(runs('import'))).toEqual([0, 1]);
    expect(itemsOf(runs('report'))).toEqual([]);
    await operator.close();
  });

  it('given a start that it has written, when others enable an item that was disabled then, then it is not caught up on', async () => {
    await start([parent({ cron: '0 0 * * * ?' }), child()], 3);
    cluster.setWall(2, cluster.clock.wallNow() - HOUR / 2);
    const operator = await operatorOf(cluster);
    // Its item of the parent is begun half an hour after the others, and is the last.
    await cluster.advance(HOUR + 10 * MINUTE);
    for (const item of CHILDREN) await operator.create(`/report/sharding/${item}/disabled`, '', 'PERSISTENT');
    await cluster.advance(30 * MINUTE);
    expect(parseStartLedger((await operator.read('/report/after'))!.data)?.starts).toHaveLength(1);
    for (const item of CHILDREN) await operator.delete(`/report/sharding/${item}/disabled`);
    await cluster.advance(10_000);

    expect(itemsOf(runs('report'))).toEqual([]);
    await operator.close();
  });
});

describe('dependencies on hosts whose clocks are seconds apart', () => {
  it.each([
    [-4_000, 0],
    [0, 4_000],
    [-4_000, 4_000],
  ])(
    'given children %d ms and a parent %d ms ahead, when items are enabled again, then these catch up on no start that came before',
    async (childMs, parentMs) => {
      await start([parent({ shardingTotalCount: 1 }), child()], 3);
      const owner = cluster.assignment('import').get(0);
      for (const instance of range(3)) {
        cluster.setWall(instance, cluster.clock.wallNow() + (instance === owner ? parentMs : childMs));
      }
      await cluster.advance(15_000);
      const operator = await operatorOf(cluster);
      const marks = CHILDREN.map((item) => `/report/sharding/${item}/disabled`);

      for (const mark of marks) await operator.create(mark, '', 'PERSISTENT');
      await untilNextMinute(parentMs > 0 ? -parentMs + 300 : 300);
      for (const mark of marks) await operator.delete(mark);
      await cluster.advance(10_000);

      expect(itemsOf(runs('import'))).toEqual([0]);
      expect(itemsOf(runs('report'))).toEqual([]);
      await operator.close();
    },
  );
});

describe('what somebody has damaged of a dependency', () => {
  it.each(['/report/after', '/import/dependents'])(
    'given %s of wrong types, when the next runs have succeeded, then that was told, and the child is started again',
    async (path) => {
      await start([parent(), child()]);
      await untilNextMinute(5_000);
      const operator = await operatorOf(cluster);
      await operator.set(path, '{"v":1,"parents":"import","closedUpTo":[],"pending":1,"starts":{},"runs":0}');
      await untilNextMinute(5_000);
      const before = runs('report').length;

      await untilNextMinute(5_000);
      expect(itemsOf(runs('report').slice(before))).toEqual(CHILDREN);
      const told = cluster.instances.flatMap(({ events }) => events);
      const isTold = ({ kind }: JobEvent) => kind === 'dependency-not-met' || kind === 'warning';
      expect(told.filter(isTold)).toMatchObject([{ jobName: 'report' }]);
      expectOncePerTarget(runs('report'));
      await operator.close();
    },
  );
});

describe('a dependency that cannot work', () => {
  it('given a Java peer that joins the parent, when a fire time comes, then nothing is begun, and the child is named', async () => {
    await start([parent({ clockChange: 'quartz' }), child()]);

    await cluster.clock.advanceUntil(javaPeerOf('import').registered);
    await untilNextMinute(5_000);

    expect(runs('import')).toEqual([]);
    expect(cluster.events(0)).toContainEqual(
      expect.objectContaining({
        kind: 'mixed',
        jobName: 'import',
        unshareable: [expect.stringContaining('job "report" is started after this one')],
      }),
    );
  });

  it.each<[string, readonly TestJobOptions[], RegExp]>([
    ['an unknown parent', [child()], /job "report" .*after "import": the registry knows no such job/s],
    [
      'jobs that wait for each other',
      [child(), child({ name: 'import', after: 'report' })],
      /a circle, "(report|import)" after "(report|import)" after "(report|import)"/,
    ],
    [
      'parents of two schedules',
      [parent(), parent({ name: 'export', cron: '30 * * * * ?' }), child({ after: ['import', 'export'] })],
      /after "import", "export": their runs have no fire times in common/,
    ],
    [
      'an unmonitored parent',
      [parent({ monitorExecution: false, failover: false }), child()],
      /monitorExecution: false/,
    ],
  ])('given %s, when the instance starts, then it refuses and says why', async (_, jobs, message) => {
    cluster = await createTestCluster({ instances: 0, jobs });

    await expect(cluster.join()).rejects.toThrow(message);
  });
});

async function start(jobs: readonly TestJobOptions[], instances = 2): Promise<void> {
  cluster = await createTestCluster({ instances, jobs });
}

function parent(options: Partial<TestJobOptions> = {}): TestJobOptions {
  return { name: 'import', cron: '0 * * * * ?', shardingTotalCount: 4, failover: true, handler: done, ...options };
}

function child(options: Partial<TestJobOptions> = {}): TestJobOptions {
  return { name: 'report', after: 'import', shardingTotalCount: 3, failover: true, handler: done, ...options };
}

const done: TestJobHandler = () => sleep(100);

async function sleep(ms: number): Promise<void> {
  await cluster.clock.sleep(ms);
}

function runs(jobName: string): readonly TestRun[] {
  return cluster.runs(jobName);
}

function javaPeerOf(jobName: string): JavaPeer {
  const { cron, shardingTotalCount } = parent();
  const switches = { failover: true, misfire: true, monitorExecution: true, reconcileIntervalMinutes: 10 };
  const config = { cron, shardingTotalCount, ...switches };
  return JavaPeer.launch(cluster, { jobName, serverIp: '10.0.0.9', config });
}

function unmet(): readonly JobEvent[] {
  return [...cluster.instances.keys()].flatMap((instance) =>
    cluster.events(instance).filter(({ kind }) => kind === 'dependency-not-met'),
  );
}

/** Resolves as soon as a settle has started the child. */
async function startWritten(operator: RegistryCenter): Promise<void> {
  await new Promise<void>((resolve) => {
    void operator.openSubtree('/report/after', ({ kind }) => {
      if (kind === 'changed') resolve();
    });
  });
}

function setAhead(aheadMs: number): void {
  cluster.setWall(0, cluster.clock.wallNow() + aheadMs);
}

async function untilNextMinute(more: number): Promise<void> {
  await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + more);
}
