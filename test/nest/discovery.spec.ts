import { ElasticJob, JobRegistrar, type ShardingContext } from '@app/elastic-job';
import { Controller, Injectable, Module, Scope, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { type ApplicationParts, EVERY_SECOND, QUIET, rootModule, startJobs } from './support/job-application.js';

const ONE = { cron: EVERY_SECOND, shardingTotalCount: 1 };

@Injectable()
class BaseJobs {
  readonly ran: string[] = [];

  @ElasticJob(ONE)
  inherited(): void {
    this.ran.push('inherited');
  }

  @ElasticJob(ONE)
  overridden(): void {
    this.ran.push('base');
  }

  @ElasticJob(ONE)
  silenced(): void {
    this.ran.push('silenced');
  }
}

@Injectable()
class DerivedJobs extends BaseJobs {
  @ElasticJob(ONE)
  override overridden(): void {
    this.ran.push('derived');
  }

  override silenced(): void {
    super.silenced();
  }
}

async function jobNames(parts: ApplicationParts): Promise<string[]> {
  const jobs = await startJobs(parts);
  return jobs.app
    .get(JobRegistrar)
    .jobs.map(({ jobName }) => jobName)
    .toSorted();
}

async function startError(parts: ApplicationParts): Promise<string> {
  const start = NestFactory.createApplicationContext(rootModule(parts), QUIET);
  return start.then(
    () => 'it started',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

describe('discovery', () => {
  it('finds inherited methods of a subclass; an override decides for itself', async () => {
    const jobs = await startJobs({ providers: [DerivedJobs] });
    await jobs.tick();
    expect(jobs.app.get(DerivedJobs).ran.toSorted()).toEqual(['derived', 'inherited']);
  });

  it('finds jobs of their own for a class and its subclass', async () => {
    expect(await jobNames({ providers: [BaseJobs, DerivedJobs] })).toEqual([
      'BaseJobs.inherited',
      'BaseJobs.overridden',
      'BaseJobs.silenced',
      'DerivedJobs.inherited',
      'DerivedJobs.overridden',
    ]);
  });

  it.each([
    ['useFactory', { provide: 'JOBS', useFactory: () => new BaseJobs() }],
    ['useValue', { provide: 'JOBS', useValue: new BaseJobs() }],
    ['useClass', { provide: 'JOBS', useClass: BaseJobs }],
  ])('runs methods on the instance of a provider by %s', async (_form, provider) => {
    const jobs = await startJobs({ providers: [provider] });
    await jobs.tick();
    expect(jobs.app.get<BaseJobs>('JOBS').ran.toSorted()).toEqual(['base', 'inherited', 'silenced']);
  });

  it('finds the jobs of an instance with several tokens once', async () => {
    const names = await jobNames({
      providers: [
        { provide: 'PASSED_ON', useFactory: (jobs: DerivedJobs) => jobs, inject: [DerivedJobs] },
        { provide: 'ALIAS', useExisting: DerivedJobs },
        DerivedJobs,
      ],
    });
    expect(names).toEqual(['DerivedJobs.inherited', 'DerivedJobs.overridden']);
  });

  it('ignores values without a class, getters that throw and symbols', async () => {
    const tidy = Symbol('tidy');
    class Awkward {
      get broken(): never {
        throw new Error('a getter was touched');
      }

      @ElasticJob({ ...ONE, name: 'tidy' })
      [tidy](): void {}
    }
    const names = await jobNames({
      providers: [
        { provide: 'BARE', useValue: Object.create(null) },
        { provide: 'TEXT', useValue: 'text' },
        { provide: 'NULL', useValue: null },
        { provide: 'FUNCTION', useValue: () => 1 },
        {
          provide: 'BROKEN',
          useValue: {
            get broken() {
              throw new Error('a getter was touched');
            },
          },
        },
        Awkward,
      ],
    });
    expect(names).toEqual(['tidy']);
  });

  it('finds jobs of request-scoped and transient providers without an instance', async () => {
    let instances = 0;
    @Injectable({ scope: Scope.REQUEST })
    class PerRun {
      constructor() {
        instances += 1;
      }

      @ElasticJob(ONE)
      run(): void {}
    }
    @Injectable({ scope: Scope.TRANSIENT })
    class PerConsumer {
      @ElasticJob(ONE)
      run(): void {}
    }
    expect(await jobNames({ providers: [PerRun, PerConsumer] })).toEqual(['PerConsumer.run', 'PerRun.run']);
    expect(instances).toBe(0);
  });

  it('runs a method whose name is a symbol', async () => {
    const sweep = Symbol('sweep');
    const items: number[] = [];
    class Sweeper {
      @ElasticJob({ ...ONE, name: 'sweep' })
      [sweep]({ shardingItem }: ShardingContext): void {
        items.push(shardingItem);
      }
    }
    const jobs = await startJobs({ providers: [Sweeper] });
    await jobs.tick();
    expect(items).toEqual([0]);
  });
});

describe('a decorator where no job can be', () => {
  it('is refused on a method of a controller, with job, place and remedy', async () => {
    @Controller()
    class OrderController {
      @ElasticJob({ ...ONE, name: 'settle-orders' })
      settle(): void {}
    }
    expect(await startError({ controllers: [OrderController] })).toBe(
      'ConfigurationError: job "settle-orders" (OrderController.settle): @ElasticJob with cron "* * * * * ?": ' +
        'a controller runs no jobs; move it to a provider',
    );
  });

  it('is refused on a controller class', async () => {
    @ElasticJob(ONE)
    @Controller()
    class OrderController {
      execute(): void {}
    }
    expect(await startError({ controllers: [OrderController] })).toMatch(/job "OrderController" .*controller/);
  });

  it('is refused by name on a private static method', async () => {
    @Injectable()
    class OrderJobs {
      @ElasticJob(ONE)
      private static settle(): void {}

      static of(): unknown {
        return OrderJobs.settle();
      }
    }
    expect(await startError({ providers: [OrderJobs] })).toMatch(/job "OrderJobs.settle".*a static method/);
  });

  it('is refused on a class without execute', async () => {
    @ElasticJob(ONE)
    class OrderJob {
      run(): void {}
    }
    expect(await startError({ providers: [OrderJob] })).toMatch(/job "OrderJob" .*no execute\(context\)/);
  });

  it('is refused on half of a dataflow, and the error names the half that is there', async () => {
    @ElasticJob(ONE)
    class FlowJob {
      fetchData(): void {}
    }
    expect(await startError({ providers: [FlowJob] })).toMatch(
      /job "FlowJob" .*fetchData\(context\) and processData\(context, data\), but the class has only fetchData/,
    );
  });

  it.each(['fetchData', 'processData'])('is refused on a class with execute beside %s', async (half) => {
    @ElasticJob(ONE)
    class FlowJob {
      execute(): void {}
    }
    Object.defineProperty(FlowJob.prototype, half, { value: () => {} });
    expect(await startError({ providers: [FlowJob] })).toMatch(/job "FlowJob" .*the class has some of both/);
  });

  it('is refused if half of a dataflow has a guard, and the error says where it belongs', async () => {
    @ElasticJob(ONE)
    class FlowJob {
      fetchData(): void {}

      @UseGuards({ canActivate: () => false })
      processData(): void {}
    }
    expect(await startError({ providers: [FlowJob] })).toMatch(/set them on the class, around the whole run/);
  });

  it('is refused for two jobs of one name, and the error names both places', async () => {
    @Injectable()
    class A {
      @ElasticJob({ ...ONE, name: 'same' })
      run(): void {}
    }
    @Injectable()
    class B {
      @ElasticJob({ ...ONE, name: 'same' })
      run(): void {}
    }
    const error = await startError({ providers: [A, B] });
    expect(error).toMatch(/A\.run/);
    expect(error).toMatch(/B\.run/);
  });

  it('is refused on one provider in two modules, and the error asks for that', async () => {
    @Module({ providers: [DerivedJobs] })
    class FirstModule {}
    @Module({ providers: [DerivedJobs] })
    class SecondModule {}
    expect(await startError({ imports: [FirstModule, SecondModule] })).toMatch(
      /DerivedJobs.overridden has it already; is its provider listed in two modules\?/,
    );
  });
});
