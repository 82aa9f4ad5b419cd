import type { ExecutionSource, JobConfiguration, JobName } from '../domain/index.js';
import type { TaskAnswers } from './task-order.js';

/** The variable that makes a process a worker. */
export const TASK_VARIABLE = 'ELASTIC_JOB_TASK';

/** The most bytes of an envelope: half of what one variable may have everywhere. */
export const MOST_ENVELOPE_BYTES = 32_768;

/** How a worker tries a failing item again. @see JobOptions */
export type TaskRetries = Pick<
  JobConfiguration,
  'maxAttempts' | 'retryDelayMs' | 'retryFactor' | 'retryMaxDelayMs' | 'retryJitter'
>;

/**
 * The description of its run that a task is given: the JSON in `ELASTIC_JOB_TASK`. It holds no secret. The first fields
 * are Java's sharding context. A reader passes over fields that it does not know; a field never changes its meaning
 * within a `v`, and `v`, `channel` and `report` never do.
 * @see docs/cloud/task-envelope.schema.json, which is for workers in other languages
 */
export interface TaskEnvelope extends TaskAnswers {
  readonly v: 1;
  readonly jobName: JobName;
  readonly taskId: string;
  readonly shardingTotalCount: number;
  readonly jobParameter: string;
  readonly shardingItem: number;
  /** Holds neither `,` nor `=`. */
  readonly shardingParameter?: string;
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly source: ExecutionSource;
  readonly trigger: 'schedule' | { readonly id: string; readonly parameters?: string };
  /** The number of the first attempt that the task makes, from 1. */
  readonly attempt: number;
  /** Counted from 1. @see TaskTarget.launch */
  readonly launch: number;
  /** The fencing token in decimal digits. */
  readonly token: string;
  readonly tokenEpoch: number;
  readonly run: string;
  readonly props: Readonly<Record<string, string>>;
  /** The template that the job was created from. */
  readonly template?: string;
  /** The settings of retries in force. @default those that the worker's own application declares */
  readonly retries?: TaskRetries;
  /** The checkpoint as it stood at the begin; undefined or null: none. */
  readonly checkpoint?: unknown;
  /** How long the run may take once it was opened, in milliseconds. */
  readonly timeoutMs?: number;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** The span of the item, as W3C's `traceparent` header has it; undefined: nobody traces the run. */
  readonly traceparent?: string | undefined;
}
