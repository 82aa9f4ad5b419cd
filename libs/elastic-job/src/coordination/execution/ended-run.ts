import { parseRunRecord, type RunNote, type RunRecord } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';
import { settleOperations, type SettleModes } from './item-operations.js';
import type { EndedItem, Standing } from './ended-item.js';

const MARKS = ['running', 'failover', 'failovering'] as const;

/** The end of one item's run, and the operations that write it whatever others have done to its marks. */
export class EndedRun implements EndedItem {
  readonly fireTime: number;
  /** Operations still to do. Made when they are asked for, since other runs may be due whose begins come first. */
  private pending: readonly Operation[] | undefined;
  private writtenText: string | undefined;

  /**
   * @param version version of the item's record after the begin
   * @param record the record including the end
   */
  constructor(
    private readonly tree: JobTree,
    readonly item: number,
    private readonly version: number,
    private readonly record: RunRecord,
    private readonly modes: Omit<SettleModes, 'isCancelled'>,
    readonly onSettled: (isRecorded: boolean) => void,
    readonly note?: RunNote,
  ) {
    this.fireTime = record.target.fireTime;
  }

  get operations(): readonly Operation[] {
    this.pending ??= this.all(this.modes.isRecordWritten);
    return this.pending;
  }

  get paths(): readonly string[] {
    const { paths } = this.tree;
    return [paths.record(this.item), ...MARKS.map((mark) => paths.mark(this.item, mark))];
  }

  get isDisturbed(): boolean {
    return this.tree.company.changesMarksAlone && this.tree.lastRuns.of(this.item) === 'unrecorded';
  }

  judgeStanding(): Standing {
    const node = this.tree.node(this.tree.paths.record(this.item));
    // A Java leader deletes an item beyond the total even while it runs, so there is nothing left to record.
    if (node === undefined) return 'recorded';
    const stored = parseRunRecord(node.data);
    if (stored.kind !== 'record' || stored.record.run !== this.record.run) return 'fenced';
    // A sweep that found the queue full has already ended the item in its own way.
    if (stored.record.settled !== undefined) return node.data === this.text ? 'recorded' : 'fenced';
    if (node.stat.version !== this.version) return 'fenced';
    this.pending = this.remaining();
    return 'open';
  }

  // Operations still to do. A Java peer may have deleted or replaced a mark, as a late survivor that sees a crash or at
  // an operator's switch. The record is written in any case, so that an entry left in the queue is recognised as
  // settled.
  private remaining(): Operation[] {
    const { paths } = this.tree;
    const own = MARKS.map((mark) => paths.mark(this.item, mark)).filter(
      (path) => this.tree.node(path)?.data === this.record.by,
    );
    return this.all(true).filter(({ kind, path }) => {
      if (kind === 'delete') return own.includes(path) || path === paths.cancel(this.item);
      return kind !== 'create' || !this.tree.has(path);
    });
  }

  private all(isRecordWritten: boolean): Operation[] {
    const { item, tree, version } = this;
    const { isFailover, isRequeued } = this.modes;
    const modes = { isFailover, isRequeued, isRecordWritten, isCancelled: tree.isCancelled(item) };
    return settleOperations(tree.paths, { item, version }, this.text, modes);
  }

  /** The record as it is to be written, or was written. */
  private get text(): string {
    this.writtenText ??= this.tree.recordText(this.record);
    return this.writtenText;
  }
}
