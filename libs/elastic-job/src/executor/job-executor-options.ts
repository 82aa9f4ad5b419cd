/** What holds for every run of a job here. */
export interface JobExecutorOptions {
  /** Goes before the fencing token in every comparison; handed to the handlers as it is. */
  readonly tokenEpoch: number;
  /** How long a handler may take to heed its signal, in milliseconds. */
  readonly hungGraceMs: number;
}

/** The grace of a process that sets none, in milliseconds. */
export const DEFAULT_HUNG_GRACE_MS = 30_000;
