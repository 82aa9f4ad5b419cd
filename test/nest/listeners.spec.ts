import {
  ConfigurationError,
  DistributeOnceElasticJobListener,
  ElasticJob,
  type ElasticJobListener,
  ElasticJobModule,
  type ElasticJobModuleOptions,
} from '@app/elastic-job';
import { createTestCluster } from '@app/elastic-job/testing';
import { Module } from '@nestjs/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { EVERY_SECOND, startJobs } from './support/job-application.js';

let steps: string[] = [];
beforeEach(() => {
  steps = [];
});

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 1, jobListenerTypes: ['audit'] })
  settle(): void {
    steps.push('settle');
  }
}

class BillJobs {
  @ElasticJob({ name: 'bill-orders', cron: EVERY_SECOND, shardingTotalCount: 1 })
  bill(): void {
    steps.push('bill');
  }
}

describe('the module option "listeners"', () => {
  it('gives a job that names a type the global listeners and its own, in order', async () => {
    const listeners = [note('global'), note('audit', { type: 'audit', order: 2 }), note('first', { order: 1 })];
    const jobs = await startJobs({ providers: [OrderJobs], options: { listeners } });

    await jobs.tick();

    expect(steps).toEqual([
      'before first',
      'before audit',
      'before global',
      'settle',
      'after first',
      'after audit',
      'after global',
    ]);
  });

  it('gives a job that names no type the global listeners only', async () => {
    const listeners = [note('global'), note('audit', { type: 'audit' })];
    const jobs = await startJobs({ providers: [BillJobs], options: { listeners } });

    await jobs.tick();

    expect(steps).toEqual(['before global', 'bill', 'after global']);
  });

  it('is refused with the nearest name for a type that no listener has', async () => {
    const start = startJobs({ providers: [OrderJobs], options: { listeners: [note('a', { type: 'audits' })] } });

    const refusal = await start.catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(ConfigurationError);
    expect(refusal).toMatchObject({
      place: 'job "settle-orders" (OrderJobs.settle)',
      problems: [expect.stringMatching(/jobListenerTypes has "audit".* did you mean "audits"\?$/)],
    });
  });

  it.each<[string, object, string]>([
    ['something else', {}, 'listeners must be listeners with beforeJobExecuted and afterJobExecuted'],
    ['a wrong order', note('a', { order: Number.NaN }), 'listeners must be listeners with'],
    ['a type twice', note('a', { type: 'audit' }), 'listeners has several listeners with the type "audit"'],
  ])('is refused with %s among the listeners', async (_, wrong, problem) => {
    const options: ElasticJobModuleOptions = {};
    Reflect.set(options, 'listeners', [note('audit', { type: 'audit' }), wrong]);

    await expect(startJobs({ options })).rejects.toThrow(problem);
  });

  it('calls a distribute-once listener once for three instances', async () => {
    class Once extends DistributeOnceElasticJobListener {
      override readonly type = 'once';

      doBeforeJobExecutedAtLastStarted(): void {
        steps.push('all have begun');
      }

      doAfterJobExecutedAtLastCompleted(): void {
        steps.push('all have ended');
      }
    }
    class ManyJobs {
      @ElasticJob({ name: 'many', cron: '0 * * * * ?', shardingTotalCount: 3, jobListenerTypes: ['once'] })
      run(): void {
        steps.push('item');
      }
    }
    @Module({ imports: [ElasticJobModule.forRoot({ listeners: [new Once()] })], providers: [ManyJobs] })
    class AppModule {}
    const cluster = await createTestCluster({ instances: 3, module: AppModule, wall: Date.UTC(2030, 0, 1, 0, 0, 50) });

    await cluster.advance(20_000);
    await cluster.stop();

    expect(steps).toEqual(['all have begun', 'item', 'item', 'item', 'all have ended']);
  });
});

function note(name: string, more: Pick<ElasticJobListener, 'type' | 'order'> = {}): ElasticJobListener {
  return {
    ...more,
    beforeJobExecuted: () => steps.push(`before ${name}`),
    afterJobExecuted: () => steps.push(`after ${name}`),
  };
}
