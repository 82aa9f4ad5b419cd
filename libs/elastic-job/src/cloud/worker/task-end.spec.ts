import { expect, it } from 'vitest';
import {
  ExecutorDeathError,
  HandlerHungError,
  JobTimeoutError,
  LeaseLostError,
  type ShardOutcome,
  TaskTerminatedError,
} from '../../domain/index.js';
import { endOf } from './task-end.js';

const timeout = new JobTimeoutError('settle', 1, 5);
const lost = new LeaseLostError('settle', 1);
const terminated = new TaskTerminatedError('settle', 1);
const hung = (cause: unknown) => new HandlerHungError('settle', 1, 5, { cause });

it.each<[ShardOutcome, string, number]>([
  [{ kind: 'succeeded' }, 'succeeded', 0],
  [{ kind: 'failed', error: new Error('x') }, 'failed', 79],
  [{ kind: 'failed', error: timeout }, 'failed', 79],
  [{ kind: 'failed', error: new ExecutorDeathError('KILLED', 'SIGKILL') }, 'failed', 1],
  [{ kind: 'failed', error: new ExecutorDeathError('ERROR', 'no such program') }, 'error', 78],
  [{ kind: 'aborted', reason: terminated }, 'aborted', 143],
  [{ kind: 'aborted', reason: hung(terminated) }, 'aborted', 143],
  [{ kind: 'aborted', reason: lost }, 'lost', 143],
  [{ kind: 'aborted', reason: hung(lost) }, 'lost', 143],
  [{ kind: 'aborted', reason: timeout }, 'failed', 79],
  [{ kind: 'aborted', reason: hung(timeout) }, 'failed', 79],
])('ends the task of a run with the outcome %o as %s with exit code %i', (outcome, kind, exitCode) => {
  expect(endOf(outcome)).toMatchObject({ outcome: kind, exitCode });
});
