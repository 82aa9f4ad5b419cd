import { expect, it } from 'vitest';
import type { CloudTaskOptions } from './cloud-job-plan.js';
import { findForbidden } from './task-allow.js';

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
