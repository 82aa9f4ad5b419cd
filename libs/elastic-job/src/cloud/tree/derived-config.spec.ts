import { describe, expect, it } from 'vitest';
import { layConfiguration, parseConfiguration } from '../../coordination/index.js';
import { CLOUD_JOB_FORM, type CloudJobOptions } from './cloud-jobs.js';
import { cloudVersionOf, deriveConfig, editedCloudJob, templateFor } from './derived-config.js';

const JOB = CLOUD_JOB_FORM.resolve({
  appName: 'shop',
  cpuCount: 0.5,
  memoryMB: 64,
  jobExecutionType: 'TRANSIENT',
  jobName: 'settle',
  cron: '0/5 * * * * ?',
  shardingTotalCount: 2,
  shardingItemParameters: '0=a,1=b',
  props: { tenant: 'acme', 'elastic-job.io/timeZone': 'Europe/Berlin', 'elastic-job.io/queueName': 'night' },
});
const derive = (job: typeof JOB, version: bigint, former?: string) =>
  deriveConfig({ job, version, isDisabled: false }, former);
const resolve = (options: Partial<CloudJobOptions>) => CLOUD_JOB_FORM.resolve({ ...JOB, ...options });

describe('the config of a registered job', () => {
  it("writes a config that Lite follows, with the version hidden from the user's props", () => {
    const text = derive(JOB, 17n);

    expect(cloudVersionOf(text, 'settle')).toBe(17n);
    expect(layConfiguration(templateFor('settle'), text).configuration).toMatchObject({
      cron: '0/5 * * * * ?',
      timeZone: 'Europe/Berlin',
      shardingTotalCount: 2,
      misfirePolicy: 'once',
      failover: false,
      props: { tenant: 'acme' },
    });
  });

  it('writes nothing and finds no edit when a config is in step', () => {
    const text = derive(JOB, 17n);
    expect(derive(JOB, 17n, text)).toBe(text);
    expect(editedCloudJob(JOB, text)).toBeUndefined();
  });

  it('changes the text when a disabled job is enabled, so that Lite owes nothing from before', () => {
    const text = derive(JOB, 17n);
    const disabled = deriveConfig({ job: JOB, version: 17n, isDisabled: true }, text);
    expect(disabled).not.toBe(text);
    expect(editedCloudJob(JOB, disabled)).toBeUndefined();
    expect(derive(JOB, 17n, disabled)).toBe(text);
  });

  it('drops in Lite the settings that the registered job no longer has', () => {
    const former = derive(resolve({ jobParameter: 'weekly', misfire: true }), 17n);
    const text = derive(resolve({ shardingItemParameters: undefined }), 18n, former);

    const stored = parseConfiguration(text, 'settle');
    expect(stored).toMatchObject({ jobParameter: undefined, shardingItemParameters: undefined });
    expect(layConfiguration(templateFor('settle'), text).configuration.misfirePolicy).toBe('once');
  });

  it.each<[string, Partial<CloudJobOptions>]>([
    ['cron and total', { cron: '0 0 3 * * ?', shardingTotalCount: 4 }],
    ['misfire and failover', { misfire: true, failover: true }],
    ['parameters and texts', { shardingItemParameters: '0=c', jobParameter: 'x: y', description: 'night' }],
    ['the zone', { props: { ...JOB.props, 'elastic-job.io/timeZone': 'GMT+8:00' } }],
    ["the user's props", { props: { ...JOB.props, tenant: 'other', more: 'yes' } }],
  ])('carries an edit of %s in Lite over to the registered job, and changes nothing else', (_, changes) => {
    const edited = resolve(changes);
    expect(editedCloudJob(JOB, derive(edited, 17n))).toEqual(edited);
  });

  it('leaves a registered daemon unchanged if Lite gets a schedule', () => {
    const daemon = resolve({ jobExecutionType: 'DAEMON' });
    const edited = derive(resolve({}), 17n, derive(daemon, 17n));
    expect(editedCloudJob(daemon, edited)).toBeUndefined();
  });
});
