import { afterEach, describe, expect, it } from 'vitest';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import { expectNoOverlap, itemsOf, range } from './support/run-checks.js';
import { JOB, MINUTE, TriggeredJob } from './support/triggered-job.js';

let job: TriggeredJob;
afterEach(() => job.stop());

describe('a trigger that comes while items run', () => {
  it('runs free items at once, and a busy item afterwards, once for each trigger (fault 18)', async () => {
    job = await TriggeredJob.start({
      instances: 1,
      handler: ({ shardingItem }, { clock }) => clock.sleep(shardingItem === 0 ? 10_000 : 100),
    });

    for (const id of ['a', 'b', 'c']) {
      await job.ask({ id });
      await job.advance(1_000);
    }
    expect(job.origins(1)).toEqual(['a', 'b', 'c']);
    expect(job.origins(0)).toEqual(['a']);
    expect(postponed()).toEqual(['manual:b 0', 'manual:c 0']);

    await job.advance(30_000);
    expect(job.origins(0)).toEqual(['a', 'b', 'c']);
    expectNoOverlap(job.runs(), ({ endedAt }) => endedAt!);
    expect(kinds()).not.toContain('misfired');
    expect(kinds()).not.toContain('refused');
  });

  it('runs an item that its former owner still runs as soon as it is released (fault 18)', async () => {
    job = await TriggeredJob.start({
      instances: 1,
      handler: ({ trigger }, { clock }) => trigger !== 'schedule' && trigger.id === 'a' && clock.sleep(20_000),
    });
    await job.ask({ id: 'a' });
    await job.advance(1_000);
    const late = await job.cluster.join();
    await job.advance(2_000);

    await job.ask({ id: 'b' });
    await job.advance(1_000);
    expect(job.origins()).toEqual(Array(4).fill('a'));

    await job.advance(20_000);
    expect(itemsOf(job.runs())).toEqual([...range(4), ...range(4)].toSorted((a, b) => a - b));
    expect(
      job
        .runs()
        .slice(4)
        .some(({ instance }) => instance === late),
    ).toBe(true);
  });

  it('runs each item before it catches up on all that it owes', async () => {
    let runMs: ((item: number) => number) | undefined;
    const handler: TestJobHandler = ({ shardingItem }, { clock }) => runMs && clock.sleep(runMs(shardingItem));
    job = await TriggeredJob.start({ instances: 1, cron: '* * * * * ?', misfirePolicy: 'all', handler });
    runMs = () => MINUTE;
    await job.advance(2_000);
    runMs = (item) => 5 + 3 * item;
    await job.advance(MINUTE);
    await job.ask({ id: 'a' });

    await job.advance(500);

    expect(job.runsOfRequest('a')).toEqual(range(4));
    for (const item of range(4)) expect(job.runsOf(item).at(-1)).toBe('schedule MISFIRE');
  });

  it('is skipped, and reported, if as many wait already as may (fault 18)', async () => {
    job = await TriggeredJob.start({ instances: 1, handler: () => new Promise(() => {}) });

    for (const id of range(102)) {
      await job.ask({ id: `${id}` });
      await job.advance(100);
    }

    expect(postponed()).toHaveLength(100);
    expect(job.skipped()).toEqual(['100 triggers wait already']);
  });

  it('is named when its instance leaves without having run it', async () => {
    job = await TriggeredJob.start({
      instances: 1,
      handler: ({ signal }, { clock }) => clock.sleep(MINUTE, signal),
    });
    for (const id of ['a', 'b']) {
      await job.ask({ id });
      await job.advance(1_000);
    }

    await job.cluster.leave(0);

    expect(job.skipped()).toEqual(['this instance leaves']);
    expect(job.origins()).toEqual(Array(4).fill('a'));
  });

  it('does not run an item that is disabled while the trigger waits for it', async () => {
    job = await TriggeredJob.start({ instances: 1, handler: (_context, { clock }) => clock.sleep(5_000) });
    for (const id of ['a', 'b']) {
      await job.ask({ id });
      await job.advance(1_000);
    }

    await job.operator.create(`/${JOB}/sharding/0/disabled`, '', 'PERSISTENT');
    await job.advance(10_000);

    expect(job.origins(0)).toEqual(['a']);
    expect(job.origins(1)).toEqual(['a', 'b']);
  });
});

function postponed(): string[] {
  return job.cluster
    .events(0)
    .flatMap((event) => (event.kind === 'postponed' ? [`${event.trigger.origin} ${event.items.join()}`] : []));
}

function kinds(): string[] {
  return job.events(0).map(({ kind }) => kind);
}
