/** Outcome that a worker reports before it ends: at most 4 KiB as JSON. */
export interface TaskReport {
  readonly v: 1;
  /**
   * `failed` with another exit code than 79: the process itself has failed, for example by an unhandled rejection.
   * `lost`, with exit code 143: its scheduler may not act for the item any more, or has fallen silent.
   */
  readonly outcome: 'succeeded' | 'failed' | 'aborted' | 'lost' | 'error';
  /** The error of the handler, or the reason why the task cannot run. */
  readonly error?: { readonly name: string; readonly message: string; readonly stack?: string };
  /** How long the handler took, in milliseconds. */
  readonly ms: number;
}

/**
 * Exit codes of a worker.
 * - `succeeded`: the handler has returned;
 * - `failed`: the handler threw, which is an outcome and no death;
 * - `cannotBe`: an unknown job, an unreadable envelope, or an application that does not boot: nothing was run;
 * - `aborted`: SIGTERM told it to end, or it has lost its item, and it did (128 + 15). Any other code is a crash.
 */
export const TASK_EXIT = { succeeded: 0, cannotBe: 78, failed: 79, aborted: 143 } as const;

/** Most bytes of a report as JSON in UTF-8. */
export const MOST_REPORT_BYTES = 4_096;
