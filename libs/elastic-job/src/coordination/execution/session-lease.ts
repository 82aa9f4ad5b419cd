import { setMaxListeners } from 'node:events';
import {
  type JobName,
  LeaseLostError,
  type SettledOutcome,
  type ShardOutcome,
  type Trigger,
} from '../../domain/index.js';
import type { JobTree } from '../job-tree/index.js';
import type { ExecutionLease } from './execution-lease.js';

/** What every lease has: it lives as long as its session, and knows what became of each of its items. */
export abstract class SessionLease implements ExecutionLease {
  protected readonly outcomes = new Map<number, SettledOutcome>();
  private readonly ending = new AbortController();
  private readonly waiting: (() => void)[] = [];
  private listener: (item: number, outcome: SettledOutcome) => void = () => {};

  constructor(
    protected readonly tree: JobTree,
    readonly trigger: Trigger,
    readonly items: readonly number[],
  ) {
    setMaxListeners(0, this.ending.signal); // One listener for each item.
    if (tree.signal.aborted) this.ending.abort(tree.signal.reason);
    else tree.signal.addEventListener('abort', this.onSessionOver, { once: true });
  }

  abstract token(item: number): bigint | undefined;
  abstract settle(item: number, outcome: ShardOutcome): void;

  get jobName(): JobName {
    return this.tree.jobName;
  }

  get holder(): string {
    return this.tree.self.jobInstanceId;
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  assertHeld(item: number): void {
    if (this.signal.aborted) throw new LeaseLostError(this.jobName, item, { cause: this.signal.reason });
    const isOver = this.tree.registry.leaseRemainingMs() === 0;
    if (isOver || !this.items.includes(item) || this.outcomes.has(item)) throw new LeaseLostError(this.jobName, item);
  }

  abort(reason: unknown): void {
    this.ending.abort(reason);
  }

  onSettled(listener: (item: number, outcome: SettledOutcome) => void): void {
    this.listener = listener;
  }

  async settled(): Promise<ReadonlyMap<number, SettledOutcome>> {
    if (this.outcomes.size < this.items.length) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.outcomes;
  }

  /** It is known what became of an item. */
  protected conclude(item: number, outcome: SettledOutcome): void {
    this.outcomes.set(item, outcome);
    this.listener(item, outcome);
    if (this.outcomes.size < this.items.length) return;
    this.tree.signal.removeEventListener('abort', this.onSessionOver);
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private readonly onSessionOver = (): void => this.ending.abort(this.tree.signal.reason);
}
