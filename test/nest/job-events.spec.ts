import {
  CLOCK,
  type Clock,
  ConfigurationError,
  ElasticJob,
  type ElasticJobModuleOptions,
  JobEvents,
  type NamedJobEvent,
  OnJobEvent,
  type ShardingContext,
} from '@app/elastic-job';
import { JobOperateApi } from '@app/elastic-job/operations';
import type { JobEventSink } from '@app/elastic-job/spi';
import { VirtualClock } from '@app/elastic-job/testing';
import { Controller, Inject, Injectable, Scope } from '@nestjs/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { EVERY_SECOND, startJobs, whileTimePasses } from './support/job-application.js';

let heard: unknown[] = [];
beforeEach(() => {
  heard = [];
});

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 2 })
  settle({ shardingItem }: ShardingContext): void {
    if (shardingItem === 1) throw new Error('out of stock');
  }

  @ElasticJob({ name: 'bill-orders', cron: EVERY_SECOND, shardingTotalCount: 1 })
  bill(): void {}
}

describe('@OnJobEvent', () => {
  it('calls a method of a provider for the outcome that it names', async () => {
    @Injectable()
    class Watch {
      private readonly prefix = 'heard';

      @OnJobEvent('completed')
      onCompleted({ trigger, item }: NamedJobEvent<'completed'>): void {
        heard.push([this.prefix, 'completed', trigger.jobName, item]);
      }

      @OnJobEvent('failed')
      onFailed({ trigger, item, outcome }: NamedJobEvent<'failed'>): void {
        heard.push([this.prefix, 'failed', trigger.jobName, item, outcome.error]);
      }
    }
    const jobs = await startJobs({ providers: [OrderJobs, Watch] });

    await jobs.tick();

    expect(heard).toHaveLength(3);
    expect(heard).toEqual(
      expect.arrayContaining([
        ['heard', 'completed', 'settle-orders', 0],
        ['heard', 'failed', 'settle-orders', 1, new Error('out of stock')],
        ['heard', 'completed', 'bill-orders', 0],
      ]),
    );
  });

  it('calls a method with a filter for the named jobs only', async () => {
    class Watch {
      @OnJobEvent('begun', { job: 'bill-orders' })
      @OnJobEvent('joined', { job: ['settle-orders', 'bill-orders'] })
      onEvent(event: NamedJobEvent<'begun' | 'joined'>): void {
        heard.push(event.kind === 'begun' ? `begun ${event.trigger.jobName}` : `joined ${event.jobName}`);
      }
    }
    const jobs = await startJobs({ providers: [OrderJobs, Watch] });

    await jobs.tick();

    expect(new Set(heard)).toEqual(new Set(['begun bill-orders', 'joined bill-orders', 'joined settle-orders']));
    expect(heard).toHaveLength(3);
  });

  it('changes no outcome if a method rejects, and reports the error with its place', async () => {
    class Watch {
      @OnJobEvent('completed')
      async onCompleted(): Promise<void> {
        throw new Error('mail server is down');
      }
    }
    const jobs = await startJobs({ providers: [OrderJobs, Watch] });

    await jobs.tick();

    expect(jobs.outcomes.filter(([, { kind }]) => kind === 'succeeded')).toHaveLength(2);
    expect(jobs.events).toContainEqual({
      kind: 'error',
      jobName: undefined,
      message: 'Watch.onCompleted failed at a "settled" event',
      error: new Error('mail server is down'),
    });
  });

  it('on "finished" that triggers the same job runs it for ever, one run after the other', async () => {
    let [running, most, runs] = [0, 0, 0];
    class OneOff {
      @ElasticJob({ name: 'sweep', shardingTotalCount: 1 })
      async sweep(): Promise<void> {
        running += 1;
        most = Math.max(most, running);
        await jobs.clock.sleep(10);
        running -= 1;
        runs += 1;
      }
    }
    @Injectable()
    class Again {
      constructor(private readonly operate: JobOperateApi) {}

      @OnJobEvent('finished')
      onFinished(): Promise<unknown> {
        return this.operate.trigger('sweep');
      }
    }
    const jobs = await startJobs({ providers: [OneOff, Again] });

    await whileTimePasses(jobs.clock, jobs.app.get(JobOperateApi).trigger('sweep'));
    await jobs.clock.advance(10_000);
    const runsSoFar = runs;
    await jobs.clock.advance(10_000);

    expect(runsSoFar).toBeGreaterThan(10);
    expect(runs).toBeGreaterThan(runsSoFar + 10);
    expect(most).toBe(1);
  });

  it('calls nobody after the application has closed', async () => {
    class Watch {
      @OnJobEvent('warning')
      onWarning(): void {
        heard.push('warning');
      }
    }
    const jobs = await startJobs({ providers: [Watch] });

    await jobs.close();
    heard.length = 0;
    jobs.app.get(JobEvents).emit({ kind: 'warning', jobName: undefined, message: 'late' });

    expect(heard).toEqual([]);
  });

  it('does not compile on a method that takes another event', () => {
    class Watch {
      // @ts-expect-error -- a job that is joined has no outcome
      @OnJobEvent('joined')
      onJoined({ outcome }: NamedJobEvent<'settled'>): unknown {
        return outcome;
      }
    }

    expect(Watch).toBeDefined();
  });

  it.each([
    ['setled', '"setled" is no event; did you mean "settled"?'],
    ['done', '"done" is no event; known are session, joined, left, '],
    [5, '5 is no event; known are session, joined, left, '],
    ['toString', '"toString" is no event; known are session, joined, left, '],
  ])('is refused where it stands for an event that does not exist: %j', (name, problem) => {
    const decorate = () => {
      class Watch {
        // @ts-expect-error -- what JavaScript may do
        @OnJobEvent(name)
        hear(): void {}
      }
      return Watch;
    };

    expect(decorate).toThrow(
      expect.objectContaining({
        code: 'CONFIGURATION',
        place: '@OnJobEvent on Watch.hear',
        problems: [expect.stringContaining(problem)],
      }),
    );
  });

  it.each([
    ['a request-scoped provider', () => ({ providers: [RequestWatch] }), 'RequestWatch.hear', 'per request'],
    ['a controller', () => ({ controllers: [WatchController] }), 'WatchController.hear', 'move it to a provider'],
    ['a static method', () => ({ providers: [StaticWatch] }), 'StaticWatch.hear', 'has no provider'],
  ])('is refused by name on %s', async (...row) => {
    const [, parts, place, reason] = row;

    const refusal = await startJobs(parts()).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(ConfigurationError);
    expect(refusal).toMatchObject({ place, problems: [expect.stringContaining(reason)] });
  });
});

describe('the module option "tracing"', () => {
  it('gives a sink everything from the first event to the last', async () => {
    const sink: JobEventSink = {
      name: 'own',
      start: () => void heard.push('start'),
      hear: ({ kind }) => void heard.push(kind),
      stop: async () => void heard.push('stop'),
    };
    const jobs = await startJobs({ providers: [OrderJobs], options: { tracing: [sink] } });

    await jobs.tick();
    await jobs.close();

    expect(heard.at(0)).toBe('start');
    expect(heard).toEqual(expect.arrayContaining(['session', 'joined', 'begun', 'settled', 'finished']));
    expect(heard.slice(-3)).toEqual(['left', 'left', 'stop']);
  });

  it('does not stop a job or other sinks if one sink throws and another rejects', async () => {
    const sinks: JobEventSink[] = [
      { name: 'broken', hear: () => fail(new Error('broken')) },
      { name: 'rejecting', hear: async () => fail(new Error('rejecting')) },
      { name: 'own', hear: (event) => void (event.kind === 'error' && heard.push(event.message)) },
    ];
    const jobs = await startJobs({ providers: [OrderJobs], options: { tracing: sinks } });

    await jobs.tick();

    expect(jobs.outcomes).toHaveLength(3);
    expect(heard).toContain('the sink "broken" failed at a "settled" event');
    expect(heard).toContain('the sink "rejecting" failed at a "settled" event');
  });

  it('stops the sinks of a failed start, and leaves no timer', async () => {
    const sink: JobEventSink = { name: 'own', hear() {}, stop: async () => void heard.push('stop') };
    const clock = new VirtualClock();
    const options = { tracing: [sink], fences: [{ assertNotAhead: () => Promise.reject(new Error('ahead')) }] };

    await expect(startJobs({ clock, providers: [OrderJobs], options })).rejects.toThrow('ahead');

    expect(heard).toEqual(['stop']);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each<[string, unknown[], string]>([
    ['a sink without a name', [{ hear() {} }], 'tracing must be sinks such as { name: "audit", hear(event) {} }, or'],
    ['a fake without members', [{}], 'tracing must be sinks such as { name: "audit", hear(event) {} }, or'],
    ['a wrong level', [{ type: 'log', level: 'loud' }], ', or { type: "log", level: "debug", "log", "warn", "error"'],
    ['two logs', [{ type: 'log' }, { type: 'log' }], 'tracing has several sinks with the name "log"'],
    ['two of a name', [namedSink('a'), namedSink('a')], 'tracing has several sinks with the name "a"'],
  ])('is refused with %s', async (_, tracing, problem) => {
    const options: ElasticJobModuleOptions = {};
    Reflect.set(options, 'tracing', tracing);

    await expect(startJobs({ options })).rejects.toThrow(problem);
  });
});

@Injectable({ scope: Scope.REQUEST })
class RequestWatch {
  constructor(@Inject(CLOCK) readonly clock: Clock) {}

  @OnJobEvent('completed')
  hear(): void {}
}

@Controller()
class WatchController {
  @OnJobEvent('completed')
  hear(): void {}
}

class StaticWatch {
  readonly name = 'static';

  @OnJobEvent('completed')
  static hear(): void {}
}

function namedSink(name: string): JobEventSink {
  return { name, hear() {} };
}

function fail(error: unknown): never {
  throw error;
}
