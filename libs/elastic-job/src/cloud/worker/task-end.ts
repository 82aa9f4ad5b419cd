// How a task ends: its outcome, its exit code, and what ends its process.
import {
  ExecutorDeathError,
  HandlerHungError,
  JobTimeoutError,
  LeaseLostError,
  type ShardOutcome,
} from '../../domain/index.js';
import { TASK_EXIT, type TaskReport } from '../task-report.js';

/** End of a task. */
export interface TaskEnd {
  readonly outcome: TaskReport['outcome'];
  readonly exitCode: number;
  /** Undefined if there was no error. */
  readonly error?: unknown;
}

/** Exit code of a process that has crashed. */
export const CRASHED = 1;

/** End of a task of which nothing was run. */
export function cannotBe(error: unknown): TaskEnd {
  return { outcome: 'error', exitCode: TASK_EXIT.cannotBe, error };
}

export function crashed(error: unknown): TaskEnd {
  return { outcome: 'failed', exitCode: CRASHED, error };
}

/** End of a task whose item had this outcome. The death of an executor within the task counts as the task's. */
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
      const kind = cause instanceof LeaseLostError ? 'lost' : 'aborted';
      return { outcome: kind, exitCode: TASK_EXIT.aborted, error: reason };
    }
    default:
      return outcome satisfies never;
  }
}

function failedBy(error: unknown): TaskEnd {
  if (!(error instanceof ExecutorDeathError)) return { outcome: 'failed', exitCode: TASK_EXIT.failed, error };
  return error.state === 'ERROR' ? cannotBe(error) : crashed(error);
}

/** Events that end a process. */
interface ProcessNews {
  /** SIGTERM. */
  onTerminate(): void;
  /** An error was not caught, or a rejection not handled. */
  onCrash(error: unknown): void;
  /**
   * Called when the process exits, with this exit code; only synchronous work is possible. @returns the final exit code
   */
  onExit(exitCode: number): number;
}

/** Listens for everything that could end the process besides its run, until its very end. */
export function guardProcess(news: ProcessNews): void {
  process.on('SIGTERM', () => news.onTerminate());
  process.on('uncaughtException', (error: unknown) => news.onCrash(error));
  process.on('unhandledRejection', (reason: unknown) => news.onCrash(reason));
  process.on('exit', (exitCode) => {
    process.exitCode = news.onExit(exitCode);
  });
}

/** Ends the process with the exit code: it may end by itself, and is forced to after the delay. */
export function endProcess(exitCode: number, after: (exit: () => void) => void): void {
  process.exitCode = exitCode;
  after(() => process.exit(exitCode));
}

/** Ends the process at once. */
export function exitNow(exitCode: number): never {
  process.exit(exitCode);
}
