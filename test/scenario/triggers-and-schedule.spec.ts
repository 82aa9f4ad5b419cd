import { afterEach, describe, expect, it } from 'vitest';
import { TriggeredJob } from './support/triggered-job.js';

let job: TriggeredJob;
afterEach(() => job.stop());

describe('triggers beside the schedule', () => {
  it('catch up once on a fire time that a manual run outlasts', async () => {
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

  it('do not repeat a fire time if a trigger from before it runs after it and items move', async () => {
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

  it('catch up on the next fire time although a manual run came in between', async () => {
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
