import { afterEach, describe, expect, it } from 'vitest';
import { ExecutorDeathError } from '../../libs/elastic-job/src/domain/index.js';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import { itemsOf, range } from './support/run-checks.js';
import { JOB, MINUTE, SECOND, WatchedJob } from './support/watched-job.js';

let job: WatchedJob;
afterEach(() => job.stop());

describe('a mark in the name of a living instance that does not run the item', () => {
  it.each(['running', 'failovering', 'failover'] as const)(
    'goes within 20 s and is reported if it is a %s mark made by hand, and the item runs again',
    async (mark) => {
      job = await WatchedJob.start();
      await job.untilFireTime();
      await job.advance(7 * SECOND);
      await job.operator.create(`/${JOB}/sharding/2/${mark}`, job.self, 'PERSISTENT');
      await job.advance(20 * SECOND);

      expect(await job.operator.exists(`/${JOB}/sharding/2/${mark}`)).toBeUndefined();
      expect(job.told('mark-released')).toMatchObject([{ item: 2, marks: [mark], run: undefined }]);
      expect(itemsOf(job.runsFor(await job.untilFireTime()))).toEqual(range(4));
    },
  );

  it('has its open run recorded as aborted, with the cause', async () => {
    job = await WatchedJob.start();
    await job.untilFireTime();
    await job.advance(SECOND);
    const path = `/${JOB}/sharding/1/record`;
    const { settled: _settled, ...open } = JSON.parse((await job.operator.read(path))!.data);
    await job.operator.set(path, JSON.stringify(open));
    await job.operator.create(`/${JOB}/sharding/1/running`, job.self, 'PERSISTENT');
    await job.advance(20 * SECOND);

    expect(await job.operator.exists(`/${JOB}/sharding/1/running`)).toBeUndefined();
    expect(job.told('mark-released')).toMatchObject([{ item: 1, run: open.run }]);
    expect(JSON.parse((await job.operator.read(path))!.data)).toMatchObject({
      run: open.run,
      settled: { outcome: 'aborted', cause: 'released' },
    });
  });

  it('never gets older than 20 s, whenever it appears', async () => {
    job = await WatchedJob.start({ cron: '0 0 * * * ?' });
    for (let second = 0; second < 40; second += 1) {
      const item = [0, 4, 13, 14].indexOf(second);
      if (item >= 0) await job.operator.create(`/${JOB}/sharding/${item}/running`, job.self, 'PERSISTENT');
      for (const one of range(4)) {
        const mark = await job.operator.read(`/${JOB}/sharding/${one}/running`);
        expect(job.cluster.clock.wallNow() - (mark?.stat.ctime ?? Infinity), `item ${one}`).toBeLessThan(20 * SECOND);
      }
      await job.advance(SECOND);
    }
    expect(job.told('mark-released')).toHaveLength(4);
  });

  it('goes even if an unmonitored job runs the item all the time, since such a run has no mark', async () => {
    job = await WatchedJob.start({
      cron: '* * * * * ?',
      monitorExecution: false,
      handler: (_context, { clock }) => clock.sleep(10 * SECOND),
    });
    await job.advance(1.5 * SECOND);
    await job.operator.create(`/${JOB}/sharding/2/running`, job.self, 'PERSISTENT');
    await job.advance(20 * SECOND);

    expect(await job.operator.exists(`/${JOB}/sharding/2/running`)).toBeUndefined();
    expect(job.told('mark-released')).toMatchObject([{ item: 2, marks: ['running'] }]);
  });

  it('stays while the item runs, hangs, or may still run in its executor', async () => {
    const handler: TestJobHandler = ({ shardingItem }, { clock }) => {
      if (shardingItem === 0) throw new ExecutorDeathError('UNREACHABLE', 'gone');
      return clock.sleep(shardingItem === 1 ? 3 * MINUTE : 10 * MINUTE);
    };
    job = await WatchedJob.start({ handler, timeoutMs: MINUTE, failover: true, cron: '0 0 * * * ?' });
    await job.untilFireTime();
    await job.advance(2 * MINUTE);

    expect(job.told('mark-released')).toEqual([]);
    for (const item of range(4)) expect(await job.operator.exists(`/${JOB}/sharding/${item}/running`)).toBeDefined();
  });

  it('costs no request to look for if nothing is marked, or all that is marked runs here', async () => {
    job = await WatchedJob.start({ handler: (_context, { clock }) => clock.sleep(10 * MINUTE), cron: '0 0 * * * ?' });
    const resting = job.requests;
    await job.advance(2 * MINUTE);
    expect(job.requests).toBe(resting);
    await job.untilFireTime();
    await job.advance(SECOND);
    const busy = job.requests;
    await job.advance(5 * MINUTE);
    expect(job.requests).toBe(busy);
  });
});
