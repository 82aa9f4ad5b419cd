import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../domain/index.js';
import { importElasticJobConfiguration } from './index.js';

const YML = `# shop
---
spring:
  profiles:
    active: dev
elasticjob:
  regCenter: {serverLists: '\${HOST}:2181', namespace: shop}
  jobs:
    settle:
      elasticJobType: HTTP
      cron: 0 0 1 * * ?
      shardingTotalCount: 2
      jobListenerTypes: [a, b]
      props: {http.uri: 'http://test/', http.method: POST}
HOST: zk-test
---
spring.config.activate.on-profile: prod
HOST: zk-prod
elasticjob.jobs.settle:
  sharding-total-count: 8
  jobListenerTypes: [c]
  props: {http.uri: 'http://prod/'}
---
spring:
  config:
    activate:
      on-profile: [dev, test]
elasticjob:
  enabled: false
---
# nothing
`;

const PROPERTIES = `elasticjob.jobs.j.sharding-total-count=1
elasticjob.jobs.j.cron=0 0 1 * * ?
#---
spring.config.activate.on-profile=prod & !dry
elasticjob.jobs.j.shardingTotalCount=5
!---
spring.profiles=dry
elasticjob.enabled=false
`;

/** A file of one job, whose total another document sets for a profile. */
function withProfile(expression: string): string {
  return `elasticjob.jobs.j.shardingTotalCount: 1\n---\nspring.config.activate.on-profile: "${expression}"
elasticjob.jobs.j.shardingTotalCount: 2\n`;
}

describe('a text of several documents', () => {
  it('is refused unless the active profiles are named', () => {
    expect(() => importElasticJobConfiguration(YML)).toThrow(ConfigurationError);
    expect(() => importElasticJobConfiguration(YML)).toThrow(
      'line 16, column 1: it has several documents; name the active profiles in the option profiles',
    );
  });

  it('has the settings of the active profiles, the later ones over the earlier', () => {
    const { jobs, notTakenOver, registry } = importElasticJobConfiguration(YML, { profiles: ['prod'] });
    expect(registry).toMatchObject({ servers: 'zk-prod:2181', namespace: 'shop' });
    expect(jobs['settle']).toMatchObject({
      cron: '0 0 1 * * ?',
      shardingTotalCount: 8,
      props: { 'http.uri': 'http://prod/', 'http.method': 'POST' },
    });
    expect(notTakenOver.map(({ path, place, value }) => [place, path, value])).toEqual([
      ['line 21, column 3', 'elasticjob.jobs.settle.jobListenerTypes[0]', 'c'],
    ]);
  });

  it('has the documents without a profile alone if none is active', () => {
    const { enabled, jobs, registry } = importElasticJobConfiguration(YML, { profiles: [] });
    expect([enabled, registry?.servers, jobs['settle']?.shardingTotalCount]).toEqual([true, 'zk-test:2181', 2]);
  });

  it('has a document of which one of several profiles is active', () => {
    expect(importElasticJobConfiguration(YML, { profiles: ['test', 'x'] })).toMatchObject({ enabled: false, jobs: {} });
  });

  it('may be one of properties', () => {
    const read = (profiles: readonly string[]) => importElasticJobConfiguration(PROPERTIES, { profiles });
    expect(read(['prod']).jobs['j']).toMatchObject({ shardingTotalCount: 5, cron: '0 0 1 * * ?' });
    expect(read([]).jobs['j']).toMatchObject({ shardingTotalCount: 1 });
    expect(read(['prod', 'dry']).enabled).toBe(false);
  });

  it('may be a file, and the file of a profile behind it', () => {
    const [base, prod] = ['elasticjob.jobs.j: {shardingTotalCount: 1}', 'elasticjob.jobs.j: {shardingTotalCount: 2}'];
    const { jobs } = importElasticJobConfiguration(`${base}\n---\n${prod}`, { profiles: ['prod'] });
    expect(jobs['j']).toMatchObject({ shardingTotalCount: 2 });
  });

  it.each([
    ['a & b', ['a', 'b'], true],
    ['a & b', ['a'], false],
    ['a | b', ['b'], true],
    ['!a', ['b'], true],
    ['!a', ['a'], false],
    ['!(a & b) & c', ['a', 'c'], true],
    ['(a | b) & !c', ['b', 'c'], false],
    ['a, b', ['b'], true],
    ['a,b & c', ['b'], false],
    ['default', [], true],
    ['default', ['a'], false],
    ['A', ['a'], false],
    ['', ['a'], true],
    ['pre-prod.eu', ['pre-prod.eu'], true],
  ])('counts a document of "%s" with the profiles %j as Spring does: %s', (expression, profiles, isActive) => {
    const { jobs } = importElasticJobConfiguration(withProfile(expression), { profiles });
    expect(jobs['j']).toMatchObject({ shardingTotalCount: isActive ? 2 : 1 });
  });

  it.each(['a & b | c', 'a &', '(a', 'a)', '! ', 'a b', `${'('.repeat(500)}a`])(
    'with the profile expression "%s" is refused with its place',
    (expression) => {
      const attempt = () => importElasticJobConfiguration(withProfile(expression), { profiles: ['a'] });
      expect(attempt).toThrow(ConfigurationError);
      expect(attempt).toThrow('line 3, column 1: spring.config.activate.on-profile');
    },
  );

  it('with a document for a cloud platform is refused, since no profile says where it runs', () => {
    const text = withProfile('a').replace('on-profile', 'on-cloud-platform');
    expect(() => importElasticJobConfiguration(text, { profiles: [] })).toThrow('line 3, column 1: spring.config');
  });

  it('is refused for faults with the places of the whole text', () => {
    const later = (text: string) => `elasticjob.enabled: true\n---\n${text}`;
    const read = (text: string) => () => importElasticJobConfiguration(later(text), { profiles: [] });
    expect(read('a: [')).toThrow('line 3, column 4: ');
    expect(read('- a')).toThrow('line 2, column 1: it is not a YAML mapping');
    expect(read('a: 1\na: 2')).toThrow('line 4, column 1: the key a is there twice, also in line 3, column 1');
    expect(read('elasticjob.jobs.j.cron: x')).toThrow('line 3, column 1: elasticjob.jobs.j.cron');
  });

  it('has at most 10,000 settings in all', () => {
    const part = (at: number) => Array.from({ length: 400 }, (_, index) => `a${at}.b${index}: 1`).join('\n');
    const text = Array.from({ length: 26 }, (_, at) => part(at)).join('\n---\n');
    expect(() => importElasticJobConfiguration(text, { profiles: [] })).toThrow('it has more than 10000 settings');
  });

  it('of thousands is read well within the time of a test', () => {
    const text = `elasticjob.jobs.j.shardingTotalCount: 1\n${'---\na: 1\n'.repeat(9_000)}`;
    expect(importElasticJobConfiguration(text, { profiles: [] }).jobs).toHaveProperty('j');
  });
});

describe('a text of one document', () => {
  it('that belongs to a profile is imported unless other profiles are named', () => {
    const text = 'spring.config.activate.on-profile: prod\nelasticjob.jobs.j.shardingTotalCount: 1';
    expect(importElasticJobConfiguration(text).jobs).toHaveProperty('j');
    expect(importElasticJobConfiguration(text, { profiles: ['prod'] }).jobs).toHaveProperty('j');
    expect(() => importElasticJobConfiguration(text, { profiles: ['dev'] })).toThrow(
      'the documents of the active profiles (dev) have no settings of elasticjob',
    );
  });
});
