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
])('given image "%s", when it is allowed, then the image of that name runs', (image) => {
  expect(findForbidden(TASKS, { ...COMMANDS, images: [image] })).toEqual([]);
});

it.each([
  'registry.example.org', // A port is not a tag.
  'registry.example.org:5000',
  'registry.example.org:5000/sho',
  'registry.example.org:5000/shop:1',
  'shop:1.0',
])('given image "%s", when it is allowed, then another one that begins or ends so does not run', (image) => {
  expect(findForbidden(TASKS, { ...COMMANDS, images: [image] })).toEqual([
    'appURL "registry.example.org:5000/shop:1.0" is not allowed in this process; ' +
      'add it to allow.images of ElasticJobCloudModule',
  ]);
});

it('given nothing that is allowed, when a job is judged, then each text that it asks for is named', () => {
  const problems = findForbidden({ ...TASKS, podTemplate: 'spec: {hostPID: true}' }, undefined);
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
    'appURL',
    'bootstrapScript',
    'props.elastic-job.io/podTemplate',
  ]);
});

it('given an allowed command, when the registry adds something to it, then that does not run', () => {
  const command = ['/bin/sh', '-c', 'bin/start.sh; id'];
  const tasks = { ...TASKS, task: { command } };
  expect(findForbidden(tasks, COMMANDS)).toEqual([expect.stringContaining('bootstrapScript "bin/start.sh; id"')]);
});
