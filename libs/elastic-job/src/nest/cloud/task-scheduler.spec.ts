import { expect, it } from 'vitest';
import type { TaskBackend } from '../../cloud/index.js';
import { resolveJobOptions, type JobOptions } from '../../domain/index.js';
import { MemoryRegistry } from '../../registry/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import { MemoryTaskCluster, VirtualClock } from '../../testing/index.js';
import { type PlacedJob, TaskScheduler } from './task-scheduler.js';

const PLACE = 'Orders.settle';

function schedule(
  options: Partial<JobOptions>,
  leastIntervalMs = 30_000,
  own: Partial<Record<keyof TaskBackend, unknown>> = {},
): PlacedJob {
  const clock = new VirtualClock();
  const registry = new MemoryRegistry(clock).center({
    namespace: 'test',
    clock,
    sessionTimeoutMs: 10_000,
    requestTimeoutMs: 5_000,
  });
  const runtime = new ElasticJobRuntime({ registry, clock });
  const backend = new MemoryTaskCluster({ clock, leastIntervalMs }).backend();
  Object.assign(backend, own);
  const given: JobOptions = {
    name: 'settle-orders',
    cron: '0 * * * * ?',
    shardingTotalCount: 1,
    executor: 'task',
    ...options,
  };
  const configuration = resolveJobOptions(given, { place: PLACE });
  return new TaskScheduler({ backend }, runtime, clock, registry).schedule({
    configuration,
    place: PLACE,
    handler: async () => {},
  });
}

it.each([
  { cron: '0 * * * * ?' },
  { cron: '0/30 * * * * ?' },
  { cron: undefined },
  { cron: undefined, resident: true },
])('runs the items of a job with %j as tasks that can be adopted', (options) => {
  expect(schedule(options)).toMatchObject({ place: PLACE, tasks: 'adoptable' });
});

it('refuses a job that fires faster than the backend launches tasks, and says what to do instead', () => {
  expect(() => schedule({ cron: '0/20 * * * * ?' })).toThrow(
    'its fire times are 20000 ms apart, and it launches none more often than every 30000 ms; ' +
      'make the job resident, so that its tasks go on, or leave out executor',
  );
});

it.each([
  ['is async', async () => 'no image', 'its findFault must return a text or undefined, but has returned object'],
  ['rejects', () => Promise.reject(new Error('no')), 'its findFault must return a text or undefined, but has returned'],
  ['returns no text', () => ({ image: 'unknown' }), 'its findFault must return a text or undefined, but has returned'],
  ['throws', () => JSON.parse('no image'), 'its findFault has thrown: Unexpected token'],
])('refuses a job with a text that says what is wrong if the check of its backend %s', (_how, findFault, fault) => {
  expect(() => schedule({}, 30_000, { findFault })).toThrow(`task of backend memory: ${fault}`);
});

it('refuses a job with the error that the check of its backend has thrown as the cause', () => {
  const error = new Error('no image');
  const findFault = () => {
    throw error;
  };

  expect(() => schedule({}, 30_000, { findFault })).toThrow(expect.objectContaining({ cause: error }));
});
