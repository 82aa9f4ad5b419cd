import type { JobName } from '../cluster/index.js';
import { ElasticJobError } from '../errors.js';
import { messageOf } from '../thrown.js';
import { CancelledError, JobTimeoutError } from './lease.errors.js';

/** How the run of one item ended. A handler that throws is an outcome, not an error of the scheduler. */
export type ShardOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The handler returned after its signal had aborted. */
  | { readonly kind: 'aborted'; readonly reason: unknown };

export type ShardOutcomeKind = ShardOutcome['kind'];

/** Final result of a begun item: its outcome, or `fenced` if its lease is over. */
export type SettledOutcome = ShardOutcome | FencedOutcome;

/** The end of a run whose lease was over first: what its handler returned does not count. */
export interface FencedOutcome {
  readonly kind: 'fenced';
  /** How its handler had ended, if it returned before the lease was over and the registry has not confirmed that. */
  readonly unrecorded?: 'succeeded' | 'failed';
}

/** @param outcome of a handler that has returned, whose end the registry has not confirmed */
export function fencedAfter({ kind }: ShardOutcome): SettledOutcome {
  return kind === 'aborted' ? { kind: 'fenced' } : { kind: 'fenced', unrecorded: kind };
}

/**
 * Why a run was told to stop for good, so that nobody repeats it: an operator has cancelled it, or it has taken longer
 * than `timeoutMs`.
 */
export type StopCause = 'cancelled' | 'timed-out';

/** A run that was told to stop for good. Its handler has not returned, or its end is not recorded yet. */
export interface StoppedRun {
  /** The run that this is about, since earlier releases carry the field into the records of later runs. */
  readonly run: string;
  readonly cause: StopCause;
}

/** Tells from the reason of an aborted signal if the run is not to be repeated. Undefined: others may repeat it. */
export function stopCauseOf(reason: unknown): StopCause | undefined {
  if (reason instanceof CancelledError) return 'cancelled';
  return reason instanceof JobTimeoutError ? 'timed-out' : undefined;
}

/** The reason of the signal of a run that is told to stop for good. @param timeoutMs the job's time limit, if known */
export function reasonOfStop(cause: StopCause, jobName: JobName, item: number, timeoutMs = 0): Error {
  return cause === 'timed-out' ? new JobTimeoutError(jobName, item, timeoutMs) : new CancelledError(jobName, item);
}

/** Outcome of a stopped run, whatever its handler does. */
export function outcomeOfStop(cause: StopCause): ShardOutcomeKind {
  return cause === 'timed-out' ? 'failed' : 'aborted';
}

/**
 * How the executor of a run (a child process, a worker thread, a container) has died.
 * - `FAILED`: it ended by itself, with a failure;
 * - `ERROR`: it could not be started;
 * - `KILLED`: a signal from outside ended it;
 * - `LOST`, `GONE`: its machine is lost, or it was removed; it certainly runs no more;
 * - `DROPPED`: its place was needed for something else, or it never got one;
 * - `GONE_BY_OPERATOR`: an operator has confirmed that it runs no more;
 * - `UNKNOWN`: its backend does not know it any more;
 * - `UNREACHABLE`: its state is unknown; it may still run.
 *
 * Except in the first three states the executor is innocent: something else has ended it.
 * @see ElasticJob-Cloud, `TaskState`; its FINISHED is no death
 */
export type ExecutorDeathState =
  'FAILED' | 'ERROR' | 'KILLED' | 'LOST' | 'DROPPED' | 'GONE' | 'GONE_BY_OPERATOR' | 'UNKNOWN' | 'UNREACHABLE';

/** States for which the executor itself may be to blame. */
const GUILTY: ReadonlySet<ExecutorDeathState> = new Set(['FAILED', 'ERROR', 'KILLED']);

/** Further facts about a death. */
export interface ExecutorDeathOptions extends ErrorOptions {
  /**
   * True if the executor itself has not caused the death, so it does not count for `maxExecutorFailovers`.
   * @default as the state says: false for FAILED, ERROR and KILLED
   */
  readonly isInnocent?: boolean;
}

/**
 * Throw this error from a handler whose work is done by another process or thread, when that one has died: the crash of
 * an executor counts as a crash. With `failover` the item then runs again at once, as after the crash of an instance.
 * While the executor is `UNREACHABLE` the item keeps its mark until this instance's session ends, so that it runs
 * nowhere else.
 * @remarks Look into the log of the process, thread or container that has died. With `failover` the item runs again by
 *   itself.
 * @see executorDeathOf for the death that the end of a child process or a worker thread means
 */
export class ExecutorDeathError extends ElasticJobError {
  readonly code = 'EXECUTOR_DEATH';
  /** True if it does not count for `maxExecutorFailovers`. */
  readonly isInnocent: boolean;

  /** @param detail further facts: `exit code 3` */
  constructor(
    readonly state: ExecutorDeathState,
    readonly detail: string,
    { isInnocent = !GUILTY.has(state), ...options }: ExecutorDeathOptions = {},
  ) {
    super(`The executor of the run is ${state}: ${detail}.`, options);
    this.isInnocent = isInnocent;
  }
}

/**
 * The end of a child process or a worker thread, as its events report it. `error` is the argument of the `error` event:
 * a process that could not be started, or the error that a thread has thrown. The others are the arguments of `exit`.
 */
export type ExecutorEnd =
  | { readonly kind: 'process'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'process'; readonly error: Error }
  | { readonly kind: 'thread'; readonly code: number }
  | { readonly kind: 'thread'; readonly error: unknown };

/**
 * Reads the end of an executor. A thread has no signal: one that was terminated from outside ends with exit code 1, as
 * `process.exit(1)` in it does.
 * @returns undefined if it ended well
 * @see Node.js, `ChildProcess` and `Worker`, events `error` and `exit`
 */
export function executorDeathOf(end: ExecutorEnd): ExecutorDeathError | undefined {
  if ('error' in end) {
    const cause = end.error;
    return new ExecutorDeathError(end.kind === 'process' ? 'ERROR' : 'FAILED', messageOf(cause), { cause });
  }
  if (end.kind === 'process' && end.signal !== null) return new ExecutorDeathError('KILLED', `signal ${end.signal}`);
  return end.code === 0 ? undefined : new ExecutorDeathError('FAILED', `exit code ${end.code}`);
}

const STATES: readonly string[] = [
  'FAILED',
  'ERROR',
  'KILLED',
  'LOST',
  'DROPPED',
  'GONE',
  'GONE_BY_OPERATOR',
  'UNKNOWN',
  'UNREACHABLE',
] satisfies ExecutorDeathState[];

export function isExecutorDeathState(text: string | undefined): text is ExecutorDeathState {
  return text !== undefined && STATES.includes(text);
}

/** How the run's executor has died; undefined if it has not. */
export function executorDeathIn(outcome: ShardOutcome): ExecutorDeathState | undefined {
  return deathIn(outcome)?.state;
}

/** The death of the run's executor as an error; undefined if it has not died. */
export function deathIn(outcome: ShardOutcome): ExecutorDeathError | undefined {
  return outcome.kind === 'failed' && outcome.error instanceof ExecutorDeathError ? outcome.error : undefined;
}

/** Abort reason of a run whose executor an operator has declared lost. */
export function confirmedLoss(): ExecutorDeathError {
  return new ExecutorDeathError('GONE_BY_OPERATOR', 'an operator has confirmed it');
}
