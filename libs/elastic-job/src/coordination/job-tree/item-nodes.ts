import {
  formatRunRecord,
  type GuaranteePhase,
  HOLDER_MARKS,
  isLeftToAdopt,
  type JobInstance,
  type JobName,
  parseRerun,
  parseRerunProgress,
  parseRunRecord,
  parseStartLedger,
  recordAsOf,
  type RegistryNow,
  type Rerun,
  type RerunProgress,
  type RunRecord,
  SparseMap,
  type StartLedger,
  type StoredRecord,
} from '../../domain/index.js';
import { creation, type Operation, type RegistryNode } from '../../registry/index.js';
import { parseItem } from './job-node.js';
import { JobNodes } from './job-nodes.js';
import type { JobPaths } from './job-paths.js';

/** The item's record as it stands in the tree and counts now. */
export interface ItemRecord {
  readonly stored: StoredRecord;
  /** Version that a write must name; for a missing node, its version after the creation. */
  readonly version: number;
  /** True if no instance of ours has run the item yet. @see ItemNodes.recordAsRead */
  readonly isMissing: boolean;
  /** Future fire times that it shows as begun. @see recordAsOf */
  readonly ahead: readonly number[];
}

/** Record of an item that no instance of ours has run yet. */
const MISSING: ItemRecord = { stored: { kind: 'none' }, version: 0, isMissing: true, ahead: [] };

/** Items of a job as a view shows them: owners, marks, records, queue and cancellations. */
export abstract class ItemNodes extends JobNodes {
  private readonly readRecords = new ReadOnce((node) => this.readRecord(node));
  /** The last text that was written or read. Items that were begun and have ended together have equal ones. */
  private lastRecord: { readonly text: string; readonly stored: StoredRecord } | undefined;
  private readonly readLedgers = new ReadOnce(({ data }) => parseStartLedger(data));
  /** By parent: items that were read from the names of its children. Another list of names means other items. */
  private readonly readItems = new SparseMap<
    string,
    { readonly names: readonly string[]; readonly items: readonly number[] }
  >();
  private knownItems: readonly number[] | undefined;
  private knownDisabled: number | undefined;
  private knownOwn: readonly number[] | undefined;
  private knownReruns: readonly string[] | undefined;
  /** The last re-run that was read. */
  private lastRerun: { readonly node: RegistryNode; readonly rerun: Rerun | undefined } | undefined;

  constructor(
    paths: JobPaths,
    self: JobInstance,
    /** Clock by which records count as in the future; undefined if unknown. */
    protected readonly now: () => RegistryNow | undefined,
  ) {
    super(paths, self);
  }

  /** Items that have a node, ascending. */
  items(): readonly number[] {
    // Throws, as every read does, once the session is over.
    if (!this.has(this.paths.items)) return [];
    this.knownItems ??= numbers(this.view.children(this.paths.items));
    return this.knownItems;
  }

  /** Items must be read anew. */
  protected forgetItems(): void {
    this.knownItems = undefined;
    this.forgetOwnItems();
  }

  /** Items that are assigned to this instance and that it may run, ascending. @see isOpen */
  ownItems(): readonly number[] {
    if (!this.has(this.paths.items)) return [];
    this.knownOwn ??= this.itemsOf(this.self.jobInstanceId).filter((item) => this.isOpen(item));
    return this.knownOwn;
  }

  protected forgetOwnItems(): void {
    this.knownOwn = undefined;
    this.knownDisabled = undefined;
  }

  /** Number of items that operators have disabled. */
  get disabledItems(): number {
    if (!this.has(this.paths.items)) return 0;
    this.knownDisabled ??= this.items().filter((item) => this.isDisabled(item)).length;
    return this.knownDisabled;
  }

  /** True if the item's owner may run it: it is not disabled, and no other instance has taken it over. */
  isOpen(item: number): boolean {
    return !this.isDisabled(item) && !this.has(this.paths.mark(item, 'failover'));
  }

  /** True if an operator has disabled the item. */
  isDisabled(item: number): boolean {
    return this.has(this.paths.mark(item, 'disabled'));
  }

  owner(item: number): string | undefined {
    return this.view.node(this.paths.mark(item, 'instance'))?.data;
  }

  /** Items that are assigned to an instance, ascending. */
  itemsOf(instanceId: string): number[] {
    return this.items().filter((item) => this.owner(item) === instanceId);
  }

  isRunning(item: number): boolean {
    return this.view.has(this.paths.mark(item, 'running'));
  }

  /** True if an instance runs the item, or has taken it over. */
  isMarked(item: number): boolean {
    return HOLDER_MARKS.some((mark) => this.view.has(this.paths.mark(item, mark)));
  }

  /** Record of an item that has a node, if its value is loaded. */
  record(item: number, now = this.now()): ItemRecord | undefined {
    const path = this.paths.record(item);
    const node = this.view.node(path);
    if (node !== undefined) {
      const { mtime, version } = node.stat;
      const { ahead, stored } = recordAsOf(this.readRecords.of(node), mtime, now);
      return { stored, version, isMissing: false, ahead };
    }
    if (this.has(path) || !this.has(this.paths.item(item))) return undefined;
    return MISSING;
  }

  private readRecord({ data: text, stat }: RegistryNode): StoredRecord {
    const { lastRecord } = this;
    if (lastRecord?.text === text) return lastRecord.stored;
    const stored = parseRunRecord(text, stat.mtime);
    // How an unreadable text counts depends on its age.
    if (stored.kind === 'record') this.lastRecord = { text, stored };
    return stored;
  }

  /**
   * Operation that is refused if the item's record was written since it was read. A missing record is proved by
   * creating it.
   */
  recordAsRead(item: number): Operation {
    const { isMissing, version } = this.record(item) ?? {};
    const path = this.paths.record(item);
    return isMissing ? creation(path) : { kind: 'check', path, version };
  }

  /** Items that wait for failover, ascending. */
  queue(): readonly number[] {
    return this.itemsBelow(this.paths.queue);
  }

  get isAnyQueued(): boolean {
    return this.view.children(this.paths.queue).length > 0;
  }

  isQueued(item: number): boolean {
    // Asked first, since its path is at hand: the begin of each item comes here, and the queue is nearly always empty.
    return this.isAnyQueued && this.has(this.paths.queued(item));
  }

  /** True if the item's last run has left a task that goes on, according to its record, if that is loaded. */
  isToBeAdopted(item: number): boolean {
    const stored = this.record(item)?.stored;
    return stored !== undefined && isLeftToAdopt(stored);
  }

  /** True if an operator has cancelled a run of the item, and the holder has not answered yet. */
  isCancelled(item: number): boolean {
    // Asked first, since its path is at hand: the settle of each item comes here.
    return this.has(this.paths.cancels) && this.has(this.paths.cancel(item));
  }

  /** Items of which an operator has cancelled a run, ascending. */
  cancels(): readonly number[] {
    return this.itemsBelow(this.paths.cancels);
  }

  /** Ids of the re-runs that have a node, in no particular order. They are kept, since the end of each run asks. */
  get reruns(): readonly string[] {
    this.knownReruns ??= this.view.children(this.paths.reruns);
    return this.knownReruns;
  }

  protected forgetReruns(): void {
    this.knownReruns = undefined;
  }

  /** A re-run; undefined if there is none of that id, its value is not loaded, or it is damaged. */
  rerun(id: string): Rerun | undefined {
    const node = this.view.node(this.paths.rerun(id));
    if (node === undefined) return undefined;
    if (this.lastRerun?.node !== node) this.lastRerun = { node, rerun: parseRerun(node.data) };
    return this.lastRerun.rerun;
  }

  /** How far an item has come with a re-run; undefined if nothing of it has ended, or its value is not loaded. */
  rerunProgress(id: string, item: number): RerunProgress | undefined {
    const node = this.view.node(this.paths.rerunItem(id, item));
    return node && parseRerunProgress(node.data);
  }

  /** Jobs that start after this one, in no particular order. */
  dependents(): readonly JobName[] {
    return this.view.children(this.paths.dependents);
  }

  /**
   * Starts of this job after others, and the runs that it waits for; undefined if it has none, or the node is damaged.
   */
  startLedger(): StartLedger | undefined {
    const node = this.view.node(this.paths.after);
    return node && this.readLedgers.of(node);
  }

  /** Items that have arrived at the barrier of a phase, ascending. */
  arrived(phase: GuaranteePhase): readonly number[] {
    return this.itemsBelow(this.paths.guarantee(phase));
  }

  /** Reads several names only once for each version of the list, since each item of a trigger may ask. */
  private itemsBelow(path: string): readonly number[] {
    const names = this.view.children(path);
    if (names.length <= 1) return numbers(names);
    const known = this.readItems.get(path);
    if (known?.names === names) return known.items;
    const items = numbers(names);
    this.readItems.set(path, { names, items });
    return items;
  }

  /** A record as text, in the newest format that all registered instances of ours can read. */
  recordText(record: RunRecord): string {
    const { stored, text } = this.lastRecord ?? {};
    if (text !== undefined && stored?.kind === 'record' && stored.record === record) return text;
    const written = formatRunRecord(record, this.protocol);
    this.lastRecord = { text: written, stored: { kind: 'record', record } };
    return written;
  }
}

function numbers(names: readonly string[]): readonly number[] {
  if (names.length === 0) return [];
  return names.flatMap((name) => parseItem(name) ?? []).toSorted((a, b) => a - b);
}

/** Number of kept values at which all are dropped, including those of removed nodes. */
const MOST_KEPT = 10_000;

/** Parses texts of nodes, once for each version of a node. */
class ReadOnce<T> {
  // Latest version by path, as a view keeps one object per version. A WeakMap is avoided, since collecting its keys
  // costs every trigger.
  private readonly known = new SparseMap<string, { readonly node: RegistryNode; readonly value: T }>();

  constructor(private readonly read: (node: RegistryNode) => T) {}

  of(node: RegistryNode): T {
    const known = this.known.get(node.path);
    if (known?.node === node) return known.value;
    if (this.known.size >= MOST_KEPT) this.known.clear();
    const value = this.read(node);
    this.known.set(node.path, { node, value });
    return value;
  }
}
