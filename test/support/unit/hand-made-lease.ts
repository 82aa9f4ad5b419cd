import { type Abortable, AbortState } from '../../../libs/elastic-job/src/clock/index.js';
import type { ExecutionLease } from '../../../libs/elastic-job/src/coordination/index.js';
import {
  formatTaskId,
  LeaseLostError,
  resolveJobOptions,
  type JobHandler,
  type JobOptions,
  type ShardOutcome,
  type Trigger,
} from '../../../libs/elastic-job/src/domain/index.js';
import { VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';
import type { HungHandler, OnEnded } from '../../../libs/elastic-job/src/executor/executable-job.js';
import { JobExecutor } from '../../../libs/elastic-job/src/executor/job-executor.js';
import type { RetriedItem } from '../../../libs/elastic-job/src/executor/attempts.js';

export const FIRE_TIME = Date.UTC(2030, 0, 1, 12);
export const HUNG_GRACE_MS = 5_000;
export const SUCCEEDED = { kind: 'succeeded' };

interface SetUpOptions {
  readonly items: readonly number[];
  readonly options?: Partial<JobOptions>;
  readonly trigger?: Partial<Trigger>;
}

/** End of one item of a lease. */
interface ItemOutcome {
  readonly item: number;
  readonly outcome: ShardOutcome;
}

export function setUp({ items, options, trigger }: SetUpOptions, more: { readonly formerAttempts?: number } = {}) {
  const clock = new VirtualClock();
  const lease = new HandMadeLease(items, trigger);
  const configuration = resolveJobOptions(
    { name: lease.jobName, cron: '0/5 * * * * ?', shardingTotalCount: 5, ...options },
    { place: 'spec' },
  );
  const executor = new JobExecutor(clock, { tokenEpoch: 3, hungGraceMs: HUNG_GRACE_MS });
  const hung: HungHandler[] = [];
  const returned: number[] = [];
  const retried: RetriedItem[] = [];
  const told = {
    onHung: (handler: HungHandler) => void hung.push(handler),
    onReturned: (item: number) => void returned.push(item),
    onRetry: (item: RetriedItem) => void retried.push(item),
  };
  return {
    clock,
    lease,
    /** Runs the lease from the first `next()` on. */
    run: (handler: JobHandler) =>
      endsOf((onEnded) => executor.run(lease, { configuration, handler, ...told, ...more }, onEnded)),
    executor,
    hung,
    returned,
    retried,
    openEnds: () => ({ timers: clock.pendingTimers, listeners: lease.listeners }),
  };
}

/** Counts its waiters. */
class WatchedState extends AbortState {
  waiting = 0;

  override onAbort(listener: () => void): () => void {
    const off = super.onAbort(listener);
    this.waiting += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.waiting -= 1;
      isOver = true;
      off();
    };
  }
}

/** The part of a lease that the executor may use. It settles nothing. */
class HandMadeLease implements ExecutionLease {
  readonly jobName = 'settle-orders';
  readonly holder = '10.0.0.1@-@1-s1';
  readonly trigger: Trigger;
  readonly lost = new Set<number>();
  mayStart = true;
  private readonly startListeners = new Set<() => void>();
  readonly run = 'run-1';
  readonly taskId: string;
  private readonly ending = new AbortState();
  private readonly itemEndings: ReadonlyMap<number, WatchedState>;

  constructor(
    readonly items: readonly number[],
    trigger: Partial<Trigger> = {},
  ) {
    this.taskId = formatTaskId(this.jobName, items, this.holder);
    this.itemEndings = new Map(items.map((item) => [item, new WatchedState()]));
    this.trigger = {
      jobName: this.jobName,
      fireTime: FIRE_TIME,
      origin: 'schedule',
      source: 'NORMAL_TRIGGER',
      ...trigger,
    };
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Number of waiters on any of its signals. */
  get listeners(): number {
    return [...this.itemEndings.values()].reduce((sum, { waiting }) => sum + waiting, this.startListeners.size);
  }

  signalOf(item: number): AbortSignal {
    return this.itemEndings.get(item)!.signal;
  }

  endingOf(item: number): Abortable {
    return this.itemEndings.get(item)!;
  }

  token(item: number): bigint {
    return BigInt(100 + item);
  }

  checkpoint() {
    const refuse = () => Promise.reject(new Error('The executor saves nothing.'));
    return { save: refuse, load: refuse, clear: refuse };
  }

  isMoving(): boolean {
    return false;
  }

  begun() {
    return undefined;
  }

  confirmLost(item: number): void {
    this.abortItem(item, new Error('The executor confirms no loss.'));
  }

  /** Sets if the registry answers. */
  answer(isAnswering: boolean): void {
    this.mayStart = isAnswering;
    if (isAnswering) for (const listener of this.startListeners) listener();
  }

  onMayStart(listener: () => void): () => void {
    this.startListeners.add(listener);
    return () => void this.startListeners.delete(listener);
  }

  assertHeld(item: number): void {
    if (this.lost.has(item)) throw new LeaseLostError(this.jobName, item);
  }

  abort(reason: unknown): void {
    this.ending.abort(reason);
    for (const item of this.items) this.abortItem(item, reason);
  }

  abortItem(item: number, reason: unknown): void {
    this.itemEndings.get(item)!.abort(reason);
  }

  settle(): void {
    fail(new Error('The executor settles nothing.'));
  }

  requeueOf(): 'none' {
    return 'none';
  }

  onSettled(): void {
    fail(new Error('The executor settles nothing.'));
  }

  settled(): Promise<never> {
    return Promise.reject(new Error('The executor settles nothing.'));
  }
}

async function* endsOf(start: (onEnded: OnEnded) => Promise<void>): AsyncGenerator<ItemOutcome> {
  const ended: (ItemOutcome | 'over')[] = [];
  let wake = (): void => {};
  const add = (one: ItemOutcome | 'over') => {
    ended.push(one);
    wake();
  };
  const run = async () => {
    await start((item, outcome) => add({ item, outcome }));
    add('over');
  };
  void run();
  for (;;) {
    const next = ended.shift();
    if (next === 'over') return;
    if (next !== undefined) yield next;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
}

export async function all(outcomes: AsyncIterable<ItemOutcome>): Promise<ItemOutcome[]> {
  const collected: ItemOutcome[] = [];
  for await (const outcome of outcomes) collected.push(outcome);
  return collected;
}

export function inOrderOfItems(outcomes: readonly ItemOutcome[]): ItemOutcome[] {
  return outcomes.toSorted((a, b) => a.item - b.item);
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

export function fail(error: unknown): never {
  throw error;
}
