import { afterEach, describe, expect, it } from 'vitest';
import { DistributeOnceElasticJobListener, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import type { FailureRule } from '../../libs/elastic-job/src/registry/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { JOB, MixedCluster } from './support/mixed-cluster.js';
import { ascending, range } from './support/run-checks.js';

/** A rule by which this client may not write the nodes of items. */
const belowItems: FailureRule = ({ path }) => (path.startsWith(`/test/${JOB}/sharding/`) ? -102 : undefined);

let cluster: MixedCluster;
afterEach(() => cluster.stop());

describe('a job that Java and our instances share', () => {
  it('runs on both sides from the next fire time on if ours joins Java', async () => {
    cluster = await MixedCluster.start({ instances: 0 });
    await cluster.java();
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: range(4), ours: [] });

    await cluster.ours.join();

    for (let minute = 0; minute < 3; minute++) {
      expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: [0, 1], ours: [2, 3] });
    }
  });

  it('runs on both sides from the next fire time on if Java joins ours', async () => {
    cluster = await MixedCluster.start({ instances: 1 });
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: [], ours: range(4) });

    await cluster.java();

    for (let minute = 0; minute < 3; minute++) {
      expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: [0, 1], ours: [2, 3] });
    }
  });

  it('runs each item once for each fire time while both kinds come and go', async () => {
    cluster = await MixedCluster.start({ instances: 1 });
    const first = await cluster.java();
    await cluster.untilNextMinute(1_000);
    const steps: (() => Promise<unknown>)[] = [
      () => cluster.ours.join(),
      () => cluster.java({ serverIp: '10.0.0.8' }),
      () => cluster.ours.leave(0),
      () => cluster.ours.clock.advanceUntil(first.shutdown()),
      () => cluster.ours.join(),
    ];

    for (const step of steps) {
      await step();
      const { java, ours } = cluster.itemsAt(await cluster.untilNextMinute(2_000));
      expect([...java, ...ours].toSorted(ascending)).toEqual(range(4));
      expect([java.length, ours.length].every((count) => count > 0)).toBe(true);
    }
  });

  it('cancels an item of ours and leaves nothing, and reports that an item of Java cannot be cancelled', async () => {
    const handler = ({ signal }: ShardingContext) =>
      new Promise((resolve) => signal.addEventListener('abort', resolve));
    cluster = await MixedCluster.start({ instances: 1, handler });
    await cluster.java({ handler: () => cluster.ours.clock.sleep(30_000) });
    await cluster.untilNextMinute(5_000);
    const { clock } = cluster.ours;
    const api = new JobOperateApi(cluster.operator, clock);
    const cancel = (item: number) => clock.advanceUntil(api.cancel(JOB, item));

    expect(await cancel(3)).toMatchObject({ kind: 'requested', instanceId: cluster.id(0) });
    expect(await cancel(0)).toEqual({ kind: 'not-ours', instanceId: cluster.peers[0]!.id });
    await cluster.advance(5_000);

    const ended = cluster.ours.runs(JOB).filter(({ endedAt }) => endedAt !== undefined);
    expect(ended.map(({ item }) => item)).toEqual([3]);
    expect(await cluster.nodes('cancel')).toEqual([]);
    expect(await cluster.nodes('leader/failover/items')).toEqual([]);
    expect(await cluster.nodes('sharding/3')).toEqual(['instance', 'record']);
  });

  it('does not catch up on what a Java peer has run before it left', async () => {
    cluster = await MixedCluster.start({ instances: 1 });
    await cluster.untilNextMinute(1_000);
    const java = await cluster.java();
    for (let minute = 0; minute < 3; minute++) await cluster.untilNextMinute(1_000);
    await cluster.ours.clock.advanceUntil(java.shutdown());
    await cluster.advance(5_000);
    const before = cluster.told().length;

    await cluster.ours.join();
    await cluster.ours.leave(0);
    await cluster.advance(5_000);
    expect(cluster.told(before)).toEqual([]);

    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000))).toEqual({ java: [], ours: range(4) });
  });

  it('runs all items again at the first fire time after they could not be written', async () => {
    cluster = await MixedCluster.start({ instances: 1 });
    await cluster.java();
    const mend = cluster.ours.registry.fail(belowItems);
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual([]);
    mend();

    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual([2, 3]);
  });

  it("does not catch up on what Java has run, even if the item's first fire time was refused here", async () => {
    cluster = await MixedCluster.start({ instances: 2 });
    const mend = cluster.ours.registry.fail(belowItems);
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual([]);
    const java = await cluster.java();
    await cluster.java({ serverIp: '10.0.0.0' });
    mend();
    for (let minute = 0; minute < 2; minute++) await cluster.untilNextMinute(1_000);
    expect(java.runs.map(({ item }) => item)).toEqual([0, 0]);
    const before = cluster.told().length;
    cluster.ours.instances[0]!.runtime.registrar.pause(JOB);

    await cluster.ours.clock.advanceUntil(java.shutdown());
    await cluster.advance(20_000);

    expect(cluster.ours.assignment(JOB).get(0)).toBe(1);
    expect(cluster.told(before)).toEqual([]);
  });
});

describe('settings that Java cannot share', () => {
  it('stop ours from starting if Java is there, and are named', async () => {
    cluster = await MixedCluster.start({ instances: 0, job: { timeZone: 'Europe/Berlin' } });
    await cluster.java({ config: { ...JAVA_CONFIG, props: "\n  nestjs.timeZone: 'Europe/Berlin'" } });

    await expect(cluster.ours.join()).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('Europe/Berlin'),
    });
  });

  it('stop ours from beginning anything after Java has joined, until it has left', async () => {
    cluster = await MixedCluster.start({ instances: 1, job: { timeZone: 'Europe/Berlin' } });
    await cluster.untilNextMinute(1_000);

    const java = await cluster.java();
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual([]);
    expect(statusOf(0)).toMatchObject({
      isJoined: true,
      mixedWith: [java.id],
      problem: expect.stringContaining('Europe/Berlin'),
    });
    expect(cluster.ours.events(0)).toContainEqual({
      kind: 'mixed',
      jobName: JOB,
      peers: [java.id],
      unshareable: [expect.stringContaining('Europe/Berlin')],
    });

    await cluster.ours.clock.advanceUntil(java.shutdown());
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual(range(4));
    expect(statusOf(0)).toMatchObject({ mixedWith: [], problem: undefined });
  });
});

describe('a distribute-once listener that no Java peer calls', () => {
  it('stops ours from starting if Java is there, and is named', async () => {
    const job = { jobListenerTypes: ['once'] };
    cluster = await MixedCluster.start({ instances: 0, job, listeners: [new Once('once')] });
    await cluster.java();

    await expect(cluster.ours.join()).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('jobListenerTypes lacks "once"'),
    });
  });

  it('stops ours from beginning anything after Java has joined, if it has no type', async () => {
    cluster = await MixedCluster.start({ instances: 1, listeners: [new Once()] });
    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual(range(4));

    const java = await cluster.java();

    expect(cluster.itemsAt(await cluster.untilNextMinute(1_000)).ours).toEqual([]);
    expect(statusOf(0)).toMatchObject({ mixedWith: [java.id], problem: expect.stringContaining('has no type') });
  });

  class Once extends DistributeOnceElasticJobListener {
    constructor(override readonly type?: string) {
      super();
    }

    override doBeforeJobExecutedAtLastStarted() {}
    override doAfterJobExecutedAtLastCompleted() {}
  }
});

const JAVA_CONFIG = {
  cron: '0 * * * * ?',
  failover: true,
  misfire: true,
  monitorExecution: true,
  shardingTotalCount: 4,
};

function statusOf(instance: number) {
  return cluster.ours.instances[instance]!.runtime.status().jobs[0];
}
