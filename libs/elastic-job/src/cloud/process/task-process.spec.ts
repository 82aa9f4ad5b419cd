import { expect, it } from 'vitest';
import type { TaskReport } from '../task-report.js';
import type { TaskEnding } from './supervisor/supervisor-messages.js';
import { stateOfEnding } from './task-process.js';

const REPORT: TaskReport = { v: 1, outcome: 'failed', error: { name: 'Error', message: 'no' }, ms: 5 };
const TOLD = { cause: 'cancel', detail: 'it was cancelled' } as const;

function stateOf(ending: Partial<TaskEnding>, report?: TaskReport) {
  return stateOfEnding({ code: null, signal: null, output: '', ms: 9, ...ending }, report);
}

it.each([
  [{ code: 0 }, { name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: 9 } }],
  [
    { code: 0, ...TOLD },
    { name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: 9 } },
  ],
  [{ code: 79 }, { name: 'FINISHED', detail: 'exit code 79', report: { v: 1, outcome: 'failed', ms: 9 } }],
  [{ code: 78 }, { name: 'ERROR', detail: 'exit code 78' }],
  [{ code: 3 }, { name: 'FAILED', detail: 'exit code 3' }],
  [{ code: 143 }, { name: 'KILLED', killer: 'other', detail: 'exit code 143' }],
  [
    { code: 143, ...TOLD },
    { name: 'KILLED', killer: 'scheduler', detail: 'it was cancelled' },
  ],
  [
    { code: 1, ...TOLD },
    { name: 'KILLED', killer: 'scheduler', detail: 'it was cancelled' },
  ],
  [
    { signal: 'SIGKILL', ...TOLD },
    { name: 'KILLED', killer: 'scheduler', detail: 'it was cancelled' },
  ],
  [{ signal: 'SIGKILL' }, { name: 'KILLED', killer: 'other', detail: 'signal SIGKILL' }],
  [{ signal: 'SIGTERM' }, { name: 'KILLED', killer: 'other', detail: 'signal SIGTERM' }],
  [{ signal: 'SIGSEGV' }, { name: 'FAILED', detail: 'signal SIGSEGV' }],
  [
    { signal: 'SIGKILL', cause: 'lost', detail: 'silent' },
    { name: 'LOST', detail: 'silent' },
  ],
  [
    { code: 0, cause: 'timeout', detail: 'late' },
    { name: 'KILLED', killer: 'timeout', detail: 'late' },
  ],
  [
    { signal: 'SIGKILL', cause: 'memory', detail: 'too much' },
    { name: 'FAILED', detail: 'too much' },
  ],
  [{ error: 'spawn ENOENT' }, { name: 'ERROR', detail: 'spawn ENOENT' }],
] as const)('turns the end %j into the state %j', (ending, state) => {
  expect(stateOf(ending)).toEqual({ ...state, ...('code' in ending && { exitCode: ending.code }) });
});

it('puts the report of a task into its state, however the task ended', () => {
  expect(stateOf({ code: 79 }, REPORT)).toMatchObject({ name: 'FINISHED', report: REPORT });
  expect(stateOf({ code: 78 }, REPORT)).toMatchObject({ name: 'ERROR', report: REPORT });
  expect(stateOf({ code: 143, ...TOLD }, REPORT)).toMatchObject({ name: 'KILLED', report: REPORT });
});

it.each([
  ['a success', { ...REPORT, outcome: 'succeeded' }],
  ['a failure', REPORT],
] as const)('counts exit code 79 as a failure, whatever the task has reported: %s', (_, report) => {
  expect(stateOf({ code: 79 }, report)).toMatchObject({ name: 'FINISHED', report: REPORT });
});

it('is LOST, and not killed by others, if the task reports that its scheduler may no longer act for it', () => {
  const report = { ...REPORT, outcome: 'lost' } as const;
  expect(stateOf({ code: 143 }, report)).toMatchObject({ name: 'LOST', detail: 'exit code 143', report });
  expect(stateOf({ code: 143, ...TOLD }, report)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
});

it('reports "out of memory" if an aborted process has written that message of V8', () => {
  const output = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n';
  expect(stateOf({ signal: 'SIGABRT', output })).toEqual({
    name: 'FAILED',
    detail: 'out of memory: JavaScript heap, signal SIGABRT',
  });
});
