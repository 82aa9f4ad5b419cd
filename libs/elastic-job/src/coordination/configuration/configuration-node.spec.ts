import { describe, expect, it } from 'vitest';
import {
  createShardingStrategy,
  HiddenText,
  type JobConfiguration,
  type JobOptions,
  resolveJobOptions,
  type ShardingStrategy,
} from '../../domain/index.js';
import { ConfigurationNodeError, ElasticJob2ConfigurationError } from './configuration.errors.js';
import { formatConfiguration } from './format-configuration.js';
import { layConfiguration } from './lay-configuration.js';
import { parseConfiguration } from './parse-configuration.js';

const byRegion: ShardingStrategy = { type: 'BY_REGION', shard: () => new Map() };

/** As Java's builder writes a job with name, count and cron. */
const FROM_JAVA = `cron: 0/5 * * * * ?
description: ''
disabled: false
failover: false
jobName: myJob
jobParameter: ''
maxTimeDiffSeconds: -1
misfire: true
monitorExecution: true
overwrite: false
reconcileIntervalMinutes: 10
shardingItemParameters: ''
shardingTotalCount: 1
staticSharding: false
`;

/** Every Java setting. */
const FULL_FROM_JAVA = `cron: 0/5 * * * * ?
description: desc
disabled: true
failover: true
jobErrorHandlerType: LOG
jobExecutorThreadPoolSizeProviderType: SINGLE_THREAD
jobExtraConfigurations:
- !!org.apache.shardingsphere.elasticjob.kernel.tracing.yaml.YamlTracingConfiguration
  tracingStorageConfiguration: !!org.apache.shardingsphere.elasticjob.tracing.rdb.yaml.YamlDataSourceConfiguration
    dataSourceClassName: com.zaxxer.hikari.HikariDataSource
    props:
      jdbcUrl: jdbc:h2:mem:job_event_storage
  type: RDB
jobListenerTypes:
- l1
jobName: myJob
jobParameter: p
jobShardingStrategyType: ODEVITY
label: lb
maxTimeDiffSeconds: 10
misfire: false
monitorExecution: false
overwrite: true
props:
  script.command.line: echo hi
  n: '5'
reconcileIntervalMinutes: 0
shardingItemParameters: 0=a,1=b,2=c
shardingTotalCount: 3
staticSharding: true
timeZone: GMT+8:00
`;

const everything: Partial<JobOptions> = {
  cron: '*/5 * * * * ?',
  timeZone: 'Europe/Berlin',
  clockChange: 'quartz',
  shardingTotalCount: 2,
  shardingItemParameters: '0=作业,1= it is: fine #1',
  jobParameter: 'true',
  strategy: byRegion,
  failover: true,
  misfirePolicy: 'all',
  misfireLimit: 7,
  maxAttempts: 3,
  retryDelayMs: 10,
  retryFactor: 1.5,
  retryMaxDelayMs: 100,
  retryJitter: 0,
  monitorExecution: true,
  disabled: true,
  overwrite: true,
  description: `several\nlines: ${'word '.repeat(40)}`,
  maxTimeDiffSeconds: 5,
  reconcileIntervalMinutes: -1,
  shardingTimeoutMs: 1,
  timeoutMs: 2,
  concurrency: 3,
  failoverQueueLimit: 4,
  maxExecutorFailovers: 5,
  staticSharding: true,
  label: 'lb',
  props: { 'script.command.line': 'echo hi', true: '012' },
  jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
  jobErrorHandlerType: 'PAGER',
  jobListenerTypes: ['audit', 'metrics'],
  jobExtraConfigurations: '- !!com.acme.Tracing\n  password: secret',
  serverRetentionMinutes: 0,
  onHung: 'release' as const,
};

describe('formatConfiguration', () => {
  it('given a job with defaults, when written, then the text is that of Java and one entry of props', () => {
    const props = 'props:\n  nestjs.clockChange: auto\n';
    expect(formatConfiguration(jobOf())).toBe(FROM_JAVA.replace('reconcile', `${props}reconcile`));
  });

  it('given every setting, when written, then those that Java lacks are texts among the props', () => {
    const text = formatConfiguration(jobOf(everything));
    expect(text).toContain(
      "props:\n  nestjs.clockChange: quartz\n  nestjs.concurrency: '3'\n  nestjs.failoverQueueLimit: '4'\n" +
        '  nestjs.jobErrorHandlerType: PAGER\n  nestjs.jobListenerTypes: audit,metrics\n' +
        "  nestjs.maxAttempts: '3'\n  nestjs.maxExecutorFailovers: '5'\n  nestjs.misfireLimit: '7'\n  nestjs.misfirePolicy: all\n" +
        "  nestjs.onHung: release\n  nestjs.retryDelayMs: '10'\n  nestjs.retryFactor: '1.5'\n  nestjs.retryJitter: '0'\n" +
        "  nestjs.retryMaxDelayMs: '100'\n  nestjs.serverRetentionMinutes: '0'\n" +
        "  nestjs.shardingTimeoutMs: '1'\n  nestjs.strategy: BY_REGION\n  nestjs.timeZone: Europe/Berlin\n" +
        "  nestjs.timeoutMs: '2'\n  script.command.line: echo hi\n  'true': '012'\nreconcile",
    );
    expect(text).toContain('\njobExecutorThreadPoolSizeProviderType: SINGLE_THREAD\n');
    expect(text).toContain('\njobExtraConfigurations:\n- !!com.acme.Tracing\n  password: secret\njobName');
    expect(text).toContain('\nlabel: lb\n');
    expect(text).toContain('\nstaticSharding: true\n');
    expect(text).not.toMatch(/^(?:timeZone|jobShardingStrategyType|jobErrorHandlerType|jobListenerTypes)/m);
  });

  it('given a full node of Java, when it is written again, then only the order of props and our own entry are new', () => {
    const { configuration } = layConfiguration(jobOf(), FULL_FROM_JAVA);
    const text = formatConfiguration(
      { ...configuration, overwrite: true },
      parseConfiguration(FULL_FROM_JAVA, 'myJob'),
    );
    const [script, n] = ['  script.command.line: echo hi\n', "  n: '5'\n"];
    expect(text).toBe(FULL_FROM_JAVA.replace(script + n, `${n}  nestjs.clockChange: quartz\n${script}`));
  });

  it('given a zone and a strategy that Java knows, when written, then they stand where Java reads them', () => {
    const text = formatConfiguration(jobOf({ timeZone: 'GMT+8:00', strategy: 'ROTATE_SERVER_BY_NAME' }));
    expect(text).toMatch(/^jobParameter: ''\njobShardingStrategyType: ROUND_ROBIN\nmax/m);
    expect(text).toMatch(/^timeZone: GMT\+8:00\n$/m);
    expect(text).not.toMatch(/nestjs\.(?:strategy|timeZone)/);
  });
});

describe('layConfiguration', () => {
  it.each([
    {},
    everything,
    { timeZone: 'GMT+8:00', strategy: 'ODEVITY' },
    { cron: '' },
    { cron: '', resident: true },
    { cron: '', after: ['import', 'check'] },
    { misfire: false },
    { misfirePolicy: 'once' as const },
    { jobParameter: "'\t\u0085\n\n" },
  ])('given a node that the same options wrote, when laid over them, then nothing differs: %j', (options) => {
    const local = jobOf(options);
    expect(layConfiguration(local, formatConfiguration(local))).toEqual({ configuration: local, differences: [] });
  });

  it.each([
    ['a schedule', { cron: '0 * * * * ?' }],
    ['the word of an operator', { cron: '', resident: false }],
  ])('given a job that is resident here, when the node has %s, then it is not resident', (_, options) => {
    const stored = formatConfiguration(jobOf(options));
    const { configuration } = layConfiguration(jobOf({ cron: '', resident: true }), stored);
    expect(configuration).toMatchObject({ resident: false });
  });

  it('given a job that is started after others here, when the node has a schedule, then that counts', () => {
    const stored = formatConfiguration(jobOf({ cron: '0 * * * * ?' }));
    const { configuration } = layConfiguration(jobOf({ cron: '', after: 'import' }), stored);
    expect(configuration).toMatchObject({ cron: '0 * * * * ?', after: [] });
  });

  it('given a node of other options, when laid, then the node wins and each difference is named', () => {
    const stored = formatConfiguration(
      jobOf({ shardingTotalCount: 4, timeoutMs: 9, strategy: 'ODEVITY', overwrite: true }),
    );
    const { configuration, differences } = layConfiguration(jobOf({ failover: true, timeoutMs: 8 }), stored);
    expect(configuration).toMatchObject({ shardingTotalCount: 4, timeoutMs: 9, failover: false, overwrite: false });
    expect(configuration).toSatisfy(Object.isFrozen);
    expect(configuration.strategy).toBe(createShardingStrategy('ODEVITY'));
    expect(differences).toEqual(
      expect.arrayContaining([
        { field: 'shardingTotalCount', local: 1, stored: 4 },
        { field: 'failover', local: true, stored: false },
        { field: 'timeoutMs', local: 8, stored: 9 },
        { field: 'strategy', local: 'AVG_ALLOCATION', stored: 'ODEVITY' },
      ]),
    );
    expect(differences).toHaveLength(4);
  });

  it('given a node without our settings, when laid, then ours are the local ones but Java decides on clock changes', () => {
    const local = jobOf({ timeZone: 'Europe/Berlin', strategy: byRegion, timeoutMs: 5, concurrency: 2 });
    const { configuration, differences } = layConfiguration(local, FROM_JAVA);
    expect(configuration).toEqual({ ...local, clockChange: 'quartz' });
    expect(differences).toEqual([{ field: 'clockChange', local: 'auto', stored: 'quartz' }]);
  });

  it('given settings that the node says, when laid over other options, then they are in force even as the default', () => {
    const plain = jobOf({});
    const text = formatConfiguration(plain, undefined, Object.keys(plain));
    const { configuration } = layConfiguration(jobOf({ ...everything, overwrite: false }), text);
    expect(configuration).toEqual(plain);
    expect(formatConfiguration(plain, parseConfiguration(text, plain.jobName))).toBe(text);
  });

  it.each([
    ['misfire: false', 'skip'],
    ['misfire: true', 'once'],
    ['misfire: true\nprops:\n  nestjs.misfirePolicy: skip', 'once'],
    ['misfire: true\nprops:\n  nestjs.misfirePolicy: all', 'all'],
    ['misfire: false\nprops:\n  nestjs.misfirePolicy: all', 'skip'],
  ])("given a node with %j, when laid, then Java's switch decides and the policy is %s", (text, misfirePolicy) => {
    const { configuration } = layConfiguration(jobOf({ misfirePolicy: 'all' }), `shardingTotalCount: 1\n${text}`);
    expect(configuration).toMatchObject({ misfirePolicy, misfire: misfirePolicy !== 'skip' });
  });

  it('given a full node of Java, when laid, then all that has a counterpart is in force', () => {
    const local = jobOf({ timeZone: 'GMT', strategy: 'ROUND_ROBIN' });
    expect(layConfiguration(local, FULL_FROM_JAVA).configuration).toEqual({
      ...local,
      description: 'desc',
      disabled: true,
      failover: true,
      jobParameter: 'p',
      strategy: createShardingStrategy('ODEVITY'),
      maxTimeDiffSeconds: 10,
      misfire: false,
      misfirePolicy: 'skip',
      monitorExecution: false,
      reconcileIntervalMinutes: 0,
      shardingItemParameters: '0=a,1=b,2=c',
      shardingTotalCount: 3,
      timeZone: 'GMT+8:00',
      clockChange: 'quartz',
      staticSharding: true,
      label: 'lb',
      props: { 'script.command.line': 'echo hi', n: '5' },
      jobErrorHandlerType: 'LOG',
      jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
      jobListenerTypes: ['l1'],
      jobExtraConfigurations: new HiddenText('compared in kept-parts.spec.ts'),
    });
  });

  it('given a node with the bare minimum, when laid, then an absent field is what Java takes it for', () => {
    const local = jobOf({ timeZone: 'GMT', strategy: 'ODEVITY', failover: true, jobParameter: 'p' });
    const { configuration } = layConfiguration(local, 'cron: 0 0 0 * * ?\nshardingTotalCount: 1\n');
    expect(configuration).toMatchObject({
      timeZone: undefined,
      strategy: createShardingStrategy('AVG_ALLOCATION'),
      failover: false,
      misfire: false,
      monitorExecution: false,
      jobParameter: '',
      reconcileIntervalMinutes: 0,
    });
  });

  it('given a node that names an own strategy, when it is registered, then it is in force', () => {
    const stored = formatConfiguration(jobOf({ strategy: byRegion }));
    expect(layConfiguration(jobOf(), stored, [byRegion]).configuration.strategy).toBe(byRegion);
    expect(() => layConfiguration(jobOf(), stored)).toThrow('known are AVG_ALLOCATION, ODEVITY, ROUND_ROBIN');
  });

  it('given fewer items than parameters, as after a shrink by an operator, when laid, then the job goes on', () => {
    const shrunk = FULL_FROM_JAVA.replace('shardingTotalCount: 3', 'shardingTotalCount: 1');
    expect(layConfiguration(jobOf(), shrunk).configuration.shardingTotalCount).toBe(1);
  });

  it.each([
    [FROM_JAVA.replace('0/5 * * * * ?', '0 0 *'), 'cron', '"0 0 *"'],
    [FROM_JAVA.replace('Count: 1', 'Count: 0'), 'shardingTotalCount', 'but is 0'],
    [FROM_JAVA.replace('myJob', 'yourJob'), 'jobName', '"yourJob"'],
    [FROM_JAVA.replace("Parameters: ''", 'Parameters: 0=a,0=b'), 'shardingItemParameters', '"0=a,0=b"'],
    [`${FROM_JAVA}timeZone: Europe/Berln\n`, 'timeZone', '"Europe/Berln"'],
    [`${FROM_JAVA}jobShardingStrategyType: SPREAD\n`, 'strategy', '"SPREAD"'],
    [`${FROM_JAVA}props:\n  nestjs.clockChange: cron\n`, 'line 16: nestjs.clockChange', '"cron"'],
    [`${FROM_JAVA}props:\n  nestjs.timeoutMs: '0'\n`, 'timeoutMs', 'but is 0'],
  ])(
    'given a node with a wrong value, when laid, then the error names job, field and value (%#)',
    (text, field, value) => {
      const lay = () => layConfiguration(jobOf(), text);
      expect(lay).toThrow(ConfigurationNodeError);
      expect(lay).toThrow('job "myJob"');
      expect(lay).toThrow(expect.objectContaining({ problems: [expect.stringMatching(new RegExp(`^${field}\\b`))] }));
      expect(lay).toThrow(expect.objectContaining({ problems: [expect.stringContaining(value)] }));
    },
  );
});

describe('parseConfiguration', () => {
  it.each([
    ["shardingTotalCount: '3'", { shardingTotalCount: 3 }],
    ['shardingTotalCount: 012', { shardingTotalCount: 10 }],
    ['shardingTotalCount: 1_000', { shardingTotalCount: 1000 }],
    ['shardingTotalCount: 0x1F', { shardingTotalCount: 31 }],
    ['shardingTotalCount: 0b11', { shardingTotalCount: 3 }],
    ['shardingTotalCount: 1:30', { shardingTotalCount: 90 }],
    ['maxTimeDiffSeconds: -1', { maxTimeDiffSeconds: -1 }],
    ['failover: yes', { failover: true }],
    ['failover: Off', { failover: false }],
    ["failover: 'true'", { failover: true }],
    ['description: yes', { description: 'yes' }],
    ['description: 012', { description: '012' }],
    ['cron:', {}],
    ['description: null', {}],
    ["description: 'null'", { description: 'null' }],
    ['description:', {}],
    ['description: a\ndescription: b', { description: 'b' }],
    ['{"description":"a=b","failover":true}', { description: 'a=b', failover: true }],
    ['props: null', {}],
    ['staticSharding: on', { staticSharding: true }],
    ['jobListenerTypes: [a, b]', { jobListenerTypes: ['a', 'b'] }],
    ['jobListenerTypes: null', {}],
    ["props:\n  a: 012\n  b: yes\n  c: '012'\n  d:\n  e: 1.50", { props: { a: '10', b: 'true', c: '012', e: '1.50' } }],
    ['description: !!binary B2E=', { description: '\u0007a' }],
    ['description: &x y\nlabel: *x', { description: 'y', label: 'y' }],
    ["props:\n  nestjs.timeoutMs: 5\n  nestjs.concurrency: '2'", { nestjs: { timeoutMs: 5, concurrency: 2 } }],
    ["props:\n  nestjs.retryFactor: 1.5\n  nestjs.retryJitter: '1'", { nestjs: { retryFactor: 1.5, retryJitter: 1 } }],
    ['props:\n  nestjs.concurrency: SINGLE_THREAD', { nestjs: { concurrency: 'SINGLE_THREAD' } }],
  ])('given %j, when read, then it is what Java reads', (text, expected) => {
    const unknown = { entries: new Map(), props: {} };
    expect(parseConfiguration(text, 'myJob')).toEqual({ nestjs: {}, props: {}, unknown, ...expected });
  });

  it.each([
    ['cron: a\ndescription: [', 'line 2: '],
    ['cron: a\n\tfailover: true', 'line 2: '],
    ['', 'line 1: it is not a YAML mapping'],
    ['just text', 'line 1: it is not a YAML mapping'],
    ['cron: a\n<<: {failover: true}', 'line 2: << must be written out'],
    ['cron: a\n\nfailover: perhaps', 'line 3: failover must be true or false, but is "perhaps"'],
    ['shardingTotalCount: 08', 'line 1: shardingTotalCount must be a whole number, but is "08"'],
    ['cron:\n- a', 'line 1: cron must be a text, but is a list or a mapping'],
    ['props:\n- a', 'line 1: props must be a mapping'],
    ['jobListenerTypes: a', 'line 1: jobListenerTypes must be a list of texts'],
    ['props:\n  a:\n    b: c', 'line 2: a must be a text'],
    [
      'props:\n  nestjs.concurrency: many',
      'line 2: nestjs.concurrency must be a whole number, CPU, SINGLE_THREAD or none, but is "many"',
    ],
    ['props:\n  nestjs.retryFactor: two', 'line 2: nestjs.retryFactor must be a number, but is "two"'],
  ])('given %j, when read, then the error names job and line', (text, problem) => {
    const parse = () => parseConfiguration(text, 'myJob');
    expect(parse).toThrow(ConfigurationNodeError);
    expect(parse).toThrow(expect.objectContaining({ jobName: 'myJob', problems: [expect.stringContaining(problem)] }));
  });

  it('given the JSON of ElasticJob 2, when read, then the error says what it is', () => {
    const json = String.raw`{"jobName":"j","jobClass":"com.acme.J","jobType":"SIMPLE","shardingItemParameters":"0\u003da"}`;
    expect(() => parseConfiguration(json, 'myJob')).toThrow(ElasticJob2ConfigurationError);
    expect(() => parseConfiguration(json, 'myJob')).toThrow('it was written by ElasticJob 2 (JSON)');
  });
});

function jobOf(options: Partial<JobOptions> = {}): JobConfiguration {
  return resolveJobOptions(
    { name: 'myJob', cron: '0/5 * * * * ?', shardingTotalCount: 1, ...options },
    { place: 'job "myJob"' },
  );
}
