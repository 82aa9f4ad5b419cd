import {
  formatRunRecord,
  type GuaranteePhase,
  HOLDER_MARKS,
  isLeftToAdopt,
  type JobInstance,
  type JobName,
  parseRunRecord,
  parseStartLedger,
  recordAsOf,
  type RegistryNow,
  type RunRecord,
  type StartLedger,
  type StoredRecord,
} from '../../domain/index.js';
import { creation, type Operation } from '../../registry/index.js';
import { JobNodes } from './job-nodes.js';
import { type JobPaths, parseItem } from './job-paths.js';
import { ReadOnce } from './read-once.js';

/** The item's record as it stands in the tree, and counts now. */
interface ItemRecord {
  readonly stored: StoredRecord;
  /** What a write must name; of a node that is missing, the version that it has once it is created. */
  readonly version: number;
  /** Nothing of ours has run the item yet. @see ItemNodes.recordAsRead */
  readonly isMissing: boolean;
  /** Fire times that it shows begun although they are yet to come. @see recordAsOf */
  readonly ahead: readonly number[];
}

/** The items of a job as a view shows them: owners, marks, records, and what waits for them. */
export abstract class ItemNodes extends JobNodes {
  private readonly readRecords = new ReadOnce(({ data, stat }) => parseRunRecord(data, stat.mtime));
  private readonly readLedgers = new ReadOnce(({ data }) => parseStartLedger(data));

  constructor(
    paths: JobPaths,
    self: JobInstance,
    /** The clock by which records count as from the future; undefined: nobody can say. */
    private readonly now: () => RegistryNow | undefined,
  ) {
    super(paths, self);
  }

  /** The items that have a node, ascending. */
  items(): number[] {
    return numbers(this.view.children(this.paths.items));
  }

  owner(item: number): string | undefined {
    return this.view.node(this.paths.mark(item, 'instance'))?.data;
  }

  /** The items that are assigned to an instance, ascending. */
  itemsOf(instanceId: string): number[] {
    return this.items().filter((item) => this.owner(item) === instanceId);
  }

  isRunning(item: number): boolean {
    return this.view.has(this.paths.mark(item, 'running'));
  }

  /** Somebody runs the item, or has taken it over. */
  isMarked(item: number): boolean {
    return HOLDER_MARKS.some((mark) => this.view.has(this.paths.mark(item, mark)));
  }

  /** The record of an item that has a node, if its value is loaded. */
  record(item: number): ItemRecord | undefined {
    const path = this.paths.record(item);
    const node = this.view.node(path);
    if (node !== undefined) {
      const { mtime, version } = node.stat;
      const { ahead, stored } = recordAsOf(this.readRecords.of(node), mtime, this.now());
      return { stored, version, isMissing: false, ahead };
    }
    if (this.has(path) || !this.has(this.paths.item(item))) return undefined;
    return { stored: { kind: 'none' }, version: 0, isMissing: true, ahead: [] };
  }

  /**
   * Refused if somebody has written the item's record since it was read: that it is missing is proved by creating it.
   */
  recordAsRead(item: number): Operation {
    const { isMissing, version } = this.record(item) ?? {};
    return isMissing ? recordCreation(this.paths, item) : { kind: 'check', path: this.paths.record(item), version };
  }

  /** The items that wait for failover, ascending. */
  queue(): number[] {
    return numbers(this.view.children(this.paths.queue));
  }

  /** The item's last run has left a task behind, which goes on. As its record says, if that is loaded. */
  isToBeAdopted(item: number): boolean {
    const stored = this.record(item)?.stored;
    return stored !== undefined && isLeftToAdopt(stored);
  }

  /** The items of which an operator has cancelled a run, ascending. */
  cancels(): number[] {
    return numbers(this.view.children(this.paths.cancels));
  }

  /** The jobs that are started after this one, in no particular order. */
  dependents(): readonly JobName[] {
    return this.view.children(this.paths.dependents);
  }

  /** What this job has been started after, and waits for; undefined if for nothing, or if it is damaged. */
  startLedger(): StartLedger | undefined {
    const node = this.view.node(this.paths.after);
    return node && this.readLedgers.of(node);
  }

  /** The items that have arrived where all wait for each other, ascending. */
  arrived(phase: GuaranteePhase): number[] {
    return numbers(this.view.children(this.paths.guarantee(phase)));
  }

  /** A record as text, in the newest format that everybody of ours who is registered reads. */
  recordText(record: RunRecord): string {
    return formatRunRecord(record, this.protocol);
  }
}

/** An empty record: that of an item which none of ours has run yet. */
export function recordCreation(paths: JobPaths, item: number): Operation {
  return creation(paths.record(item));
}

function numbers(names: readonly string[]): number[] {
  return names.flatMap((name) => parseItem(name) ?? []).toSorted((a, b) => a - b);
}
