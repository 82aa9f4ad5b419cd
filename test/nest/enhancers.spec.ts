import { ElasticJob, type ShardingContext } from '@app/elastic-job';
import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  createParamDecorator,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import { map, type Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { EVERY_SECOND, QUIET, rootModule, startJobs } from './support/job-application.js';

const ONE = { cron: EVERY_SECOND, shardingTotalCount: 1 };

@Injectable()
class Seen {
  readonly types: string[] = [];
  readonly handlers: unknown[] = [];
  readonly arguments: unknown[] = [];
}

@Injectable()
class EvenItemsGuard implements CanActivate {
  constructor(private readonly seen: Seen) {}

  canActivate(context: ExecutionContext): boolean {
    this.seen.types.push(context.getType<string>());
    this.seen.handlers.push(context.getHandler(), context.getClass());
    return context.switchToRpc().getData<ShardingContext>().shardingItem % 2 === 0;
  }
}

@Injectable()
class RefuseAll implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Injectable()
class Doubling implements PipeTransform<number, number> {
  transform(value: number): number {
    return value * 2;
  }
}

@Catch(RangeError)
class ReturnsValue implements ExceptionFilter<RangeError> {
  catch(error: RangeError, _host: ArgumentsHost): string {
    return `dealt with ${error.message}`;
  }
}

const Item = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  return context.getArgs<[ShardingContext]>()[0].shardingItem;
});

describe('enhancers on method or class', () => {
  it('fail an item with Forbidden if a guard with dependencies refuses it, and the others run', async () => {
    const ran: number[] = [];
    @Injectable()
    class GuardedJobs {
      @UseGuards(EvenItemsGuard)
      @ElasticJob({ cron: EVERY_SECOND, shardingTotalCount: 4 })
      run({ shardingItem }: ShardingContext): void {
        ran.push(shardingItem);
      }
    }
    const jobs = await startJobs({ providers: [GuardedJobs, Seen] });
    await jobs.tick();
    expect(new Set(ran)).toEqual(new Set([0, 2]));
    const failures = jobs.outcomes.filter(([, outcome]) => outcome.kind === 'failed');
    expect(new Set(failures.map(([item]) => item))).toEqual(new Set([1, 3]));
    expect(failures[0]?.[1]).toMatchObject({ error: expect.any(ForbiddenException) });
    const seen = jobs.app.get(Seen);
    expect(new Set(seen.types)).toEqual(new Set(['elastic-job']));
    expect(seen.handlers.slice(0, 2)).toEqual([Reflect.get(GuardedJobs.prototype, 'run'), GuardedJobs]);
  });

  it('wrap the run of a job if an interceptor is on the class', async () => {
    const steps: string[] = [];
    class Recording implements NestInterceptor {
      intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
        steps.push('before');
        return next.handle().pipe(map(() => steps.push('after')));
      }
    }
    @UseInterceptors(new Recording())
    class RecordedJobs {
      @ElasticJob(ONE)
      run(): Observable<string> {
        steps.push('run');
        return of('an observable is awaited');
      }
    }
    const jobs = await startJobs({ providers: [RecordedJobs] });
    await jobs.tick();
    expect(steps).toEqual(['before', 'run', 'after']);
    expect(jobs.outcomes).toEqual([[0, { kind: 'succeeded' }]]);
  });

  it('pass the context unchanged if the parameter asks a ValidationPipe for nothing', async () => {
    const contexts: ShardingContext[] = [];
    @UsePipes(new ValidationPipe({ transform: true, whitelist: true }))
    class PipedJobs {
      @ElasticJob(ONE)
      run(context: ShardingContext): void {
        context.assertHeld();
        contexts.push(context);
      }
    }
    const jobs = await startJobs({ providers: [PipedJobs] });
    await jobs.tick();
    expect(jobs.outcomes).toEqual([[0, { kind: 'succeeded' }]]);
    expect(contexts[0]?.signal).toBeInstanceOf(AbortSignal);
    expect(contexts[0]?.fireTime).toBeInstanceOf(Date);
  });

  it('transform a decorated parameter by its pipe', async () => {
    const items: number[] = [];
    class PipedJobs {
      @ElasticJob({ cron: EVERY_SECOND, shardingTotalCount: 3 })
      run(@Item(Doubling) item: number): void {
        items.push(item);
      }
    }
    const jobs = await startJobs({ providers: [PipedJobs] });
    await jobs.tick();
    expect(new Set(items)).toEqual(new Set([0, 2, 4]));
  });

  it('let an item succeed if a filter returns a value for what the handler throws', async () => {
    class FilteredJobs {
      @UseFilters(ReturnsValue)
      @ElasticJob({ cron: EVERY_SECOND, shardingTotalCount: 2 })
      run({ shardingItem }: ShardingContext): void {
        throw shardingItem === 0 ? new RangeError('caught') : new TypeError('not caught');
      }
    }
    const jobs = await startJobs({ providers: [FilteredJobs] });
    await jobs.tick();
    expect(new Map(jobs.outcomes)).toEqual(
      new Map<number, unknown>([
        [0, { kind: 'succeeded' }],
        [1, { kind: 'failed', error: new TypeError('not caught') }],
      ]),
    );
  });

  it.each([Scope.TRANSIENT, Scope.REQUEST])('construct a guard of scope %s', async (scope) => {
    const asked: unknown[] = [];
    @Injectable({ scope })
    class ScopedGuard implements CanActivate {
      private readonly constructed = true;

      canActivate(): boolean {
        asked.push(this.constructed);
        return true;
      }
    }
    class GuardedJobs {
      @UseGuards(ScopedGuard)
      @ElasticJob(ONE)
      run(): void {}
    }
    const jobs = await startJobs({ providers: [GuardedJobs] });
    await jobs.tick();
    expect(asked).toEqual([true]);
  });

  it('are refused, not ignored, if a guard class is on a provider by useFactory', async () => {
    @UseGuards(RefuseAll)
    class GuardedJobs {
      @ElasticJob(ONE)
      run(): void {}
    }
    const module = rootModule({ providers: [{ provide: 'JOBS', useFactory: () => new GuardedJobs() }] });
    await expect(NestFactory.createApplicationContext(module, QUIET)).rejects.toThrow(
      /job "GuardedJobs.run" \(GuardedJobs.run\): enhancer RefuseAll .*new RefuseAll\(\)/,
    );
  });
});

describe('global enhancers', () => {
  class PlainJobs {
    @ElasticJob(ONE)
    run(): void {}
  }

  it('do not reach jobs: an APP_GUARD that refuses all HTTP requests does not stop them', async () => {
    const jobs = await startJobs({
      providers: [PlainJobs, { provide: APP_GUARD, useClass: RefuseAll }],
    });
    await jobs.tick();
    expect(jobs.outcomes).toEqual([[0, { kind: 'succeeded' }]]);
  });

  it('reach jobs with globalEnhancers: guards, interceptors and pipes of the application', async () => {
    const intercepted: string[] = [];
    const jobs = await startJobs({
      options: { globalEnhancers: true },
      providers: [
        PlainJobs,
        { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true }) },
        {
          provide: APP_INTERCEPTOR,
          useValue: {
            intercept: (context: ExecutionContext, next: CallHandler) => {
              intercepted.push(context.getType<string>());
              return next.handle();
            },
          },
        },
      ],
    });
    await jobs.tick();
    expect(intercepted).toEqual(['elastic-job']);

    const refused = await startJobs({
      options: { globalEnhancers: true },
      providers: [PlainJobs, { provide: APP_GUARD, useClass: RefuseAll }],
    });
    await refused.tick();
    expect(refused.outcomes).toMatchObject([[0, { kind: 'failed', error: expect.any(ForbiddenException) }]]);
  });

  it('are refused, not ignored, if an APP_GUARD is request-scoped under globalEnhancers', async () => {
    const module = rootModule({
      options: { globalEnhancers: true },
      providers: [PlainJobs, { provide: APP_GUARD, useClass: RefuseAll, scope: Scope.REQUEST }],
    });
    await expect(NestFactory.createApplicationContext(module, QUIET)).rejects.toThrow(
      /globalEnhancers: true, but APP_GUARD of RootModule is request-scoped or transient/,
    );
  });
});
