import { describe, expect, it } from 'vitest';
import { springJob } from '@test/support/unit/spring-job.js';
import { ElasticJob2ConfigurationError } from '../coordination/index.js';
import { EMAIL_PROPS } from '../executor/email/email.error-handler.js';
import type { ElasticJobModuleOptions } from '../nest/index.js';
import { importElasticJobConfiguration } from './index.js';

/** The shape of the application.yml that ElasticJob's Spring Boot example has. */
const APPLICATION_YML = `
server:
  port: 8080
elasticjob:
  tracing:
    type: RDB
    dataSource:
      url: jdbc:mysql://db/trace?password=abc
  regCenter:
    serverLists: zk1:2181,zk2:2181
    namespace: elasticjob-springboot
    maxRetries: 3
    sessionTimeoutMilliseconds: 30000
    digest: user:password
  dump:
    port: 9888
  jobs:
    simpleJob:
      elasticJobClass: com.acme.SimpleOrders
      cron: 0/5 * * * * ?
      timeZone: GMT+08:00
      shardingTotalCount: 3
      shardingItemParameters: 0=Beijing,1=Shanghai,2=Guangzhou
      monitorExecution: true
      failover: true
      misfire: true
      jobErrorHandlerType: EMAIL
      jobListenerTypes: [com.acme.Timing]
      props:
        email:
          host: mail.acme.com
          password: secret
          from: jobs@acme.com
          to: ops@acme.com
    scriptJob:
      elasticJobType: SCRIPT
      cron: 0/10 * * * * ?
      shardingTotalCount: 1
      props:
        script.command.line: "echo SCRIPT Job: "
    manualJob:
      elasticJobType: HTTP
      jobBootstrapBeanName: manualJobBean
      shardingTotalCount: 1
`;

/** As ElasticJob 3.0.5 writes it to ZooKeeper. */
const NODE = `cron: 0/5 * * * * ?
description: ''
disabled: false
failover: true
jobExecutorThreadPoolSizeProviderType: SINGLE_THREAD
jobExtraConfigurations:
- !!org.apache.shardingsphere.elasticjob.kernel.tracing.yaml.YamlTracingConfiguration
  type: RDB
jobListenerTypes:
- com.acme.Timing
jobName: settle-orders
jobParameter: p
jobShardingStrategyType: ODEVITY
label: orders
maxTimeDiffSeconds: -1
misfire: true
monitorExecution: true
overwrite: true
props:
  streaming.process: 'true'
reconcileIntervalMinutes: 10
shardingItemParameters: 0=a,1=b
shardingTotalCount: 2
staticSharding: false
`;

const JOB = 'elasticjob.jobs.j.';

describe('the application.yml of Spring Boot', () => {
  const { jobs, notTakenOver, registry } = importElasticJobConfiguration(APPLICATION_YML);

  it('becomes the registry and the jobs of the module', () => {
    expect(registry).toEqual({
      type: 'zookeeper',
      servers: 'zk1:2181,zk2:2181',
      namespace: 'elasticjob-springboot',
      sessionTimeoutMs: 30_000,
      digest: 'user:password',
    });
    expect(jobs['simpleJob']).toEqual({
      className: 'com.acme.SimpleOrders',
      cron: '0/5 * * * * ?',
      timeZone: 'GMT+08:00',
      shardingTotalCount: 3,
      shardingItemParameters: '0=Beijing,1=Shanghai,2=Guangzhou',
      strategy: 'AVG_ALLOCATION',
      monitorExecution: true,
      failover: true,
      misfire: true,
      reconcileIntervalMinutes: 0,
      jobErrorHandlerType: 'EMAIL',
      props: { 'email.from': 'jobs@acme.com', 'email.to': 'ops@acme.com' },
    });
  });

  it('is what the module takes', () => {
    const options = { registry, jobs } satisfies ElasticJobModuleOptions;
    expect(Object.keys(options.jobs)).toEqual(['simpleJob', 'scriptJob', 'manualJob']);
  });

  it('has jobs without a class, which get their type', () => {
    expect(jobs['scriptJob']).toMatchObject({ type: 'SCRIPT', props: { 'script.command.line': 'echo SCRIPT Job: ' } });
    expect(jobs['manualJob']).toEqual({
      type: 'HTTP',
      shardingTotalCount: 1,
      strategy: 'AVG_ALLOCATION',
      monitorExecution: false,
      misfire: false,
      reconcileIntervalMinutes: 0,
    });
  });

  it('tells what is not taken over, in the order of the text', () => {
    expect(notTakenOver.map(({ path, place, value }) => [place, path, value])).toEqual([
      ['line 6, column 5', 'elasticjob.tracing.type', 'RDB'],
      ['line 8, column 7', 'elasticjob.tracing.dataSource.url', '(not shown)'],
      ['line 12, column 5', 'elasticjob.regCenter.maxRetries', '3'],
      ['line 16, column 5', 'elasticjob.dump.port', '9888'],
      ['line 28, column 7', 'elasticjob.jobs.simpleJob.jobListenerTypes[0]', 'com.acme.Timing'],
      ['line 31, column 11', 'elasticjob.jobs.simpleJob.props.email.host', '(not shown)'],
      ['line 32, column 11', 'elasticjob.jobs.simpleJob.props.email.password', '(not shown)'],
      ['line 43, column 7', 'elasticjob.jobs.manualJob.jobBootstrapBeanName', 'manualJobBean'],
    ]);
    for (const { reason, remedy } of notTakenOver) expect([reason, remedy]).not.toContain('');
  });
});

describe('the names of Spring Boot', () => {
  it.each([
    ['camel case', 'elasticjob:\n  regCenter:\n    serverLists: a:1\n    namespace: n'],
    ['kebab case', 'elasticjob:\n  reg-center:\n    server-lists: a:1\n    namespace: n'],
    ['snake case', 'elasticjob:\n  reg_center:\n    server_lists: a:1\n    namespace: n'],
    ['dotted keys', 'elasticjob.regCenter:\n  serverLists: a:1\nelasticjob.regCenter.namespace: n'],
    ['properties', 'elasticjob.reg-center.server-lists=a:1\nelasticjob.regCenter.namespace = n'],
    ['upper case', 'ELASTICJOB.REGCENTER.SERVERLISTS=a:1\nELASTICJOB.REGCENTER.NAMESPACE=n'],
    [
      'merged mappings',
      'x: &x {serverLists: a:1, namespace: o}\nelasticjob:\n  regCenter:\n    <<: *x\n    namespace: n',
    ],
    [
      'several merged mappings',
      'x: &x {serverLists: a:1}\ny: &y {serverLists: b:1, namespace: n}\nelasticjob:\n  regCenter:\n    <<: [*x, *y]',
    ],
  ])('are read in %s', (_, text) => {
    const { notTakenOver, registry } = importElasticJobConfiguration(text);
    expect(registry).toEqual({ type: 'zookeeper', servers: 'a:1', namespace: 'n' });
    expect(notTakenOver).toEqual([]);
  });

  it('keep the case and the dots of job names and props in brackets', () => {
    const text = `elasticjob.jobs[my.Job_1].sharding-total-count=1\nelasticjob.jobs[my.Job_1].props[my.Prop]=x`;
    const { jobs } = importElasticJobConfiguration(text);
    expect(jobs).toEqual({ 'my.Job_1': expect.objectContaining({ shardingTotalCount: 1, props: { 'my.Prop': 'x' } }) });
  });
});

describe('the application.properties of Spring Boot', () => {
  it('has continued lines, escapes, comments and lists', () => {
    const text = String.raw`# jobs
! of the shop
spring.application.name: shop
elasticjob.jobs.j.sharding-total-count = 2
elasticjob.jobs.j.sharding-item-parameters 0=\u5317\u4eac,\
    1=Shang\u0068ai
elasticjob.jobs.j.description=a\tb\\c
elasticjob.jobs.j.job-listener-types[0]=com.acme.A
elasticjob.jobs.j.job-listener-types[1]=com.acme.B
elasticjob.jobs.j.misfire=true 
elasticjob.jobs.j.job-parameter=p `;
    const { jobs, notTakenOver } = importElasticJobConfiguration(text, { format: 'properties' });
    expect(jobs['j']).toMatchObject({
      shardingTotalCount: 2,
      shardingItemParameters: '0=北京,1=Shanghai',
      description: 'a\tb\\c',
      misfire: true,
      jobParameter: 'p ',
    });
    expect(notTakenOver.map(({ value }) => value)).toEqual(['com.acme.A', 'com.acme.B']);
  });

  it.each([
    [String.raw`elasticjob.jobs.j.description=ab\u12`, 'line 1, column 33: behind'],
    ['elasticjob.a=1\n#---\nelasticjob.b=1', 'line 2, column 1: it has several documents; name the active profiles'],
    [
      `elasticjob.jobs.j.cron=x\n  ${JOB}shardingTotalCount=many`,
      'line 2, column 3: shardingTotalCount must be a whole',
    ],
  ])('%j is refused with line and column', (text, problem) => {
    expect(() => importElasticJobConfiguration(text)).toThrow(problem);
  });
});

describe('the config node of a job', () => {
  it('becomes the options of the job', () => {
    const { jobs, notTakenOver, registry } = importElasticJobConfiguration(NODE);
    expect(registry).toBeUndefined();
    expect(jobs).toEqual({
      'settle-orders': {
        cron: '0/5 * * * * ?',
        shardingTotalCount: 2,
        shardingItemParameters: '0=a,1=b',
        jobParameter: 'p',
        strategy: 'ODEVITY',
        failover: true,
        misfire: true,
        monitorExecution: true,
        disabled: false,
        overwrite: true,
        maxTimeDiffSeconds: -1,
        reconcileIntervalMinutes: 10,
        staticSharding: false,
        label: 'orders',
        jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
        props: { 'streaming.process': 'true' },
      },
    });
    expect(notTakenOver.map(({ path, value }) => [path, value])).toEqual([
      ['jobExtraConfigurations', '(not shown)'],
      ['jobListenerTypes[0]', 'com.acme.Timing'],
    ]);
  });

  it('keeps the settings that this package has written there', () => {
    const text = 'jobName: j\nshardingTotalCount: 1\nprops:\n  nestjs.timeoutMs: 500\n  nestjs.timeZone: Asia/Tokyo\n';
    const { jobs } = importElasticJobConfiguration(text);
    expect(jobs['j']).toMatchObject({ timeoutMs: 500, timeZone: 'Asia/Tokyo' });
  });

  it('takes the name of a nested class', () => {
    const { jobs } = importElasticJobConfiguration(springJob('elasticJobClass: com.acme.Jobs$Settle'));
    expect(jobs['j']).toMatchObject({ className: 'com.acme.Jobs$Settle' });
  });

  it('tells of keys that only another version knows', () => {
    const text = 'jobName: j\nshardingTotalCount: 1\nfuture: 7\nprops: {nestjs.future: 8}\n';
    expect(importElasticJobConfiguration(text).notTakenOver).toMatchObject([
      { path: 'future', value: '7', place: 'line 3, column 1' },
      { path: 'props.nestjs.future', value: '(not shown)', place: 'line 4, column 9' },
    ]);
  });

  it('of ElasticJob 2 is refused', () => {
    const json = '{"jobName":"j","jobClass":"com.acme.J","jobType":"SIMPLE"}';
    expect(() => importElasticJobConfiguration(json)).toThrow(ElasticJob2ConfigurationError);
  });
});

describe('the class of a job', () => {
  it.each([
    'org.apache.shardingsphere.elasticjob.kernel.example.job.SpringBootSimpleJob',
    'org.apache.shardingsphere.elasticjob.lite.example.job.SpringBootDataflowJob',
    'org.apache.shardingsphere.elasticjob.simple.job.SimpleJobOfOrders',
  ])('keeps its name %s, though it is below the packages of ElasticJob', (className) => {
    const { jobs, notTakenOver } = importElasticJobConfiguration(springJob(`elasticJobClass: ${className}`));
    expect(jobs['j']).toMatchObject({ className });
    expect(notTakenOver).toEqual([]);
  });

  it.each(['api.ElasticJob', 'simple.job.SimpleJob', 'dataflow.job.DataflowJob'])(
    'is told if it is a type of ElasticJob: %s',
    (type) => {
      const setting = `elasticJobClass: org.apache.shardingsphere.elasticjob.${type}`;
      const { jobs, notTakenOver } = importElasticJobConfiguration(springJob(setting));
      expect(jobs['j']).not.toHaveProperty('className');
      expect(notTakenOver).toMatchObject([{ path: `${JOB}elasticJobClass` }]);
    },
  );
});

describe('elasticjob.enabled', () => {
  const text = (value: string) =>
    `elasticjob:\n  enabled: ${value}\n  regCenter: {serverLists: 'a:1', namespace: n}\n  jobs:\n` +
    `    j: {elasticJobType: HTTP, shardingTotalCount: 1}`;

  it.each(['false', 'no', '"off"', '${SWITCH:false}'])('as %s leaves no registry and no job, and is told', (value) => {
    const { enabled, jobs, notTakenOver, registry } = importElasticJobConfiguration(text(value));
    expect({ enabled, jobs, registry }).toEqual({ enabled: false, jobs: {}, registry: undefined });
    expect(notTakenOver).toContainEqual(
      expect.objectContaining({ path: 'elasticjob.enabled', reason: expect.stringContaining('Java starts no job') }),
    );
  });

  it.each(['true', 'TRUE', '${SWITCH:true}'])('as %s imports all', (value) => {
    const { enabled, jobs, registry } = importElasticJobConfiguration(text(value), {
      placeholders: { SWITCH: 'true' },
    });
    expect([enabled, Object.keys(jobs), registry?.servers]).toEqual([true, ['j'], 'a:1']);
  });

  it('as true is not told', () => {
    expect(importElasticJobConfiguration(text('true')).notTakenOver).toEqual([]);
  });

  it('is true where the text does not have it', () => {
    expect(importElasticJobConfiguration(NODE).enabled).toBe(true);
    expect(importElasticJobConfiguration(springJob('cron: 0 0 0 * * ?')).enabled).toBe(true);
  });
});

describe('the props of the error handler EMAIL', () => {
  const OF_SERVER = ['host', 'port', 'username', 'password', 'useSsl', 'ssl.trust', 'debug'];
  const OF_MAILS = Object.keys(EMAIL_PROPS).map((name) => name.replace('email.', ''));
  const props = [...OF_SERVER, ...OF_MAILS].map((name) => `  email.${name}: ${name}@acme.com`).join('\n');

  it.each([
    [
      'a Spring Boot file',
      `elasticjob:\n  jobs:\n    j:\n      shardingTotalCount: 1\n      props:\n${props.replaceAll(/^/gm, '      ')}`,
    ],
    ['a config node', `jobName: j\nshardingTotalCount: 1\nprops:\n${props}`],
  ])('of %s are told and not carried where they are of the mail server', (_, text) => {
    const { jobs, notTakenOver } = importElasticJobConfiguration(text);
    expect(Object.keys(jobs['j']!.props!)).toEqual(OF_MAILS.map((name) => `email.${name}`));
    expect(notTakenOver.map(({ path }) => path.replace(JOB, ''))).toEqual(
      OF_SERVER.map((name) => `props.email.${name}`),
    );
    for (const { remedy, value } of notTakenOver) {
      expect(remedy).toContain('EmailErrorHandler');
      expect(value).toBe('(not shown)');
    }
  });
});

describe('a setting without a counterpart', () => {
  it.each([
    ['jobShardingStrategyType: com.acme.ByRegion', 'jobShardingStrategyType', 'ShardingStrategy'],
    ['jobExecutorServiceHandlerType: com.acme.Pool', 'jobExecutorServiceHandlerType', 'concurrency'],
    ['jobExecutorThreadPoolSizeProviderType: FIXED', 'jobExecutorThreadPoolSizeProviderType', 'concurrency'],
    ['jobErrorHandlerType: com.acme.Pager', 'jobErrorHandlerType', 'JobErrorHandler'],
    ['elasticJobClass: org.apache.shardingsphere.elasticjob.dataflow.job.DataflowJob', 'elasticJobClass', 'className'],
    ['failover: true', 'failover', 'monitorExecution: true'],
    ["shardingItemParameters: '0=a,1=b,5=c'", 'shardingItemParameters', 'shardingTotalCount'],
    ['jobExtraConfigurations: x', 'jobExtraConfigurations', 'check the name'],
    ['shardingTotalCounts: 3', 'shardingTotalCounts', 'check the name'],
    ['jobListenerTypes: com.acme.A,', 'jobListenerTypes[0]', 'ElasticJobListener'],
    ['props: {nestjs.strategy: ByRegion}', 'props.nestjs.strategy', 'ShardingStrategy'],
    ['props: x', 'props', 'check the name'],
  ])('%s is told with a remedy, and the job is still one', (setting, key, remedy) => {
    const { jobs, notTakenOver } = importElasticJobConfiguration(springJob(setting));
    expect(notTakenOver).toMatchObject([{ path: JOB + key, remedy: expect.stringContaining(remedy) }]);
    expect(jobs['j']).not.toHaveProperty(key, expect.stringMatching(/acme|FIXED|5=c/));
  });

  it('leaves the item parameters that are used', () => {
    const { jobs } = importElasticJobConfiguration(springJob('shardingItemParameters: 0=a,1=b,3=c,5=d'));
    expect(jobs['j']).toMatchObject({ shardingItemParameters: '0=a,1=b' });
  });

  it('of the registry is told', () => {
    const text = 'elasticjob:\n  regCenter: {type: etcd, serverLists: e:2379, namespace: n, ssl: true}\n  enable: true';
    const { notTakenOver } = importElasticJobConfiguration(text);
    expect(notTakenOver.map(({ path }) => path)).toEqual([
      'elasticjob.regCenter.type',
      'elasticjob.regCenter.ssl',
      'elasticjob.enable',
    ]);
  });

  it.each(['serverLists: a:1', 'namespace: n'])('a registry with %s alone is none, and is told', (setting) => {
    const { notTakenOver, registry } = importElasticJobConfiguration(`elasticjob:\n  regCenter:\n    ${setting}`);
    expect(registry).toBeUndefined();
    expect(notTakenOver).toHaveLength(1);
  });

  it('a path behind the servers goes into the namespace', () => {
    const text = 'elasticjob:\n  regCenter: {serverLists: "a:1,b:1/shop", namespace: jobs}';
    expect(importElasticJobConfiguration(text).registry).toMatchObject({ servers: 'a:1,b:1', namespace: 'shop/jobs' });
  });
});
