import { ElasticJob, JobRegistrar } from '@app/elastic-job';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { beforeAll, describe, expect, it } from 'vitest';
import { EVERY_SECOND, startJobs } from './support/job-application.js';

const START = Date.UTC(2030, 0, 1);

class OrderJobs {
  runs = 0;

  @ElasticJob({ name: 'settle-orders', cron: '0/5 * * * * ?', shardingTotalCount: 1, timeZone: 'Asia/Tokyo' })
  settle(): void {
    this.runs += 1;
  }
}

describe('SchedulerRegistry', () => {
  // Virtual time passes while an application loads a module.
  beforeAll(() => import('cron'));

  it.each([null, undefined, {}, 'Registry'])('is found beside a provider whose constructor is %j', async (own) => {
    const provided = { provide: 'settings', useValue: Object.defineProperty({}, 'constructor', { value: own }) };
    const jobs = await startJobs({ imports: [ScheduleModule.forRoot()], providers: [provided, OrderJobs] });

    expect(jobs.app.get(SchedulerRegistry).doesExist('cron', 'settle-orders')).toBe(true);
  });

  it('lists jobs with their times', async () => {
    const jobs = await startJobs({ imports: [ScheduleModule.forRoot()], providers: [OrderJobs] });
    const listed = jobs.app.get(SchedulerRegistry).getCronJob('settle-orders');
    expect(listed.isActive).toBe(true);
    expect(listed.lastDate()).toBeNull();
    expect(listed.nextDate().toISO()).toBe('2030-01-01T09:00:05.000+09:00');
    expect(listed.nextDates(3).map((date) => date.toMillis() - START)).toEqual([5_000, 10_000, 15_000]);
    await jobs.clock.advance(5_000);
    expect(listed.lastDate()).toEqual(new Date(START + 5_000));
  });

  it('pauses and resumes the schedule of a listed job that is stopped and started there', async () => {
    const jobs = await startJobs({ imports: [ScheduleModule.forRoot()], providers: [OrderJobs] });
    const listed = jobs.app.get(SchedulerRegistry).getCronJob('settle-orders');
    void listed.stop();
    expect(listed.isActive).toBe(false);
    await jobs.clock.advance(20_000);
    expect(jobs.app.get(OrderJobs).runs).toBe(0);
    listed.start();
    expect(listed.isActive).toBe(true);
    await jobs.clock.advance(5_000);
    expect(jobs.app.get(OrderJobs).runs).toBe(1);
  });

  it('shows an invalid next date for a schedule that has ended', async () => {
    class LastMinuteJobs {
      @ElasticJob({ name: 'past', cron: '0/5 0 0 1 1 ? 2030', shardingTotalCount: 1, timeZone: 'UTC' })
      run(): void {}
    }
    const jobs = await startJobs({ imports: [ScheduleModule.forRoot()], providers: [LastMinuteJobs] });
    await jobs.clock.advance(60_000);
    expect(jobs.app.get(SchedulerRegistry).getCronJob('past').nextDate().isValid).toBe(false);
  });

  it('refuses a new time for a listed job, with the remedy', async () => {
    const jobs = await startJobs({ imports: [ScheduleModule.forRoot()], providers: [OrderJobs] });
    const listed = jobs.app.get(SchedulerRegistry).getCronJob('settle-orders');
    expect(() => listed.setTime(listed.cronTime)).toThrow(/job "settle-orders": .*change the job's cron/);
  });

  it('lists a job no more that was removed at run time', async () => {
    const jobs = await startJobs({ imports: [ScheduleModule.forRoot()], providers: [OrderJobs] });
    await jobs.app.get(JobRegistrar).remove('settle-orders');
    expect(jobs.app.get(SchedulerRegistry).doesExist('cron', 'settle-orders')).toBe(false);
  });

  it('lists a @Cron instead of a job of the same name, and both run', async () => {
    class Both extends OrderJobs {
      @Cron('0 0 0 1 1 *', { name: 'settle-orders' })
      other(): void {}
    }
    const jobs = await startJobs({ imports: [ScheduleModule.forRoot()], providers: [Both] });
    await jobs.clock.advance(5_000);
    expect(jobs.app.get(Both).runs).toBe(1);
  });

  it('is left in order when the application closes, even if a name is gone', async () => {
    const jobs = await startJobs({ imports: [ScheduleModule.forRoot()], providers: [OrderJobs] });
    const registry = jobs.app.get(SchedulerRegistry);
    await expect(jobs.close()).resolves.toBeUndefined();
    expect(registry.getCronJobs().size).toBe(0);
  });

  it('is not needed: jobs run without ScheduleModule', async () => {
    class PlainJobs {
      @ElasticJob(EVERY_SECOND, 1)
      run(): void {}
    }
    const jobs = await startJobs({ providers: [PlainJobs] });
    await jobs.tick();
    expect(jobs.outcomes).toEqual([[0, { kind: 'succeeded' }]]);
  });
});
