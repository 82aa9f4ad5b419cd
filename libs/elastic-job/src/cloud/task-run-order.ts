import {
  type BegunItem,
  CheckpointValueError,
  formatCheckpoint,
  requestIdOf,
  type ShardingContext,
} from '../domain/index.js';
import { formatTaskEnvelope, mostCheckpointBytes, TRACEPARENT } from './task-envelope-text.js';
import type { TaskEnvelope } from './task-envelope.js';
import type { TaskAnswers, TaskOrder } from './task-order.js';
import type { TaskScheduling, TaskSettings } from './task-scheduling.js';

/** The run of an item, for its task. */
export interface RunParts {
  readonly scheduling: TaskScheduling;
  readonly settings: TaskSettings;
  readonly context: ShardingContext;
  readonly begun: BegunItem;
  readonly token: bigint;
}

/** The order of a run's task, with the checkpoint as it stands. */
export async function orderOf(parts: RunParts): Promise<TaskOrder> {
  const { begun, context, scheduling, settings, token } = parts;
  const { graceMs, resources, template, timeoutMs } = settings;
  const { jobName, shardingItem: item } = context;
  const checkpoint = scheduling.backend.hasLink ? await context.checkpoint.load() : undefined;
  return {
    key: { cluster: scheduling.cluster, jobName, item },
    target: { fireTime: begun.target.fireTime, origin: begun.target.origin, launch: begun.launch },
    run: begun.run,
    token,
    template,
    traceparent: traceparentOf(begun),
    resources,
    envelope: (answers) => formatTaskEnvelope({ ...answers, ...envelopeOf(parts), checkpoint }),
    timeoutMs,
    graceMs,
  };
}

/**
 * Saves a checkpoint that a task has sent; null clears it.
 * @throws {CheckpointValueError} if the envelope of the item's next task could not carry it
 * @throws as `Checkpoint.save`
 */
export async function saveCheckpoint(parts: RunParts, value: unknown): Promise<void> {
  const { checkpoint, jobName, shardingItem } = parts.context;
  if (value === null) return checkpoint.clear();
  const bytes = Buffer.byteLength(formatCheckpoint(jobName, shardingItem, value));
  const most = mostCheckpointBytes(envelopeOf(parts));
  if (bytes > most) {
    const problem = `has ${bytes} bytes, and the envelope of the item's next task has room for ${most}`;
    throw new CheckpointValueError(jobName, shardingItem, `${problem}; save a position instead of the data`);
  }
  await checkpoint.save(value);
}

function envelopeOf(parts: RunParts): Omit<TaskEnvelope, 'checkpoint' | keyof TaskAnswers> {
  const { begun, context, settings, token } = parts;
  const { graceMs, knownAs, retries, timeoutMs } = settings;
  const { origin, parameters } = begun.target;
  const id = requestIdOf(origin);
  return {
    v: 1,
    jobName: context.jobName,
    template: knownAs,
    taskId: context.taskId,
    shardingTotalCount: context.shardingTotalCount,
    jobParameter: context.jobParameter,
    shardingItem: context.shardingItem,
    shardingParameter: context.shardingParameter,
    fireTime: context.fireTime.getTime(),
    source: context.source,
    trigger: id === undefined ? 'schedule' : { id, parameters },
    attempt: context.attempt,
    launch: begun.launch,
    token: `${token}`,
    tokenEpoch: context.tokenEpoch,
    run: begun.run,
    props: context.props,
    retries,
    timeoutMs,
    graceMs,
    traceparent: traceparentOf(begun),
  };
}

function traceparentOf({ trace }: BegunItem): string | undefined {
  const text = trace?.traceparent;
  return text !== undefined && TRACEPARENT.test(text) ? text : undefined;
}
