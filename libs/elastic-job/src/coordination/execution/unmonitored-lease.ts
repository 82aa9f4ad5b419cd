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

/** The lease of a job without `monitorExecution`: no mark, no record, no token, and no request to the registry. */
export class UnmonitoredLease implements ExecutionLease {
  private readonly ending = new AbortController();
  private readonly outcomes = new Map<number, SettledOutcome>();
  private readonly waiting: (() => void)[] = [];
  private listener: (item: number, outcome: SettledOutcome) => void = () => {};

  constructor(
    private readonly tree: JobTree,
    readonly trigger: Trigger,
    readonly items: readonly number[],
  ) {
    setMaxListeners(0, this.ending.signal); // One listener for each item.
    if (tree.signal.aborted) this.ending.abort(tree.signal.reason);
    else tree.signal.addEventListener('abort', this.onSessionOver, { once: true });
  }

  get jobName(): JobName {
    return this.tree.jobName;
  }

  get holder(): string {
    return this.tree.self.jobInstanceId;
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  token(): undefined {
    return undefined;
  }

  assertHeld(item: number): void {
    if (this.signal.aborted) throw new LeaseLostError(this.jobName, item, { cause: this.signal.reason });
  }

  abort(reason: unknown): void {
    this.ending.abort(reason);
  }

  onSettled(listener: (item: number, outcome: SettledOutcome) => void): void {
    this.listener = listener;
  }

  settle(item: number, outcome: ShardOutcome): void {
    this.outcomes.set(item, outcome);
    this.listener(item, outcome);
    if (this.outcomes.size < this.items.length) return;
    this.tree.signal.removeEventListener('abort', this.onSessionOver);
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  async settled(): Promise<ReadonlyMap<number, SettledOutcome>> {
    if (this.outcomes.size < this.items.length) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.outcomes;
  }

  private readonly onSessionOver = () => this.ending.abort(this.tree.signal.reason);
}
