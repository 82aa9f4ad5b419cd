import { describe, expect, it } from 'vitest';
import {
  CancelledError,
  DrainDeadlineError,
  ExecutorDeathError,
  HandedOverError,
  InstanceRemovedError,
  ResidentStoppedError,
} from '../domain/index.js';
import { graceMsFor, isLeftAlone, relaunchPauseMs, taskFailure } from './task-outcome.decision.js';
import type { TaskReport } from './task-report.js';
import type { TaskState } from './task-state.js';

const ENDED = { jobName: 'settle-orders', item: 3, timeoutMs: 5_000, isShared: false };
const SUCCEEDED: TaskReport = { v: 1, outcome: 'succeeded', ms: 7 };
const FAILED: TaskReport = { v: 1, outcome: 'failed', ms: 7, error: { name: 'RangeError', message: 'out of stock' } };

describe('what the end of a task means', () => {
  it('lets the run succeed if the handler has returned', () => {
    expect(taskFailure(ENDED, { name: 'FINISHED', report: SUCCEEDED })).toBeUndefined();
  });

  it.each<[string, TaskState, object]>([
    [
      'its handler has thrown',
      { name: 'FINISHED', report: FAILED },
      { code: 'TASK_FAILED', message: expect.stringMatching(/item 3 .*RangeError: out of stock$/) },
    ],
    [
      'it has told nothing',
      { name: 'FINISHED' },
      { code: 'TASK_FAILED', message: expect.stringContaining('it has given no reason') },
    ],
    ['its time is over', { name: 'KILLED', killer: 'timeout' }, { code: 'JOB_TIMEOUT', timeoutMs: 5_000 }],
    ['a scheduler has cancelled it', { name: 'KILLED', killer: 'scheduler' }, { code: 'CANCELLED' }],
    ['a signal has come from elsewhere', { name: 'KILLED' }, { state: 'KILLED', isInnocent: false }],
    ['it has crashed', { name: 'FAILED', detail: 'exit code 3' }, { state: 'FAILED', isInnocent: false }],
    [
      'it cannot be',
      { name: 'ERROR' },
      { state: 'ERROR', isInnocent: false, detail: expect.stringMatching(/no reason/) },
    ],
    ['its scheduler is gone', { name: 'LOST' }, { state: 'LOST', isInnocent: true }],
    ['its place was needed', { name: 'DROPPED' }, { state: 'DROPPED', isInnocent: true }],
    ['its machine is gone', { name: 'GONE' }, { state: 'GONE', isInnocent: true }],
    ['an operator says so', { name: 'GONE_BY_OPERATOR' }, { state: 'GONE_BY_OPERATOR', isInnocent: true }],
    ['nobody knows it', { name: 'UNKNOWN' }, { state: 'UNKNOWN', isInnocent: true }],
  ])('lets the run fail with the matching error if %s', (_, state, failure) => {
    expect(taskFailure(ENDED, state)).toMatchObject(failure);
  });

  it.each<TaskState>([
    { name: 'FAILED', detail: 'exit code 1', report: FAILED },
    { name: 'ERROR', detail: 'exit code 78', report: { ...FAILED, outcome: 'error' } },
    { name: 'KILLED', detail: 'exit code 143', report: { ...FAILED, outcome: 'aborted' } },
    { name: 'LOST', detail: 'exit code 143', report: { ...FAILED, outcome: 'lost' } },
  ])('names the error that a task has reported before it died: %j', (state) => {
    expect(taskFailure(ENDED, state)).toMatchObject({
      message: `The executor of the run is ${state.name}: ${state.detail} (RangeError: out of stock).`,
    });
  });

  it('counts a killed task as innocent on machines that serve others too', () => {
    expect(taskFailure({ ...ENDED, isShared: true }, { name: 'KILLED', killer: 'other' })).toMatchObject({
      isInnocent: true,
    });
  });

  it.each(['STAGING', 'QUEUED', 'RUNNING'] as const)('throws a TypeError for a task that is still %s', (name) => {
    expect(() => taskFailure(ENDED, { name })).toThrow(TypeError);
  });
});

describe('a task whose scheduler lets go of the item', () => {
  it.each<[string, unknown, boolean]>([
    ['the item moves', new HandedOverError('j', 'moved'), true],
    ['the session is lost', new Error('lost'), true],
    ['the drain is over', new DrainDeadlineError('j', 1), true],
    ['an operator cancels it', new CancelledError('j', 0), false],
    ['an operator has confirmed its loss', new ExecutorDeathError('GONE_BY_OPERATOR', 'spec'), false],
    ['a resident item stops', new ResidentStoppedError('j', 0, 'settings'), false],
  ])('goes on only if others can adopt it and the reason allows it: %s', (_, reason, isLeft) => {
    expect(isLeftAlone(reason, true)).toBe(isLeft);
    expect(isLeftAlone(reason, false)).toBe(false);
  });
});

it.each<[string, unknown, number, number]>([
  ['an operator cancels it', new CancelledError('j', 0), 30_000, 30_000],
  ['the drain is over, and the instance leaves in a second', new DrainDeadlineError('j', 1), 30_000, 750],
  ['the drain is over, and its grace is short', new DrainDeadlineError('j', 1), 200, 200],
  ['others wait for an instance that was removed', new InstanceRemovedError('j', 'a', 5_000), 30_000, 3_750],
])('kills a task before others take its item, if %s', (_, reason, graceMs, ms) => {
  expect(graceMsFor(reason, graceMs)).toBe(ms);
});

it.each([
  [1, 0],
  [2, 1_000],
  [3, 2_000],
  [7, 32_000],
  [8, 60_000],
  [99, 60_000],
])('lets the launch after launch %i, which died innocently, wait at most %i ms, and at least half', (launch, ms) => {
  expect([0, 0.5, 1].map((random) => relaunchPauseMs(launch, random))).toEqual([ms / 2, (3 * ms) / 4, ms]);
});
