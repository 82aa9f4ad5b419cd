import { describe, expect, it } from 'vitest';
import { type JobConfiguration, type JobOptions, resolveJobOptions } from '../../domain/index.js';
import { formatConfiguration } from './format-configuration.js';
import { layConfiguration } from './lay-configuration.js';
import { parseConfiguration } from './parse-configuration.js';

const TRACING = `jobExtraConfigurations:
- !!org.apache.shardingsphere.elasticjob.kernel.tracing.yaml.YamlTracingConfiguration
  tracingStorageConfiguration: !!org.apache.shardingsphere.elasticjob.tracing.rdb.yaml.YamlDataSourceConfiguration
    dataSourceClassName: com.zaxxer.hikari.HikariDataSource
    props: &id001   # as somebody wrote it
      jdbcUrl:   "jdbc:h2:mem:job_event_storage"
      password: secret
      autoCommit: true
  type: RDB
- *id001
`;

/** In Java's order, with parts that only other versions know. */
const NODE = `cron: 0/5 * * * * ?
description: ''
disabled: false
failover: false
futureOption:
  deep:
  - 012
  - {a: 'b'}
${TRACING}jobListenerTypes:
- l1
- com.acme.Listener
jobName: myJob
jobParameter: ''
label: lb
maxTimeDiffSeconds: -1
misfire: true
monitorExecution: true
overwrite: false
props:
  a.script: echo hi
  nestjs.clockChange: quartz
  nestjs.future: '1'
  n: '5'
reconcileIntervalMinutes: 10
shardingItemParameters: ''
shardingTotalCount: 1
staticSharding: true
zeta: |
  last
`;

describe('a node that is edited', () => {
  it('given another field is edited, when written, then all else is there to the byte', () => {
    const stable = NODE.replace("  n: '5'\n", '').replace('  nestjs.clock', "  n: '5'\n  nestjs.clock");
    expect(edit(NODE, { jobParameter: 'p' })).toBe(stable.replace("jobParameter: ''", 'jobParameter: p'));
  });

  it('given a node that was written, when it is written again, then nothing changes', () => {
    const once = edit(NODE, { jobListenerTypes: ['l1', 'ours'], jobErrorHandlerType: 'PAGER' });
    expect(edit(once, {})).toBe(once);
  });

  it('given no tracing settings, when written, then those of the node stay', () => {
    expect(edit(NODE, { jobExtraConfigurations: undefined })).toContain(TRACING);
  });

  it('given a node in JSON, when edited, then what nobody knows is there in block style', () => {
    const json = `{"jobName":"myJob","shardingTotalCount":1,"future":{"a":[1,\n"b"]}, "empty":null,
      "jobExtraConfigurations":[ !!com.acme.Tracing {"password":"secret"} ],"props":{"a":"b"}}`;
    const text = edit(json, {});
    expect(text).toContain('\n"future": {"a":[1,\n  "b"]}\n');
    expect(text).toContain('\njobExtraConfigurations: [ !!com.acme.Tracing {"password":"secret"} ]\n');
    expect(text).toContain('\n  a: b\n');
    expect(parseConfiguration(text, 'myJob').unknown.entries.size).toBe(1);
  });

  it.each([
    [
      'a quoted key of two lines',
      '{"jobName":"myJob","shardingTotalCount":1,"future\noption":[1],"cron":"0 0 3 * * ?"}',
    ],
    ['a block as a key', `? |\n  future\n  option\n: [1]\n${NODE}`],
    ['an anchor on a key', `${NODE}&key   future: 1\nother: *key\n`],
    ['an anchor on the first key', `&key   future: 1\n${NODE}other: *key\n`],
    ['a tag and an anchor on a quoted key', `${NODE}!!str &key "future": 1\nzz: *key\n`],
  ])('given %s that nobody knows, when edited, then the node can be read again', (_, node) => {
    const text = edit(node, { jobParameter: 'p' });
    expect(parseConfiguration(text, 'myJob').unknown.entries.size).toBe(
      parseConfiguration(node, 'myJob').unknown.entries.size,
    );
    expect(edit(text, {})).toBe(text);
  });

  it.each(['jobExecutorServiceHandlerType', 'jobExecutorThreadPoolSizeProviderType'])(
    'given the thread pool under %s, when edited, then it is still called so, and not both ways',
    (key) => {
      const text = edit(`${key}: CPU\n${NODE}`, { jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' });
      expect(text.match(/^jobExecutor.*$/gm)).toEqual([`${key}: SINGLE_THREAD`]);
    },
  );

  it('given a node with both names of the thread pool, when edited, then the newer one is kept', () => {
    const both = `jobExecutorServiceHandlerType: CPU\njobExecutorThreadPoolSizeProviderType: SINGLE_THREAD\n${NODE}`;
    expect(edit(both, {}).match(/^jobExecutor.*$/gm)).toEqual(['jobExecutorThreadPoolSizeProviderType: SINGLE_THREAD']);
  });

  it('given types that only somebody of Java has, when edited, then they stay where Java reads them', () => {
    const types = 'jobErrorHandlerType: com.acme.Pager\njobShardingStrategyType: BY_REGION\n';
    const strategy = { type: 'BY_REGION', shard: () => new Map() };
    const text = edit(types + NODE, { jobListenerTypes: ['ours', 'l1'] }, { strategy });
    expect(text).toMatch(/^jobErrorHandlerType: com\.acme\.Pager$/m);
    expect(text).toMatch(/^jobShardingStrategyType: BY_REGION$/m);
    expect(text).toContain('\njobListenerTypes:\n- l1\njobName');
    expect(text).toContain('\n  nestjs.jobListenerTypes: ours\n');
    expect(text).not.toContain('nestjs.strategy');
  });

  it('given types that the node lacks, when first written, then types unknown to Java are not at top level', () => {
    const text = formatConfiguration(jobOf({ jobListenerTypes: ['ours'], jobErrorHandlerType: 'PAGER' }));
    expect(text).not.toMatch(/^(?:jobListenerTypes|jobErrorHandlerType)/m);
    expect(formatConfiguration(jobOf({ jobErrorHandlerType: 'throw' }))).toMatch(/^jobErrorHandlerType: throw$/m);
  });

  it.each([1, 2])(
    'given SINGLE_SHARDING_BALANCE or STICKY, when written, then each is where it belongs (%#)',
    (number) => {
      const type = number === 1 ? 'SINGLE_SHARDING_BALANCE' : 'STICKY';
      const text = formatConfiguration({ ...jobOf(), strategy: { type, shard: () => new Map() } });
      expect(text.includes(`\njobShardingStrategyType: ${type}\n`)).toBe(number === 1);
      expect(text.includes(`\n  nestjs.strategy: ${type}\n`)).toBe(number === 2);
    },
  );
});

describe('differences that hold secrets', () => {
  it('fault 25: given other tracing settings and props in the registry, when told, then no value is shown', () => {
    const local = jobOf({ props: { 'email.password': 'mine', n: '5' } });
    const stored = NODE.replace('a.script: echo hi', 'email.password: theirs');
    const { differences } = layConfiguration(local, stored);
    expect(differences).toEqual(
      expect.arrayContaining([
        { field: 'jobExtraConfigurations', local: undefined, stored: 'hidden' },
        { field: 'props.email.password', local: 'hidden', stored: 'hidden' },
        { field: 'jobListenerTypes', local: '', stored: 'l1, com.acme.Listener' },
      ]),
    );
    expect(differences.map(({ field }) => field)).not.toContain('props.n');
    expect(JSON.stringify(differences)).not.toMatch(/secret|mine|theirs/);
  });

  it('given the tracing settings as a developer writes them, when Java has the same, then nothing differs', () => {
    const local = jobOf({ jobExtraConfigurations: '- !!com.acme.Tracing\n  a: b\n' });
    expect(layConfiguration(local, formatConfiguration(local)).differences).toEqual([]);
  });
});

/** Edits as the service does: the settings in force, changed, and written over the node. */
function edit(node: string, changes: Partial<JobConfiguration>, options: Partial<JobOptions> = {}): string {
  const { configuration } = layConfiguration(jobOf(options), node);
  return formatConfiguration({ ...configuration, ...changes }, parseConfiguration(node, 'myJob'));
}

function jobOf(options: Partial<JobOptions> = {}): JobConfiguration {
  return resolveJobOptions({ name: 'myJob', shardingTotalCount: 1, ...options }, { place: 'spec' });
}
