import {
  ElasticJob,
  ElasticJobModule,
  ElasticJobTemplate,
  JobRegistrar,
  type ShardingContext,
  ShardingService,
  OnJobEvent,
  REGISTRY_CENTER,
} from '@app/elastic-job';
import { ElasticJobCloudModule } from '@app/elastic-job/cloud';
import { ElasticJobMetricsModule } from '@app/elastic-job/metrics';
import { JobConfigurationApi, JobOperateApi, JobStatisticsApi, ShardingOperateApi } from '@app/elastic-job/operations';
import type { RegistryCenter } from '@app/elastic-job/registry';
import { VirtualClock } from '@app/elastic-job/testing';
import {
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { LazyModuleLoader, NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import {
  type ApplicationParts,
  EVERY_SECOND,
  JobApplication,
  QUIET,
  rootModule,
  whileTimePasses,
} from './support/job-application.js';
import { LogLines } from './support/log-lines.js';

const ONE = { cron: EVERY_SECOND, shardingTotalCount: 1 };

/** Starts an application, with its log lines. */
async function startLogging(parts: ApplicationParts): Promise<{ jobs: JobApplication; log: LogLines }> {
  const log = new LogLines();
  const clock = new VirtualClock();
  const start = NestFactory.createApplicationContext(rootModule({ ...parts, clock }), {
    logger: log,
    abortOnError: false,
  });
  return { jobs: new JobApplication(await whileTimePasses(clock, start), clock), log };
}

// Nest keeps the last application's logger for the process.
afterEach(() => Logger.overrideLogger(false));

describe('an application without a job', () => {
  it('is warned in one line, with the remedy', async () => {
    const { log } = await startLogging({});

    expect(log.at('warn')).toEqual([
      'no job: no provider of this application has @ElasticJob, and the option jobs has none; list the class in ' +
        '"providers" of an imported module, or set processing: false if this process is to run none',
    ]);
  });

  it.each<[string, ApplicationParts]>([
    ['runs none by its options', { options: { processing: false } }],
    ['has a job without a class', { options: { jobs: { ping: { type: 'HTTP', ...ONE, props: httpProps() } } } }],
    ['has a template', { providers: [templates()] }],
    ['has added one by JobRegistrar', { providers: [adder()] }],
    ['has a decorated one', { providers: [decorated()] }],
  ])('is not warned if it %s', async (_what, parts) => {
    const { log } = await startLogging(parts);

    expect(log.at('warn')).toEqual([]);
  });
});

function httpProps() {
  return { 'http.uri': 'http://127.0.0.1:1/', 'http.method': 'GET' };
}

function templates() {
  @Injectable()
  class Templates {
    @ElasticJobTemplate('import')
    run(): void {}
  }
  return Templates;
}

function decorated() {
  @Injectable()
  class Jobs {
    @ElasticJob(ONE)
    run(): void {}
  }
  return Jobs;
}

function adder() {
  @Injectable()
  class Adder implements OnApplicationBootstrap {
    constructor(private readonly registrar: JobRegistrar) {}

    async onApplicationBootstrap(): Promise<void> {
      await this.registrar.add({ name: 'added', ...ONE }, () => {});
    }
  }
  return Adder;
}

describe('a job in a module that is loaded lazily', () => {
  async function loadLazily(parts: ApplicationParts, providers: Provider[]) {
    @Module({ providers })
    class LazyModule {}
    const started = await startLogging({ providers: [decorated()], ...parts });
    const load = () => started.jobs.app.get(LazyModuleLoader).load(() => LazyModule);
    await load();
    return { ...started, load };
  }

  it('is warned of once, since it does not run, with the remedy', async () => {
    @Injectable()
    class LateJobs {
      @ElasticJob({ ...ONE, name: 'late' })
      run(): void {}

      @ElasticJobTemplate('import')
      import(): void {}
    }
    const { log, load } = await loadLazily({}, [LateJobs]);
    await load();

    const rest = 'has no effect, since its module was loaded lazily, after the start; ';
    const remedy = 'let another module import that module instead';
    expect(log.at('warn')).toEqual([
      `LateJobs.run: its @ElasticJob ${rest}${remedy}`,
      `LateJobs.import: its @ElasticJobTemplate ${rest}${remedy}`,
    ]);
  });

  it('is not warned of if the module has none, or if the process runs no jobs', async () => {
    const without = await loadLazily({}, [{ provide: 'VALUE', useValue: 1 }]);
    const passive = await loadLazily({ options: { processing: false } }, [decorated()]);

    expect([...without.log.at('warn'), ...passive.log.at('warn')]).toEqual([]);
  });
});

describe('a decorator above that replaces the method', () => {
  /** As those of transactions and caches do. */
  const replacing = (_target: object, _method: string | symbol, descriptor: PropertyDescriptor): PropertyDescriptor => {
    const replaced: (...given: unknown[]) => unknown = descriptor.value;
    return { ...descriptor, value: (...given: unknown[]) => replaced(...given) };
  };
  const keeping = (target: object, method: string | symbol, descriptor: PropertyDescriptor): PropertyDescriptor => {
    const replaced = replacing(target, method, descriptor);
    for (const key of Reflect.getMetadataKeys(descriptor.value))
      Reflect.defineMetadata(key, Reflect.getMetadata(key, descriptor.value), replaced.value);
    return replaced;
  };

  it.each([
    ['@ElasticJob', ElasticJob(ONE)],
    ['@ElasticJobTemplate', ElasticJobTemplate('import')],
    ['@OnJobEvent', OnJobEvent('late')],
  ])('is refused above %s, which names place and remedy', async (what, decorator) => {
    class Jobs {
      @replacing
      @decorator
      run(): void {}
    }
    class Derived extends Jobs {}

    for (const provider of [Jobs, Derived]) {
      await expect(startLogging({ providers: [provider] })).rejects.toThrow(
        `${provider.name}.run: ${what} is lost, since the method was replaced after it, by a decorator above ` +
          `on the method or class; write ${what} above the one of a method, or let it keep the method's metadata`,
      );
    }
  });

  it('is told from a double that a test puts on the prototype or the instance, which runs', async () => {
    class Jobs {
      runs: string[] = [];

      @ElasticJob({ ...ONE, name: 'spied' })
      spied(): void {
        this.runs.push('real');
      }

      @ElasticJob({ ...ONE, name: 'kept' })
      @OnJobEvent('session')
      kept(): void {}
    }
    const onPrototype = vi.spyOn(Jobs.prototype, 'spied').mockReturnValue();
    const onInstance = new Jobs();
    vi.spyOn(onInstance, 'kept').mockReturnValue();
    const { jobs } = await startLogging({ providers: [{ provide: Jobs, useValue: onInstance }] });
    await jobs.clock.advance(3_000);

    expect(jobs.app.get(JobRegistrar).jobs.map(({ jobName }) => jobName)).toEqual(['spied', 'kept']);
    expect(onPrototype.mock.calls.length).toBeGreaterThan(1);
    expect(onInstance.runs).toEqual([]);
  });

  it('is refused if it stands on the class, whose methods it replaces', async () => {
    const traced = (target: new () => object): void => {
      const { value } = Object.getOwnPropertyDescriptor(target.prototype, 'run')!;
      Object.defineProperty(target.prototype, 'run', { value: (...given: unknown[]) => value(...given) });
    };
    @traced
    class Jobs {
      @ElasticJob(ONE)
      run(): void {}
    }

    await expect(startLogging({ providers: [Jobs] })).rejects.toThrow('Jobs.run: @ElasticJob is lost');
  });

  it('is accepted if it keeps the metadata, stands below, or if an override has another method', async () => {
    class Keeping {
      @keeping
      @ElasticJob(ONE)
      run(): void {}
    }
    class Below {
      @ElasticJob(ONE)
      @replacing
      run(): void {}
    }
    class Replaced {
      @replacing
      @ElasticJob(ONE)
      run(): void {}
    }
    class Overriding extends Replaced {
      override run(): void {}
    }
    const { jobs } = await startLogging({ providers: [Keeping, Below, Overriding] });

    const names = jobs.app.get(JobRegistrar).jobs.map(({ jobName }) => jobName);
    expect(names).toEqual(['Keeping.run', 'Below.run']);
  });
});

describe('a cron that never fires', () => {
  const NEVER = '0 0 0 30 2 ?';
  const fault = `cron "${NEVER}" never fires; correct it, or give none for a job that runs when it is triggered`;

  it('stops the start if the code has it, and names the place', async () => {
    class Jobs {
      @ElasticJob({ cron: NEVER, shardingTotalCount: 1 })
      run(): void {}
    }

    await expect(startLogging({ providers: [Jobs] })).rejects.toThrow(`job "Jobs.run" (Jobs.run): ${fault}`);
  });

  it('is refused in an edit and in a created job, and other edits go on', async () => {
    const { jobs } = await startLogging({ providers: [decorated(), templates()] });
    const within = <T>(work: Promise<T>) => whileTimePasses(jobs.clock, work);
    const settings = jobs.app.get(JobConfigurationApi);
    const created = { name: 'new', template: 'import', cron: NEVER, shardingTotalCount: 1 };
    const refused = [
      () => jobs.app.get(JobRegistrar).change('Jobs.run', { cron: NEVER }),
      () => settings.updateJobConfiguration('Jobs.run', { cron: NEVER }),
      () => jobs.app.get(JobOperateApi).create(created),
    ];

    for (const edit of refused) await expect(within<unknown>(edit())).rejects.toThrow(fault);

    const registry = jobs.app.get<RegistryCenter>(REGISTRY_CENTER);
    const config = await registry.read('/Jobs.run/config');
    await registry.set('/Jobs.run/config', config!.data.replace(EVERY_SECOND, NEVER));
    await within(settings.updateJobConfiguration('Jobs.run', { jobParameter: 'edited' }));
    expect(await within(settings.getJobConfiguration('Jobs.run'))).toMatchObject({ cron: NEVER });
  });
});

describe('a module without its options', () => {
  it.each([
    ['ElasticJobModule', [ElasticJobModule], 'ElasticJobModule.forRoot({ registry })'],
    [
      'ElasticJobCloudModule',
      [ElasticJobModule.forRoot({}), ElasticJobCloudModule],
      'ElasticJobCloudModule.forRoot({ backend })',
    ],
    [
      'ElasticJobMetricsModule',
      [ElasticJobModule.forRoot({}), ElasticJobMetricsModule],
      'ElasticJobMetricsModule.forRoot()',
    ],
  ])('is refused, and the error names forRoot: %s', async (name, imports, call) => {
    @Module({ imports })
    class Root {}

    await expect(NestFactory.createApplicationContext(Root, QUIET)).rejects.toThrow(
      `${name}: it is in imports without options; import ${call} or forRootAsync once, in the root module, and not ` +
        'in others',
    );
  });

  it('is refused beside forRoot as well, as in a feature module', async () => {
    @Module({ imports: [ElasticJobModule], providers: [decorated()] })
    class Feature {}

    const start = startLogging({ imports: [Feature] });

    await expect(start).rejects.toThrow('ElasticJobModule: it is in imports without options');
  });
});

describe('a decorator that the compiler applies by the proposal of ECMAScript', () => {
  const method = (): void => {};

  it.each([
    ['@ElasticJob on run', ElasticJob(ONE), method, { kind: 'method', name: 'run', static: false, private: false }],
    ['@ElasticJob on Jobs', ElasticJob(ONE), LogLines, { kind: 'class', name: 'Jobs' }],
    ['@ElasticJobTemplate on run', ElasticJobTemplate('t'), method, { kind: 'method', name: 'run' }],
    ['@OnJobEvent on run', OnJobEvent('late'), method, { kind: 'method', name: 'run' }],
  ])('is refused with the settings that Nest needs: %s', (place, decorator, value, context) => {
    expect(() => Reflect.apply(decorator, undefined, [value, context])).toThrow(
      `${place}: the compiler has applied it by the ECMAScript proposal (stage 3), which Nest does not know; set ` +
        '"experimentalDecorators" and "emitDecoratorMetadata" in the tsconfig.json that it reads',
    );
  });
});

describe('a job name that is not known', () => {
  it('is warned of once if @OnJobEvent has it, with the nearest one', async () => {
    class Alarms {
      @OnJobEvent('failed', { job: 'city-reprot' })
      failed(): void {}

      @OnJobEvent('missed', { job: ['city-reprot', 'city-report', 'billing'] })
      missed(): void {}
    }
    const { jobs, log } = await startLogging({
      providers: [Alarms],
      options: { jobs: { 'city-report': { type: 'HTTP', ...ONE, props: httpProps() } } },
    });
    await jobs.close();

    const rest =
      'which this process does not have, so it hears nothing of it unless that job is added later, by JobRegistrar ' +
      'or from a template';
    expect(log.at('warn')).toEqual([
      `Alarms.failed: its @OnJobEvent names the job "city-reprot", ${rest}; did you mean "city-report"?`,
      `Alarms.missed: its @OnJobEvent names the job "billing", ${rest}`,
    ]);
  });

  it('is not warned of if the process has added that job at start, or runs none', async () => {
    class Alarms {
      @OnJobEvent('failed', { job: 'added' })
      failed(): void {}
    }
    const adding = await startLogging({ providers: [adder(), Alarms] });
    const passive = await startLogging({ providers: [Alarms], options: { processing: false } });

    expect([...adding.log.at('warn'), ...passive.log.at('warn')]).toEqual([]);
  });

  it('is answered with the nearest one, by each command and each call in the process', async () => {
    const { jobs } = await startLogging({ providers: [decorated(), templates()] });
    const operate = jobs.app.get(JobOperateApi);
    const settings = jobs.app.get(JobConfigurationApi);
    const registrar = jobs.app.get(JobRegistrar);
    const calls: (() => Promise<unknown>)[] = [
      () => operate.trigger('Job.run'),
      () => operate.cancel('Job.run', 0),
      () => operate.cancelAll('Job.run'),
      () => operate.disable('Job.run'),
      () => operate.remove('Job.run'),
      () => operate.dump('Job.run'),
      () => jobs.app.get(ShardingOperateApi).disable('Job.run', 0),
      () => settings.updateJobConfiguration('Job.run', { jobParameter: 'x' }),
      () => settings.removeJobConfiguration('Job.run'),
      async () => registrar.pause('Job.run'),
      () => jobs.app.get(ShardingService).assignments('Job.run'),
    ];

    for (const call of calls) {
      const answer = whileTimePasses(jobs.clock, call());
      await expect(answer).rejects.toMatchObject({ code: 'UNKNOWN_JOB', nearest: 'Jobs.run' });
      await expect(answer).rejects.toThrow(/"Job\.run".*; did you mean "Jobs\.run"\?$/);
    }
    const far = whileTimePasses(jobs.clock, operate.trigger('reports'));
    await expect(far).rejects.toThrow('"reports" in this namespace; compare the name with those of JobStatisticsApi.');
  });
});

describe('a job after one that has never started', () => {
  class Reports {
    readonly fireTimes: number[] = [];

    @ElasticJob({ name: 'report', after: 'import', shardingTotalCount: 1 })
    run({ fireTime }: ShardingContext): void {
      this.fireTimes.push(fireTime.getTime());
    }
  }

  it('waits for it, with a warning and a degraded readiness, and starts after it once it is there', async () => {
    const { jobs, log } = await startLogging({ providers: [Reports] });
    const readiness = () => judgeReadiness(jobs.app.get(ElasticJobRuntime).status());
    await jobs.clock.advance(30_000);

    const warned = log.at('warn');
    const judged = readiness();
    await whileTimePasses(
      jobs.clock,
      jobs.app.get(JobRegistrar).add({ name: 'import', ...ONE }, () => {}),
    );
    await jobs.clock.advance(5_000);

    expect(warned).toEqual([
      'report: cannot start until the jobs that it starts after run: import (missing); ' +
        'start their services, enable them, or correct the names',
    ]);
    expect(log.at('log')).toContainEqual('report: all jobs that it starts after run again');
    expect(judged).toMatchObject({
      status: 'degraded',
      details: { reasons: ['job "report" waits for jobs that do not run: import (missing)'] },
    });
    expect(readiness().status).toBe('up');
    expect(jobs.app.get(Reports).fireTimes.length).toBeGreaterThanOrEqual(4);
  });

  it('is not said to wait for one that has come after its leader has abdicated', async () => {
    const { jobs } = await startLogging({ providers: [Reports] });
    const within = <T>(work: Promise<T>) => whileTimePasses(jobs.clock, work);
    await within(jobs.app.get(JobOperateApi).disable('report'));
    await within(jobs.app.get(JobRegistrar).add({ name: 'import', ...ONE }, () => {}));
    await jobs.clock.advance(30_000);

    expect(judgeReadiness(jobs.app.get(ElasticJobRuntime).status()).details.reasons).not.toContainEqual(
      expect.stringContaining('do not run'),
    );
  });

  it('tells of one that comes and cannot be started after', async () => {
    const { jobs, log } = await startLogging({ providers: [Reports] });
    await whileTimePasses(
      jobs.clock,
      jobs.app.get(JobRegistrar).add({ name: 'import', shardingTotalCount: 1 }, () => {}),
    );
    await jobs.clock.advance(30_000);

    const fault = 'after "import": it has no schedule, so its runs have no fire time; give it a cron, or an after';
    expect(log.at('error')).toEqual([expect.stringContaining('report: ')]);
    expect(judgeReadiness(jobs.app.get(ElasticJobRuntime).status())).toMatchObject({
      status: 'degraded',
      details: { reasons: [expect.stringContaining(fault)] },
    });
  });
});

describe('classes with jobs that are loaded, but no providers of the application', () => {
  class Base {
    @ElasticJob(ONE)
    run(): void {}
  }
  class Derived extends Base {}
  const elsewhere = (): object[] => {
    class BillingJobs {
      @ElasticJob(ONE)
      @ElasticJob({ ...ONE, name: 'second' })
      bill(): void {}
    }
    @ElasticJob(ONE)
    class MailJob {
      execute(): void {}
    }
    return [BillingJobs, MailJob];
  };

  it('are named in one line that is no warning, since another application may have them', async () => {
    const classes = elsewhere();
    const { log } = await startLogging({ providers: [Derived] });

    const lines = log.at('log').filter((line) => line.startsWith('classes with jobs'));
    expect(classes.length).toBe(2);
    expect(lines).toEqual([
      expect.stringMatching(/^classes with jobs that are no providers of this application: MailJob, BillingJobs\b/),
    ]);
    expect(lines[0]).toMatch(/; list them in "providers" of an imported module if their jobs are to run here$/);
    expect(lines[0]).not.toMatch(/\b(?:Base|Derived)\b/);
    expect(log.at('warn')).toEqual([]);
  });

  it('are not named below the level of the log, or where no jobs run', async () => {
    elsewhere();
    const quiet = await startLogging({ providers: [Base], options: { tracing: [{ type: 'log', level: 'warn' }] } });
    const passive = await startLogging({ options: { processing: false } });

    const lines = [quiet, passive].flatMap(({ log }) => log.lines);
    expect(lines.filter((line) => line.includes('classes with jobs'))).toEqual([]);
  });
});

describe('an API that is asked before the application has started', () => {
  const calls = (app: Early): Record<string, () => unknown> => ({
    trigger: () => app.operate.trigger('Early.run'),
    update: () => app.settings.updateJobConfiguration('Early.run', { jobParameter: 'x' }),
    statistics: () => app.statistics.getAllJobsBriefInfo(),
    assignments: () => app.sharding.assignments('Early.run'),
    change: () => app.registrar.change('Early.run', { jobParameter: 'x' }),
  });
  const told: Record<string, string> = {};

  @Injectable()
  class Early implements OnModuleInit, OnApplicationBootstrap {
    constructor(
      readonly registrar: JobRegistrar,
      readonly operate: JobOperateApi,
      readonly settings: JobConfigurationApi,
      readonly statistics: JobStatisticsApi,
      readonly sharding: ShardingService,
    ) {}

    @ElasticJob(ONE)
    run(): void {}

    onModuleInit(): Promise<void> {
      return this.ask('init');
    }

    onApplicationBootstrap(): Promise<void> {
      return this.ask('bootstrap');
    }

    private async ask(hook: string): Promise<void> {
      for (const [name, call] of Object.entries(calls(this))) {
        const error = await Promise.resolve()
          .then(call)
          .then(
            () => 'no error',
            (thrown: Error) => thrown.message,
          );
        told[`${name} in ${hook}`] = error;
      }
    }
  }

  it('says that it is too early, and when to ask', async () => {
    await startLogging({ providers: [Early] });

    const notYet = /: the registry is not connected yet; .* so ask after app\.init\(\) or app\.listen\(\)$/;
    const unknown = /; register it with @ElasticJob or JobRegistrar first; those of decorators are known from/;
    const noSession = /^There is no session of the registry; ask after app\.init\(\) or app\.listen\(\), or once it/;
    const {
      'assignments in init': a,
      'change in init': b,
      'assignments in bootstrap': c,
      'change in bootstrap': d,
    } = told;
    expect([a, b]).toEqual([expect.stringMatching(unknown), expect.stringMatching(unknown)]);
    expect([c, d]).toEqual([expect.stringMatching(noSession), expect.stringMatching(noSession)]);
    for (const name of ['trigger', 'update', 'statistics']) {
      expect([told[`${name} in init`], told[`${name} in bootstrap`]]).toEqual([
        expect.stringMatching(notYet),
        expect.stringMatching(notYet),
      ]);
    }
  });
});
