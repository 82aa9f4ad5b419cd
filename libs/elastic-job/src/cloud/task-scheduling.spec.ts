import { expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import type { JobEvent } from '../tracing/index.js';
import type { TaskHandle } from './task-backend.js';
import { releaseTask } from './task-scheduling.js';

const HANDLE: TaskHandle = {
  key: { cluster: 'orders', jobName: 'settle-orders', item: 0 },
  target: { fireTime: 1_000, origin: 'schedule', launch: 1 },
  run: 'run-1',
  token: 1n,
  uid: 'u-1',
  isGated: false,
};

/** Releases a task of a backend whose output is read by `tail`. @returns the output in the event */
async function tailAfter(tail: () => any) {
  const clock = new VirtualClock();
  const released: TaskHandle[] = [];
  const told: JobEvent[] = [];
  const backend: any = { tail, release: async (handle: TaskHandle) => void released.push(handle) };
  const scheduling: any = { backend, clock, emit: (event: JobEvent) => void told.push(event) };
  await clock.advanceUntil(releaseTask(scheduling, HANDLE));
  expect(released).toEqual([HANDLE]);
  expect(clock.pendingTimers).toBe(0);
  return told.map((event) => 'tail' in event && event.tail);
}

it.each([
  [
    'throws',
    () => {
      throw new Error('no log');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no log'))],
  ['never settles', () => new Promise(() => {})],
  ['returns what is no text', () => ({ lines: 3 })],
])('releases a task whose output cannot be read, because the backend %s', async (_how, tail) => {
  expect(await tailAfter(tail)).toEqual([undefined]);
});

it('has the end of an output in the event, in the limits that it has asked for', async () => {
  expect(await tailAfter(async () => `${'x'.repeat(1_000_000)}the end`)).toEqual([
    `${'x'.repeat(65_536 - 'the end'.length)}the end`,
  ]);
});
