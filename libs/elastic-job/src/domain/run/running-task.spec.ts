import { describe, expect, it } from 'vitest';
import {
  formatCancelRequest,
  formatRunningTask,
  isLiveTaskState,
  parseCancelRequest,
  parseRunningTask,
  type RunningTask,
  taskOfRun,
} from './running-task.js';

const TASK: RunningTask = {
  id: '7f0c',
  backend: 'processes',
  run: 'r1',
  launch: 2,
  source: 'FAILOVER',
  state: 'QUEUED',
  since: 1_000,
  detail: '4 tasks run already',
};

describe('the text of a running task', () => {
  it('is read as it was written, with a detail that is cut', () => {
    expect(parseRunningTask(formatRunningTask(TASK))).toEqual(TASK);
    const cut = parseRunningTask(formatRunningTask({ ...TASK, node: 'n1', detail: '€'.repeat(5_000) }));
    expect(cut).toEqual({ ...TASK, node: 'n1', detail: '€'.repeat(1_000) });
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '"x"',
    '{"id":1}',
    formatRunningTask(TASK).replace('"run":"r1"', '"run":7'),
    formatRunningTask({ ...TASK, since: 9e15 }),
  ])('is passed over if it is %s', (text) => {
    expect(parseRunningTask(text)).toBeUndefined();
  });
});

describe('the task of a run', () => {
  const record = (run: string) => ({
    kind: 'record' as const,
    record: { run, by: 'me', target: { fireTime: 1, origin: 'schedule' as const }, attempt: 1, begunAt: 1 },
  });

  it.each([
    ['is the one that names it', formatRunningTask(TASK), record('r1'), TASK],
    ['is none that a former run has left', formatRunningTask(TASK), record('r2'), undefined],
    ['is none before its launch', undefined, record('r1'), undefined],
    ['is none if its text is damaged', '{', record('r1'), undefined],
    ['is none without a run', formatRunningTask(TASK), { kind: 'none' as const }, undefined],
    ['is none without a record', formatRunningTask(TASK), undefined, undefined],
  ])('%s', (_what, text, stored, task) => {
    expect(taskOfRun(text, stored)).toEqual(task);
  });

  it('is live until it has ended', () => {
    const states = ['STAGING', 'QUEUED', 'RUNNING', 'UNREACHABLE', 'FINISHED', 'FAILED', ''];
    expect(states.filter(isLiveTaskState)).toEqual(['STAGING', 'QUEUED', 'RUNNING', 'UNREACHABLE']);
  });
});

it.each([true, false])('reads a request as it was written, with a confirmed loss: %s', (lost) => {
  const request = { run: '0b6a', isConfirmedLost: lost };
  expect(parseCancelRequest(formatCancelRequest(request))).toEqual(request);
});

it('reads the text of an older version as a request to cancel that run', () => {
  expect(parseCancelRequest('0b6a')).toEqual({ run: '0b6a', isConfirmedLost: false });
});
