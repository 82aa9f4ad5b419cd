import { setMaxListeners } from 'node:events';
import type { Clock } from '../../clock/index.js';
import {
  type JobName,
  LeaseLostError,
  type RunRecord,
  type SettledOutcome,
  type ShardOutcome,
  type Trigger,
} from '../../domain/index.js';
import type { JobTree } from '../job-tree/index.js';
import type { ExecutionLease } from './execution-lease.js';
import { settleOperations } from './item-operations.js';
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
  /** Failover is on: an aborted item is queued for another instance. */
  readonly isFailoverOn: boolean;
}

/** A lease on items that are marked as running in the registry. */
export class HeldLease implements ExecutionLease {
  private readonly ending = new AbortController();
  private readonly outcomes = new Map<number, SettledOutcome>();
  private readonly waiting: (() => void)[] = [];
  private listener: (item: number, outcome: SettledOutcome) => void = () => {};

  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
    private readonly settles: SettleQueue,
    private readonly terms: LeaseTerms,
    private readonly held: ReadonlyMap<number, HeldItem>,
  ) {
    setMaxListeners(0, this.ending.signal); // One listener for each item.
    if (tree.signal.aborted) this.ending.abort(tree.signal.reason);
    else tree.signal.addEventListener('abort', this.onSessionOver, { once: true });
  }

  get jobName(): JobName {
    return this.tree.jobName;
  }

  get trigger(): Trigger {
    return this.terms.trigger;
  }

  get holder(): string {
    return this.tree.self.jobInstanceId;
  }

  get items(): readonly number[] {
    return [...this.held.keys()];
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  token(item: number): bigint | undefined {
    return this.held.get(item)?.token;
  }

  assertHeld(item: number): void {
    if (this.signal.aborted) throw new LeaseLostError(this.jobName, item, { cause: this.signal.reason });
    if (!this.held.has(item) || this.outcomes.has(item)) throw new LeaseLostError(this.jobName, item);
  }

  abort(reason: unknown): void {
    this.ending.abort(reason);
  }

  onSettled(listener: (item: number, outcome: SettledOutcome) => void): void {
    this.listener = listener;
  }

  settle(item: number, outcome: ShardOutcome): void {
    if (this.tree.signal.aborted) return this.conclude(item, { kind: 'fenced' });
    const { record, version } = this.held.get(item)!;
    const settled: RunRecord = { ...record, settled: { at: this.clock.wallNow(), outcome: outcome.kind } };
    this.settles.add({
      operations: settleOperations(this.tree.paths, { item, version }, settled, {
        isFailover: this.trigger.source === 'FAILOVER',
        isRequeued: this.terms.isFailoverOn && outcome.kind === 'aborted',
      }),
      isSettled: () => this.isRecordSettled(item, record.run),
      onSettled: (isRecorded) => this.conclude(item, isRecorded ? outcome : { kind: 'fenced' }),
    });
  }

  async settled(): Promise<ReadonlyMap<number, SettledOutcome>> {
    if (this.outcomes.size < this.held.size) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.outcomes;
  }

  private conclude(item: number, outcome: SettledOutcome): void {
    this.outcomes.set(item, outcome);
    this.listener(item, outcome);
    if (this.outcomes.size < this.held.size) return;
    this.tree.signal.removeEventListener('abort', this.onSessionOver);
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private isRecordSettled(item: number, run: string): boolean {
    const stored = this.tree.record(item)?.stored;
    return stored?.kind === 'record' && stored.record.run === run && stored.record.settled !== undefined;
  }

  private readonly onSessionOver = () => this.ending.abort(this.tree.signal.reason);
}
