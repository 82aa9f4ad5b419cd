import { type Checkpoint, formatCheckpoint, LeaseLostError } from '../../domain/index.js';
import { MissingRegistryError } from '../../registry/index.js';
import type { TaskEnvelope } from '../task-envelope.js';

/** Saves a checkpoint through the scheduler. @throws if it is not saved */
export type SaveCheckpoint = (value: unknown) => Promise<void>;

/**
 * The checkpoint of a task's item. It starts with the envelope's value, and the scheduler saves it under its lease.
 * Clearing saves null, which counts as none.
 */
export class TaskCheckpoint implements Checkpoint {
  /** Kept as JSON, so that a loaded object can be changed without effect on it. */
  private text: string | undefined;
  private previous: Promise<unknown> = Promise.resolve();

  /**
   * @param save undefined if the scheduler cannot be reached
   * @param isStanding false once the run is over, or may not act any more
   */
  constructor(
    private readonly envelope: TaskEnvelope,
    private readonly saveThere: SaveCheckpoint | undefined,
    private readonly isStanding: () => boolean,
  ) {
    this.text = textOf(envelope.checkpoint);
  }

  async save(value: unknown): Promise<void> {
    const { jobName, shardingItem } = this.envelope;
    // Serialized at once: a later change of the object must not change what is saved.
    await this.write('save', formatCheckpoint(jobName, shardingItem, value));
  }

  async clear(): Promise<void> {
    await this.write('clear', 'null');
  }

  async load<Value>(): Promise<Value | undefined> {
    await this.previous;
    this.assertStanding();
    if (this.text === undefined) return undefined;
    const value: Value = JSON.parse(this.text);
    return value;
  }

  /** One write after the other, so that no save undoes a later one. */
  private async write(call: string, text: string): Promise<void> {
    const save = this.saveThere;
    if (save === undefined) throw new MissingRegistryError(`checkpoint.${call} without a channel to the scheduler`);
    const written = this.writeAfter(this.previous, save, JSON.parse(text));
    this.previous = written.catch(() => {});
    await written;
  }

  private async writeAfter(previous: Promise<unknown>, save: SaveCheckpoint, value: unknown): Promise<void> {
    await previous;
    this.assertStanding();
    await save(value);
    this.text = textOf(value);
  }

  private assertStanding(): void {
    const { jobName, shardingItem } = this.envelope;
    if (!this.isStanding()) throw new LeaseLostError(jobName, shardingItem);
  }
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}
