import { ExecutorDeathError, HandlerHungError, JobTimeoutError, type ShardOutcome } from '../../domain/index.js';
import { TASK_EXIT, type TaskReport } from '../task-report.js';

/** How a task ends. */
export interface TaskEnd {
  readonly outcome: TaskReport['outcome'];
  readonly exitCode: number;
  /** Undefined: nothing has gone wrong. */
  readonly error?: unknown;
}

/** The exit code of a process that has failed as such. */
export const CRASHED = 1;

/** Nothing of the task was run. */
export function cannotBe(error: unknown): TaskEnd {
  return { outcome: 'error', exitCode: TASK_EXIT.cannotBe, error };
}

export function crashed(error: unknown): TaskEnd {
  return { outcome: 'failed', exitCode: CRASHED, error };
}

/** The end of a task whose item has ended so. The death of an executor within the task is the task's own. */
export function endOf(outcome: ShardOutcome): TaskEnd {
  switch (outcome.kind) {
    case 'succeeded':
      return { outcome: 'succeeded', exitCode: TASK_EXIT.succeeded };
    case 'failed':
      return failedBy(outcome.error);
    case 'aborted': {
      const { reason } = outcome;
      const cause: unknown = reason instanceof HandlerHungError ? reason.cause : reason;
      if (cause instanceof JobTimeoutError) return failedBy(cause);
      return { outcome: 'aborted', exitCode: TASK_EXIT.aborted, error: reason };
    }
    default:
      return outcome satisfies never;
  }
}

function failedBy(error: unknown): TaskEnd {
  if (!(error instanceof ExecutorDeathError)) return { outcome: 'failed', exitCode: TASK_EXIT.failed, error };
  return error.state === 'ERROR' ? cannotBe(error) : crashed(error);
}
