import {
  ConfigurationNodeError,
  ElasticJob2ConfigurationError,
  formatConfiguration,
  layStored,
  parseConfiguration,
  type StoredConfiguration,
} from '../../../libs/elastic-job/src/coordination/index.js';
import {
  ConfigurationError,
  importElasticJob2Configuration,
  type JobConfiguration,
  type JobOptions,
  parseShardingItemParameters,
  resolveJobOptions,
  ShardingItemParametersError,
} from '../../../libs/elastic-job/src/domain/index.js';
import {
  type ImportedConfiguration,
  importElasticJobConfiguration,
} from '../../../libs/elastic-job/src/migration/index.js';
import type { FuzzedParser } from '../fuzzed-parser.js';

/** As Java's builder writes a job. */
const FROM_JAVA = `cron: 0/5 * * * * ?
description: ''
disabled: false
failover: true
jobErrorHandlerType: LOG
jobExecutorThreadPoolSizeProviderType: SINGLE_THREAD
jobExtraConfigurations:
- !!org.apache.shardingsphere.elasticjob.kernel.tracing.yaml.YamlTracingConfiguration
  tracingStorageConfiguration: !!org.apache.shardingsphere.elasticjob.tracing.rdb.yaml.YamlDataSourceConfiguration
    dataSourceClassName: com.zaxxer.hikari.HikariDataSource
    props: &id001
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
monitorExecution: true
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

const JSON_NODE =
  '{"cron":"0 0 3 * * ?","jobName":"myJob","shardingTotalCount":2,"props":{"a":"b"},"jobListenerTypes":["l1"],' +
  '"failover":true}';

const ELASTIC_JOB_2 = [
  '{"jobName":"j","jobClass":"com.acme.J","jobType":"SIMPLE","cron":"0/5 * * * * ?",',
  String.raw`"shardingTotalCount":3,"shardingItemParameters":"0\u003da","jobParameter":"","failover":false,`,
  '"misfire":true,"description":"","jobProperties":{',
  '"job_exception_handler":"com.dangdang.ddframe.job.executor.handler.impl.DefaultJobExceptionHandler"},',
  '"monitorExecution":true,"maxTimeDiffSeconds":-1,"monitorPort":-1,"jobShardingStrategyClass":"",',
  '"reconcileIntervalMinutes":10,"disabled":false,"overwrite":false}',
].join('');

const APPLICATION_YML = `elasticjob:
  regCenter: {serverLists: 'zk:2181', namespace: n}
  jobs:
    j: &x
      elasticJobType: HTTP
      cron: 0/5 * * * * ?
      shardingTotalCount: 3
      shardingItemParameters: 0=a,1=b,5=c
      failover: true
      jobListenerTypes: [l1]
      props: {http: {uri: 'http://\${HOST:localhost}/', method: GET}}
    k:
      <<: *x
      misfire: yes
`;

const APPLICATION_PROPERTIES = String.raw`# jobs
elasticjob.reg-center.server-lists=zk:2181
elasticjob.reg-center.namespace=n
elasticjob.jobs.j.sharding-total-count=2
elasticjob.jobs.j.description=a\u5317\
  b
elasticjob.jobs.j.job-listener-types[0]=l1
#---
spring.config.activate.on-profile=prod & !(dry | test)
elasticjob.jobs.j.cron=0 0 0 * * ?
`;

const PROFILES_YML = `---
elasticjob.jobs.j: {elasticJobType: HTTP, shardingTotalCount: 1}
---
spring:
  config: {activate: {on-profile: 'prod, !test'}}
elasticjob:
  enabled: true
  jobs:
    j: {shardingTotalCount: 2, props: {email: {host: h, from: a@b}}}
`;

const LOCAL = jobOf({});
const OURS = formatConfiguration(
  jobOf({
    cron: '*/5 * * * * ?',
    timeZone: 'Europe/Berlin',
    description: `several\nlines: ${'word '.repeat(40)}`,
    shardingTotalCount: 2,
    shardingItemParameters: '0=作业,1= it is: fine #1',
    misfirePolicy: 'all',
    misfireLimit: 7,
    maxAttempts: 3,
    retryJitter: 0.5,
    timeoutMs: 1_000,
    onHung: 'release',
    props: { key: 'value', 'a: b': '- c', empty: '' },
  }),
);
const CHILD = formatConfiguration(jobOf({ cron: undefined, after: ['import', 'settle'] }));
const NODES = [FROM_JAVA, OURS, CHILD, JSON_NODE, ELASTIC_JOB_2];
const KEYS = ['jobClass', 'props', 'cron', 'nestjs.after', 'nestjs.timeZone', 'nestjs.misfirePolicy', 'futureOption'];

/** A node as a job uses it, and the parts of it that are kept for others. */
interface Laid {
  readonly configuration: JobConfiguration;
  readonly stored: StoredConfiguration;
  readonly kept: unknown;
}

export const configuration: FuzzedParser<Laid> = {
  name: 'configuration',
  examples: NODES,
  words: KEYS,
  refusals: [ConfigurationNodeError, ElasticJob2ConfigurationError],
  read: (text) => {
    const stored = parseConfiguration(text, LOCAL.jobName);
    const laid = layStored(LOCAL, stored);
    const { entries, props } = stored.unknown;
    const kept = [...entries].map(([key, entry]) => [key, withoutComments(entry)] as const);
    return { configuration: laid.configuration, stored, kept: [new Map(kept), props] };
  },
  // Entries are sorted, so an alias may come before its anchor.
  write: ({ configuration: inForce, stored }) => (hasAlias(stored) ? undefined : formatConfiguration(inForce, stored)),
  essence: ({ configuration: inForce, kept }) => [inForce, inForce.jobExtraConfigurations?.reveal().trim(), kept],
};

export const elasticJob2: FuzzedParser<JobOptions> = {
  name: 'elastic-job-2',
  examples: [ELASTIC_JOB_2, ELASTIC_JOB_2.replace('SIMPLE', 'DATAFLOW'), ELASTIC_JOB_2.replace('SIMPLE', 'SCRIPT')],
  words: ['"streamingProcess":true,', '"scriptCommandLine":"echo",', '"jobProperties":'],
  refusals: [ConfigurationError],
  read: importElasticJob2Configuration,
};

export const elasticJob3: FuzzedParser<ImportedConfiguration> = {
  name: 'elastic-job-3',
  examples: [FROM_JAVA, APPLICATION_YML, APPLICATION_PROPERTIES, PROFILES_YML],
  words: [
    '\n---\n',
    '\n#---\n',
    'spring.config.activate.on-profile: "!(prod)"\n',
    'enabled: ',
    '<beans>',
    'elasticjob',
    'jobs:',
    'elasticjob.jobs.j.',
    '[0]',
    'props:',
    '${HOST:a}',
    '<<: *x',
    'jobListenerTypes',
  ],
  refusals: [ConfigurationError, ElasticJob2ConfigurationError],
  read: (text) => importElasticJobConfiguration(text, { profiles: ['prod'] }),
};

export const itemParameters: FuzzedParser<ReadonlyMap<number, string>> = {
  name: 'item-parameters',
  examples: ['', '0=Beijing,1=Shanghai', ' 0 = a , +1=b', '0=作业,10=x y'],
  refusals: [ShardingItemParametersError],
  read: parseShardingItemParameters,
  write: (parameters) => [...parameters].map(([item, parameter]) => `${item}=${parameter}`).join(','),
};

function hasAlias({ unknown, jobExtraConfigurations }: StoredConfiguration): boolean {
  return [...unknown.entries.values(), jobExtraConfigurations?.reveal() ?? ''].some((text) => /\*[^\s,]/.test(text));
}

/**
 * Comments behind the last entry of a node are not kept. A key that was written with a `?` may not need it any more.
 */
function withoutComments(entry: string): string {
  return entry
    .replace(/^\? (.*)\n:/, '$1:')
    .replaceAll(/(?:^|\s)#.*$/gm, '')
    .trimEnd();
}

function jobOf(options: Partial<JobOptions>): JobConfiguration {
  const usual = { name: 'myJob', cron: '0/5 * * * * ?', shardingTotalCount: 1 };
  return resolveJobOptions({ ...usual, ...options }, { place: 'job "myJob"' });
}
