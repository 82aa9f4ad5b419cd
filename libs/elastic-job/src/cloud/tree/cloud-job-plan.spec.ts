import { describe, expect, it } from 'vitest';
import { resolveJobOptions } from '../../domain/index.js';
import { CLOUD_APP_FORM } from './cloud-app.js';
import { CLOUD_JOB_FORM, type CloudJobOptions } from './cloud-job.js';
import { planCloudJob } from './cloud-job-plan.js';
import { formatOwnSettings, readOwnSettings } from './own-settings.js';
import { CLOUD_JOB } from '@test/support/unit/cloud-job.js';

const APP = CLOUD_APP_FORM.resolve({ appName: 'shop', appURL: 'registry/shop:1', bootstrapScript: 'node main.js' });
const OWN = { queueName: 'night', nodeSelector: { disktype: 'ssd', 'example.org/zone': 'a' }, timeZone: 'GMT+8:00' };
const SOURCE = { place: 'job "settle"', surplusItemParameters: true };

describe('the plan of a cloud job', () => {
  it('runs a transient job by its schedule in tasks, and counts each fire time', () => {
    const { options, tasks } = plan({ misfire: true, failover: true, props: { key: 'a', ...formatOwnSettings(OWN) } });

    expect(resolveJobOptions(options, SOURCE)).toMatchObject({
      jobName: 'settle',
      cron: '0/5 * * * * ?',
      timeZone: 'GMT+8:00',
      misfirePolicy: 'all',
      failover: true,
      monitorExecution: true,
      resident: false,
      props: { key: 'a' },
    });
    expect(tasks).toEqual({
      executor: 'task',
      appName: 'shop',
      resources: { cpu: 0.5, memoryMb: 65 },
      task: { image: 'registry/shop:1', command: ['/bin/sh', '-c', 'node main.js'] },
      imagePullPolicy: 'IfNotPresent',
      daemonCron: undefined,
      eventTraceSamplingCount: 0,
      queueName: 'night',
      nodeSelector: OWN.nodeSelector,
    });
  });

  it('makes a daemon a resident job, and gives its task the schedule', () => {
    const { options, tasks } = plan({ jobExecutionType: 'DAEMON', misfire: true, failover: true });

    expect(resolveJobOptions(options, SOURCE)).toMatchObject({ resident: true, cron: undefined, failover: false });
    expect(tasks.daemonCron).toBe('0/5 * * * * ?');
  });

  it("turns what Java's defaults and users write into valid options of a job", () => {
    const { options } = plan({
      reconcileIntervalMinutes: -1,
      shardingItemParameters: '0=a,7=b',
      jobErrorHandlerType: '',
      disabled: true,
    });

    expect(resolveJobOptions(options, SOURCE)).toMatchObject({
      misfirePolicy: 'once',
      maxTimeDiffSeconds: -1,
      reconcileIntervalMinutes: 0,
      disabled: false,
      jobErrorHandlerType: undefined,
    });
  });
});

it('reads back our own settings that were written among the props', () => {
  const settings = { ...OWN, podTemplate: 'spec: {serviceAccountName: reports}', priorityClassName: 'low' };

  expect(readOwnSettings({ ...formatOwnSettings(settings), other: 'a' })).toEqual({ settings, problems: [] });
});

function plan(given: Partial<CloudJobOptions>) {
  return planCloudJob(CLOUD_JOB_FORM.resolve({ ...CLOUD_JOB, memoryMB: 64.5, ...given }), APP);
}
