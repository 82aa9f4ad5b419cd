import { ElasticJob, type ShardingContext } from '@app/elastic-job';
import { Inject, Injectable, Scope } from '@nestjs/common';
import { type ContextId, ContextIdFactory, type HostComponentInfo, REQUEST } from '@nestjs/core';
import { afterEach, describe, expect, it } from 'vitest';
import { EVERY_SECOND, startJobs } from './support/job-application.js';

describe('a job of a provider that is not a singleton', () => {
  const runs: { readonly instance: object; readonly request: unknown; readonly context: ShardingContext }[] = [];

  @Injectable({ scope: Scope.REQUEST })
  class UnitOfWork {
    constructor(@Inject(REQUEST) readonly request: unknown) {}
  }

  afterEach(() => void (runs.length = 0));

  it('has an instance for each item if a dependency is request-scoped, with the context as the request', async () => {
    @Injectable()
    class OrderJobs {
      constructor(private readonly work: UnitOfWork) {}

      @ElasticJob({ cron: EVERY_SECOND, shardingTotalCount: 3 })
      async settle(context: ShardingContext): Promise<void> {
        runs.push({ instance: this, request: this.work.request, context });
      }
    }
    const jobs = await startJobs({ providers: [OrderJobs, UnitOfWork] });
    await jobs.tick();
    await jobs.tick();
    expect(runs).toHaveLength(6);
    expect(new Set(runs.map(({ instance }) => instance)).size).toBe(6);
    for (const { request, context } of runs) expect(request).toBe(context);
    expect(jobs.outcomes.every(([, outcome]) => outcome.kind === 'succeeded')).toBe(true);
  });

  it('has an instance for each item if the provider is transient', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class OrderJobs {
      readonly constructed = true;

      @ElasticJob({ cron: EVERY_SECOND, shardingTotalCount: 2 })
      settle(context: ShardingContext): void {
        runs.push({ instance: this, request: this.constructed, context });
      }
    }
    const jobs = await startJobs({ providers: [OrderJobs] });
    await jobs.tick();
    expect(new Set(runs.map(({ instance }) => instance)).size).toBe(2);
    expect(runs.map(({ request }) => request)).toEqual([true, true]);
  });

  it('fails items whose constructor throws, and the process goes on', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class BrokenJobs {
      constructor() {
        throw new Error('no connection');
      }

      @ElasticJob({ cron: EVERY_SECOND, shardingTotalCount: 1 })
      settle(): void {}
    }
    const jobs = await startJobs({ providers: [BrokenJobs] });
    await jobs.tick();
    await jobs.tick();
    expect(jobs.outcomes.map(([, outcome]) => outcome)).toEqual([
      { kind: 'failed', error: new Error('no connection') },
      { kind: 'failed', error: new Error('no connection') },
    ]);
  });

  it('shares a durable provider among the items of one tenant, with the payload', async () => {
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class TenantJobs {
      constructor(@Inject(REQUEST) private readonly tenant: unknown) {}

      @ElasticJob({ cron: EVERY_SECOND, shardingTotalCount: 4, shardingItemParameters: '0=a,1=b,2=a,3=b' })
      settle(context: ShardingContext): void {
        runs.push({ instance: this, request: this.tenant, context });
      }
    }
    const trees = new Map<string | undefined, ContextId>();
    ContextIdFactory.apply({
      attach(contextId: ContextId, { shardingParameter: tenant }: ShardingContext) {
        if (!trees.has(tenant)) trees.set(tenant, ContextIdFactory.create());
        return {
          resolve: (info: HostComponentInfo) => (info.isTreeDurable ? trees.get(tenant)! : contextId),
          payload: { tenant },
        };
      },
    });
    try {
      const jobs = await startJobs({ providers: [TenantJobs] });
      await jobs.tick();
      await jobs.tick();
      expect(runs).toHaveLength(8);
      expect(new Set(runs.map(({ instance }) => instance)).size).toBe(2);
      for (const { request, context } of runs) expect(request).toEqual({ tenant: context.shardingParameter });
    } finally {
      // Nest keeps one strategy per process and has no way to remove it.
      Reflect.deleteProperty(ContextIdFactory, 'strategy');
    }
  });
});
