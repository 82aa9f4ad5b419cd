import type { Clock } from '../../clock/index.js';
import { isOwedElsewhere, type RunRecord, type ShardOutcome, type Trigger } from '../../domain/index.js';
import type { JobTree } from '../job-tree/index.js';
import { EndedRun } from './ended-run.js';
import { SessionLease } from './session-lease.js';
import type { SettleQueue } from './settle-queue.js';

/** An item as its begin left it. */
export interface HeldItem {
  readonly record: RunRecord;
  /** Version of the item's node after the begin: a settle names it. */
  readonly version: number;
  readonly token: bigint;
}

/** What a lease needs to know of its job. */
export interface LeaseTerms {
  readonly trigger: Trigger;
  /** Failover is on: an item that is owed elsewhere is queued for another instance. */
  readonly isFailoverOn: boolean;
}

/** A lease on items that are marked as running in the registry. */
export class HeldLease extends SessionLease {
  readonly run: string | undefined;

  constructor(
    tree: JobTree,
    private readonly clock: Clock,
    private readonly settles: SettleQueue,
    private readonly terms: LeaseTerms,
    private readonly held: ReadonlyMap<number, HeldItem>,
  ) {
    super(tree, terms.trigger, [...held.keys()]);
    [this.run] = [...held.values()].map(({ record }) => record.run);
  }

  token(item: number): bigint | undefined {
    return this.held.get(item)?.token;
  }

  protected record(item: number, outcome: ShardOutcome): void {
    if (this.tree.signal.aborted) return this.conclude(item, { kind: 'fenced' });
    const { record, version } = this.held.get(item)!;
    const settled: RunRecord = { ...record, settled: { at: this.clock.wallNow(), outcome: outcome.kind } };
    const isFailover = this.trigger.source === 'FAILOVER';
    const isRequeued = this.terms.isFailoverOn && isOwedElsewhere(outcome, this.trigger.source);
    const modes = { isFailover, isRequeued, isRecordWritten: isFailover || isRequeued || !this.tree.isMixed() };
    this.settles.add(
      new EndedRun(this.tree, item, version, settled, modes, (isRecorded) =>
        this.conclude(item, isRecorded ? outcome : { kind: 'fenced' }),
      ),
    );
  }
}
