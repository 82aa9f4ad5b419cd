import { parseRunRecord, type RunRecord, stopOf } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';
import type { EndedItem, Standing } from './ended-item.js';

/**
 * Writes into an item's record that its run was told to stop for good. A sweep after a crash, and an instance that
 * adopts the task, then know it, though the handler goes on. A handler that returns before this has left costs no
 * request for it.
 *
 * State: `stopped` in `sharding/{item}/record`. The mark stays, so nothing else begins the item.
 *
 * Failures: it is written like an end, until the registry takes it or the session is over. A process that dies before
 * that leaves an orphan, which is repeated unless an operator's request to cancel it stands.
 */
export class ToldRun implements EndedItem {
  readonly fireTime: number;
  /** Resolves when it is known if the record says so. */
  readonly told: Promise<void>;
  private tell = (): void => {};
  private state: 'new' | 'leaving' | 'recorded' | 'unrecorded' = 'new';

  /**
   * @param version version of the item's record after the begin
   * @param record the record including the stop
   */
  constructor(
    private readonly tree: JobTree,
    readonly item: number,
    private readonly version: number,
    private readonly record: RunRecord,
  ) {
    this.fireTime = record.target.fireTime;
    this.told = new Promise((resolve) => (this.tell = resolve));
  }

  readonly isDisturbed = false;

  get operations(): readonly Operation[] {
    const { record, tree, version } = this;
    return [{ kind: 'set', path: tree.paths.record(this.item), data: tree.recordText(record), version }];
  }

  get paths(): readonly string[] {
    return [this.tree.paths.record(this.item)];
  }

  /** True while it is on its way, so that the version of the record is unknown. */
  get isLeaving(): boolean {
    return this.state === 'leaving';
  }

  /** How often it has written the record. */
  get writes(): number {
    return this.state === 'recorded' ? 1 : 0;
  }

  /** @returns false if the run has ended meanwhile, so that nothing is to be told */
  leave(): boolean {
    if (this.state !== 'new') return false;
    this.state = 'leaving';
    return true;
  }

  /** The run has ended: it is not told of, unless it has left already. */
  drop(): void {
    if (this.state === 'new') this.onSettled(false);
  }

  judgeStanding(): Standing {
    const node = this.tree.node(this.tree.paths.record(this.item));
    const stored = parseRunRecord(node?.data ?? '');
    if (node === undefined || stored.kind !== 'record' || stored.record.run !== this.record.run) return 'fenced';
    if (stopOf(stored.record) !== undefined) return 'recorded';
    return node.stat.version === this.version ? 'open' : 'fenced';
  }

  onSettled(isRecorded: boolean): void {
    this.state = isRecorded ? 'recorded' : 'unrecorded';
    this.tell();
  }
}
