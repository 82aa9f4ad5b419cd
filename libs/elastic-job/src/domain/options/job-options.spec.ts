import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../errors.js';
import type { JobOptions } from './job-options.js';
import { resolveJobOptions } from './resolve-job-options.js';

const TASK: JobOptions = { name: 'settle-orders', cron: '0 * * * * ?', shardingTotalCount: 2, executor: 'task' };

function problemsOf(options: Partial<Record<keyof JobOptions, unknown>>): string {
  try {
    resolveJobOptions(Object.assign({}, TASK, options), { place: 'spec' });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return '';
}

describe('a job whose items are tasks', () => {
  it('leaves resources and task to the Cloud module if it has none', () => {
    expect(resolveJobOptions(TASK, { place: 'spec' })).toMatchObject({
      executor: 'task',
      resources: undefined,
      task: undefined,
    });
  });

  it('leaves the resources that it does not name to the application and the Cloud module', () => {
    const { resources } = resolveJobOptions({ ...TASK, resources: { memoryMb: 256 } }, { place: 'spec' });
    expect(resources).toEqual({ memoryMb: 256 });
  });

  it.each<[string, Partial<Record<keyof JobOptions, unknown>>]>([
    ['a program with arguments', { task: { command: ['node', 'main.js'], workingDirectory: '/srv', graceMs: 0 } }],
    ['an image and an environment', { task: { image: 'orders:1', env: { REGION: '' } } }],
    ['the least resources', { resources: { cpu: 0.001, memoryMb: 1 } }],
    ['fields that are undefined', { task: { command: undefined }, resources: { cpu: undefined } }],
  ])('accepts %s', (_, options) => {
    expect(problemsOf(options)).toBe('');
  });

  it.each<[string, Partial<Record<keyof JobOptions, unknown>>]>([
    ['executor must be "task", but is "pod"', { executor: 'pod' }],
    ['but its cpu is 0', { resources: { cpu: 0 } }],
    ['but its cpu is Infinity', { resources: { cpu: Infinity } }],
    ['but its cpu is "1"', { resources: { cpu: '1' } }],
    ['but its memoryMb is 0', { resources: { memoryMb: 0 } }],
    ['but its memoryMb is 1.5', { resources: { memoryMb: 1.5 } }],
    ['resources.disk is not known; known are cpu, memoryMb', { resources: { disk: 1 } }],
    ['resources must be processors and memory', { resources: 'much' }],
    ['appName must be the name of an application, but is ""', { appName: '' }],
    ['but is a list of 1', { resources: [1] }],
    ['but its command is a list of 0', { task: { command: [] } }],
    ['but its command is "node"', { task: { command: 'node' } }],
    ['but its command is a list of 1', { task: { command: [''] } }],
    ['but its command is a list of 2', { task: { command: ['node', 7] } }],
    ['but its image is ""', { task: { image: '' } }],
    ['but its env is an object (PORT)', { task: { env: { PORT: 1 } } }],
    ['but its env is an object (REGION, PORT)', { task: { env: { REGION: 'eu', PORT: 1 } } }],
    ['but its env is null', { task: { env: null } }],
    ['but its graceMs is -1', { task: { graceMs: -1 } }],
    ['task must be a program', { task: 5 }],
    ['monitorExecution must be true with executor "task"', { monitorExecution: false }],
    ['isolation must be left out with executor "task"', { isolation: 'worker-thread', workerModule: 'file:///a.js' }],
    ['resources is given, but executor is not "task"', { executor: undefined, resources: { cpu: 1 } }],
    ['task is given, but executor is not "task"', { executor: undefined, task: { image: 'orders:1' } }],
  ])('is refused if an option is wrong: %s', (problem, options) => {
    expect(problemsOf(options)).toContain(problem);
  });
});
