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
  it('keeps all but the edited field to the byte, apart from the order of props', () => {
    const stable = NODE.replace("  n: '5'\n", '').replace('  nestjs.clock', "  n: '5'\n  nestjs.clock");
    expect(edit(NODE, { jobParameter: 'p' })).toBe(stable.replace("jobParameter: ''", 'jobParameter: p'));
  });

  it('stays the same if it is written again', () => {
    const once = edit(NODE, { jobListenerTypes: ['l1', 'ours'], jobErrorHandlerType: 'PAGER' });
    expect(edit(once, {})).toBe(once);
  });

  it('keeps its tracing settings if the job has none', () => {
    expect(edit(NODE, { jobExtraConfigurations: undefined })).toContain(TRACING);
  });

  it('keeps unknown parts, and changes from JSON to block style', () => {
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
  ])('stays readable, with its unknown entries, if it holds %s', (_, node) => {
    const text = edit(node, { jobParameter: 'p' });
    expect(parseConfiguration(text, 'myJob').unknown.entries.size).toBe(
      parseConfiguration(node, 'myJob').unknown.entries.size,
    );
    expect(edit(text, {})).toBe(text);
  });

  it.each(['jobExecutorServiceHandlerType', 'jobExecutorThreadPoolSizeProviderType'])(
    'keeps the thread pool under the key %s, and gets no second key',
    (key) => {
      const text = edit(`${key}: CPU\n${NODE}`, { jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' });
      expect(text.match(/^jobExecutor.*$/gm)).toEqual([`${key}: SINGLE_THREAD`]);
    },
  );

  it('keeps only the newer key of the thread pool if it has both', () => {
    const both = `jobExecutorServiceHandlerType: CPU\njobExecutorThreadPoolSizeProviderType: SINGLE_THREAD\n${NODE}`;
    expect(edit(both, {}).match(/^jobExecutor.*$/gm)).toEqual(['jobExecutorThreadPoolSizeProviderType: SINGLE_THREAD']);
  });

  it('keeps types that only Java knows where Java reads them', () => {
    const types = 'jobErrorHandlerType: com.acme.Pager\njobShardingStrategyType: BY_REGION\n';
    const strategy = { type: 'BY_REGION', shard: () => new Map() };
    const text = edit(types + NODE, { jobListenerTypes: ['ours', 'l1'] }, { strategy });
    expect(text).toMatch(/^jobErrorHandlerType: com\.acme\.Pager$/m);
    expect(text).toMatch(/^jobShardingStrategyType: BY_REGION$/m);
    expect(text).toContain('\njobListenerTypes:\n- l1\njobName');
    expect(text).toContain('\n  nestjs.jobListenerTypes: ours\n');
    expect(text).not.toContain('nestjs.strategy');
  });

  it('has no types unknown to Java at its top level after the first write', () => {
    const text = formatConfiguration(jobOf({ jobListenerTypes: ['ours'], jobErrorHandlerType: 'PAGER' }));
    expect(text).not.toMatch(/^(?:jobListenerTypes|jobErrorHandlerType)/m);
    expect(formatConfiguration(jobOf({ jobErrorHandlerType: 'throw' }))).toMatch(/^jobErrorHandlerType: throw$/m);
  });

  it('holds a listener that distributes once where Java reads it, and others in its props', () => {
    const local = jobOf({ jobListenerTypes: ['audit', 'once'] });
    const text = formatConfiguration(local, undefined, [], ['once', 'unnamed']);
    expect(text).toContain('\njobListenerTypes:\n- once\njobName');
    expect(text).toContain('\n  nestjs.jobListenerTypes: audit\n');
    expect(layConfiguration(local, text)).toMatchObject({
      configuration: { jobListenerTypes: ['audit', 'once'] },
      differences: [],
      javaListenerTypes: ['once'],
    });
  });

  it('overrides listeners that only the code names, also if all of its own are where Java reads them', () => {
    const text = formatConfiguration(jobOf({ jobListenerTypes: ['once'] }), undefined, [], ['once']);
    const { configuration } = layConfiguration(jobOf({ jobListenerTypes: ['audit', 'once'] }), text);
    expect(configuration.jobListenerTypes).toEqual(['once']);
  });

  it('names no listener twice after it has moved to where Java reads it, whoever writes next', () => {
    const local = jobOf({ jobListenerTypes: ['once', 'audit'] });
    const former = formatConfiguration(local);
    const moved = formatConfiguration(local, parseConfiguration(former, 'myJob'), [], ['once']);
    expect(moved).toContain('\njobListenerTypes:\n- once\njobName');
    expect(moved).toContain('\n  nestjs.jobListenerTypes: audit\n');
    expect(formatConfiguration(local, parseConfiguration(moved, 'myJob'))).toBe(moved);
  });

  it('keeps listeners in its props if the job was created from a template, which no Java peer shares', () => {
    const created = parseConfiguration('props:\n  nestjs.template: import\n', 'myJob');
    const local = jobOf({ jobListenerTypes: ['once'] });
    expect(formatConfiguration(local, created, ['jobListenerTypes'], ['once'])).not.toContain('- once');
    expect(formatConfiguration(local, created, ['jobParameter'], ['once'])).not.toContain('once');
  });

  it.each([1, 2])('holds SINGLE_SHARDING_BALANCE at its top level, and STICKY in its props (%#)', (number) => {
    const type = number === 1 ? 'SINGLE_SHARDING_BALANCE' : 'STICKY';
    const text = formatConfiguration({ ...jobOf(), strategy: { type, shard: () => new Map() } });
    expect(text.includes(`\njobShardingStrategyType: ${type}\n`)).toBe(number === 1);
    expect(text.includes(`\n  nestjs.strategy: ${type}\n`)).toBe(number === 2);
  });
});

describe('differences that hold secrets', () => {
  it('fault 25: name changed tracing settings and props, but show no value of them', () => {
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

  it("are none between a developer's tracing settings and the node written from them", () => {
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
