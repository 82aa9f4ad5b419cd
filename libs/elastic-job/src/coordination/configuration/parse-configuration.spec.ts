import { describe, expect, it } from 'vitest';
import {
  ConfigurationNodeError,
  ElasticJob2ConfigurationError,
  maskConfiguration,
  parseConfiguration,
} from './parse-configuration.js';

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
  ])('reads %j as Java does', (text, expected) => {
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
  ])('names job and line in the error for %j', (text, problem) => {
    const parse = () => parseConfiguration(text, 'myJob');
    expect(parse).toThrow(ConfigurationNodeError);
    expect(parse).toThrow(expect.objectContaining({ jobName: 'myJob', problems: [expect.stringContaining(problem)] }));
  });

  it('reports JSON of ElasticJob 2 as such', () => {
    const json = String.raw`{"jobName":"j","jobClass":"a.J","jobType":"SIMPLE","shardingItemParameters":"0\u003da"}`;
    expect(() => parseConfiguration(json, 'myJob')).toThrow(ElasticJob2ConfigurationError);
    expect(() => parseConfiguration(json, 'myJob')).toThrow('it was written by ElasticJob 2 (JSON)');
  });
});

describe('a configuration without its secrets', () => {
  it('keeps only the names of parameters, props and data sources', () => {
    const text = `cron: 0 0 2 * * ?
description: "two
  lines"
jobExtraConfigurations:
- !!org.apache.shardingsphere.elasticjob.tracing.yaml.YamlTracingConfiguration
  password: s3cret
jobName: settle
jobParameter: token=s3cret
label: ''
password: s3cret
props:
  email.password: s3cret
  nestjs.strategy: STICKY
  'quoted: "s3cret': s3cret
shardingItemParameters: ''
shardingTotalCount: 3
`;
    expect(maskConfiguration(text)).toBe(`cron: 0 0 2 * * ?
description: "two
  lines"
jobExtraConfigurations: hidden
jobName: settle
jobParameter: hidden
label: ''
password: hidden
props:
  "email.password": hidden
  "nestjs.strategy": "STICKY"
  "quoted: \\"s3cret": hidden
shardingItemParameters: ''
shardingTotalCount: 3`);
  });

  it.each([
    [
      'JSON',
      '{"jobName": "settle", "jobParameter": "s3cret", "cron": "0 0 2 * * ?"}',
      '"jobName": "settle"\n"jobParameter": hidden\n"cron": "0 0 2 * * ?"',
    ],
    ['what is no YAML', 'jobParameter: s3cret\n  oops: [', 'hidden'],
    ['more than is read', `jobParameter: ${'s3cret'.repeat(50_000)}`, 'hidden'],
    ['an alias of a secret', 'jobParameter: &a s3cret\ncron: *a', 'jobParameter: hidden\ncron: *a'],
  ])('has no secret left in %s', (_, text, masked) => {
    expect(maskConfiguration(text)).toBe(masked);
  });
});
