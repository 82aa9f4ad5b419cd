import { describe, expect, it } from 'vitest';
import { maskConfiguration } from './masked-configuration.js';

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
