import {
  ConfigurationError,
  ElasticJob,
  ElasticJobModule,
  type ElasticJobModuleOptions,
  JobRegistrar,
  REGISTRY_CENTER,
  type ShardingStrategy,
} from '@app/elastic-job';
import { ElasticJobCloudModule } from '@app/elastic-job/cloud';
import { ElasticJobMetricsModule } from '@app/elastic-job/metrics';
import { MemoryRegistry, type RegistryCenter } from '@app/elastic-job/registry';
import { ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { importElasticJobConfiguration } from '@app/elastic-job/tools';
import { VirtualClock } from '@app/elastic-job/testing';
import { type DynamicModule, Module } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { QUIET, rootModule, startJobs, whileTimePasses } from './support/job-application.js';

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: '0 0 2 * * ?', shardingTotalCount: 2, description: 'decorator' })
  settle(): void {}
}

async function configurationError(start: Promise<unknown>): Promise<ConfigurationError> {
  const error = await start.then(
    () => 'a start',
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigurationError)) throw new Error(`it ended with ${String(error)}`);
  return error;
}

async function problemsOf(options: object): Promise<readonly string[]> {
  const module = rootModule({ options, providers: [OrderJobs] });
  const { place, problems } = await configurationError(NestFactory.createApplicationContext(module, QUIET));
  return [place, ...problems];
}

describe('module options', () => {
  it('name every wrong option with its value and what is right, in one error', async () => {
    const options = {
      registry: { type: 'zookeeper', servers: 2181, sessionTimeoutMs: 0.5, digest: 'secret', sesionTimeoutMs: 1 },
      processing: 'no',
      drainTimeoutMs: -5,
      host: 'a@b',
      instanceId: 'a/b',
      tokenEpoch: 1.5,
      strategies: [{ type: 'MINE' }],
      jobs: { 'settle-orders': 5 },
      drainTimeout: 7,
      hungGraceMs: -1,
      lateAfterMs: -1,
      suspendedGraceMs: 'never',
      fences: [{ db: 1 }],
    };
    const [place, ...problems] = await problemsOf(options);
    expect(place).toBe('module options');
    expect(problems.toSorted()).toEqual([
      'drainTimeout is not an option of the module; did you mean drainTimeoutMs?',
      'drainTimeoutMs must be a whole number from 0 to 2147483647, but is -5',
      'fences must be guards with assertNotAhead, such as a SqlGuard, but has an object (db)',
      'host is given beside clock, which has a host of its own; give one of them',
      'host must be an address or a name such as "10.0.0.7", "fd00::7" or "worker-7", of at most 100 characters, ' +
        'but is "a@b"',
      'hungGraceMs must be a whole number from 0 to 2147483647, but is -1',
      'instanceId must be a text without "/", "@-@" and blanks, such as a pod name, but is "a/b"',
      'jobs must be options by job name, such as { "settle-orders": { disabled: true } }, ' +
        'but is an object (settle-orders)',
      'lateAfterMs must be a whole number from 0 to 2147483647, but is -1',
      'processing must be true or false, but is "no"',
      'registry.digest must be "user:password"',
      'registry.namespace must be a name such as "orders" or "shop/orders", but is undefined',
      'registry.servers must be a list such as "10.0.0.1:2181,10.0.0.2:2181", but is 2181',
      'registry.sesionTimeoutMs is not an option of the module; did you mean registry.sessionTimeoutMs?',
      'registry.sessionTimeoutMs must be a whole number from 1 to 2147483647, but is 0.5',
      'strategies must be strategies with type and shard, or classes of such, but has an object (type)',
      'suspendedGraceMs must be a whole number from 0 to 2147483647, but is "never"',
      'tokenEpoch must be a whole number from 0 to 2147483647, but is 1.5',
    ]);
  });

  it.each([
    [
      'an unknown registry',
      { registry: { type: 'etcd' } },
      'registry.type must be "memory" or "zookeeper", but is "etcd"',
    ],
    ['a text as registry', { registry: 'memory' }, 'registry must be { type: "memory" } or'],
    [
      'a server of another kind',
      { registry: { type: 'memory', server: {} } },
      'registry.server must be a MemoryRegistry',
    ],
    [
      'an illegal namespace',
      { registry: { type: 'memory', namespace: 'a//b' } },
      'namespace "a//b" has an empty level',
    ],
    [
      'a namespace in quotes',
      { registry: { type: 'memory', namespace: '"shop"' } },
      `namespace "\\"shop\\"" has the quote "; Docker's --env-file keeps quotes and blanks`,
    ],
    [
      'a namespace with a blank at its end',
      { registry: { type: 'zookeeper', servers: '10.0.0.1:2181', namespace: 'shop ' } },
      `namespace "shop " begins or ends with white space; Docker's --env-file keeps quotes and blanks`,
    ],
    [
      'a server list in quotes',
      { registry: { type: 'zookeeper', servers: "'10.0.0.1:2181'", namespace: 'shop' } },
      "servers: entry 1 has the quote '; Docker's --env-file keeps quotes and blanks",
    ],
    ['a host in quotes', { host: '"worker-7"' }, `but is "\\"worker-7\\""`],
    [
      'an unknown job',
      { jobs: { 'settle-order': { disabled: true } } },
      'jobs has "settle-order", but no job is called so; did you mean "settle-orders"?',
    ],
  ])('fail the start with %s, and the error says so', async (_case, options, problem) => {
    expect((await problemsOf(options)).join('\n')).toContain(problem);
  });

  it('name job, method, fields and values of wrong options of a job, in one error', async () => {
    class BadJobs {
      @ElasticJob({ cron: '0 0 25 * * ?', shardingTotalCount: 0, shardingItemParameters: '0=a,0=b', strategy: 'NOPE' })
      run(): void {}
    }
    const start = NestFactory.createApplicationContext(rootModule({ providers: [BadJobs] }), QUIET);
    const error = await configurationError(start);
    expect(error.place).toBe('job "BadJobs.run" (BadJobs.run)');
    const text = error.problems.join('\n');
    expect(text).toMatch(/cron.*25/);
    expect(text).toMatch(/shardingTotalCount .*but is 0/);
    expect(text).toMatch(/shardingItemParameters.*0=a,0=b/);
    expect(text).toMatch(/strategy.*NOPE/);
  });

  it('are refused if forRoot is given twice', async () => {
    const module = rootModule({ imports: [ElasticJobModule.forRoot({})] });
    await expect(NestFactory.createApplicationContext(module, QUIET)).rejects.toThrow(/imported 2 times/);
  });

  it('give an embedded registry if there are none', async () => {
    @Module({ imports: [ElasticJobModule.forRoot({})] })
    class BareModule {}
    const app = await NestFactory.createApplicationContext(BareModule, QUIET);
    expect(app.get<RegistryCenter>(REGISTRY_CENTER).session.state).toBe('CONNECTED');
    await app.close();
  });

  it.each([undefined, null])('refuse a registry that is %s: each process would run every item', async (registry) => {
    class Options {
      get registry() {
        return registry;
      }
    }
    const modules: readonly DynamicModule[] = [
      ElasticJobModule.forRoot(Object({ registry })),
      ElasticJobModule.forRootAsync({ useFactory: () => Object({ registry }) }),
      ElasticJobModule.forRootAsync({ useFactory: () => Object(new Options()) }),
      ElasticJobModule.forRootAsync({
        useClass: class {
          createElasticJobOptions = () => Object({ registry });
        },
      }),
    ];

    const errors = await Promise.all(
      modules.map((module) => configurationError(NestFactory.createApplicationContext(module, QUIET))),
    );

    for (const { place, problems } of errors) {
      expect(place).toBe('module options');
      expect(problems).toEqual([expect.stringMatching(`^registry is given, but is ${registry}; `)]);
    }
  });

  it('of a Java file whose server list has no value start no process alone', async () => {
    const text = `elasticjob:
  reg-center: { server-lists: '\${ZK_SERVERS}', namespace: orders }
  jobs: { settleOrders: { elastic-job-type: HTTP, sharding-total-count: 1 } }`;
    const { registry, jobs } = importElasticJobConfiguration(text, { placeholders: {} });

    const start = NestFactory.createApplicationContext(ElasticJobModule.forRoot({ registry, jobs }), QUIET);

    await expect(start).rejects.toThrow('module options: registry is given, but is undefined');
  });

  it('allow jobs to name a strategy of the application, by class', async () => {
    class LastTakesAll implements ShardingStrategy {
      readonly type = 'LAST_TAKES_ALL';
      shard: ShardingStrategy['shard'] = (instances, _job, total) =>
        new Map([[instances.at(-1)!, Array.from({ length: total }, (_, item) => item)]]);
    }
    class OwnJobs {
      @ElasticJob('0 0 2 * * ?', 2, 'LAST_TAKES_ALL')
      run(): void {}
    }
    const { app } = await startJobs({ providers: [OwnJobs], options: { strategies: [LastTakesAll] } });
    expect(app.get(JobRegistrar).jobs[0]?.configuration.strategy).toBeInstanceOf(LastTakesAll);
  });
});

/** The modules that take options, each as `forRoot` and as `forRootAsync` if it has one. */
const CONFIGURED: Readonly<Record<string, (given: any) => DynamicModule>> = {
  'ElasticJobModule.forRoot': (given) => ElasticJobModule.forRoot(given),
  'ElasticJobModule.forRootAsync': (given) => ElasticJobModule.forRootAsync({ useFactory: () => given }),
  'ElasticJobCloudModule.forRoot': (given) => ElasticJobCloudModule.forRoot(given),
  'ElasticJobCloudModule.forRootAsync': (given) => ElasticJobCloudModule.forRootAsync({ useFactory: () => given }),
  'ElasticJobMetricsModule.forRoot': (given) => ElasticJobMetricsModule.forRoot(given),
  'ElasticJobMetricsModule.forRootAsync': (given) => ElasticJobMetricsModule.forRootAsync({ useFactory: () => given }),
  'ElasticJobHealthModule.forRoot': (given) => ElasticJobHealthModule.forRoot(given),
};

@Module({})
class BareRoot {}

/** A root module with the jobs' module in this form, and no other. */
function rootOf(module: DynamicModule) {
  return { module: BareRoot, imports: [module] };
}

const NO_OPTIONS: readonly (readonly [string, unknown])[] = [
  ['Function', () => ({ registry: { type: 'memory' } })],
  ['AsyncFunction', async () => ({})],
  ['Array', []],
  ['Map', new Map()],
  ['Null', null],
  ['String', 'user:secret'],
  ['Number', 5],
];

describe('options that are no object', () => {
  it.each(
    Object.entries(CONFIGURED).flatMap(([of, configure]) =>
      NO_OPTIONS.map(([type, given]) => [of, type, given, configure] as const),
    ),
  )('are refused by %s with their type: %s', async (of, type, given, configure) => {
    const start = async () => {
      const module = configure(given);
      const root = of.startsWith('ElasticJobModule') ? rootOf(module) : rootModule({ imports: [module] });
      return NestFactory.createApplicationContext(root, QUIET);
    };

    const { message } = await configurationError(start());

    expect(message).toContain(`options must be an object, but are of type ${type}`);
    expect(message).not.toContain('secret');
  });

  it.each([
    ['forRoot', 'without an argument'],
    ['forRootAsync', 'with a factory that returns nothing'],
  ])('are refused as well: those of ElasticJobModule.%s %s', async (method) => {
    const module = CONFIGURED[`ElasticJobModule.${method}`]!(undefined);
    const start = NestFactory.createApplicationContext(rootOf(module), QUIET);

    expect((await configurationError(start)).message).toContain('options must be an object, but are of type Undefined');
  });

  it('are not taken for them: an instance of a class has its options, in getters as well', async () => {
    class Own {
      get processing() {
        return 'no';
      }
    }
    const start = NestFactory.createApplicationContext(rootOf(ElasticJobModule.forRoot(new Own() as object)), QUIET);

    expect((await configurationError(start)).problems).toEqual(['processing must be true or false, but is "no"']);
  });
});

describe('a class of a strategy', () => {
  class Throwing {
    readonly type = 'OWN';
    readonly table = readTable();
    shard() {}
  }
  class Shardless {
    readonly type = 'OWN';
  }
  function readTable(): never {
    throw new Error('no table');
  }

  it.each([
    ['whose constructor throws', Throwing, 'strategies: the class Throwing: no table'],
    ['that is only a function', () => ({}), 'strategies: the class : given is not a constructor'],
    ['whose instances have no shard', Shardless, 'strategies: the class Shardless must be'],
  ])('is refused by name: one %s', async (_what, strategy, problem) => {
    const [place, ...problems] = await problemsOf({ strategies: [strategy] });

    expect(place).toBe('module options');
    expect(problems.join()).toContain(problem);
  });
});

async function inForce(options: ElasticJobModuleOptions, clock = new VirtualClock()) {
  const { app } = await startJobs({ providers: [OrderJobs], options, clock });
  return app.get(JobRegistrar).jobs[0]!.configuration;
}

describe('precedence', () => {
  it('prefers the module to the decorator, field by field', async () => {
    const jobs = { 'settle-orders': { cron: '0 0 3 * * ?', shardingTotalCount: undefined, disabled: true } };
    expect(await inForce({ jobs })).toMatchObject({
      jobName: 'settle-orders',
      cron: '0 0 3 * * ?',
      disabled: true,
      shardingTotalCount: 2,
      description: 'decorator',
    });
  });

  it('prefers the registry to both, unless overwrite is set', async () => {
    const clock = new VirtualClock();
    const registry = { type: 'memory', server: new MemoryRegistry(clock) } as const;
    const first = await inForce({ registry, jobs: { 'settle-orders': { cron: '0 0 3 * * ?' } } }, clock);
    expect(first.cron).toBe('0 0 3 * * ?');
    const second = await inForce({ registry, jobs: { 'settle-orders': { cron: '0 0 4 * * ?' } } }, clock);
    expect(second.cron).toBe('0 0 3 * * ?');
    const third = await inForce(
      { registry, jobs: { 'settle-orders': { cron: '0 0 5 * * ?', overwrite: true } } },
      clock,
    );
    expect(third.cron).toBe('0 0 5 * * ?');
  });
});

describe('the class name of a job', () => {
  it("is in the registry as Java reads it; a job without one has its method's name", async () => {
    class JavaJobs {
      @ElasticJob({ name: 'settle', className: 'org.example.OrderJob', cron: '0 0 2 * * ?', shardingTotalCount: 1 })
      settle(): void {}

      @ElasticJob({ name: 'bill', cron: '0 0 2 * * ?', shardingTotalCount: 1 })
      bill(): void {}
    }
    const jobs = await startJobs({ providers: [JavaJobs] });
    const registry = jobs.app.get<RegistryCenter>(REGISTRY_CENTER);
    const nodes = await whileTimePasses(jobs.clock, registry.readMany(['/settle', '/bill']));
    expect(nodes.map((node) => node?.data)).toEqual(['org.example.OrderJob', 'JavaJobs.bill']);
  });

  it('is refused if it has a blank', async () => {
    class JavaJobs {
      @ElasticJob({ className: 'Order Job', cron: '0 0 2 * * ?', shardingTotalCount: 1 })
      settle(): void {}
    }
    await expect(startJobs({ providers: [JavaJobs] })).rejects.toThrow(
      /className must be a class name such as "org\.example\.OrderJob", but is "Order Job"/,
    );
  });
});

describe('the dialect of cron expressions', () => {
  it("is the module's for expressions of @nestjs/schedule, and the registry has Quartz's", async () => {
    class UnixJobs {
      @ElasticJob(CronExpression.EVERY_5_MINUTES, 1)
      settle(): void {}

      @ElasticJob({ cron: '0 0 2 ? * MON', cronDialect: 'quartz', shardingTotalCount: 1 })
      bill(): void {}
    }
    const jobs = await startJobs({ providers: [UnixJobs], options: { cronDialect: 'unix' } });
    const registrar = jobs.app.get(JobRegistrar);
    await whileTimePasses(
      jobs.clock,
      registrar.add({ name: 'added', cron: '0 3 * * *', shardingTotalCount: 1 }, () => {}),
    );
    expect(registrar.jobs.map(({ configuration }) => configuration.cron)).toEqual([
      '0 */5 * * * ?',
      '0 0 2 ? * MON',
      '0 0 3 * * ?',
    ]);
  });
});
