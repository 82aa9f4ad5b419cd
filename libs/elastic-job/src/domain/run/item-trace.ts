/** A task as a tracer is told of it. */
export interface TracedTask {
  /** As its backend names it, unique for each launch. */
  readonly id: string;
  readonly backend: string;
  /** Which launch of its target it is, counted from 1. */
  readonly launch: number;
  /** Another scheduler has launched it. */
  readonly isAdopted: boolean;
  /** In ElasticJob-Cloud's words. */
  readonly state: string;
  /** The machine that it runs on, if that is known. */
  readonly node: string | undefined;
  /** Of a process that has ended by itself. */
  readonly exitCode: number | undefined;
}

/** The trace of an item whose work is a task. */
export interface ItemTrace {
  /** How the task names what follows it, as W3C's `traceparent` header does; undefined: it cannot. */
  readonly traceparent: string | undefined;
  /** The task is this run's, or has ended. */
  task(task: TracedTask): void;
}
