import {
  CancelledError,
  DrainDeadlineError,
  ExecutorDeathError,
  InstanceRemovedError,
  type JobName,
  JobTimeoutError,
  ResidentStoppedError,
} from '../domain/index.js';
import { TaskFailedError } from './task-report.js';
import type { TaskState } from './task-state.js';

/** A run whose task has ended. */
interface EndedTask {
  readonly jobName: JobName;
  readonly item: number;
  readonly timeoutMs: number | undefined;
  /** True if the machines have other users, so that a killed task was mostly in the way of others. */
  readonly isShared: boolean;
}

/**
 * Decides the outcome of a run from the end of its task, unless its scheduler was told to end it.
 *
 * | state | means |
 * |---|---|
 * | FINISHED | the outcome that the task reports; an error of its handler is no death |
 * | KILLED, by the time limit | `JobTimeoutError` |
 * | KILLED, by a scheduler | `CancelledError`: not repeated |
 * | KILLED, by others | a death; innocent where machines are shared |
 * | FAILED, ERROR | a death that counts |
 * | LOST, DROPPED, GONE, GONE_BY_OPERATOR, UNKNOWN | an innocent death |
 * @returns the error of the run; undefined if it has succeeded
 */
export function taskFailure({ isShared, item, jobName, timeoutMs }: EndedTask, state: TaskState): Error | undefined {
  const { killer = 'other', name, report } = state;
  switch (name) {
    case 'FINISHED':
      return report?.outcome === 'succeeded' ? undefined : new TaskFailedError(jobName, item, report);
    case 'KILLED':
      if (killer === 'timeout') return new JobTimeoutError(jobName, item, timeoutMs ?? 0);
      if (killer === 'scheduler') return new CancelledError(jobName, item);
      return new ExecutorDeathError(name, deathDetail(state), { isInnocent: isShared });
    case 'STAGING':
    case 'QUEUED':
    case 'RUNNING':
      throw new TypeError(`A task that is ${name} has not ended.`);
    default:
      return new ExecutorDeathError(name, deathDetail(state));
  }
}

/** How a task has died, with the error that it has reported before. */
function deathDetail({ detail = 'its backend has given no reason', report }: TaskState): string {
  const error = report?.error;
  return error === undefined ? detail : `${detail} (${error.name}: ${error.message})`;
}

/**
 * True if a task goes on when its scheduler lets go of the item: others can adopt it, and it is not to end for its own
 * sake.
 * @param reason of the aborted signal
 */
export function isLeftAlone(reason: unknown, adopts: boolean): boolean {
  const isToEnd =
    reason instanceof CancelledError || reason instanceof ExecutorDeathError || reason instanceof ResidentStoppedError;
  return adopts && !isToEnd;
}

/** True for the reason of a run whose executor is gone, as an operator has confirmed. */
export function isConfirmedLoss(reason: unknown): boolean {
  return reason instanceof ExecutorDeathError && reason.state === 'GONE_BY_OPERATOR';
}

/** Part of the time for which others wait that a task has to end; the rest is for recording its end. */
const GRACE_SHARE = 3 / 4;

/**
 * Time from SIGTERM to SIGKILL of a task that is to end for this reason, in milliseconds. It ends before others take
 * its item, which they do soon after its scheduler has left the job.
 * @param graceMs the task's own
 */
export function graceMsFor(reason: unknown, graceMs: number): number {
  const leaves = reason instanceof DrainDeadlineError || reason instanceof InstanceRemovedError;
  return leaves ? Math.min(graceMs, GRACE_SHARE * reason.graceMs) : graceMs;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Pause before the next launch of an innocent task, in milliseconds: none before the first relaunch, then doubled each
 * time, up to a minute, and shorter by up to a half. So a backend that drops every task is not flooded, and tasks that
 * were dropped together do not come back together.
 * @param launch the one that has died, counted from 1
 * @param random in [0, 1)
 */
export function relaunchPauseMs(launch: number, random: number): number {
  if (launch <= 1) return 0;
  return Math.min(FIRST_PAUSE_MS * 2 ** (launch - 2), LONGEST_PAUSE_MS) * (0.5 + random / 2);
}
