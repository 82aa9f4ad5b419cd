import {
  ElasticJob,
  type ElasticJobModuleOptions,
  JobConfigurationApi,
  JobOperateApi,
  JobStatisticsApi,
  MemoryRegistry,
  ServerStatisticsApi,
  ShardingOperateApi,
  ShardingStatisticsApi,
} from '@app/elastic-job';
import { VirtualClock } from '@app/elastic-job/testing';
import { Injectable } from '@nestjs/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { EVERY_SECOND, type JobApplication, startJobs } from './support/job-application.js';

const JOB = 'settle-orders';

@Injectable()
class OrderJobs {
  readonly ran: number[] = [];

  @ElasticJob({ name: JOB, cron: EVERY_SECOND, shardingTotalCount: 2 })
  settle({ shardingItem }: { readonly shardingItem: number }): void {
    this.ran.push(shardingItem);
  }
}

/** What an operator's own service would look like. */
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
    const options: ElasticJobModuleOptions = { registry: { type: 'memory', server: new MemoryRegistry(clock) } };
    worker = await startJobs({ options, clock, providers: [OrderJobs] });
    const web = await startJobs({
      options: { ...options, processing: false },
      clock,
      providers: [Operations, OrderJobs],
    });
    operations = web.app.get(Operations);
    await worker.tick();
  });

  it('given a worker elsewhere, when its job is asked for by injected services, then all of them know it', async () => {
    expect(await operations.jobStatistics.getAllJobsBriefInfo()).toMatchObject([
      { jobName: JOB, status: 'OK', instanceCount: 1, cron: EVERY_SECOND },
    ]);
    expect(await operations.servers.getAllServersBriefInfo()).toMatchObject([{ jobNames: [JOB] }]);
    expect(await operations.sharding.getShardingInfo(JOB)).toMatchObject([
      { item: 0, status: 'PENDING', lastRun: { outcome: 'succeeded' } },
      { item: 1, status: 'PENDING', lastRun: { outcome: 'succeeded' } },
    ]);
  });

  it('given a worker elsewhere, when items and settings are changed, then it does as it is told', async () => {
    const { ran } = worker.app.get(OrderJobs);
    await operations.items.disable(JOB, 0);
    await operations.configurations.updateJobConfiguration(JOB, { shardingTotalCount: 3 });
    await worker.tick(); // The new total is sharded.
    ran.length = 0;
    await worker.tick();
    expect(new Set(ran)).toEqual(new Set([1, 2]));
  });

  it('given a worker elsewhere, when the job is disabled, then nothing more runs', async () => {
    const { ran } = worker.app.get(OrderJobs);
    await operations.jobs.disable(JOB);
    await worker.tick();
    ran.length = 0;
    await worker.tick();
    expect(ran).toEqual([]);
    expect(await operations.jobStatistics.getJobBriefInfo(JOB)).toMatchObject({ status: 'DISABLED' });
  });
});
