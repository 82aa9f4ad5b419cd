import type { JobKind } from '../turns/index.js';

/** Options for every run of a job on this instance. */
export interface JobExecutorOptions {
  /** Compared before the fencing token; passed to the handlers unchanged. */
  readonly tokenEpoch: number;
  /** How long a handler may go on after its signal, in milliseconds. */
  readonly hungGraceMs: number;
  /** Kind of the job, for its turns. @default 'code' */
  readonly kind?: JobKind;
}

/** The grace of a process that sets none, in milliseconds. */
export const DEFAULT_HUNG_GRACE_MS = 30_000;
