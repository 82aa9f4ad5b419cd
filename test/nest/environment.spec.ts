import {
  ConfigurationError,
  ElasticJob,
  ElasticJobModule,
  type ElasticJobModuleOptions,
  JobRegistrar,
} from '@app/elastic-job';
import { elasticJobConfig } from '@app/elastic-job/config';
import { VirtualClock } from '@app/elastic-job/testing';
import { Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { JobApplication, QUIET, whileTimePasses } from './support/job-application.js';

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

  it('knows the variables of the console, and takes no option from them', () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    expect(withVariables({ CONSOLE_HOST: '0.0.0.0' })).toEqual(withVariables({}));
    expect(warn).not.toHaveBeenCalled();
    expect(() => withVariables({ CONSOLE_HOTS: '0.0.0.0' })).toThrow('did you mean ELASTIC_JOB_CONSOLE_HOST?');
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
