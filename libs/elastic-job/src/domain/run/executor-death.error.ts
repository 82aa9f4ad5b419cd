import { ElasticJobError } from '../errors.js';
import type { ShardOutcome } from './shard-outcome.js';

/**
 * How the executor of a run (a child process, a worker thread, a container) has died.
 * - `FAILED`: it ended by itself, with a failure;
 * - `ERROR`: it could not be started;
 * - `KILLED`: a signal from outside ended it;
 * - `LOST`, `GONE`: its machine is lost, or it was removed; it certainly runs no more;
 * - `DROPPED`: its place was needed for something else, or it never got one;
 * - `GONE_BY_OPERATOR`: an operator has confirmed that it runs no more;
 * - `UNKNOWN`: whatever ran it does not know it any more;
 * - `UNREACHABLE`: nobody can say; it may run still.
 *
 * In all but the first three the executor is innocent: something else has ended it.
 * @see ElasticJob-Cloud, `TaskState`; its FINISHED is no death
 */
export type ExecutorDeathState =
  'FAILED' | 'ERROR' | 'KILLED' | 'LOST' | 'DROPPED' | 'GONE' | 'GONE_BY_OPERATOR' | 'UNKNOWN' | 'UNREACHABLE';

/** States for which the executor itself may be to blame. */
const GUILTY: ReadonlySet<ExecutorDeathState> = new Set(['FAILED', 'ERROR', 'KILLED']);

/** Further facts about a death. */
export interface ExecutorDeathOptions extends ErrorOptions {
  /**
   * Something else than the executor itself has caused the death: it does not count for `maxExecutorFailovers`.
   * @default as the state says: false for FAILED, ERROR and KILLED
   */
  readonly isInnocent?: boolean;
}

/**
 * Throw it from a handler whose work another process or thread does, when that one has died: the crash of an executor
 * is a crash too. With `failover` the item then runs again at once, as that of a crashed instance does; while the
 * executor is `UNREACHABLE` the item keeps its mark, so that it runs nowhere else, until this instance's session ends.
 * @see executorDeathOf for what a child process or a worker thread has ended with
 */
export class ExecutorDeathError extends ElasticJobError {
  readonly code = 'EXECUTOR_DEATH';
  /** It does not count for `maxExecutorFailovers`. */
  readonly isInnocent: boolean;

  /** @param detail what is known of it: `exit code 3` */
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
 * What a child process or a worker thread has reported of its end. `error` is that of its `error` event: of a process
 * that could not be started, or what a thread has thrown; the others are the arguments of `exit`.
 */
export type ExecutorEnd =
  | { readonly kind: 'process'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'process'; readonly error: Error }
  | { readonly kind: 'thread'; readonly code: number }
  | { readonly kind: 'thread'; readonly error: unknown };

/**
 * Reads the end of an executor. A thread has no signal: one that was terminated from outside ends with exit code 1, as
 * `process.exit(1)` in it does.
 * @returns undefined if it has ended well
 * @see Node.js, `ChildProcess` and `Worker`, events `error` and `exit`
 */
export function executorDeathOf(end: ExecutorEnd): ExecutorDeathError | undefined {
  if ('error' in end) {
    const cause = end.error;
    const detail = cause instanceof Error ? cause.message : String(cause);
    return new ExecutorDeathError(end.kind === 'process' ? 'ERROR' : 'FAILED', detail, { cause });
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

/** How the executor of a run that has ended so has died; undefined if it has not. */
export function executorDeathIn(outcome: ShardOutcome): ExecutorDeathState | undefined {
  return deathIn(outcome)?.state;
}

/** The same with all that is known of it. */
export function deathIn(outcome: ShardOutcome): ExecutorDeathError | undefined {
  return outcome.kind === 'failed' && outcome.error instanceof ExecutorDeathError ? outcome.error : undefined;
}

/** The abort reason of a run whose executor an operator has declared lost. */
export function confirmedLoss(): ExecutorDeathError {
  return new ExecutorDeathError('GONE_BY_OPERATOR', 'an operator has confirmed it');
}
