import type { Clock } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import { contextsOf, type ContextOf } from './contexts.js';
import { ItemRun } from './item-run.js';
import type { ExecutableJob, ItemOutcome } from './job-executor.js';
import type { Slots } from './slots.js';

/** One lease while it runs: the items that wait for a slot, those that run, and those that ended but are not yielded. */
export class LeaseRun {
  private readonly waiting: number[];
  private readonly running = new Set<ItemRun>();
  private readonly ended: ItemOutcome[] = [];
  private readonly contextOf: ContextOf;
  private wake = (): void => {};

  constructor(
    private readonly clock: Clock,
    private readonly lease: ExecutionLease,
    private readonly job: ExecutableJob,
    tokenEpoch: number,
    private readonly slots: Slots,
  ) {
    this.waiting = [...lease.items];
    this.contextOf = contextsOf(lease, job.configuration, tokenEpoch);
  }

  /** @see JobExecutor.run */
  async *outcomes(): AsyncGenerator<ItemOutcome, void, void> {
    const { signal, items } = this.lease;
    signal.addEventListener('abort', this.onLeaseAborted);
    const offFree = this.slots.onFree(() => this.fillSlots());
    try {
      if (signal.aborted) this.onLeaseAborted();
      this.fillSlots();
      for (let left = items.length; left > 0; left -= 1) yield await this.nextEnded();
    } finally {
      offFree();
      signal.removeEventListener('abort', this.onLeaseAborted);
      this.abort(new DOMException('Nobody waits for the outcomes any more.', 'AbortError'));
    }
  }

  private fillSlots(): void {
    const { concurrency = Infinity } = this.job.configuration;
    while (this.waiting.length > 0 && this.slots.take(concurrency)) void this.runItem(this.waiting.shift()!);
  }

  private async runItem(item: number): Promise<void> {
    const run = new ItemRun(this.clock, this.lease.jobName, item, this.job.configuration.timeoutMs);
    this.running.add(run);
    const outcome = await run.outcomeOf(() => this.job.handler(this.contextOf(item, run.signal)));
    this.running.delete(run);
    this.end({ item, outcome });
    this.slots.free();
  }

  private readonly onLeaseAborted = (): void => this.abort(this.lease.signal.reason);

  private abort(reason: unknown): void {
    for (const item of this.waiting.splice(0)) this.end({ item, outcome: { kind: 'aborted', reason } });
    for (const run of this.running) run.abort(reason);
  }

  private end(ended: ItemOutcome): void {
    this.ended.push(ended);
    this.wake();
  }

  private async nextEnded(): Promise<ItemOutcome> {
    for (;;) {
      const ended = this.ended.shift();
      if (ended !== undefined) return ended;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
