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
  it('given a subclass, when it starts, then inherited methods are its jobs and an override decides for itself', async () => {
    const jobs = await startJobs({ providers: [DerivedJobs] });
    await jobs.tick();
    expect(jobs.app.get(DerivedJobs).ran.toSorted()).toEqual(['derived', 'inherited']);
  });

  it('given a class and its subclass as providers, when it starts, then each has jobs of its own', async () => {
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
  ])('given a provider by %s, when it fires, then its methods run on that instance', async (_form, provider) => {
    const jobs = await startJobs({ providers: [provider] });
    await jobs.tick();
    expect(jobs.app.get<BaseJobs>('JOBS').ran.toSorted()).toEqual(['base', 'inherited', 'silenced']);
  });

  it('given several tokens of one instance, when it starts, then its jobs are found once', async () => {
    const names = await jobNames({
      providers: [
        { provide: 'PASSED_ON', useFactory: (jobs: DerivedJobs) => jobs, inject: [DerivedJobs] },
        { provide: 'ALIAS', useExisting: DerivedJobs },
        DerivedJobs,
      ],
    });
    expect(names).toEqual(['DerivedJobs.inherited', 'DerivedJobs.overridden']);
  });

  it('given values without a class, getters that throw and symbols, when it starts, then nothing is disturbed', async () => {
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
        { provide: 'BROKEN', useValue: { get broken() { throw new Error('a getter was touched'); } } }, // prettier-ignore
        Awkward,
      ],
    });
    expect(names).toEqual(['tidy']);
  });

  it('given request-scoped and transient providers, when it starts, then their jobs are found without an instance', async () => {
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

  it('given a symbol as the method name, when it fires, then the method runs', async () => {
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
  it('given a method of a controller, when it starts, then one error names job, place and remedy', async () => {
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

  it('given a controller class, when it starts, then it is refused', async () => {
    @ElasticJob(ONE)
    @Controller()
    class OrderController {
      execute(): void {}
    }
    expect(await startError({ controllers: [OrderController] })).toMatch(/job "OrderController" .*controller/);
  });

  it('given a private static method, when it starts, then it is refused by name', async () => {
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

  it('given a class without execute, when it starts, then it is refused', async () => {
    @ElasticJob(ONE)
    class OrderJob {
      run(): void {}
    }
    expect(await startError({ providers: [OrderJob] })).toMatch(/job "OrderJob" .*no execute\(context\)/);
  });

  it('given half of a dataflow, when it starts, then the error names the half that is there', async () => {
    @ElasticJob(ONE)
    class FlowJob {
      fetchData(): void {}
    }
    expect(await startError({ providers: [FlowJob] })).toMatch(
      /job "FlowJob" .*fetchData\(context\) and processData\(context, data\), but the class has only fetchData/,
    );
  });

  it.each(['fetchData', 'processData'])('given execute beside %s, when it starts, then it is refused', async (half) => {
    @ElasticJob(ONE)
    class FlowJob {
      execute(): void {}
    }
    Object.defineProperty(FlowJob.prototype, half, { value: () => {} });
    expect(await startError({ providers: [FlowJob] })).toMatch(/job "FlowJob" .*the class has some of both/);
  });

  it('given a guard on half of a dataflow, when it starts, then the error says where it belongs', async () => {
    @ElasticJob(ONE)
    class FlowJob {
      fetchData(): void {}

      @UseGuards({ canActivate: () => false })
      processData(): void {}
    }
    expect(await startError({ providers: [FlowJob] })).toMatch(/set them on the class, they go around the whole run/);
  });

  it('given two jobs of one name, when it starts, then the error names both places', async () => {
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

  it('given one provider in two modules, when it starts, then the error asks for that', async () => {
    @Module({ providers: [DerivedJobs] })
    class FirstModule {}
    @Module({ providers: [DerivedJobs] })
    class SecondModule {}
    expect(await startError({ imports: [FirstModule, SecondModule] })).toMatch(
      /DerivedJobs.overridden has it already; is its provider listed in two modules\?/,
    );
  });
});
