import { ElasticJobError } from '../errors.js';
import { messageOf } from '../thrown.js';
import { findJsonTextFault } from '../node-text.js';
import type { JobName } from '../cluster/index.js';

/** Longest text of a checkpoint, in bytes: each one reaches every Java peer of the job, which keeps it in memory. */
export const MAX_CHECKPOINT_BYTES = 65_536;

/**
 * Stores how far a handler has come with its item, so that the next run continues there: at the next fire time, or
 * after a crash on another instance. It belongs to the item and not to the run: it stays until `clear`, or until the
 * item is removed, with the job or by a smaller total count. An unused checkpoint costs nothing. That of a re-run keeps
 * nothing: `load` gives undefined, so a run that a crash has cut short begins anew.
 *
 * Calls take effect in order. Each is one request to the registry, and waits while the registry does not answer, at
 * most until the session is over. They also work after the signal has aborted, while the item still belongs to this
 * run.
 */
export interface Checkpoint {
  /**
   * Replaces the checkpoint, unless another run of the item has begun meanwhile.
   * @param value a JSON value; others (a `Map`, a `Date`) are saved as `JSON.stringify` writes them
   * @throws {CheckpointValueError} if it has no JSON text, or one that is too long (64 KiB) or too deep (20 levels)
   * @throws {LeaseLostError} if this run may no longer act for the item: nothing was saved
   * @throws {MissingTokenError} if the job runs without `monitorExecution`
   */
  save(value: unknown): Promise<void>;
  /**
   * Loads the last saved value, of this run or one before it; undefined if there is none. The run that saved it answers
   * for its type.
   * @throws {CheckpointValueError} if the node holds no JSON, or too deep a one, as after an edit by hand
   * @throws {LeaseLostError} once the run is over
   * @throws {MissingTokenError} if the job runs without `monitorExecution`
   */
  load<Value = unknown>(): Promise<Value | undefined>;
  /** Removes the checkpoint: the next run starts from the beginning. @throws as `save` does */
  clear(): Promise<void>;
}

/**
 * The value cannot be a checkpoint: it has no JSON text, or one that is too long or too deep, or the text of the node
 * is no JSON.
 * @remarks Save a small value that JSON can hold, such as a position. Call `clear` if others have written the node.
 */
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
  if (bytes > MAX_CHECKPOINT_BYTES) {
    const detail = `has ${bytes} bytes, and may have ${MAX_CHECKPOINT_BYTES}; save a position instead of the data`;
    throw new CheckpointValueError(jobName, item, detail);
  }
  const fault = findJsonTextFault(text);
  if (fault !== undefined) throw new CheckpointValueError(jobName, item, `cannot be read again: ${fault}`);
  return text;
}

function toJson(jobName: JobName, item: number, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new CheckpointValueError(jobName, item, `cannot be written as JSON: ${messageOf(cause)}`, { cause });
  }
}
