/** The rows, and the jobs over them: the same for all processes. */
export interface ImportPlan {
  readonly rows: number;
  /** Items of the import. Each owns the same number of rows. */
  readonly items: number;
  /** Rows that are processed together. */
  readonly batch: number;
  /** Longest processing time of a batch. */
  readonly batchMs: number;
}

export const IMPORT = 'import-rows';
/** The job that starts after the import. */
export const REPORT = 'report';
export const REPORT_ITEMS = 2;

/** A step that a process reports to the store. The process waits for the answer before it goes on. */
export interface Step {
  readonly step: 'fetch' | 'process' | 'write' | 'saved' | 'end' | 'abort' | 'report' | 'reported';
  readonly worker: string;
  readonly item: number;
  readonly source: string;
  /** Decimal. */
  readonly token: string;
  /** Rows that a `write` has processed. */
  readonly rows?: readonly number[];
}

/** Settings of a process, sent as its only argument. */
export interface ImporterSettings {
  readonly name: string;
  readonly ip: string;
  readonly servers: string;
  readonly namespace: string;
  readonly sessionTimeoutMs: number;
  /** URL to which it posts its steps. */
  readonly store: string;
  readonly plan: ImportPlan;
}
