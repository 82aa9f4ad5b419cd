import {
  ConfigurationError,
  ElasticJob,
  ElasticJobTemplate,
  JobRegistrar,
  type ShardingContext,
} from '@app/elastic-job';
import { Injectable } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { EVERY_SECOND, startJobs } from './support/job-application.js';

@Injectable()
class OrderJobs {
  readonly settled: ShardingContext[] = [];
  readonly nightlyItems: number[] = [];

  @ElasticJob({
    name: 'settle-orders',
    cron: EVERY_SECOND,
    shardingTotalCount: 3,
    shardingItemParameters: '0=Beijing,1=Shanghai,2=Guangzhou',
    jobParameter: 'full',
    failover: true,
  })
  async settle(context: ShardingContext): Promise<void> {
    this.settled.push(context);
  }

  @ElasticJob(EVERY_SECOND, 2, 'ROUND_ROBIN')
  nightly({ shardingItem }: ShardingContext): void {
    this.nightlyItems.push(shardingItem);
  }
}

@ElasticJob({ cron: EVERY_SECOND, shardingTotalCount: 2 })
@Injectable()
class InvoiceJob {
  readonly items: number[] = [];

  execute({ shardingItem }: ShardingContext): void {
    this.items.push(shardingItem);
  }
}

@Injectable()
class NightJobs {
  readonly done: string[] = [];

  @ElasticJob({ name: 'report', after: 'import', shardingTotalCount: 1 })
  report({ jobName, fireTime }: ShardingContext): void {
    this.done.push(`${jobName} ${fireTime.getTime()}`);
  }

  @ElasticJob({ name: 'import', cron: EVERY_SECOND, shardingTotalCount: 1 })
  import({ jobName, fireTime }: ShardingContext): void {
    this.done.push(`${jobName} ${fireTime.getTime()}`);
  }
}

describe('@ElasticJob', () => {
  it('runs a job after another one of the application for the same fire time', async () => {
    const jobs = await startJobs({ providers: [NightJobs] });
    await jobs.tick();
    await jobs.tick();
    const { done } = jobs.app.get(NightJobs);
    const second = Date.UTC(2030, 0, 1, 0, 0, 1);
    expect(done.slice(0, 2)).toEqual([`import ${second}`, `report ${second}`]);
  });

  it('runs each item once with its context in the long form on a method', async () => {
    const jobs = await startJobs({ providers: [OrderJobs] });
    await jobs.tick();
    const { settled } = jobs.app.get(OrderJobs);
    expect(settled.map((context) => [context.shardingItem, context.shardingParameter])).toEqual([
      [0, 'Beijing'],
      [1, 'Shanghai'],
      [2, 'Guangzhou'],
    ]);
    expect(settled[0]).toMatchObject({
      jobName: 'settle-orders',
      jobParameter: 'full',
      shardingTotalCount: 3,
      source: 'NORMAL_TRIGGER',
      trigger: 'schedule',
      attempt: 1,
      tokenEpoch: 0,
      fireTime: new Date(Date.UTC(2030, 0, 1, 0, 0, 1)),
    });
    expect(typeof settled[0]?.token).toBe('bigint');
  });

  it('names the job after class and method in the short form', async () => {
    const jobs = await startJobs({ providers: [OrderJobs] });
    await jobs.tick();
    expect(jobs.app.get(OrderJobs).nightlyItems).toEqual([0, 1]);
    const nightly = jobs.app.get(JobRegistrar).jobs.find(({ jobName }) => jobName === 'OrderJobs.nightly');
    expect(nightly?.configuration.strategy.type).toBe('ROUND_ROBIN');
  });

  it('runs execute of a class, and the job has the class name', async () => {
    const jobs = await startJobs({ providers: [InvoiceJob] });
    await jobs.tick();
    expect(jobs.app.get(InvoiceJob).items).toEqual([0, 1]);
    expect(jobs.app.get(JobRegistrar).jobs.map(({ jobName }) => jobName)).toEqual(['InvoiceJob']);
  });

  it('makes two jobs of two decorators on one method', async () => {
    @Injectable()
    class Reports {
      readonly parameters: string[] = [];

      @ElasticJob({ name: 'report-eu', cron: EVERY_SECOND, shardingTotalCount: 1, jobParameter: 'eu' })
      @ElasticJob({ name: 'report-us', cron: EVERY_SECOND, shardingTotalCount: 1, jobParameter: 'us' })
      report({ jobParameter }: ShardingContext): void {
        this.parameters.push(jobParameter);
      }
    }
    const jobs = await startJobs({ providers: [Reports] });
    await jobs.tick();
    expect(jobs.app.get(Reports).parameters.toSorted()).toEqual(['eu', 'us']);
  });

  it('does not compile on a property, which the error names in JavaScript', () => {
    expect(() => {
      class Wrong {
        // @ts-expect-error -- a property is no job
        @ElasticJob(EVERY_SECOND, 1)
        readonly items: number[] = [];
      }
      return Wrong;
    }).toThrow(/@ElasticJob on items/);
  });
});

it.each([
  ['@ElasticJob', undefined, (options: never) => ElasticJob(options)],
  ['@ElasticJob', new Date(), (options: never) => ElasticJob(options)],
  ['@ElasticJobTemplate', null, (options: never) => ElasticJobTemplate('t', options)],
  ['@ElasticJobTemplate', 5, (options: never) => ElasticJobTemplate('t', options)],
  ['@ElasticJobTemplate', new Date(), (options: never) => ElasticJobTemplate('t', options)],
])('%s is refused at the start if its options are no object: %#', async (_, options, declare) => {
  class Jobs {
    @Reflect.apply(declare, undefined, [options])
    run(): void {}
  }

  const start = startJobs({ providers: [Jobs] });

  await expect(start).rejects.toThrow(ConfigurationError);
  await expect(start).rejects.toThrow('Jobs.run: the options must be an object, but are of type ');
});
