import { ElasticJob, type ElasticJobModuleOptions, type JobErrorHandler, JobRegistrar } from '@app/elastic-job';
import { WechatErrorHandler } from '@app/elastic-job/error-handlers';
import {
  JobConfigurationApi,
  JobOperateApi,
  JobStatisticsApi,
  ServerStatisticsApi,
  ShardingOperateApi,
  ShardingStatisticsApi,
} from '@app/elastic-job/operations';
import { MemoryRegistry } from '@app/elastic-job/registry';
import { VirtualClock } from '@app/elastic-job/testing';
import { Injectable } from '@nestjs/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { EVERY_SECOND, type JobApplication, startJobs, whileTimePasses } from './support/job-application.js';

const JOB = 'settle-orders';

@Injectable()
class OrderJobs {
  readonly ran: number[] = [];

  @ElasticJob({ name: JOB, cron: EVERY_SECOND, shardingTotalCount: 2 })
  settle({ shardingItem }: { readonly shardingItem: number }): void {
    this.ran.push(shardingItem);
  }
}

/** An operator's own service, as an example. */
@Injectable()
class Operations {
  constructor(
    readonly configurations: JobConfigurationApi,
    readonly jobs: JobOperateApi,
    readonly items: ShardingOperateApi,
    readonly jobStatistics: JobStatisticsApi,
    readonly servers: ServerStatisticsApi,
    readonly sharding: ShardingStatisticsApi,
  ) {}
}

describe('operations in an application that runs no jobs', () => {
  let clock: VirtualClock;
  let worker: JobApplication;
  let operations: Operations;
  beforeEach(async () => {
    clock = new VirtualClock();
    const options: ElasticJobModuleOptions = {
      registry: { type: 'memory', server: new MemoryRegistry(clock) },
      errorHandlers: [new WechatErrorHandler()],
    };
    worker = await startJobs({ options, clock, providers: [OrderJobs] });
    const web = await startJobs({
      options: { ...options, processing: false },
      clock,
      providers: [Operations, OrderJobs],
    });
    operations = web.app.get(Operations);
    await worker.tick();
  });

  it('know the job of a worker elsewhere through all injected services', async () => {
    expect(await operations.jobStatistics.getAllJobsBriefInfo()).toMatchObject([
      { jobName: JOB, status: 'OK', instanceCount: 1, cron: EVERY_SECOND },
    ]);
    expect(await operations.servers.getAllServersBriefInfo()).toMatchObject([{ jobNames: [JOB] }]);
    expect(await operations.sharding.getShardingInfo(JOB)).toMatchObject([
      { item: 0, status: 'PENDING', lastRun: { outcome: 'succeeded' } },
      { item: 1, status: 'PENDING', lastRun: { outcome: 'succeeded' } },
    ]);
  });

  it('refuse what JobRegistrar.change would refuse: an unknown error handler, and missing props', async () => {
    const { configurations } = operations;

    const unknown = configurations.updateJobConfiguration(JOB, { jobErrorHandlerType: 'PIGEON' });
    await expect(unknown).rejects.toThrow('jobErrorHandlerType "PIGEON" is no error handler');
    const propless = configurations.updateJobConfiguration(JOB, { jobErrorHandlerType: 'WECHAT' });
    await expect(propless).rejects.toThrow('wechat.webhook');

    const props = { 'wechat.webhook': 'https://example.org/hook' };
    const edited = await configurations.updateJobConfiguration(JOB, { jobErrorHandlerType: 'WECHAT', props });
    expect(edited).toMatchObject({ jobErrorHandlerType: 'WECHAT', props });
  });

  it("keep an error handler that only the job's own processes know", async () => {
    class Pager implements JobErrorHandler {
      readonly type = 'PAGER';
      handle(): void {}
    }
    @Injectable()
    class PagedJobs {
      @ElasticJob({ name: 'paged', cron: EVERY_SECOND, shardingTotalCount: 1, jobErrorHandlerType: 'PAGER' })
      settle(): void {}
    }
    const registry = { type: 'memory', server: new MemoryRegistry(clock) } as const;
    await startJobs({ options: { registry, errorHandlers: [new Pager()] }, clock, providers: [PagedJobs] });
    const web = await startJobs({ options: { registry, processing: false }, clock, providers: [Operations] });
    const { configurations } = web.app.get(Operations);

    const edited = await configurations.updateJobConfiguration('paged', { label: 'nightly' });

    expect(edited).toMatchObject({ label: 'nightly', jobErrorHandlerType: 'PAGER' });
    const lost = configurations.updateJobConfiguration('paged', { jobErrorHandlerType: 'PAGERS' });
    await expect(lost).rejects.toThrow('PAGERS');
  });

  it('change items and settings of a worker elsewhere', async () => {
    const { ran } = worker.app.get(OrderJobs);
    await operations.items.disable(JOB, 0);
    await operations.configurations.updateJobConfiguration(JOB, { shardingTotalCount: 3 });
    await worker.tick(); // The new total is sharded.
    ran.length = 0;
    await worker.tick();
    expect(new Set(ran)).toEqual(new Set([1, 2]));
  });

  it('stop all runs of a worker elsewhere whose job is disabled', async () => {
    const { ran } = worker.app.get(OrderJobs);
    await operations.jobs.disable(JOB);
    await worker.tick();
    ran.length = 0;
    await worker.tick();
    expect(ran).toEqual([]);
    expect(await operations.jobStatistics.getJobBriefInfo(JOB)).toMatchObject({ status: 'DISABLED' });
  });
});

describe('operations in an application whose cron dialect is unix', () => {
  @Injectable()
  class UnixJobs {
    @ElasticJob({ name: JOB, cron: '*/10 * * * *', shardingTotalCount: 1 })
    settle(): void {}
  }
  const options: ElasticJobModuleOptions = { registry: { type: 'memory' }, cronDialect: 'unix' };
  let web: JobApplication;
  let operations: Operations;
  beforeEach(async () => {
    web = await startJobs({ options, providers: [Operations, UnixJobs] });
    operations = web.app.get(Operations);
  });

  it('write a unix expression to the registry as Quartz writes it', async () => {
    const job = { template: 'tenant-report', shardingTotalCount: 1 };
    await operations.jobs.create({ ...job, name: 'unix', cron: '*/5 * * * *' });
    await operations.jobs.create({ ...job, name: 'quartz', cron: '0 */5 * * * ?', cronDialect: 'quartz' });

    for (const name of ['unix', 'quartz']) {
      expect(await operations.configurations.getJobConfiguration(name)).toMatchObject({ cron: '0 */5 * * * ?' });
    }
  });

  it.each([
    ['a unix expression', '0 9 * * 1', '0 0 9 ? * MON'],
    ["Quartz's text, as it was read", '0 0 9 ? * 2', '0 0 9 ? * 2'],
  ])('read %s as what it is', async (_, cron, written) => {
    expect(await operations.configurations.updateJobConfiguration(JOB, { cron })).toMatchObject({ cron: written });
    expect(await operations.configurations.updateJobConfiguration(JOB, { label: 'x' })).toMatchObject({
      cron: written,
    });
    const changed = web.app.get(JobRegistrar).change(JOB, { cron });
    expect(await whileTimePasses(web.clock, changed)).toMatchObject({ cron: written });
  });

  it('explain the dialect of a cron that unix does not have', async () => {
    const edit = operations.configurations.updateJobConfiguration(JOB, { cron: '60 * * * *' });
    await expect(edit).rejects.toThrow('minute: "60" is not 0 to 59');
  });
});
