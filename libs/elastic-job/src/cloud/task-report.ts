/** The outcome that a worker reports before it ends: at most 4 KiB as JSON. */
export interface TaskReport {
  readonly v: 1;
  /** `failed` with another exit code than 79: the process itself has failed, as by an unhandled rejection. */
  readonly outcome: 'succeeded' | 'failed' | 'aborted' | 'error';
  /** The error that the handler has thrown, or the reason why the task cannot run. */
  readonly error?: { readonly name: string; readonly message: string; readonly stack?: string };
  /** How long the handler took, in milliseconds. */
  readonly ms: number;
}

/**
 * How a worker ends.
 * - `succeeded`: the handler has returned;
 * - `failed`: the handler threw, which is an outcome and no death;
 * - `cannotBe`: an unknown job, an envelope that cannot be read, an application that does not boot: nothing was run;
 * - `aborted`: it was told to end by SIGTERM, and has done so (128 + 15).
 * Any other code is a crash.
 */
export const TASK_EXIT = { succeeded: 0, cannotBe: 78, failed: 79, aborted: 143 } as const;

/** The most characters that a report may have as JSON, in UTF-8 bytes. */
export const MOST_REPORT_BYTES = 4_096;
