import { describe, expect, it } from 'vitest';
import { springJob } from '@test/support/unit/spring-job.js';
import { ConfigurationError } from '../domain/index.js';
import { importElasticJobConfiguration } from './index.js';

describe('a text that is wrong', () => {
  it.each([
    ['elasticjob:\n  jobs: [', 'line 2, column 9: '],
    ['elasticjob:\n  a: 1\n---\nelasticjob:\n  b: 1', 'line 3, column 1: it has several documents'],
    ['- a', 'line 1, column 1: it is not a YAML mapping'],
    ['server:\n  port: 1', 'it has neither settings of elasticjob'],
    [springJob('failover: perhaps'), 'line 5, column 7: failover must be true or false, but is "perhaps"'],
    [springJob('cron: every day'), 'line 5, column 7: elasticjob.jobs.j.cron: Cron expression'],
    [springJob('shardingItemParameters: Beijing'), 'line 5, column 7: elasticjob.jobs.j.shardingItemParameters'],
    [`elasticjob.a=${'x'.repeat(262_144)}`, 'it has more than 262144 bytes'],
    [springJob('timeZone: Mars/Base'), 'line 5, column 7: elasticjob.jobs.j.timeZone: Time zone'],
    [springJob('elasticJobClass: A\n      elasticJobType: HTTP'), 'elasticJobClass and elasticJobType'],
    [
      'elasticjob:\n  regCenter: {serverLists: a, namespace: n, maxRetries: {a: b}}\n  jobs: {j: {cron: x}}',
      'line 3, column',
    ],
    ['elasticjob:\n  jobs:\n    j: simple', 'line 3, column 5: elasticjob.jobs.j must be a mapping'],
    ['elasticjob:\n  jobs:\n    j: {cron: 0 0 0 * * ?}', 'line 3, column 9: elasticjob.jobs.j.shardingTotalCount'],
    [
      'elasticjob:\n  regCenter: {serverLists: a, namespace: n, sessionTimeoutMilliseconds: x}',
      'must be a whole number',
    ],
    ['jobName: j\nshardingTotalCount: 0', 'line 2, column 1: shardingTotalCount must be a whole number'],
    ['jobName: j\nshardingTotalCount: x', 'line 2, column 1: shardingTotalCount must be a whole number'],
  ])('%j is refused, naming line and column', (text, problem) => {
    const attempt = () => importElasticJobConfiguration(text);
    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(problem);
  });

  it('with several faults is refused with all of them', () => {
    const text = springJob('cron: x').replace('  j:', '  i: {shardingTotalCount: 0}\n    j:');
    expect(() => importElasticJobConfiguration(text)).toThrow(/jobs\.i\.shardingTotalCount.*jobs\.j\.cron/);
  });

  it.each([
    [springJob('cron: a\n      cron: b'), 'line 6, column 7: the key cron is there twice, also in line 5, column 7'],
    ['elasticjob:\n  dump: {port: 1}\nelasticjob:\n  dump: {port: 2}', 'line 3, column 1: the key elasticjob is there'],
    ['server: {port: 1, port: 2}\nelasticjob:\n  enabled: true', 'line 1, column 19: the key port is there twice'],
    ['x: [{a: 1, a: 2}]\nelasticjob:\n  enabled: true', 'line 1, column 12: the key a is there twice'],
    [springJob('props: {a: 1, a: 2}'), 'line 5, column 21: the key a is there twice'],
    [
      springJob('job-parameter: a\n      jobParameter: b'),
      'line 6, column 7: elasticjob.jobs.j.jobParameter is there twice, also in line 5, column 7',
    ],
    ['elasticjob:\n  dump.port: 1\n  dump:\n    port: 2', 'elasticjob.dump.port is there twice'],
    ['elasticjob.enabled=true\nelasticjob.enabled=false', 'line 2, column 1: elasticjob.enabled is there twice'],
    [
      'elasticjob.reg-center.server-lists=a:1\nelasticjob.regCenter.serverLists=b:1',
      'line 2, column 1: elasticjob.regCenter.serverLists is there twice',
    ],
    [
      springJob('jobListenerTypes: a,b\n      jobListenerTypes[0]: c'),
      'elasticjob.jobs.j.jobListenerTypes[0] is there twice',
    ],
    ['jobName: j\ncron: a\nshardingTotalCount: 1\ncron: b', 'line 4, column 1: the key cron is there twice'],
  ])('%j has a key twice, and is refused with both places', (text, problem) => {
    const attempt = () => importElasticJobConfiguration(text);
    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(problem);
  });

  it('has no key twice where an alias, a merge or another job repeats it', () => {
    const text = `x: &x {cron: 0 0 0 * * ?, shardingTotalCount: 1}
elasticjob:
  jobs:
    my-job: {<<: *x, cron: 0 0 1 * * ?, props: {a: 1, A: 2}}
    myJob: {<<: [*x, *x]}
    other: *x`;
    const { jobs } = importElasticJobConfiguration(text);
    expect(Object.values(jobs).map(({ cron }) => cron)).toEqual(['0 0 1 * * ?', '0 0 0 * * ?', '0 0 0 * * ?']);
    expect(jobs['my-job']?.props).toEqual({ a: '1', A: '2' });
  });

  it.each([
    ['<?xml version="1.0"?>\n<beans><elasticjob:job id="j"/></beans>', 'get /{namespace}/{job}/config'],
    ['\ufeff\n <!-- jobs -->\n<beans><elasticjob:zookeeper id="r"/></beans>', 'registry'],
    ['<beans xmlns="http://www.springframework.org/schema/beans"/>', 'config node'],
    ['<beans><job:simple id="j"/></beans>', 'importElasticJob2Configuration'],
    ['<beans xmlns:x="http://www.dangdang.com/schema/ddframe/job"/>', 'importElasticJob2Configuration'],
  ])('of Spring XML is refused with the way to go: %j', (text, way) => {
    for (const format of [undefined, 'yaml', 'properties'] as const) {
      const attempt = () => importElasticJobConfiguration(text, { format });
      expect(attempt).toThrow(ConfigurationError);
      expect(attempt).toThrow('it is Spring XML, which is not read');
      expect(attempt).toThrow(way);
    }
  });

  it('that multiplies itself by aliases is refused', () => {
    const list = (text: string, count: number) => `[${Array<string>(count).fill(text).join(',')}]`;
    const text = `a: &a ${list('x', 200)}\nb: &b ${list('*a', 9)}\nc: &c ${list('*b', 9)}\nelasticjob: *c`;
    expect(() => importElasticJobConfiguration(text)).toThrow('it has more than 10000 settings');
  });

  it('of properties has at most 10,000 settings', () => {
    const text = (count: number) =>
      Array.from({ length: count }, (_, index) => `elasticjob.dump.a${index}=true`).join('\n');
    expect(importElasticJobConfiguration(text(9_000)).notTakenOver).toHaveLength(9_000);
    expect(() => importElasticJobConfiguration('a=\n'.repeat(10_001))).toThrow('it has more than 10000 settings');
  });

  it('with many brackets that are never closed is read well within the time of a test', () => {
    const text = `elasticjob.${'['.repeat(200_000)}=a`;
    expect(importElasticJobConfiguration(text).notTakenOver).toHaveLength(1);
  });

  it('has no path of more than 1,000 characters, though all settings are below it', () => {
    const jobs = (name: string) => `elasticjob.jobs.${name}:\n  - a\n  - b\n`;
    const text = jobs('x'.repeat(1_000));
    expect(() => importElasticJobConfiguration(text)).toThrow('a setting whose path has more than 1000 characters');
    expect(() => importElasticJobConfiguration(jobs('x.'.repeat(490)))).not.toThrow('more than 1000');
  });
});
