import { type Clock, CLOCK, type DataflowJob, ElasticJob, JobRegistrar, type ShardingContext } from '@app/elastic-job';
import { createTestCluster } from '@app/elastic-job/testing';
import { type CanActivate, type ExecutionContext, Inject, Injectable, Scope, UseGuards } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERY_SECOND, rootModule, startJobs } from './support/job-application.js';

const STREAMING = { cron: EVERY_SECOND, shardingTotalCount: 2, props: { 'streaming.process': 'true' } };

describe('a dataflow class', () => {
  it('streams each item on its provider with fetchData and processData', async () => {
    @Injectable()
    @ElasticJob({ ...STREAMING, name: 'settle-orders' })
    class OrderFlow implements DataflowJob<string> {
      readonly processed: string[] = [];
      private readonly left = [3, 2];

      fetchData({ shardingItem }: ShardingContext): string[] {
        const left = this.left[shardingItem]!--;
        return left > 0 ? [`order ${shardingItem}-${left}`] : [];
      }

      processData(_context: ShardingContext, orders: readonly string[]): void {
        this.processed.push(...orders);
      }
    }
    const jobs = await startJobs({ providers: [OrderFlow] });

    await jobs.tick();

    expect(jobs.app.get(OrderFlow).processed.toSorted()).toEqual([
      'order 0-1',
      'order 0-2',
      'order 0-3',
      'order 1-1',
      'order 1-2',
    ]);
    expect(jobs.outcomes).toHaveLength(2);
  });

  it('asks its guard once for each run, and a refusal fails the item', async () => {
    const asked: string[] = [];
    class OnlyItem0 implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        const { shardingItem } = context.switchToRpc().getData<ShardingContext>();
        asked.push(`${context.getType()} ${context.getClass().name} ${shardingItem}`);
        return shardingItem === 0;
      }
    }
    @Injectable()
    @UseGuards(OnlyItem0)
    @ElasticJob(STREAMING)
    class OrderFlow {
      private left = 3;

      fetchData(): number[] {
        return this.left-- > 0 ? [1] : [];
      }

      processData(): void {}
    }
    const jobs = await startJobs({ providers: [OrderFlow] });

    await jobs.tick();

    expect(asked.toSorted()).toEqual(['elastic-job OrderFlow 0', 'elastic-job OrderFlow 1']);
    expect(jobs.outcomes.toSorted(([a], [b]) => a - b)).toMatchObject([
      [0, { kind: 'succeeded' }],
      [1, { kind: 'failed' }],
    ]);
  });

  it('has one instance for both methods of a run if it is request-scoped', async () => {
    const seen = new Map<number, Set<object>>();
    @Injectable({ scope: Scope.REQUEST })
    @ElasticJob(STREAMING)
    class OrderFlow {
      private left = 2;

      constructor(@Inject(REQUEST) private readonly context: ShardingContext) {}

      fetchData(): number[] {
        this.note();
        return this.left-- > 0 ? [1] : [];
      }

      processData(): void {
        this.note();
      }

      private note(): void {
        const { shardingItem } = this.context;
        seen.set(shardingItem, (seen.get(shardingItem) ?? new Set()).add(this));
      }
    }
    const jobs = await startJobs({ providers: [OrderFlow] });

    await jobs.tick();

    expect([...seen.values()].map((instances) => instances.size)).toEqual([1, 1]);
    expect(new Set([...seen.values()].flatMap((instances) => [...instances])).size).toBe(2);
  });

  it('names job, place, property and value of wrong props', async () => {
    @Injectable()
    @ElasticJob({ ...STREAMING, name: 'settle-orders', props: { 'streaming.process': 'yes' } })
    class OrderFlow {
      fetchData(): void {}
      processData(): void {}
    }

    await expect(startJobs({ providers: [OrderFlow] })).rejects.toThrow(
      'job "settle-orders" (OrderFlow): streaming.process must be "true" or "false"',
    );
  });

  it('follows changed settings from the next run on, and refuses wrong ones', async () => {
    let fetches = 0;
    @Injectable()
    @ElasticJob({ ...STREAMING, shardingTotalCount: 1, name: 'settle-orders' })
    class OrderFlow {
      fetchData(): number[] {
        fetches += 1;
        return fetches % 3 === 0 ? [] : [1];
      }

      processData(): void {}
    }
    const jobs = await startJobs({ providers: [OrderFlow] });
    const registrar = jobs.app.get(JobRegistrar);
    await jobs.tick();
    expect(fetches).toBe(3);

    await jobs.clock.advanceUntil(registrar.change('settle-orders', { props: { 'streaming.process': 'false' } }));
    await jobs.tick();

    expect(fetches).toBe(4);
    const change = registrar.change('settle-orders', { props: { 'streaming.process': 'no' } });
    await expect(jobs.clock.advanceUntil(change)).rejects.toThrow(/streaming\.process must be "true" or "false"/);
  });
});

describe('a dataflow whose instance crashes', () => {
  it('goes on at the checkpoint on another instance: no batch is lost, and only the last is repeated', async () => {
    const ROWS = 40;
    const processed: { row: number; instance: number }[] = [];
    const job = (index: number) => {
      @Injectable()
      @ElasticJob({ ...STREAMING, cron: '0 * * * * ?', name: 'copy-rows', shardingTotalCount: 1, failover: true })
      class CopyRows implements DataflowJob<number> {
        constructor(@Inject(CLOCK) private readonly clock: Clock) {}

        async fetchData({ checkpoint }: ShardingContext): Promise<number[]> {
          const next = (await checkpoint.load<number>()) ?? 0;
          return next < ROWS ? [next, next + 1] : [];
        }

        async processData(context: ShardingContext, [first = 0, second = 0]: readonly number[]): Promise<void> {
          processed.push({ row: first, instance: index }, { row: second, instance: index });
          await this.clock.sleep(200);
          await context.checkpoint.save(second + 1);
        }
      }
      return rootModule({ providers: [CopyRows] });
    };
    const cluster = await createTestCluster({ instances: 2, module: job });
    onTestFinished(() => cluster.stop());
    await cluster.advance(60_000);
    const holder = cluster.runs('copy-rows')[0]!.instance;

    cluster.crash(holder);
    await cluster.advance(30_000);

    const [, rescue] = cluster.runs('copy-rows');
    expect(rescue).toMatchObject({ source: 'FAILOVER', instance: 1 - holder, endedAt: expect.any(Number) });
    const rows = processed.map(({ row }) => row);
    expect(new Set(rows)).toEqual(new Set(Array.from({ length: ROWS }, (_, row) => row)));
    expect(rows.length).toBeLessThanOrEqual(ROWS + 2);
    expect(processed.filter(({ instance }) => instance === holder).length).toBeGreaterThan(2);
  });

  it('streams an item that moves on the new instance, and does not disturb one that stays', async () => {
    @Injectable()
    @ElasticJob({ ...STREAMING, cron: '0/10 * * * * ?', name: 'follow' })
    class Follow implements DataflowJob<number> {
      constructor(@Inject(CLOCK) private readonly clock: Clock) {}

      fetchData(): number[] {
        return [1];
      }

      async processData({ signal }: ShardingContext): Promise<void> {
        await this.clock.sleep(500, signal);
      }
    }
    const cluster = await createTestCluster({ instances: 1, module: rootModule({ providers: [Follow] }) });
    onTestFinished(() => cluster.stop());
    await cluster.advance(11_000);
    expect(cluster.runs('follow')).toHaveLength(2);

    await cluster.join();
    await cluster.advance(20_000);

    const moved = [...cluster.assignment('follow')].find(([, instance]) => instance === 1)![0];
    const runs = cluster.runs('follow');
    expect(runs.filter(({ item }) => item === moved)).toMatchObject([
      { instance: 0, endedAt: expect.any(Number) },
      { instance: 1, endedAt: undefined },
    ]);
    expect(runs.filter(({ item }) => item !== moved)).toMatchObject([{ instance: 0, endedAt: undefined }]);
  });
});
