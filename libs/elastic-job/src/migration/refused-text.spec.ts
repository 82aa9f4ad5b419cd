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

  it('that multiplies itself by aliases is refused', () => {
    const list = (text: string, count: number) => `[${Array<string>(count).fill(text).join(',')}]`;
    const text = `a: &a ${list('x', 200)}\nb: &b ${list('*a', 9)}\nc: &c ${list('*b', 9)}\nelasticjob: *c`;
    expect(() => importElasticJobConfiguration(text)).toThrow('it has more than 10000 settings');
  });

  it('of properties has at most 10,000 settings', () => {
    const text = (count: number) => 'elasticjob.dump.enabled=true\n'.repeat(count);
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
