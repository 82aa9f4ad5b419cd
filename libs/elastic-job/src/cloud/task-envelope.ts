import type { ExecutionSource, JobName } from '../domain/index.js';
import type { TaskAnswers } from './task-order.js';

/** The variable that makes a process a worker. */
export const TASK_VARIABLE = 'ELASTIC_JOB_TASK';

/** The most bytes of an envelope: half of what one variable may have everywhere. */
export const MOST_ENVELOPE_BYTES = 32_768;

/**
 * What a task is told of its run: the JSON in `ELASTIC_JOB_TASK`. It holds no secret. The first fields are Java's
 * sharding context.
 * @see docs/cloud/task-envelope.schema.json, which is for workers in other languages
 */
export interface TaskEnvelope extends TaskAnswers {
  readonly v: 1;
  readonly jobName: JobName;
  readonly taskId: string;
  readonly shardingTotalCount: number;
  readonly jobParameter: string;
  readonly shardingItem: number;
  readonly shardingParameter?: string;
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly source: ExecutionSource;
  readonly trigger: 'schedule' | { readonly id: string; readonly parameters?: string };
  readonly attempt: number;
  /** Counted from 1. @see TaskTarget.launch */
  readonly launch: number;
  /** The fencing token in decimal digits. */
  readonly token: string;
  readonly tokenEpoch: number;
  readonly run: string;
  readonly props: Readonly<Record<string, string>>;
  /** The checkpoint as it stood at the begin; undefined: none. */
  readonly checkpoint?: unknown;
  /** How long the run may take once it was opened, in milliseconds. */
  readonly timeoutMs?: number;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly graceMs: number;
}
