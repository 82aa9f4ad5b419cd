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

it('finds nothing wrong if a task died with its scheduler and the next launch of its target ends', () => {
  expect(rulesOf(REPEATED)).toEqual([]);
  expect(countTasks(REPEATED)).toEqual({ begun: 2, ended: 1, died: 1, deaf: 0, relaunches: 1 });
});

it('calls a task without an end unexplained if its scheduler was well', () => {
  expect(rulesOf(REPEATED, [])).toEqual(['unexplained']);
});

it('calls a launch of a target doubled if it begins twice', () => {
  expect(rulesOf([...REPEATED, line({ ...BY_B, run: 'b-again', at: 950 })])).toEqual(['doubled', 'unexplained']);
});

it('calls a second task of a target doubled if its launch number is not raised', () => {
  expect(rulesOf([line(), line({ run: 'other', at: 900 })])).toEqual(['doubled']);
});

it('doubles nothing if tasks of other items and targets have the same launch number', () => {
  expect(rulesOf([line(), line({ item: 1, run: 'r' }), line({ fireTime: 3_000, run: 's' })])).toEqual([]);
});

it('does not call a task dead that was told to end and says so', () => {
  const lines = [line({ worker: 'b' }), line({ worker: 'b', step: 'abort' })];
  expect(rulesOf(lines)).toEqual([]);
  expect(countTasks(lines).died).toBe(0);
});
