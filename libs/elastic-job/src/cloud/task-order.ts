import type { JobName, TriggerOrigin } from '../domain/index.js';

/** Names the place of a task: at most one task of it exists at a time. */
export interface TaskKey {
  /** Of all schedulers that share the jobs. */
  readonly cluster: string;
  readonly jobName: JobName;
  readonly item: number;
}

/** What a task stands for. A task of another target is never adopted. */
export interface TaskTarget {
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  /** Counted from 1; raised by every relaunch of the target, and kept by an adoption. */
  readonly launch: number;
}

/** What a task may use. */
export interface TaskResources {
  /** Processors; fractions are allowed. Greater than 0. */
  readonly cpu: number;
  /** Mebibytes, a whole number of at least 1. */
  readonly memoryMb: number;
}

/** What is started as a task. */
export interface TaskTemplate {
  /** The program and its arguments. @default the backend's own: for child processes the entry of this process */
  readonly command?: readonly string[];
  /** The image of its container; backends without images refuse it. */
  readonly image?: string;
  /** Variables of its environment, which inherits none from the scheduler. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its working directory. @default the backend's */
  readonly workingDirectory?: string;
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
