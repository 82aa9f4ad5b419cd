import { describe, expect, it } from 'vitest';
import {
  CancelledError,
  DrainDeadlineError,
  ExecutorDeathError,
  HandedOverError,
  JobTimeoutError,
  ResidentStoppedError,
} from '../domain/index.js';
import { isLeftAlone, relaunchPauseMs, taskFailure } from './task-outcome.decision.js';
import type { TaskReport } from './task-report.js';
import type { TaskState } from './task-state.js';

const ENDED = { jobName: 'settle-orders', item: 3, timeoutMs: 5_000, isShared: false };
const SUCCEEDED: TaskReport = { v: 1, outcome: 'succeeded', ms: 7 };
const FAILED: TaskReport = { v: 1, outcome: 'failed', ms: 7, error: { name: 'RangeError', message: 'out of stock' } };

describe('what the end of a task means', () => {
  it('given a handler that has returned, when its task ends, then the run has succeeded', () => {
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
  ])('given a task that has ended since %s, when it is judged, then the run fails accordingly', (_, state, failure) => {
    expect(taskFailure(ENDED, state)).toMatchObject(failure);
  });

  it('given machines that serve others too, when a task is killed there, then it is innocent', () => {
    expect(taskFailure({ ...ENDED, isShared: true }, { name: 'KILLED', killer: 'other' })).toMatchObject({
      isInnocent: true,
    });
  });

  it.each(['STAGING', 'QUEUED', 'RUNNING'] as const)(
    'given a task that is %s, when it is judged, then that is a mistake',
    (name) => {
      expect(() => taskFailure(ENDED, { name })).toThrow(TypeError);
    },
  );
});

describe('a task whose scheduler lets go of the item', () => {
  it.each<[string, unknown, boolean]>([
    ['the item moves', new HandedOverError('j', 'moved'), true],
    ['the session is lost', new Error('lost'), true],
    ['the drain is over', new DrainDeadlineError('j', 1), true],
    ['an operator cancels it', new CancelledError('j', 0), false],
    ['its time is over', new JobTimeoutError('j', 0, 1), false],
    ['an operator has confirmed its loss', new ExecutorDeathError('GONE_BY_OPERATOR', 'spec'), false],
    ['a resident item stops', new ResidentStoppedError('j', 0, 'settings'), false],
  ])('given that %s, when others could adopt it, then it goes on, or is told to end', (_, reason, isLeft) => {
    expect(isLeftAlone(reason, true)).toBe(isLeft);
    expect(isLeftAlone(reason, false)).toBe(false);
  });
});

it.each([
  [1, 0],
  [2, 1_000],
  [3, 2_000],
  [7, 32_000],
  [8, 60_000],
  [99, 60_000],
])('given launch %i that has died innocently, when the next one is due, then it waits %i ms', (launch, ms) => {
  expect(relaunchPauseMs(launch)).toBe(ms);
});
