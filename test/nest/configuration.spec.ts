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
import { elasticJobConfig } from '@app/elastic-job/config';
import { ElasticJobMetricsModule } from '@app/elastic-job/metrics';
import { MemoryRegistry, type RegistryCenter } from '@app/elastic-job/registry';
import { ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { importElasticJobConfiguration } from '@app/elastic-job/tools';
import { VirtualClock } from '@app/elastic-job/testing';
import { type DynamicModule, Injectable, Logger, Module } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { JobApplication, QUIET, rootModule, startJobs, whileTimePasses } from './support/job-application.js';

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

function withVariables(variables: Record<string, string>): ElasticJobModuleOptions {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(`ELASTIC_JOB_${name}`, value);
  return elasticJobConfig();
}

describe('elasticJobConfig', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('gives an embedded registry and defaults for everything else without variables', () => {
    expect(JSON.parse(JSON.stringify(withVariables({})))).toEqual({ registry: { type: 'memory' } });
  });

  it('has no option that no variable gives, so that options of code may stand below it', () => {
    expect(Object.entries(withVariables({})).flat()).not.toContain(undefined);
    const { registry, ...others } = withVariables({ SERVERS: '10.0.0.1:2181', NAMESPACE: 'orders', HOST: 'a' });
    expect({ drainTimeoutMs: 10_000, host: 'code', ...others }).toStrictEqual({ drainTimeoutMs: 10_000, host: 'a' });
    expect({ requestTimeoutMs: 4_000, ...registry }).toStrictEqual({
      type: 'zookeeper',
      servers: '10.0.0.1:2181',
      namespace: 'orders',
      requestTimeoutMs: 4_000,
    });
  });

  it('stands beside options of code, which may go below the variables', async () => {
    vi.stubEnv('ELASTIC_JOB_DEFAULTS_FAILOVER', 'true');
    const clock = new VirtualClock();
    const module = ElasticJobModule.forRootAsync({
      ...elasticJobConfig.asProvider(),
      useFactory: (options: ElasticJobModuleOptions) => ({
        ...options,
        defaults: { timeZone: 'Europe/Berlin', ...options.defaults },
        clock,
      }),
    });
    class Jobs {
      @ElasticJob('* * * * * ?', 1)
      run(): void {}
    }
    @Module({ imports: [module], providers: [Jobs] })
    class AppModule {}
    const app = await whileTimePasses(clock, NestFactory.createApplicationContext(AppModule, QUIET));
    const jobs = new JobApplication(app, clock);

    const [job] = jobs.app.get(JobRegistrar).jobs;
    expect(job?.configuration).toMatchObject({ timeZone: 'Europe/Berlin', failover: true });
  });

  it('reads every variable as the option of its name', () => {
    const variables = {
      SERVERS: '10.0.0.1:2181',
      NAMESPACE: 'orders',
      DIGEST: 'me:secret',
      SESSION_TIMEOUT_MS: '30000',
      CONNECTION_TIMEOUT_MS: '5000',
      REQUEST_TIMEOUT_MS: '4000',
      SERVER_TICK_MS: '2000',
      SASL_USERNAME: 'shop',
      SASL_PASSWORD: 'secret too',
      ALLOW_OPEN_ACL: 'true',
      REQUIRE_TLS: 'true',
      TLS: 'true',
      TLS_CA_FILE: '/tls/ca.pem',
      TLS_CERT_FILE: '/tls/client.pem',
      TLS_KEY_FILE: '/tls/client.key',
      CONNECTION: 'worker-thread',
      MAX_BLOCKED_MS: '20000',
      PROCESSING: 'false',
      GLOBAL_ENHANCERS: 'true',
      DRAIN_TIMEOUT_MS: '0',
      HOST: 'fd00::7',
      INSTANCE_ID: 'orders-0',
      TOKEN_EPOCH: '2',
      SUSPENDED_GRACE_MS: '1000',
      HUNG_GRACE_MS: '2000',
      LATE_AFTER_MS: '2500',
      JAVA_RECONNECT_GRACE_MS: '3000',
      ERROR_WINDOW_MS: '4000',
    };
    expect(withVariables(variables)).toEqual({
      registry: {
        type: 'zookeeper',
        servers: '10.0.0.1:2181',
        namespace: 'orders',
        digest: 'me:secret',
        sasl: { username: 'shop', password: 'secret too' },
        allowOpenAcl: true,
        requireTls: true,
        sessionTimeoutMs: 30_000,
        connectionTimeoutMs: 5_000,
        requestTimeoutMs: 4_000,
        serverTickMs: 2_000,
        tls: { caFile: '/tls/ca.pem', certFile: '/tls/client.pem', keyFile: '/tls/client.key' },
        connection: 'worker-thread',
        maxBlockedMs: 20_000,
      },
      processing: false,
      globalEnhancers: true,
      drainTimeoutMs: 0,
      host: 'fd00::7',
      instanceId: 'orders-0',
      tokenEpoch: 2,
      suspendedGraceMs: 1000,
      hungGraceMs: 2000,
      lateAfterMs: 2500,
      javaReconnectGraceMs: 3000,
      errorWindowMs: 4000,
    });
  });

  it('names every wrong variable with its value, in one error', () => {
    expect(() =>
      withVariables({ SERVERS: '10.0.0.1:2181', PROCESSING: 'no', SESSION_TIMEOUT_MS: '1m', NAMESPACE: '' }),
    ).toThrow(
      'environment: ELASTIC_JOB_NAMESPACE must be given, since the registry is zookeeper, but is undefined; ' +
        'ELASTIC_JOB_SESSION_TIMEOUT_MS must be a whole number, but is "1m"; ' +
        'ELASTIC_JOB_PROCESSING must be "true" or "false", but is "no"',
    );
  });

  it.each([
    ['NAMESAPCE', 'NAMESPACE'],
    ['SERVER', 'SERVERS'],
    ['SESION_TIMEOUT_MS', 'SESSION_TIMEOUT_MS'],
  ])('refuses the variable %s, and names the one that was meant', (wrong, right) => {
    expect(() => withVariables({ [wrong]: 'secret' })).toThrow(
      new ConfigurationError('environment', [
        `ELASTIC_JOB_${wrong} is not a variable of this package; did you mean ELASTIC_JOB_${right}?`,
      ]),
    );
  });

  it.each([
    ['SERVERS', '"10.0.0.1:2181"', '"'],
    ['NAMESPACE', "'orders'", "'"],
    ['REGISTRY', '"zookeeper"', '"'],
    ['PROCESSING', '"true"', '"'],
    ['SESSION_TIMEOUT_MS', "'15000'", "'"],
    ['HOST', '`worker-7`', '`'],
    ['INSTANCE_ID', '"orders-0"', '"'],
    ['TLS_CA_FILE', '"/tls/ca.pem"', '"'],
    ['DEFAULTS_TIME_ZONE', '"UTC"', '"'],
  ])("refuses %s=%s by naming its quote, which Docker's --env-file keeps", (name, value, quote) => {
    expect(() => withVariables({ SERVERS: '10.0.0.1:2181', NAMESPACE: 'orders', [name]: value })).toThrow(
      new ConfigurationError('environment', [
        `ELASTIC_JOB_${name} begins and ends with the quote ${quote}; ` +
          "Docker's --env-file keeps quotes and blanks: give the value without them",
      ]),
    );
  });

  it('takes a password and a digest as they are: quotes may be a part of them', () => {
    const zooKeeper = { SERVERS: '10.0.0.1:2181', NAMESPACE: 'orders' };
    const { registry } = withVariables({ ...zooKeeper, DIGEST: '"me:s"', SASL_USERNAME: 'me', SASL_PASSWORD: "'s'" });
    expect(registry).toMatchObject({ digest: '"me:s"', sasl: { username: 'me', password: "'s'" } });
  });

  it('names unknown variables with its prefix once, except links of Kubernetes', () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    withVariables({
      CONSOLE_SERVICE_HOST: '10.0.0.7',
      CONSOLE_PORT: 'tcp://10.0.0.7:80',
      CONSOLE_PORT_80_TCP_ADDR: '10.0.0.7',
      REGION: 'secret',
      SHARD: 'secret',
    });
    elasticJobConfig();
    expect(warn.mock.calls).toEqual([
      ['ELASTIC_JOB_REGION, ELASTIC_JOB_SHARD: no variables of this package; they are ignored'],
    ]);
    warn.mockRestore();
  });

  it.each([
    ['ELASTICJOB_SERVERS', 'ELASTICJOB_SERVERS (is it ELASTIC_JOB_SERVERS?)'],
    ['ELASTIC_JOBS_NAMESPACE', 'ELASTIC_JOBS_NAMESPACE (is it ELASTIC_JOB_NAMESPACE?)'],
    ['ELASTICJOBS_SERVER', 'ELASTICJOBS_SERVER (is it ELASTIC_JOB_SERVERS?)'],
    ['ELASTIC-JOB-SERVERS', 'ELASTIC-JOB-SERVERS (is it ELASTIC_JOB_SERVERS?)'],
    ['ELASTICJOB_COLOUR', 'ELASTICJOB_COLOUR'],
  ])('names %s in the log once: its name begins almost like those of the package', (name, told) => {
    vi.stubEnv('ELASTIC_JOB_REGISTRY', 'memory');
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    vi.stubEnv(name, 'secret');

    elasticJobConfig();
    elasticJobConfig();

    expect(warn.mock.calls).toEqual([[`${told}: no variable of this package; it is ignored`]]);
  });

  it.each([
    ['ELASTICJOB_SERVERS', 'SERVERS'],
    ['ELASTIC_JOBS_NAMESPACE', 'NAMESPACE'],
    ['ELASTICJOB_REGISTRI', 'REGISTRY'],
  ])('refuses %s if the process would get the embedded registry without it', (wrong, right) => {
    vi.stubEnv(wrong, 'secret');
    const fault = `${wrong} is not a variable of this package; did you mean ELASTIC_JOB_${right}?`;

    for (let time = 0; time < 2; time++) {
      expect(() => elasticJobConfig()).toThrow(new ConfigurationError('environment', [fault]));
    }
  });

  it.each([
    ['NAMESPACE', { ELASTIC_JOB_SERVERS: '10.0.0.1:2181' }],
    ['SERVERS', { ELASTIC_JOB_REGISTRY: 'zookeeper', ELASTIC_JOB_NAMESPACE: 'orders' }],
  ])('names ELASTICJOB_%s in the error for the variable that it was meant to be', (missing, variables) => {
    for (const [name, text] of Object.entries(variables)) vi.stubEnv(name, text);
    vi.stubEnv(`ELASTICJOB_${missing}`, 'orders');

    expect(() => elasticJobConfig()).toThrow(
      new ConfigurationError('environment', [
        `ELASTIC_JOB_${missing} must be given, since the registry is zookeeper, but is undefined`,
        `ELASTICJOB_${missing} is not a variable of this package; did you mean ELASTIC_JOB_${missing}?`,
      ]),
    );
  });

  it.each([
    ['ELASTICJOB_SERVERS', 'ELASTIC_JOB_SERVERS', '10.0.0.1:2181'],
    ['ELASTICJOB_HUNG_GRACE_MS', 'ELASTIC_JOB_PROCESSING', 'true'],
    ['ELASTICJOB_NAMESPACE', 'ELASTIC_JOB_TASK', 'x'],
  ])('takes %s beside %s for a foreign one, as it decides on no registry', (wrong, beside, value) => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    for (const [name, text] of Object.entries({ [wrong]: 'x', [beside]: value })) vi.stubEnv(name, text);
    vi.stubEnv('ELASTIC_JOB_NAMESPACE', 'orders');

    expect(() => elasticJobConfig()).not.toThrow();
  });

  it.each(['JOB_TEST', 'JOB_ROOT', 'JOB_TAGS', 'JOB_TTL', 'JOBS_TZ', 'JOB_SERVICE_NAME'])(
    'ends no start for ELASTIC_%s, which is too far from a short name',
    (name) => {
      const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
      onTestFinished(() => warn.mockRestore());
      vi.stubEnv(`ELASTIC_${name}`, 'x');

      expect(() => elasticJobConfig()).not.toThrow();
      expect(warn.mock.calls).toEqual([[expect.stringContaining(`ELASTIC_${name}`)]]);
    },
  );

  it('names no links of Kubernetes, no variables of others, and not the one that makes a process a task', () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    const links = ['ELASTICJOB_SERVICE_HOST', 'ELASTIC_JOBS_PORT_80_TCP_ADDR'];
    for (const name of [...links, 'ELASTICSEARCH_URL', 'ELASTIC_JOB_TASK']) vi.stubEnv(name, 'x');

    elasticJobConfig();

    expect(warn.mock.calls).toEqual([]);
  });

  it('brings the variables into force through forRootAsync', async () => {
    vi.stubEnv('ELASTIC_JOB_PROCESSING', 'false');
    const clock = new VirtualClock();
    @Injectable()
    class Jobs {
      @ElasticJob('* * * * * ?', 1)
      run(): void {}
    }
    @Module({
      imports: [
        ElasticJobModule.forRootAsync({
          ...elasticJobConfig.asProvider(),
          useFactory: (config: ElasticJobModuleOptions) => ({ ...config, clock }),
        }),
      ],
      providers: [Jobs],
    })
    class AsyncModule {}
    const app = await whileTimePasses(clock, NestFactory.createApplicationContext(AsyncModule, QUIET));
    const jobs = new JobApplication(app, clock);
    await jobs.tick();
    expect(jobs.events.filter(({ kind }) => kind === 'joined' || kind === 'triggered')).toEqual([]);
  });
});
