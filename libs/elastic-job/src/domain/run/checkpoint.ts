import { ElasticJobError } from '../errors.js';
import type { JobName } from '../cluster/index.js';

/**
 * The longest text of a checkpoint, in bytes: each one reaches every Java peer of the job, which keeps it in memory.
 */
export const MAX_CHECKPOINT_BYTES = 65_536;

/**
 * Where a handler notes how far it has come with its item, so that whoever runs the item next goes on from there: the
 * next fire time, or the rescuer of a crashed instance. It belongs to the item and not to the run: it stays until
 * `clear`, or until the item goes, with the job or with a smaller total count. A job that never uses it costs nothing.
 *
 * Calls take effect in their order. Each is one request to the registry, and waits while that does not answer, at most
 * until the session is over. They work also after the signal has aborted, while the item is still this run's.
 */
export interface Checkpoint {
  /**
   * Replaces the checkpoint, unless another run of the item has begun meanwhile.
   * @param value what JSON can hold; what it cannot (a `Map`, a `Date`) is saved as `JSON.stringify` writes it
   * @throws {CheckpointValueError} if it has no JSON text, or too long a one
   * @throws {LeaseLostError} if this run may no longer act for the item: nothing was saved
   * @throws {MissingTokenError} if the job runs without `monitorExecution`
   */
  save(value: unknown): Promise<void>;
  /**
   * What was saved last, by this run or one before it; undefined if there is nothing. Whoever saved it answers for its
   * type.
   * @throws {CheckpointValueError} if somebody else has written what is no JSON
   * @throws {LeaseLostError} once the run is over
   * @throws {MissingTokenError} if the job runs without `monitorExecution`
   */
  load<Value = unknown>(): Promise<Value | undefined>;
  /** Removes the checkpoint: the next run starts from the beginning. @throws as `save` does */
  clear(): Promise<void>;
}

/** What cannot be a checkpoint: JSON has no text for it, or too long a one, or the node's text is no JSON. */
export class CheckpointValueError extends ElasticJobError {
  readonly code = 'CHECKPOINT_VALUE';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`Item ${item} of job "${jobName}": the checkpoint ${detail}.`, options);
  }
}

/** The text of a checkpoint's node. @throws {CheckpointValueError} */
export function formatCheckpoint(jobName: JobName, item: number, value: unknown): string {
  const text = toJson(jobName, item, value);
  if (text === undefined) throw new CheckpointValueError(jobName, item, `is ${typeof value}, which JSON cannot hold`);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_CHECKPOINT_BYTES) return text;
  const detail = `has ${bytes} bytes, and may have ${MAX_CHECKPOINT_BYTES}; save a position instead of the data`;
  throw new CheckpointValueError(jobName, item, detail);
}

function toJson(jobName: JobName, item: number, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CheckpointValueError(jobName, item, `cannot be written as JSON: ${reason}`, { cause });
  }
}
