import { CLOUD_JOB } from '@test/support/unit/cloud-job.js';
import { describe, expect, it } from 'vitest';
import { resolveJobOptions } from '../../domain/index.js';
import { CLOUD_APP_FORM } from './cloud-apps.js';
import { type CloudTaskOptions, findForbidden, planCloudJob } from './cloud-job-plan.js';
import { CLOUD_JOB_FORM, type CloudJobOptions } from './cloud-jobs.js';
import { formatOwnSettings, readOwnSettings } from './own-settings.js';

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

const TASKS: CloudTaskOptions = {
  executor: 'task',
  appName: 'shop',
  resources: { cpu: 1, memoryMb: 128 },
  task: { image: 'registry.example.org:5000/shop:1.0', command: ['/bin/sh', '-c', 'bin/start.sh'] },
  imagePullPolicy: 'IfNotPresent',
  daemonCron: undefined,
  eventTraceSamplingCount: 0,
};
const COMMANDS = { commands: ['bin/start.sh'] };

it.each([
  'registry.example.org:5000/shop:1.0',
  'registry.example.org:5000/shop', // Without a tag: any tag is allowed.
])('runs the image of the job if "%s" is allowed', (image) => {
  expect(findForbidden(TASKS, { ...COMMANDS, images: [image] })).toEqual([]);
});

it.each([
  'registry.example.org', // A port is not a tag.
  'registry.example.org:5000',
  'registry.example.org:5000/sho',
  'registry.example.org:5000/shop:1',
  'shop:1.0',
])('refuses an image that only begins or ends like the allowed "%s"', (image) => {
  expect(findForbidden(TASKS, { ...COMMANDS, images: [image] })).toEqual([
    'appURL "registry.example.org:5000/shop:1.0" is not allowed in this process; ' +
      'add it to allow.images of ElasticJobCloudModule',
  ]);
});

it('names each text that a job asks for if nothing is allowed', () => {
  const problems = findForbidden({ ...TASKS, podTemplate: 'spec: {hostPID: true}' }, undefined);
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
    'appURL',
    'bootstrapScript',
    'props.elastic-job.io/podTemplate',
  ]);
});

it('refuses an allowed command to which the registry adds something', () => {
  const command = ['/bin/sh', '-c', 'bin/start.sh; id'];
  const tasks = { ...TASKS, task: { command } };
  expect(findForbidden(tasks, COMMANDS)).toEqual([expect.stringContaining('bootstrapScript "bin/start.sh; id"')]);
});
