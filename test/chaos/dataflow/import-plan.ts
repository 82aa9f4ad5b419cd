/** The rows, and the jobs over them: the same for all processes. */
export interface ImportPlan {
  readonly rows: number;
  /** Of the import; each owns as many of the rows as the others. */
  readonly items: number;
  /** Rows that are processed together. */
  readonly batch: number;
  /** What the processing of a batch takes, at most. */
  readonly batchMs: number;
}

export const IMPORT = 'import-rows';
/** Is started after the import. */
export const REPORT = 'report';
export const REPORT_ITEMS = 2;

/** What a process tells the store, and waits for the answer before it goes on. */
export interface Step {
  readonly step: 'fetch' | 'process' | 'write' | 'saved' | 'end' | 'abort' | 'report' | 'reported';
  readonly worker: string;
  readonly item: number;
  readonly source: string;
  /** Decimal. */
  readonly token: string;
  /** Of a `write`: what was processed. */
  readonly rows?: readonly number[];
}

/** What a process needs to know; sent as its only argument. */
export interface ImporterSettings {
  readonly name: string;
  readonly ip: string;
  readonly servers: string;
  readonly namespace: string;
  readonly sessionTimeoutMs: number;
  /** Where to post steps to. */
  readonly store: string;
  readonly plan: ImportPlan;
}
