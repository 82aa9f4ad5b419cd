import { expect, it } from 'vitest';
import type { Fault } from '../cluster/check/index.js';
import { countTasks, taskFaults } from './check-tasks.js';
import type { TaskLine } from './task-line.js';

const KILLED_A: Fault = { kind: 'SIGKILL', victim: 'a', isPause: false, isFatal: true, from: 500, to: 500 };

/** A line of the first launch of a target, by scheduler a. */
function line(given: Partial<TaskLine> = {}): TaskLine {
  const { launch = 1, worker = 'a' } = given;
  return {
    step: 'begin',
    run: `${worker}-${launch}`,
    job: 'j',
    item: 0,
    fireTime: 0,
    source: 'NORMAL_TRIGGER',
    token: '1',
    tokenEpoch: 0,
    worker,
    begunAt: 10,
    at: 10 * launch,
    launch,
    pid: 1,
    ...given,
  };
}

const BY_B = { worker: 'b', launch: 2 };
const REPEATED = [line(), line(BY_B), line({ ...BY_B, step: 'end', at: 900 })];
const rulesOf = (lines: readonly TaskLine[], faults: readonly Fault[] = [KILLED_A]) =>
  taskFaults(lines, faults).map(({ rule }) => rule);

it('given a task that died with its scheduler, when the next launch of its target ends, then all is well', () => {
  expect(rulesOf(REPEATED)).toEqual([]);
  expect(countTasks(REPEATED)).toEqual({ begun: 2, ended: 1, died: 1, relaunches: 1 });
});

it('given a task without an end, when its scheduler lives, then it is unexplained', () => {
  expect(rulesOf(REPEATED, [])).toEqual(['unexplained']);
});

it('given a launch of a target, when it begins twice, then it is doubled', () => {
  expect(rulesOf([...REPEATED, line({ ...BY_B, run: 'b-again', at: 950 })])).toEqual(['doubled', 'unexplained']);
});

it('given a second task of a target, when its launch is not raised, then it is doubled', () => {
  expect(rulesOf([line(), line({ run: 'other', at: 900 })])).toEqual(['doubled']);
});

it('given tasks of other items and targets, when their launches are the same, then nothing is doubled', () => {
  expect(rulesOf([line(), line({ item: 1, run: 'r' }), line({ fireTime: 3_000, run: 's' })])).toEqual([]);
});

it('given a task that was told to end, when it says so, then it has not died', () => {
  const lines = [line({ worker: 'b' }), line({ worker: 'b', step: 'abort' })];
  expect(rulesOf(lines)).toEqual([]);
  expect(countTasks(lines).died).toBe(0);
});
