import { parseRunRecord, type RunNote, type RunRecord, stopOf } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';
import { type SettleModes, settleOperations } from './item-operations.js';
import { areKnown, progressOperations, progressPaths } from './rerun-progress.js';

/** State of an end in the tree: not written yet, written, or overtaken by another run of the item. */
type Standing = 'open' | 'recorded' | 'fenced';

/** An item whose run has ended, or was told to, and waits for a settle transaction. */
export interface EndedItem {
  readonly item: number;
  /** The fire time of its run, in milliseconds since the epoch. */
  readonly fireTime: number;
  /** Nodes that show the state of the end. */
  readonly paths: readonly string[];
  readonly operations: readonly Operation[];
  /** True if the nodes must be read again before a write, as others may have written one since the begin. */
  readonly isDisturbed: boolean;
  /** Consequence of the end for jobs that start after this one. @default none */
  readonly note?: RunNote;
  /**
   * Judges the end after a lost reply or a refusal, with the paths loaded. If it is open, `operations` become those
   * still to do.
   */
  judgeStanding(): Standing;
  /** Called once it is known if the end was recorded or another run has taken over the item. */
  onSettled(isRecorded: boolean): void;
}

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
    return [paths.record(this.item), ...MARKS.map((mark) => paths.mark(this.item, mark)), ...this.progress];
  }

  // A Java peer has replaced this run's mark, or a re-run was changed since its begin.
  get isDisturbed(): boolean {
    const isReplaced = this.tree.company.changesMarksAlone && this.tree.lastRuns.of(this.item) === 'unrecorded';
    return isReplaced || !areKnown(this.tree, this.progress);
  }

  private get progress(): readonly string[] {
    return progressPaths(this.tree, this.item, this.record);
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
    const operations = settleOperations(tree.paths, { item, version }, this.text, modes);
    // After the record, by whose version a begin finds out that it has read an older progress.
    return isRequeued ? operations : [...operations, ...progressOperations(tree, item, this.record)];
  }

  /** The record as it is to be written, or was written. */
  private get text(): string {
    this.writtenText ??= this.tree.recordText(this.record);
    return this.writtenText;
  }
}

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
export class RecordedStop implements EndedItem {
  readonly fireTime: number;
  /** Resolves when it is known if the record says so. */
  readonly known: Promise<void>;
  private resolveKnown = (): void => {};
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
    this.known = new Promise((resolve) => (this.resolveKnown = resolve));
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

  /** Sends it off. @returns false if the run has ended meanwhile, so that no stop is to be written */
  leave(): boolean {
    if (this.state !== 'new') return false;
    this.state = 'leaving';
    return true;
  }

  /** The run has ended: the stop is not written any more, unless it has left already. */
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
    this.resolveKnown();
  }
}
