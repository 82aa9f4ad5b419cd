/** A task, as a tracer sees it. */
export interface TracedTask {
  /** Its name in the backend, unique for each launch. */
  readonly id: string;
  readonly backend: string;
  /** Number of the launch for its target, from 1. */
  readonly launch: number;
  /** True if another scheduler has launched it. */
  readonly isAdopted: boolean;
  /** Its state, in ElasticJob-Cloud's words. */
  readonly state: string;
  /** Its machine, if known. */
  readonly node: string | undefined;
  /** Exit code of a process that has ended by itself. */
  readonly exitCode: number | undefined;
}

/** Trace of an item whose work is done by a task. */
export interface ItemTrace {
  /** Parent for the task's spans, as in W3C's `traceparent` header; undefined if there is none. */
  readonly traceparent: string | undefined;
  /** Reports that the task belongs to this run, and later that it has ended. */
  task(task: TracedTask): void;
}
