import { afterEach, describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { hang, HourlyJob, JOB, untilAborted } from './support/hourly-job.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { ascending, itemsOf, range } from './support/run-checks.js';

let job: HourlyJob;
afterEach(() => job.stop());

describe('items that a drain aborts', () => {
  it('aborts items that outlast the deadline of a drain, and runs them again on another instance', async () => {
    job = await HourlyJob.start({ instances: 2, handler: untilAborted, drainTimeoutMs: 3_000 });
    await job.untilNextHour(1_000);
    const aborted = itemsOf(job.runsOf(0));

    await job.cluster.leave(0);
    await job.advance(2_000);

    expect(job.outcomes(0)).toEqual(aborted.map(() => 'aborted'));
    const again = job.rescues();
    expect(itemsOf(again)).toEqual(aborted);
    expect(again.every(({ instance }) => instance === 1)).toBe(true);
  });

  it('sweeps the mark of a handler that ignores its signal, and runs the item elsewhere', async () => {
    job = await HourlyJob.start({ instances: 2, handler: hang, drainTimeoutMs: 3_000 });
    await job.untilNextHour(1_000);
    const hung = itemsOf(job.runsOf(0));

    await job.cluster.leave(0);
    await job.advance(5_000);

    expect(itemsOf(job.rescues())).toEqual(hung);
    const operator = await operatorOf(job.cluster);
    for (const item of hung) expect(await operator.exists(`/${JOB}/sharding/${item}/running`)).toBeUndefined();
  });

  it('lets others take an item whose job is removed while its failover run hangs', async () => {
    let rescues = 0;
    const handler = ({ source }: ShardingContext) => {
      if (source === 'FAILOVER') rescues += 1;
      return rescues < 2 && new Promise(() => {});
    };
    job = await HourlyJob.start({ instances: 2, total: 1, drainTimeoutMs: 3_000, handler });
    await job.untilNextHour(1_000);
    const first = job.runs()[0]!.instance;
    job.cluster.crash(first);
    await job.advance(14_000);
    const rescuer = job.runs()[1]!.instance;
    const third = await job.cluster.join();

    const removal = job.cluster.instances[rescuer]!.runtime.registrar.remove(JOB);
    await job.advance(10_000);
    await removal;

    expect(job.runs()[2]).toMatchObject({ instance: third, source: 'FAILOVER' });
    expect(job.runs()[2]!.endedAt).toBeDefined();
  });

  it('records each aborted item and queues it at once, even if no other instance is there', async () => {
    job = await HourlyJob.start({ instances: 1, handler: untilAborted, drainTimeoutMs: 3_000 });
    await job.untilNextHour(1_000);

    await job.cluster.leave(0);

    const operator = await operatorOf(job.cluster);
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

  it('runs an item elsewhere whether its handler heeded the deadline or not, and leaves no mark', async () => {
    job = await HourlyJob.start({
      instances: 2,
      total: 4,
      drainTimeoutMs: 3_000,
      handler: (context) => (context.shardingItem % 2 === 0 ? untilAborted(context) : hang(context)),
    });
    await job.untilNextHour(1_000);
    const own = itemsOf(job.runsOf(0));
    expect(own.map((item) => item % 2).toSorted(ascending)).toEqual([0, 1]);

    await job.cluster.leave(0);
    await job.advance(500);

    expect(job.outcomes(0)).toEqual(['aborted']);
    expect(itemsOf(job.rescues())).toEqual(own);
    const left = await traces(await operatorOf(job.cluster), JOB);
    expect(left.filter((path) => own.some((item) => path.includes(`/sharding/${item}/`)))).toEqual([]);
  });

  it('records items as aborted without failover, and runs them again at the next fire time', async () => {
    job = await HourlyJob.start({ instances: 2, handler: untilAborted, drainTimeoutMs: 3_000, failover: false });
    await job.untilNextHour(1_000);
    const own = itemsOf(job.runsOf(0));

    await job.cluster.leave(0);
    await job.advance(60_000);

    expect(job.outcomes(0)).toEqual(own.map(() => 'aborted'));
    expect(job.runs()).toHaveLength(3);
    const second = await job.untilNextHour(1_000).then(() => job.runs().slice(3));
    expect(itemsOf(second).filter((item) => own.includes(item))).toEqual(own);
  });

  it('aborts what runs at once if an operator removes the instance during its drain', async () => {
    job = await HourlyJob.start({ instances: 2, handler: untilAborted });
    await job.untilNextHour(1_000);
    const own = itemsOf(job.runsOf(0));
    const leaving = job.cluster.instances[0]!.runtime.stop();
    await job.advance(1_000);

    const [id] = job.cluster.instances[0]!.instanceIds;
    await (await operatorOf(job.cluster)).delete(`/${JOB}/instances/${id}`);
    await job.advance(1_000);

    await leaving;
    expect(job.outcomes(0)).toEqual(own.map(() => 'aborted'));
    expect(itemsOf(job.rescues())).toEqual(own);
  });
});

describe('an item that is aborted at its time limit', () => {
  it('is not repeated by another instance', async () => {
    job = await HourlyJob.start({ instances: 2, handler: untilAborted, timeoutMs: 500 });

    await job.untilNextHour(10_000);

    expect([...job.outcomes(0), ...job.outcomes(1)]).toEqual(['failed', 'failed', 'failed']);
    expect(job.runs()).toHaveLength(3);
  });
});
