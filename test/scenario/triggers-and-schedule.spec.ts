import { afterEach, describe, expect, it } from 'vitest';
import { TriggeredJob } from './support/triggered-job.js';

let job: TriggeredJob;
afterEach(() => job.stop());

describe('triggers beside the schedule', () => {
  it('given a manual run across a fire time, when it ends, then the fire time is caught up on once', async () => {
    job = await TriggeredJob.start({
      instances: 1,
      cron: '0 * * * * ?',
      handler: ({ trigger }, { clock }) => trigger !== 'schedule' && clock.sleep(20_000),
    });
    await job.untilNextMinute(50_000);

    await job.ask({ id: 'a' });
    await job.advance(25_000);

    expect(job.runsOf(0)).toEqual(['schedule NORMAL_TRIGGER', 'a NORMAL_TRIGGER', 'schedule MISFIRE']);
    await job.reshard();
    expect(job.runsOf(0)).toHaveLength(3);
  });

  it('given a trigger that was asked for before a fire time and runs after it, when items move, then the fire time is not run again', async () => {
    job = await TriggeredJob.start({
      instances: 1,
      cron: '0 * * * * ?',
      handler: ({ trigger }, { clock }) => trigger !== 'schedule' && clock.sleep(10_000),
    });
    await job.untilNextMinute(1_000);
    await job.untilNextMinute(-5_000);
    await job.ask({ id: 'a' });
    await job.advance(1_000);
    await job.ask({ id: 'b' });
    await job.advance(30_000);

    await job.reshard();

    expect(job.runsOf(0).toSorted()).toEqual(
      ['schedule NORMAL_TRIGGER', 'a NORMAL_TRIGGER', 'b NORMAL_TRIGGER', 'schedule MISFIRE'].toSorted(),
    );
  });

  it('given a manual run since the last fire time, when the instance misses the next one, then it catches up on it', async () => {
    job = await TriggeredJob.start({ instances: 1, cron: '0 * * * * ?' });
    await job.untilNextMinute(1_000);
    await job.untilNextMinute(-5_000);
    await job.ask({ id: 'a' });
    await job.advance(1_000);

    job.cluster.partition(0);
    await job.advance(7_000);
    await job.cluster.heal(0);
    await job.advance(5_000);

    expect(job.runsOf(0)).toEqual(['schedule NORMAL_TRIGGER', 'a NORMAL_TRIGGER', 'schedule MISFIRE']);
  });
});
