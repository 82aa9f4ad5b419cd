import { afterEach, describe, expect, it } from 'vitest';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import { askWith, idOf } from './support/operators.js';
import { itemsOf, range } from './support/run-checks.js';
import { JOB, MINUTE, TriggeredJob } from './support/triggered-job.js';

let job: TriggeredJob;
afterEach(() => job.stop());

describe('a trigger of an operator', () => {
  it('given a one-off job on two instances, when it is triggered, then each item runs once, with what was passed along', async () => {
    job = await TriggeredJob.start({ instances: 2 });
    await job.advance(10 * MINUTE);
    expect(job.contexts).toEqual([]);

    await job.ask({ id: 'abc', parameters: 'only Tuesday' });
    await job.advance(1_000);

    expect(itemsOf(job.runs())).toEqual(range(4));
    expect(new Set(job.runs().map(({ instance }) => instance))).toEqual(new Set([0, 1]));
    for (const { trigger } of job.contexts) expect(trigger).toEqual({ id: 'abc', parameters: 'only Tuesday' });
    expect(job.contexts.every(({ source }) => source === 'NORMAL_TRIGGER')).toBe(true);
    expect(await job.operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it("given Java's empty request, when it is taken, then its id and instant are the node's", async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await askWith(job.cluster, job.operator, JOB, '');
    const { stat } = (await job.operator.read(`/${JOB}/trigger/${idOf(job.cluster, 0)}`))!;

    await job.advance(1_000);

    expect(job.contexts[0]!.trigger).toEqual({ id: stat.czxid.toString(), parameters: undefined });
    expect(job.contexts[0]!.fireTime.getTime()).toBe(stat.ctime);
  });

  it('given a scheduled job, when it is triggered twice, then it runs twice more', async () => {
    job = await TriggeredJob.start({ instances: 1, cron: '0 * * * * ?' });
    await job.untilNextMinute(1_000);

    for (const id of ['a', 'b']) {
      await job.ask({ id });
      await job.advance(1_000);
    }

    expect(job.origins()).toEqual([...Array(4).fill('schedule'), ...Array(4).fill('a'), ...Array(4).fill('b')]);
  });

  it('given the resharding flag, when the job is triggered, then the trigger waits for the new owners', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    const late = await job.cluster.join();
    await job.ask({ id: 'a' });

    await job.advance(2_000);

    expect(itemsOf(job.runs())).toEqual(range(4));
    expect(new Set(job.runs().map(({ instance }) => instance))).toEqual(new Set([0, late]));
  });

  it('given an item that has run for a request, when it goes to an instance that is late with it, then it does not run again', async () => {
    job = await TriggeredJob.start({ instances: 2, cron: '* * * * * ?' });
    await job.advance(2_000);
    job.cluster.pause(0);
    await job.ask({ id: 'a' });
    await job.advance(2_000);
    expect(job.origins(0)).toContain('a');

    await job.operator.set(`/${JOB}/sharding/0/instance`, idOf(job.cluster, 0));
    await job.cluster.resume(0);
    await job.advance(2_000);

    expect(job.runsOfRequest('a')).toEqual(range(4));
    expect(job.events(0)).toContainEqual(
      expect.objectContaining({ kind: 'refused', items: [0], cause: 'alreadyBegun' }),
    );
  });

  it('given items that are failed over, when the job is triggered, then they run for the trigger as soon as they are released', async () => {
    const handler: TestJobHandler = ({ trigger }, { clock }) => trigger === 'schedule' && clock.sleep(5_000);
    job = await TriggeredJob.start({ instances: 2, cron: '0 * * * * ?', failover: true, handler });
    await job.untilNextMinute(1_000);
    job.cluster.crash(0);
    await job.advance(11_000);
    expect(job.contexts.filter(({ source }) => source === 'FAILOVER')).toHaveLength(2);

    await job.ask({ id: 'a' }, [1]);
    await job.advance(10_000);

    expect(job.runsOfRequest('a')).toEqual(range(4));
  });

  it('given items that go to an instance which came after the request, when the request is taken, then none of them is forgotten', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    job.cluster.partition(0);
    await job.ask({ id: 'a' });
    const late = await job.cluster.join();
    await job.operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');

    await job.cluster.heal(0);
    await job.advance(2_000);

    expect([...job.cluster.assignment(JOB).values()].filter((owner) => owner === late)).toHaveLength(2);
    expect(job.events(0)).toContainEqual(expect.objectContaining({ kind: 'triggered', items: [2, 3] }));
    expect(itemsOf(job.runs())).toEqual(range(4));
  });

  it('given an item that its former owner runs for the same trigger, when its new owner is asked as well, then it runs once', async () => {
    job = await TriggeredJob.start({ instances: 1, handler: (_context, { clock }) => clock.sleep(20_000) });
    await job.ask({ id: 'a' });
    const { fireTime } = await job.advance(1_000).then(() => job.contexts[0]!);
    const late = await job.cluster.join();
    await job.advance(2_000);

    // Both were asked at the same time, and the one had to wait for the resharding.
    job.cluster.clock.setWall(fireTime.getTime());
    await job.ask({ id: 'a' }, [late]);
    await job.advance(50_000);

    expect(itemsOf(job.runs())).toEqual(range(4));
    expect(job.events(late)).toContainEqual(expect.objectContaining({ kind: 'refused', cause: 'alreadyBegun' }));
    expect(job.events(late).map(({ kind }) => kind)).not.toContain('postponed');
  });

  it('given a request that comes while the instance is cut off, when it is back, then it runs', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    job.cluster.partition(0);
    await job.advance(1_000);
    await job.ask({ id: 'a' });
    await job.advance(1_000);

    await job.cluster.heal(0);
    await job.advance(1_000);

    expect(itemsOf(job.runs())).toEqual(range(4));
  });

  it.each([
    ['removal of the request', 10],
    ['begin', 36],
    ['settle', 46],
  ])('given the answer to the %s is lost, when the instance goes on, then each item has run once', async (_, ms) => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.ask({ id: 'a' });
    await job.advance(ms);

    job.cluster.registry.loseNextReply(job.cluster.instances[0]!.center.session.id!);
    await job.advance(10_000);

    expect(job.events(0)).toContainEqual(expect.objectContaining({ kind: 'session', state: 'SUSPENDED' }));
    expect(itemsOf(job.runs())).toEqual(range(4));
    expect(await job.operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('given a disabled server, when it is asked, then it takes the request and runs nothing, also not when enabled', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
    await job.advance(1_000);

    await job.ask({ id: 'a' });
    await job.advance(1_000);
    expect(await job.operator.children(`/${JOB}/trigger`)).toEqual([]);
    expect(job.skipped()).toEqual(['server 10.0.0.1 is disabled']);

    await job.operator.set(`/${JOB}/servers/10.0.0.1`, 'ENABLED');
    await job.advance(MINUTE);
    expect(job.contexts).toEqual([]);
  });

  it('given a disabled item, when the job is triggered, then the others run', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.operator.create(`/${JOB}/sharding/2/disabled`, '', 'PERSISTENT');

    await job.ask({ id: 'a' });
    await job.advance(1_000);

    expect(itemsOf(job.runs())).toEqual([0, 1, 3]);
  });

  it('given a paused schedule, when the job is triggered, then it runs', async () => {
    job = await TriggeredJob.start({ instances: 1, cron: '0 * * * * ?' });
    job.cluster.instances[0]!.runtime.registrar.pause(JOB);

    await job.ask({ id: 'a' });
    await job.advance(1_000);

    expect(job.origins()).toEqual(Array(4).fill('a'));
  });

  it('given parameters that no begin can hold, when the job is triggered, then that is told, and the next trigger runs', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.ask({ id: 'huge', parameters: 'x'.repeat(260_000) });
    await job.advance(1_000);
    expect(job.contexts).toEqual([]);
    expect(errors()).toEqual(['the trigger manual:huge failed']);

    await job.ask({ id: 'a' });
    await job.advance(1_000);

    expect(job.origins()).toEqual(Array(4).fill('a'));
  });

  it('tells of a request that is too large to be read, and runs nothing for it', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.ask({ id: 'huge', parameters: 'x'.repeat(300_000) });
    await job.advance(1_000);

    const reasons = job.events(0).flatMap((event) => (event.kind === 'skipped' ? event.reason : []));
    expect(reasons).toEqual([expect.stringContaining('its request cannot be read: it has more than 262144 bytes')]);
    expect(job.contexts).toEqual([]);
  });

  it('given a job that marks nothing as running, when it is triggered while it runs, then it runs again afterwards', async () => {
    job = await TriggeredJob.start({
      instances: 1,
      monitorExecution: false,
      handler: (_context, { clock }) => clock.sleep(5_000),
    });

    for (const id of ['a', 'b']) {
      await job.ask({ id });
      await job.advance(1_000);
    }
    await job.advance(10_000);

    expect(job.origins()).toEqual([...Array(4).fill('a'), ...Array(4).fill('b')]);
  });
});

it.each([
  [-1, 5],
  [60, 5],
])(
  'given maxTimeDiffSeconds %i, when an operator triggers the job, then that costs %i requests',
  async (maxTimeDiffSeconds, cost) => {
    job = await TriggeredJob.start({ instances: 1, maxTimeDiffSeconds });
    await job.ask({ id: 'a' });
    await job.advance(1_000);
    const { foreground: before } = { ...job.cluster.instances[0]!.center.traffic };

    await job.ask({ id: 'b' });
    await job.advance(1_000);

    expect(job.cluster.instances[0]!.center.traffic.foreground - before).toBe(cost);
  },
);

function errors(): string[] {
  return job.events(0).flatMap((event) => (event.kind === 'error' ? [event.message] : []));
}
