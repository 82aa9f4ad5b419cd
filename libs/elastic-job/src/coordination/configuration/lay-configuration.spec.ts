import { describe, expect, it } from 'vitest';
import { createShardingStrategy, HiddenText } from '../../domain/index.js';
import { ConfigurationNodeError } from './configuration.errors.js';
import { formatConfiguration } from './format-configuration.js';
import { layConfiguration } from './lay-configuration.js';
import { parseConfiguration } from './parse-configuration.js';
import { byRegion, everything, FROM_JAVA, FULL_FROM_JAVA, jobOf } from '@test/support/unit/config-texts.js';

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

  it('given a node without our settings, when laid, then ours are local but Java decides on clock changes', () => {
    const local = jobOf({ timeZone: 'Europe/Berlin', strategy: byRegion, timeoutMs: 5, concurrency: 2 });
    const { configuration, differences } = layConfiguration(local, FROM_JAVA);
    expect(configuration).toEqual({ ...local, clockChange: 'quartz' });
    expect(differences).toEqual([{ field: 'clockChange', local: 'auto', stored: 'quartz' }]);
  });

  it('given settings in the node, when laid over other options, then they win, even with their default', () => {
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
