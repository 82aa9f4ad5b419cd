import { publicCalls } from '../../async-context/index.js';
import type { Clock } from '../../clock/index.js';
import {
  type Checkpoint,
  CheckpointValueError,
  findJsonTextFault,
  formatCheckpoint,
  LeaseLostError,
} from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { type JobTree, untilAnswered, untilCommitted } from '../job-tree/index.js';
import { repeat } from '../../repeat/index.js';

/**
 * One item's checkpoint under one lease.
 *
 * State: `sharding/{item}/checkpoint`, the value as JSON. It is removed together with the item.
 *
 * Guarantees: a save and the proof that the run still has the item are one transaction. The proof is the record's
 * version, since the next begin of the item writes the record. This run itself writes it once more if it is told to
 * stop for good; a save waits for that. So nothing is saved after a later run has begun, and that run loads everything
 * that was saved before.
 *
 * A run of a re-run has a checkpoint that keeps nothing: its fire time is past, and the schedule's progress is not its
 * own. A save still proves that the run has the item, so it fails where one that keeps would.
 *
 * Failures: after a lost reply the same is written again while the session lasts; no other instance can have written
 * meanwhile. Calls run one after the other, so that no repetition undoes a later one.
 */
@publicCalls()
export class ItemCheckpoint implements Checkpoint {
  private readonly path: string;
  private previous: Promise<unknown> = Promise.resolve();

  /**
   * @param version version of the item's record as this run has left it
   * @param isStanding false once the run or its session is over
   * @param isKept false for a checkpoint that keeps nothing
   */
  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
    private readonly item: number,
    private readonly version: () => Promise<number>,
    private readonly isStanding: () => boolean,
    private readonly isKept = true,
  ) {
    this.path = tree.paths.mark(item, 'checkpoint');
  }

  async save(value: unknown): Promise<void> {
    const { path } = this;
    // Formatted at once, so that later changes of the object do not change the saved value.
    const data = formatCheckpoint(this.tree.jobName, this.item, value);
    await this.commit((isThere) =>
      isThere ? { kind: 'set', path, data } : { kind: 'create', path, data, mode: 'PERSISTENT' },
    );
  }

  async clear(): Promise<void> {
    await this.commit((isThere) => (isThere ? { kind: 'delete', path: this.path } : undefined));
  }

  // Needs no sync: every server that answers has applied this session's begin, and thus all saves before it.
  async load<Value>(): Promise<Value | undefined> {
    const { registry, signal } = this.tree;
    const read = async () => (this.isKept ? registry.read(this.path, { signal }) : undefined);
    const node = await this.oneByOne(read);
    if (node === undefined) return undefined;
    const fault = findJsonTextFault(node.data);
    if (fault !== undefined)
      throw new CheckpointValueError(this.tree.jobName, this.item, `is not read: ${fault}; clear it`);
    try {
      const value: Value = JSON.parse(node.data);
      return value;
    } catch (cause) {
      const { jobName } = this.tree;
      throw new CheckpointValueError(jobName, this.item, 'in the registry is not JSON; clear it', { cause });
    }
  }

  private commit(change: (isThere: boolean) => Operation | undefined): Promise<true> {
    const path = this.tree.paths.record(this.item);
    return this.oneByOne(() =>
      repeat(untilCommitted(this.tree, 'writing a checkpoint'), async () => {
        const version = await this.version();
        const proof: Operation = { kind: 'check', path, version };
        const write = this.isKept ? change(this.tree.has(this.path)) : undefined;
        const result = await this.tree.commit(write ? [proof, write] : [proof]);
        if (result.kind === 'committed') return true;
        if (result.index === 0 && (await this.version()) === version) throw this.lost();
        return undefined;
      }),
    );
  }

  private oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const result = this.previous.then(() => this.whileStanding(work));
    this.previous = result.catch(() => {});
    return result;
  }

  private async whileStanding<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isStanding()) throw this.lost();
    try {
      return await repeat(untilAnswered(this.tree), work);
    } catch (cause) {
      throw this.isStanding() ? cause : this.lost({ cause });
    }
  }

  private lost(options?: ErrorOptions): LeaseLostError {
    return new LeaseLostError(this.tree.jobName, this.item, options);
  }
}
