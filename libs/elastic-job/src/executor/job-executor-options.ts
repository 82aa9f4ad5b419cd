/** What holds for every run of a job here. */
export interface JobExecutorOptions {
  /** Goes before the fencing token in every comparison; handed to the handlers as it is. */
  readonly tokenEpoch: number;
  /** How long a handler may take to heed its signal, in milliseconds. @default 30_000 */
  readonly hungGraceMs?: number;
}

/** @see JobExecutorOptions */
export const DEFAULT_HUNG_GRACE_MS = 30_000;
