import {
  CLOCK,
  type Clock,
  ConfigurationError,
  ElasticJob,
  ElasticJobModule,
  LeaderService,
  REGISTRY_CENTER,
  type ShardingContext,
} from '@app/elastic-job';
import { createTestCluster, type TestCluster, type TestOverride } from '@app/elastic-job/testing';
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

describe('the overrides of a cluster', () => {
  const [settled, made]: [number[], number[]] = [[], []];
  beforeEach(() => {
    settled.length = 0;
    made.length = 0;
  });

  @Injectable()
  class FakeDatabase {
    constructor() {
      made.push(1);
    }
  }

  it('stand in the place of providers in each application, a stub with jobs included', async () => {
    const stub = {
      __proto__: OrderJobs.prototype,
      settle: ({ shardingItem }: ShardingContext) => settled.push(shardingItem),
    };
    cluster = await createTestCluster({
      instances: 2,
      module: AppModule,
      overrides: [
        { provide: OrderJobs, useValue: stub },
        { provide: Database, useClass: FakeDatabase },
      ],
    });
    await cluster.join();
    await cluster.advance(20_000);

    expect(settled.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(made).toEqual([1, 1, 1]);
    expect(steps).toEqual([]);
  });

  it('are made for each application by a factory, with what it injects', async () => {
    const useFactory = (clock: Clock) => ({ madeAt: clock.hostAddress() });
    cluster = await createTestCluster({
      instances: 2,
      module: { module: EmptyModule, imports: [AppModule] },
      overrides: [{ provide: Database, useFactory, inject: [CLOCK] }],
    });

    expect([0, 1].map((index) => cluster!.app(index).get(OrderJobs).database)).toEqual([
      { madeAt: '10.0.0.1' },
      { madeAt: '10.0.0.2' },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['are no list', { provide: Database, useValue: 1 }, 'overrides must be a list of providers, such as'],
    ['hold a class', [Database], 'overrides[0] must be a provider, such as { provide: Store, useValue: fake }, but is'],
    ['have no token', [{ useValue: 1 }], 'overrides[0] has no token; give provide'],
    [
      'have no value',
      [{ provide: Database, useValue: undefined }],
      'overrides[0], of Database, needs one of useValue, useClass, useFactory, but has none with a value',
    ],
    [
      'have two values',
      [{ provide: Database, useValue: 1, useFactory: () => 1 }],
      'overrides[0], of Database, needs one of useValue, useClass, useFactory, but has useValue and useFactory',
    ],
    [
      'have a class that is none',
      [{ provide: Database, useClass: {} }],
      'overrides[0], of Database, needs a function as its useClass, but has an object',
    ],
    [
      'name a token twice',
      [
        { provide: 'NAME', useValue: 1 },
        { provide: 'NAME', useValue: 2 },
      ],
      'overrides[1], of NAME, has the token of overrides[0]',
    ],
    [
      'have an unknown key',
      [{ provide: Database, useValue: 1, scope: 1 }],
      'overrides[0], of Database, has an unknown key, scope',
    ],
  ])('are refused if they %s', async (_, overrides, fault) => {
    const start = Reflect.apply(createTestCluster, undefined, [{ instances: 1, module: AppModule, overrides }]);

    await expect(start).rejects.toThrow(ConfigurationError);
    await expect(start).rejects.toThrow(fault);
  });

  it.each<[string, TestOverride, string]>([
    ['no provider has', { provide: FakeDatabase, useValue: 1 }, 'no provider of the module has the token FakeDatabase'],
    ['is the clock', { provide: CLOCK, useValue: 1 }, 'CLOCK is of the cluster'],
    ['is the registry', { provide: REGISTRY_CENTER, useValue: 1 }, 'REGISTRY_CENTER is of the cluster'],
  ])('are refused by name if their token %s', async (_, override, fault) => {
    const start = createTestCluster({ instances: 1, module: AppModule, overrides: [override] });

    await expect(start).rejects.toThrow(ConfigurationError);
    await expect(start).rejects.toThrow(fault);
  });

  it('are refused beside jobs that are functions', async () => {
    const options = { instances: 1, jobs: [], overrides: [] };

    await expect(Reflect.apply(createTestCluster, undefined, [options])).rejects.toThrow(
      'overrides must be left out beside jobs',
    );
  });
});

function rootOf(index: number): DynamicModule {
  return { module: EmptyModule, imports: [ELASTIC_JOB], providers: [{ provide: 'NAME', useValue: `pod-${index}` }] };
}
