import { describe, expect, it } from 'vitest';
import { createShardingStrategy, HiddenText } from '../../domain/index.js';
import { ConfigurationNodeError, parseConfiguration } from './parse-configuration.js';
import { formatConfiguration } from './format-configuration.js';
import { layConfiguration } from './lay-configuration.js';
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
  ])('finds no difference to a node that the same options wrote: %j', (options) => {
    const local = jobOf(options);
    expect(layConfiguration(local, formatConfiguration(local))).toMatchObject({
      configuration: local,
      differences: [],
    });
  });

  it.each([
    ['a schedule', { cron: '0 * * * * ?' }],
    ['the word of an operator', { cron: '', resident: false }],
  ])('makes a locally resident job not resident if the node has %s', (_, options) => {
    const stored = formatConfiguration(jobOf(options));
    const { configuration } = layConfiguration(jobOf({ cron: '', resident: true }), stored);
    expect(configuration).toMatchObject({ resident: false });
  });

  it('prefers a schedule of the node over a local start after other jobs', () => {
    const stored = formatConfiguration(jobOf({ cron: '0 * * * * ?' }));
    const { configuration } = layConfiguration(jobOf({ cron: '', after: 'import' }), stored);
    expect(configuration).toMatchObject({ cron: '0 * * * * ?', after: [] });
  });

  it('puts the settings of the node in force, and names each difference to the local ones', () => {
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
        { field: 'strategy', local: 'BALANCED', stored: 'ODEVITY' },
      ]),
    );
    expect(differences).toHaveLength(4);
  });

  it("keeps local settings that a node of Java lacks, except clockChange and strategy, which are Java's", () => {
    const local = jobOf({ timeZone: 'Europe/Berlin', strategy: byRegion, timeoutMs: 5, concurrency: 2 });
    const { configuration, differences } = layConfiguration(local, FROM_JAVA);
    expect(configuration).toEqual({
      ...local,
      clockChange: 'quartz',
      strategy: createShardingStrategy('AVG_ALLOCATION'),
    });
    expect(differences).toEqual([{ field: 'strategy', local: 'BY_REGION', stored: 'AVG_ALLOCATION' }]);
  });

  it('prefers settings of the node over local ones, even if they are defaults', () => {
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
  ])("lets Java's misfire switch decide: a node with %j has the policy %s", (text, misfirePolicy) => {
    const { configuration } = layConfiguration(jobOf({ misfirePolicy: 'all' }), `shardingTotalCount: 1\n${text}`);
    expect(configuration).toMatchObject({ misfirePolicy, misfire: misfirePolicy !== 'skip' });
  });

  it('puts every setting of a full node of Java that has a counterpart in force', () => {
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

  it('takes a field that the node lacks for what Java takes it for', () => {
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

  it.each([
    [undefined, 'BALANCED'],
    ['AVG_ALLOCATION', 'AVG_ALLOCATION'],
    ['ODEVITY', 'ODEVITY'],
    ['STICKY', 'STICKY'],
  ])('follows the code where a node of ours names no strategy: %s is %s', (strategy, inForce) => {
    const { configuration, differences } = layConfiguration(jobOf({ strategy }), formatConfiguration(jobOf()));
    expect(configuration.strategy.type).toBe(inForce);
    expect(differences).toEqual([]);
  });

  it.each([
    [undefined, 'AVG_ALLOCATION', []],
    ['AVG_ALLOCATION', 'AVG_ALLOCATION', []],
    ['ODEVITY', 'AVG_ALLOCATION', [{ field: 'strategy', local: 'ODEVITY', stored: 'AVG_ALLOCATION' }]],
    ['STICKY', 'AVG_ALLOCATION', [{ field: 'strategy', local: 'STICKY', stored: 'AVG_ALLOCATION' }]],
  ])("takes Java's average where a node of Java names no strategy, for %s: %s", (strategy, inForce, differing) => {
    const { configuration, differences } = layConfiguration(jobOf({ strategy }), FROM_JAVA);
    expect(configuration.strategy.type).toBe(inForce);
    expect(differences).toEqual(differing);
  });

  it.each([
    [undefined, undefined, 'AVG_ALLOCATION'],
    ['BALANCED', undefined, 'AVG_ALLOCATION'],
    ['ODEVITY', undefined, 'ODEVITY'],
    ['STICKY', undefined, 'STICKY'],
    [undefined, 'ODEVITY', 'AVG_ALLOCATION'],
    [undefined, 'STICKY', 'AVG_ALLOCATION'],
    ['AVG_ALLOCATION', 'ODEVITY', 'AVG_ALLOCATION'],
  ])('names the strategy beside a Java peer for %s in the node and %s in the code: %s', (written, strategy, type) => {
    const text = formatConfiguration(
      jobOf({ strategy: written }),
      undefined,
      written === undefined ? [] : ['strategy'],
    );
    expect(layConfiguration(jobOf({ strategy }), text).javaStrategy).toBe(createShardingStrategy(type));
  });

  it('uses a custom strategy that the node names, and refuses it if it is not registered', () => {
    const stored = formatConfiguration(jobOf({ strategy: byRegion }));
    expect(layConfiguration(jobOf(), stored, [byRegion]).configuration.strategy).toBe(byRegion);
    expect(() => layConfiguration(jobOf(), stored)).toThrow('known are BALANCED, AVG_ALLOCATION, ODEVITY');
  });

  it('accepts more item parameters than items, as after a shrink by an operator', () => {
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
  ])('reports a wrong value in the node with job, field and value (%#)', (text, field, value) => {
    const lay = () => layConfiguration(jobOf(), text);
    expect(lay).toThrow(ConfigurationNodeError);
    expect(lay).toThrow('job "myJob"');
    expect(lay).toThrow(expect.objectContaining({ problems: [expect.stringMatching(new RegExp(`^${field}\\b`))] }));
    expect(lay).toThrow(expect.objectContaining({ problems: [expect.stringContaining(value)] }));
  });
});
