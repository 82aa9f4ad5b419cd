import {
  CLOCK,
  type Clock,
  ConfigurationError,
  ElasticJob,
  ElasticJobModule,
  LeaderService,
  type ShardingContext,
} from '@app/elastic-job';
import { createTestCluster, type TestCluster } from '@app/elastic-job/testing';
import { type DynamicModule, Inject, Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The calls of each database, in order. */
let steps: string[] = [];
let cluster: TestCluster | undefined;
beforeEach(() => {
  steps = [];
});
afterEach(() => cluster?.stop());

@Injectable()
class Database implements OnModuleDestroy {
  onModuleDestroy(): void {
    steps.push('closed');
  }
}

@Injectable()
class OrderJobs {
  constructor(
    readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @ElasticJob({ name: 'settle-orders', cron: '0/20 * * * * ?', shardingTotalCount: 6, failover: true })
  async settle({ signal }: ShardingContext): Promise<void> {
    await this.clock.sleep(2_000, signal);
  }
}

const ELASTIC_JOB = ElasticJobModule.forRoot({
  registry: { type: 'zookeeper', servers: '127.0.0.1:1', namespace: 'orders' },
});

@Module({ imports: [ELASTIC_JOB], providers: [Database, OrderJobs] })
class AppModule {}

@Module({})
class EmptyModule {}

describe('a cluster of Nest applications', () => {
  it('runs each item once at a fire time, on the owner, by its decorated method', async () => {
    cluster = await createTestCluster({ instances: 3, module: AppModule });

    await cluster.advance(22_000);

    const runs = cluster.runs('settle-orders');
    expect(new Map(runs.map(({ item, instance }) => [item, instance]))).toEqual(cluster.assignment('settle-orders'));
    expect(runs).toHaveLength(6);
    expect(new Set(runs.map(({ instance }) => instance))).toEqual(new Set([0, 1, 2]));
    expect(runs.every(({ startedAt, endedAt }) => endedAt === startedAt + 2_000)).toBe(true);
  });

  it('has items of a crashed application run again by others once its session is over', async () => {
    cluster = await createTestCluster({ instances: 3, module: AppModule });
    await cluster.advance(19_500);
    const lost = cluster.runs('settle-orders').filter(({ instance }) => instance === 1);

    cluster.crash(1);
    await cluster.advance(15_000);

    const again = cluster.runs('settle-orders').filter(({ source }) => source === 'FAILOVER');
    expect(lost).toHaveLength(2);
    expect(new Set(again.map(({ item }) => item))).toEqual(new Set(lost.map(({ item }) => item)));
    expect(again).toHaveLength(2);
    expect(again.every(({ instance, endedAt }) => instance !== 1 && endedAt)).toBe(true);
    expect(lost.every(({ endedAt }) => endedAt === undefined)).toBe(true);
  });

  it('tells the handlers of an application that stood still for longer than its session', async () => {
    cluster = await createTestCluster({ instances: 2, module: AppModule });
    await cluster.advance(19_500);

    cluster.pause(0);
    await cluster.advance(30_000);
    const told = cluster.events(0).length;
    await cluster.resume(0);
    await cluster.advance(5_000);

    const outcomes = cluster
      .events(0)
      .slice(told)
      .filter(({ kind }) => kind === 'settled');
    expect(outcomes).toHaveLength(3);
    expect(outcomes).toMatchObject(outcomes.map(() => ({ outcome: { kind: 'fenced' } })));
  });

  it('spreads items over the others when an application joins and one leaves', async () => {
    cluster = await createTestCluster({ instances: 2, module: AppModule });

    expect(await cluster.join()).toBe(2);
    await cluster.advance(1_000);
    expect(new Set(cluster.assignment('settle-orders').values())).toEqual(new Set([0, 1, 2]));
    await cluster.leave(0);
    expect(steps).toEqual(['closed']);
    await cluster.advance(1_000);

    expect(new Set(cluster.assignment('settle-orders').values())).toEqual(new Set([1, 2]));
  });

  it('destroys all providers once when it stops, even if some are crashed, paused or cut off', async () => {
    cluster = await createTestCluster({ instances: 5, module: AppModule });
    await cluster.advance(19_500);
    cluster.crash(0);
    cluster.pause(1);
    cluster.partition(2);
    await cluster.leave(3);
    const runs = cluster.runs('settle-orders').length;

    await cluster.stop();
    await cluster.stop();

    expect(steps).toEqual(Array(5).fill('closed'));
    expect(cluster.runs('settle-orders')).toHaveLength(runs);
  });

  it('has services that answer for the instance whose application is asked', async () => {
    cluster = await createTestCluster({ instances: 2, module: AppModule });

    const [first, second] = [0, 1].map((index) => cluster!.app(index).get(LeaderService).isLeader('settle-orders'));

    expect([first, second]).toEqual([true, false]);
  });

  it.each<[string, (index: number) => DynamicModule]>([
    ['is an arrow function', (index) => rootOf(index)],
    ['is a declared function', rootOf],
  ])('makes a module for each instance if the option %s', async (_, module) => {
    cluster = await createTestCluster({ instances: 2, module });

    expect([0, 1].map((index) => cluster!.app(index).get<string>('NAME'))).toEqual(['pod-0', 'pod-1']);
  });

  it('says what is missing if the module has no ElasticJobModule', async () => {
    const starting = createTestCluster({ instances: 1, module: EmptyModule });

    await expect(starting).rejects.toThrow(ConfigurationError);
    await expect(starting).rejects.toThrow('does not import ElasticJobModule');
  });

  it('names a wrong job at the start, and closes what was opened', async () => {
    @Injectable()
    class WrongJobs {
      @ElasticJob({ name: 'wrong', cron: 'never', shardingTotalCount: 1 })
      run(): void {}
    }
    const module = { module: EmptyModule, imports: [ELASTIC_JOB], providers: [Database, WrongJobs] };

    await expect(createTestCluster({ instances: 2, module })).rejects.toThrow('WrongJobs.run');
    expect(steps).toEqual(['closed']);
  });
});

function rootOf(index: number): DynamicModule {
  return { module: EmptyModule, imports: [ELASTIC_JOB], providers: [{ provide: 'NAME', useValue: `pod-${index}` }] };
}
