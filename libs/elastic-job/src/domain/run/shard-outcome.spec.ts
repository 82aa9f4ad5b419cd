import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { CancelledError, JobTimeoutError } from './lease.errors.js';
import {
  ExecutorDeathError,
  executorDeathIn,
  executorDeathOf,
  type ExecutorEnd,
  isExecutorDeathState,
  outcomeOfStop,
  reasonOfStop,
  stopCauseOf,
} from './shard-outcome.js';

const SLEEP = 'setInterval(() => {}, 1000)';

describe('how a real executor has died', () => {
  it.each([
    ['process.exit(0)', undefined],
    ['process.exit(3)', { state: 'FAILED', detail: 'exit code 3' }],
    ['process.kill(process.pid, "SIGKILL")', { state: 'KILLED', detail: 'signal SIGKILL' }],
  ])('is read from the exit of a child process that ran %s: %j', async (script, death) => {
    const child = spawn(process.execPath, ['-e', script]);
    const end = await new Promise<ExecutorEnd>((resolve) =>
      child.once('exit', (code, signal) => resolve({ kind: 'process', code, signal })),
    );

    expect(stateOf(executorDeathOf(end))).toEqual(death);
  });

  it('is an ERROR with its cause if the program does not exist', async () => {
    const error = await new Promise<Error>((resolve) => spawn('/nowhere/no-such-program').once('error', resolve));
    const death = executorDeathOf({ kind: 'process', error })!;

    expect(death).toMatchObject({ state: 'ERROR', code: 'EXECUTOR_DEATH', cause: error });
    expect(death.message).toBe('The executor of the run is ERROR: spawn /nowhere/no-such-program ENOENT.');
  });

  it.each([
    ['process.exit(0)', undefined],
    ['process.exit(4)', { state: 'FAILED', detail: 'exit code 4' }],
  ])('is read from the exit of a worker thread that ran %s: %j', async (script, death) => {
    const code = await new Promise<number>((resolve) => new Worker(script, { eval: true }).once('exit', resolve));

    expect(stateOf(executorDeathOf({ kind: 'thread', code }))).toEqual(death);
  });

  it('is FAILED if a worker thread throws', async () => {
    const thread = new Worker('throw new RangeError("out of orders")', { eval: true });
    const error: unknown = await new Promise((resolve) => thread.once('error', resolve));

    expect(stateOf(executorDeathOf({ kind: 'thread', error }))).toEqual({ state: 'FAILED', detail: 'out of orders' });
  });

  it('is FAILED if a worker thread is terminated', async () => {
    const thread = new Worker(SLEEP, { eval: true });
    await once(thread, 'online');

    expect(executorDeathOf({ kind: 'thread', code: await thread.terminate() })).toMatchObject({ state: 'FAILED' });
  });
});

describe('the state of an executor', () => {
  it.each(['FAILED', 'ERROR', 'KILLED', 'LOST', 'GONE', 'UNREACHABLE'])('can be %s', (state) => {
    expect(isExecutorDeathState(state)).toBe(true);
  });

  it.each(['overflow', '', undefined])('cannot be %o', (state) => {
    expect(isExecutorDeathState(state)).toBe(false);
  });

  it('is known of a run that has failed for it, and of no other', () => {
    const death = new ExecutorDeathError('LOST', 'its machine is off');
    expect(executorDeathIn({ kind: 'failed', error: death })).toBe('LOST');
    expect(
      executorDeathIn({ kind: 'failed', error: Object.assign(new Error('no'), { state: 'LOST' }) }),
    ).toBeUndefined();
    expect(executorDeathIn({ kind: 'aborted', reason: death })).toBeUndefined();
    expect(executorDeathIn({ kind: 'succeeded' })).toBeUndefined();
  });
});

it.each([
  ['timed-out', JobTimeoutError, 'failed'],
  ['cancelled', CancelledError, 'aborted'],
] as const)('a run that is %s ends with a reason and an outcome of its own', (cause, type, outcome) => {
  expect(reasonOfStop(cause, 'j', 0, 5)).toBeInstanceOf(type);
  expect(stopCauseOf(reasonOfStop(cause, 'j', 0))).toBe(cause);
  expect(outcomeOfStop(cause)).toBe(outcome);
});

function stateOf(death: ReturnType<typeof executorDeathOf>) {
  return death && { state: death.state, detail: death.detail };
}
