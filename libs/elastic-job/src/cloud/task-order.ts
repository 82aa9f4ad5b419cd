import type { JobName, TaskResources, TaskTemplate, TriggerOrigin } from '../domain/index.js';

export type { TaskResources, TaskTemplate } from '../domain/index.js';

/** Names the place of a task: at most one task of it exists at a time. */
export interface TaskKey {
  /** Of all schedulers that share the jobs. */
  readonly cluster: string;
  readonly jobName: JobName;
  readonly item: number;
}

/** The target of a run, and how often it was launched. A task of another target is never adopted. */
export interface TaskTarget {
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  /** Counted from 1; raised by every relaunch of the target, and kept by an adoption. */
  readonly launch: number;
}

/** Everything that a backend has to know of a task. */
export interface TaskOrder {
  readonly key: TaskKey;
  readonly target: TaskTarget;
  /** The begin that it belongs to, as the item's record names it. */
  readonly run: string;
  /** The fencing token of that begin. */
  readonly token: bigint;
  readonly template: TaskTemplate;
  readonly resources: TaskResources;
  /** The text of `ELASTIC_JOB_TASK`, once the backend has told how the task may answer. @see TaskEnvelope */
  readonly envelope: (answers: TaskAnswers) => string;
  /**
   * The span of its item, as W3C's `traceparent` header has it: the variable `TRACEPARENT` of the task.
   * @default none
   * @see OpenTelemetry, "Environment Variables as Context Propagation Carriers"
   */
  readonly traceparent?: string | undefined;
  /** How long it may run once it was opened, in milliseconds. @default without limit */
  readonly timeoutMs?: number;
  /** From the request to end until it is killed, in milliseconds. */
  readonly graceMs: number;
}

/** Ways in which a task can talk to its scheduler. They stand in its envelope. */
export interface TaskAnswers {
  /** A file descriptor that carries one JSON object a line, in both directions. */
  readonly channel?: number;
  /** A file that takes the report. */
  readonly report?: string;
}
