import { afterEach, describe, expect, it } from 'vitest';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import { askWith, idOf } from './support/operators.js';
import { itemsOf, range } from './support/run-checks.js';
import { JOB, MINUTE, TriggeredJob } from './support/triggered-job.js';

let job: TriggeredJob;
afterEach(() => job.stop());

describe('a trigger of an operator', () => {
  it('runs each item of a one-off job once, with the parameters that were passed', async () => {
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

  it("takes id and instant of the node if the request is Java's empty one", async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await askWith(job.cluster, job.operator, JOB, '');
    const { stat } = (await job.operator.read(`/${JOB}/trigger/${idOf(job.cluster, 0)}`))!;

    await job.advance(1_000);

    expect(job.contexts[0]!.trigger).toEqual({ id: stat.czxid.toString(), parameters: undefined });
    expect(job.contexts[0]!.fireTime.getTime()).toBe(stat.ctime);
  });

  it('runs a scheduled job twice more if it is triggered twice', async () => {
    job = await TriggeredJob.start({ instances: 1, cron: '0 * * * * ?' });
    await job.untilNextMinute(1_000);

    for (const id of ['a', 'b']) {
      await job.ask({ id });
      await job.advance(1_000);
    }

    expect(job.origins()).toEqual([...Array(4).fill('schedule'), ...Array(4).fill('a'), ...Array(4).fill('b')]);
  });

  it('waits for the new owners while the resharding flag is set', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    const late = await job.cluster.join();
    await job.ask({ id: 'a' });

    await job.advance(2_000);

    expect(itemsOf(job.runs())).toEqual(range(4));
    expect(new Set(job.runs().map(({ instance }) => instance))).toEqual(new Set([0, late]));
  });

  it('does not run an item again on an instance that gets it and is late with the request', async () => {
    job = await TriggeredJob.start({ instances: 2, cron: '* * * * * ?', strategy: 'AVG_ALLOCATION' });
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

  it('runs items that are being failed over as soon as they are released', async () => {
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

  it('runs all items even if some go to an instance that joined after the request', async () => {
    job = await TriggeredJob.start({ instances: 1, strategy: 'AVG_ALLOCATION' });
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

  it('runs an item once if its former owner runs it for the same trigger', async () => {
    job = await TriggeredJob.start({ instances: 1, handler: (_context, { clock }) => clock.sleep(20_000) });
    await job.ask({ id: 'a' });
    const { fireTime } = await job.advance(1_000).then(() => job.contexts[0]!);
    const late = await job.cluster.join();
    await job.advance(2_000);

    // Both were asked at the same time, and the second had to wait for the resharding.
    job.cluster.clock.setWall(fireTime.getTime());
    await job.ask({ id: 'a' }, [late]);
    await job.advance(50_000);

    expect(itemsOf(job.runs())).toEqual(range(4));
    expect(job.events(late)).toContainEqual(expect.objectContaining({ kind: 'refused', cause: 'alreadyBegun' }));
    expect(job.events(late).map(({ kind }) => kind)).not.toContain('postponed');
  });

  it('runs once its instance is back, if it came while that was cut off', async () => {
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
  ])('runs each item once if the answer to the %s is lost', async (_, ms) => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.ask({ id: 'a' });
    await job.advance(ms);

    job.cluster.registry.loseNextReply(job.cluster.instances[0]!.center.session.id!);
    await job.advance(10_000);

    expect(job.events(0)).toContainEqual(expect.objectContaining({ kind: 'session', state: 'SUSPENDED' }));
    expect(itemsOf(job.runs())).toEqual(range(4));
    expect(await job.operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('is taken by a disabled server and runs nothing there, even once it is enabled', async () => {
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

  it('runs all items except a disabled one', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.operator.create(`/${JOB}/sharding/2/disabled`, '', 'PERSISTENT');

    await job.ask({ id: 'a' });
    await job.advance(1_000);

    expect(itemsOf(job.runs())).toEqual([0, 1, 3]);
  });

  it('runs the job although its schedule is paused', async () => {
    job = await TriggeredJob.start({ instances: 1, cron: '0 * * * * ?' });
    job.cluster.instances[0]!.runtime.registrar.pause(JOB);

    await job.ask({ id: 'a' });
    await job.advance(1_000);

    expect(job.origins()).toEqual(Array(4).fill('a'));
  });

  it('reports parameters that no begin can hold, and the next trigger runs', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.ask({ id: 'huge', parameters: 'x'.repeat(260_000) });
    await job.advance(1_000);
    expect(job.contexts).toEqual([]);
    expect(errors()).toEqual(['the trigger manual:huge failed']);

    await job.ask({ id: 'a' });
    await job.advance(1_000);

    expect(job.origins()).toEqual(Array(4).fill('a'));
  });

  it('reports a request that is too large to be read, and runs nothing for it', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.ask({ id: 'huge', parameters: 'x'.repeat(300_000) });
    await job.advance(1_000);

    const reasons = job.events(0).flatMap((event) => (event.kind === 'skipped' ? event.reason : []));
    expect(reasons).toEqual([expect.stringContaining('its request cannot be read: it has more than 262144 bytes')]);
    expect(job.contexts).toEqual([]);
  });

  it('runs a job that marks nothing again after its present run', async () => {
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
])("with maxTimeDiffSeconds %i, an operator's trigger costs %i requests", async (maxTimeDiffSeconds, cost) => {
  job = await TriggeredJob.start({ instances: 1, maxTimeDiffSeconds });
  await job.ask({ id: 'a' });
  await job.advance(1_000);
  const { foreground: before } = { ...job.cluster.instances[0]!.center.traffic };

  await job.ask({ id: 'b' });
  await job.advance(1_000);

  expect(job.cluster.instances[0]!.center.traffic.foreground - before).toBe(cost);
});

function errors(): string[] {
  return job.events(0).flatMap((event) => (event.kind === 'error' ? [event.message] : []));
}
