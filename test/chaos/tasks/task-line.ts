import type { RunLine } from '../cluster/check/index.js';

/** The job whose tasks ignore SIGTERM. */
export const DEAF_JOB = 'deaf';
/** Their work takes so many times as long as that of others. */
export const DEAF_SLOWNESS = 6;

/** Line of the ledger of tasks. `run` is the begin that the task belongs to, and its item. */
export interface TaskLine extends RunLine {
  /** Counted from 1 for each target. */
  readonly launch: number;
  readonly pid: number;
  /** Processes that it has started. */
  readonly children?: readonly number[];
  /** True: its end was seen from outside, and the task has not told it itself. */
  readonly isSeen?: boolean;
}

/** Variables of a task, beside its envelope. */
export interface TaskVariables {
  /** The file to which it appends. */
  readonly LEDGER: string;
  /** Name of its scheduler. */
  readonly SCHEDULER: string;
  /** The length of its work, from and to, in milliseconds. */
  readonly LEAST_MS: string;
  readonly MOST_MS: string;
}
