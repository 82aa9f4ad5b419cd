import { mock } from 'node:test';
import { ElasticJob, JobRegistrar, OnJobEvent, type ShardingContext } from '@app/elastic-job';
import { VirtualClock } from '@app/elastic-job/testing';
import { type CanActivate, type ExecutionContext, Injectable, Scope, SetMetadata, UseGuards } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ApplicationParts,
  EVERY_SECOND,
  JobApplication,
  rootModule,
  startJobs,
  whileTimePasses,
} from './support/job-application.js';

const ONE = { cron: EVERY_SECOND, shardingTotalCount: 1 };

/** Jobs and listeners that have run, in order. */
let ran: string[] = [];
beforeEach(() => {
  ran = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  mock.restoreAll();
});

@Injectable()
class OrderJobs {
  @ElasticJob({ ...ONE, name: 'settle-orders' })
  settle(_context: ShardingContext): void {
    ran.push('real job');
  }

  @OnJobEvent('joined')
  hear(): void {
    ran.push('real listener');
  }
}

function settle({ jobName }: Partial<ShardingContext> = {}): void {
  ran.push(`double of ${jobName}`);
}

function hear(): void {
  ran.push('double of listener');
}

/** An application as tests compile it, before its start. */
async function compile(
  parts: ApplicationParts,
  prepare: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
): Promise<JobApplication> {
  const clock = new VirtualClock();
  const imports = [rootModule({ ...parts, clock })];
  const app = await prepare(Test.createTestingModule({ imports })).compile();
  return new JobApplication(app, clock);
}

async function startAndTick(jobs: JobApplication): Promise<void> {
  await whileTimePasses(jobs.clock, jobs.app.init());
  await jobs.tick();
}

describe('a stub in the place of a provider with jobs', () => {
  it.each<[string, object]>([
    ['by Object.create', Object.assign(Object.create(OrderJobs.prototype), { settle, hear })],
    ['with the prototype of the class', { __proto__: OrderJobs.prototype, settle, hear }],
    ['of a class that extends it', Object.assign(new (class FakeJobs extends OrderJobs {})(), { settle, hear })],
  ])('is run in the place of the job and the listener, made %s', async (_how, stub) => {
    const jobs = await compile({ providers: [OrderJobs] }, (builder) =>
      builder.overrideProvider(OrderJobs).useValue(stub),
    );

    await startAndTick(jobs);

    expect(ran).toEqual(['double of listener', 'double of settle-orders']);
    expect(jobs.outcomes).toEqual([[0, { kind: 'succeeded' }]]);
  });

  it('is run if its class decorates the method that it overrides', async () => {
    class FakeJobs extends OrderJobs {
      @ElasticJob({ ...ONE, name: 'settle-orders' })
      override settle(): void {
        ran.push('fake');
      }
    }
    const jobs = await compile({ providers: [OrderJobs] }, (builder) =>
      builder.overrideProvider(OrderJobs).useClass(FakeJobs),
    );

    await startAndTick(jobs);

    expect(ran).toEqual(['real listener', 'fake']);
  });

  it('makes no job if it is a plain object', async () => {
    const jobs = await compile({ providers: [OrderJobs] }, (builder) =>
      builder.overrideProvider(OrderJobs).useValue({ settle }),
    );

    await startAndTick(jobs);

    expect(jobs.app.get(JobRegistrar).jobs).toEqual([]);
    expect(ran).toEqual([]);
  });

  it('is run as a dataflow', async () => {
    @Injectable()
    @ElasticJob(ONE)
    class Flow {
      fetchData(): readonly number[] {
        return [1];
      }

      processData(_context: ShardingContext, _rows: readonly number[]): void {
        ran.push('real job');
      }
    }
    const stub = Object.assign(Object.create(Flow.prototype), { processData: () => ran.push('double') });
    const jobs = await compile({ providers: [Flow] }, (builder) => builder.overrideProvider(Flow).useValue(stub));

    await startAndTick(jobs);

    expect(ran).toEqual(['double']);
  });

  it('fails its item by name if it lacks the method at the run', async () => {
    const stub = Object.assign(Object.create(OrderJobs.prototype), { settle: undefined });
    const jobs = await compile({ providers: [OrderJobs] }, (builder) =>
      builder.overrideProvider(OrderJobs).useValue(stub),
    );

    await startAndTick(jobs);

    const error = new TypeError('OrderJobs.settle: the instance of the provider has no such method.');
    expect(jobs.outcomes).toEqual([[0, { kind: 'failed', error }]]);
  });
});

describe('a spy on a method', () => {
  it('of the instance is run, set before the start', async () => {
    const jobs = await compile({ providers: [OrderJobs] });
    vi.spyOn(jobs.app.get(OrderJobs), 'settle').mockImplementation(settle);
    vi.spyOn(jobs.app.get(OrderJobs), 'hear').mockImplementation(hear);

    await startAndTick(jobs);

    expect(ran).toEqual(['double of listener', 'double of settle-orders']);
  });

  it('of the instance is run from the moment it is set to the moment it is restored', async () => {
    const jobs = await startJobs({ providers: [OrderJobs] });
    await jobs.tick();

    const spy = vi.spyOn(jobs.app.get(OrderJobs), 'settle').mockImplementation(settle);
    await jobs.tick();
    spy.mockRestore();
    await jobs.tick();

    expect(ran).toEqual(['real listener', 'real job', 'double of settle-orders', 'real job']);
  });

  it.each<[string, (method: 'settle' | 'hear', double: () => void) => unknown]>([
    ['Vitest', (method, double) => vi.spyOn(OrderJobs.prototype, method).mockImplementation(double)],
    ['Node', (method, double) => mock.method(OrderJobs.prototype, method, double)],
  ])('of the prototype is run, set by %s before the start', async (_by, spyOn) => {
    spyOn('settle', settle);
    spyOn('hear', hear);

    const jobs = await startJobs({ providers: [OrderJobs] });
    await jobs.tick();

    expect(ran).toEqual(['double of listener', 'double of settle-orders']);
  });

  it('of the prototype is run if Sinon has set it, of a method that the class inherits', async () => {
    class Heir extends OrderJobs {}
    const value = Object.assign(() => settle({ jobName: 'sinon' }), { isSinonProxy: true });
    Object.defineProperty(Heir.prototype, 'settle', { value, configurable: true, writable: true });

    const jobs = await startJobs({ providers: [Heir] });
    await jobs.tick();

    expect(ran).toEqual(['real listener', 'double of sinon']);
  });

  it('of the prototype is run for a provider that is made for each run', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRun {
      @ElasticJob(ONE)
      run(): void {
        ran.push('real job');
      }
    }
    vi.spyOn(PerRun.prototype, 'run').mockImplementation(hear);

    const jobs = await startJobs({ providers: [PerRun] });
    await jobs.tick();

    expect(ran).toEqual(['double of listener']);
  });
});

it('a proxy that a factory makes of an instance is asked for its methods', async () => {
  const useFactory = () =>
    new Proxy(new OrderJobs(), {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member !== 'function' || name === 'constructor') return member;
        return (...given: unknown[]) => {
          ran.push(`around ${String(name)}`);
          return Reflect.apply(member, receiver, given);
        };
      },
    });
  const jobs = await startJobs({ providers: [{ provide: OrderJobs, useFactory }] });
  await jobs.tick();

  expect(ran).toEqual(['around hear', 'real listener', 'around settle', 'real job']);
});

it('guards of the job surround a double of it, and find its metadata', async () => {
  @Injectable()
  class Guard implements CanActivate {
    constructor(private readonly reflector: Reflector) {}

    canActivate(context: ExecutionContext): boolean {
      ran.push(`guard of ${this.reflector.get<string>('role', context.getHandler())}`);
      return true;
    }
  }
  @Injectable()
  class GuardedJobs {
    @UseGuards(Guard)
    @SetMetadata('role', 'clerk')
    @ElasticJob(ONE)
    run(): void {}
  }
  const jobs = await compile({ providers: [GuardedJobs] });
  vi.spyOn(jobs.app.get(GuardedJobs), 'run').mockImplementation(() => void ran.push('double'));

  await startAndTick(jobs);

  expect(ran).toEqual(['guard of clerk', 'double']);
});
