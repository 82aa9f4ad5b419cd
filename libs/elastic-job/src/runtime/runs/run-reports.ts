import { type Clock, HeldBack } from '../../clock/index.js';
import type { BegunExecution, ExecutionLease, JobTree } from '../../coordination/index.js';
import {
  executorDeathIn,
  type JobName,
  LeaseLostError,
  type SettledOutcome,
  type ShardOutcome,
  SparseMap,
  type Trigger,
} from '../../domain/index.js';
import type { ExecutableJob, HungHandler, JobErrorHandlers, RetriedItem } from '../../executor/index.js';
import type { JobEvent, JobEvents } from '../../tracing/index.js';
import type { NewsFeed, Report } from '../news/index.js';
import type { JobSettings } from '../settings/index.js';
import type { ScheduleClock } from '../time/index.js';
import type { RunningItems } from './running-items.js';

/** Milliseconds between two reports of late runs of one job. */
const WINDOW_MS = 60_000;

type ReportsOfExecutor = Pick<ExecutableJob, 'onStarted' | 'onHung' | 'onRetry' | 'onReturned'>;

/** Tells of the runs of one job and session: in events, to error handlers, and to what waits for free items. */
export class RunReports {
  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly running: RunningItems,
    private readonly events: JobEvents,
    private readonly news: NewsFeed,
    private readonly errorHandlers: JobErrorHandlers,
    private readonly punctuality: Punctuality,
  ) {}

  begun(lease: ExecutionLease): void {
    const { items, taskId, trigger } = lease;
    this.events.emit({ kind: 'begun', trigger, taskId, items });
    this.news.tell({ kind: 'LeaseRuns', lease });
  }

  /** Reports of the executor. A hung handler keeps its item here until it returns, even if others have it by then. */
  ofExecutor(lease: ExecutionLease): ReportsOfExecutor {
    const { events, punctuality, running } = this;
    const { taskId, trigger } = lease;
    let isStarted = false;
    return {
      onStarted: (item: number, attempt: number) => {
        const latenessMs = isStarted ? undefined : punctuality.latenessMs(trigger);
        isStarted = true;
        events.emit({ kind: 'started', trigger, taskId, item, attempt, latenessMs });
        if (latenessMs !== undefined) punctuality.noteStarted(trigger, latenessMs);
      },
      onHung: (hung: HungHandler) => this.hung(lease, hung),
      onRetry: (retried: RetriedItem) => events.emit({ kind: 'retrying', trigger, ...retried }),
      onReturned: (item: number) => {
        if (running.return(item, lease)) this.freed(trigger, item);
      },
    };
  }

  /** @param begunAt moment on the monotonic clock @returns true if the item is free here now */
  settled(lease: ExecutionLease, item: number, outcome: SettledOutcome, begunAt: number): boolean {
    const { events, running, tree } = this;
    const { jobName, taskId, trigger } = lease;
    const isFree = running.endLease(item, lease);
    this.news.tell({ kind: 'ItemSettled', item, outcome: outcome.kind });
    const durationMs = tree.clock.monotonicNow() - begunAt;
    events.emit({ kind: 'settled', trigger, taskId, item, outcome, durationMs });
    if (outcome.kind !== 'fenced' && lease.requeueOf(item) === 'overflow') {
      events.emit({ kind: 'failover-overflow', jobName, items: [item] });
    }
    lease.trace?.settled(item, outcome);
    return isFree;
  }

  /** The item is free here now. */
  freed(trigger: Trigger, item: number): void {
    const isOver = this.tree.signal.aborted;
    this.news.tell(isOver ? { kind: 'ItemOutlivedSession' } : { kind: 'ItemEnded', trigger, item });
  }

  hung(lease: ExecutionLease, hung: HungHandler): void {
    this.running.hang(lease, hung);
    this.events.emit({ kind: 'hung', trigger: lease.trigger, ...hung });
  }

  /** A hung listener has returned. */
  returned(lease: ExecutionLease): void {
    for (const item of this.running.returnAll(lease)) this.freed(lease.trigger, item);
  }

  /** @returns true if a failure counts as thrown by the job */
  failed(lease: ExecutionLease, item: number, error: unknown): boolean {
    const { jobName, taskId, trigger } = lease;
    const { fireTime, source } = trigger;
    const failure = { jobName, item, taskId, fireTime, source, error };
    return this.errorHandlers.handle(failure, this.settings.configuration);
  }

  /** Tells of an executor that has died. */
  died(lease: ExecutionLease, item: number, outcome: ShardOutcome): void {
    const state = executorDeathIn(outcome);
    if (state === undefined) return;
    const requeue = lease.requeueOf(item);
    this.events.emit({ kind: 'executor-died', trigger: lease.trigger, item, state, requeue });
  }

  finished(lease: ExecutionLease, outcomes: ReadonlyMap<number, SettledOutcome>): void {
    const { items, taskId, trigger } = lease;
    this.events.emit({ kind: 'finished', trigger, taskId, items, failures: failuresIn(lease, outcomes) });
  }

  // As in Java, where Quartz logs what a job throws and goes on.
  thrown({ jobName, items }: ExecutionLease, thrown: readonly unknown[]): void {
    const error = thrown.length === 1 ? thrown[0] : new AggregateError(thrown, `${thrown.length} items have failed.`);
    this.events.emit({ kind: 'error', jobName, message: `the run of items ${items.join(',')} failed`, error });
  }
}

/** Errors that kept items of a lease from succeeding. */
function failuresIn(
  { jobName }: ExecutionLease,
  outcomes: ReadonlyMap<number, SettledOutcome>,
): ReadonlyMap<number, unknown> {
  const failures = new SparseMap<number, unknown>();
  for (const [item, outcome] of outcomes) {
    if (outcome.kind === 'failed') failures.set(item, outcome.error);
    if (outcome.kind === 'aborted') failures.set(item, outcome.reason);
    if (outcome.kind === 'fenced') failures.set(item, new LeaseLostError(jobName, item));
  }
  return failures.toMap();
}

/** Tells of runs of one job that begin before they are due, or too long after it. */
export class Punctuality {
  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly scheduleClock: ScheduleClock,
    private readonly lateRuns: LateRuns,
    private readonly events: JobEvents,
    private readonly report: Report,
  ) {}

  /** Reports fire times that were begun before they came: here, as the begin's answer shows, or by others. */
  noteBegun({ jobName, fireTime, origin }: Trigger, { early, lease }: BegunExecution): void {
    if (early !== undefined && early.size > 0) {
      for (const time of new Set([...early.values()].flat())) {
        const items = [...early.keys()].filter((item) => early.get(item)!.includes(time));
        this.events.emit({ kind: 'early', jobName, items, fireTime: time });
      }
    }
    const isScheduled = origin === 'schedule' && !this.isStartedAfter;
    if (lease === undefined || !isScheduled || !this.scheduleClock.isAhead(fireTime)) return;
    this.tellIfAhead(jobName, lease.items, fireTime).catch(this.report('telling of an early run'));
  }

  /** Milliseconds since the run that begins now was due; undefined for resident runs, which are never due. */
  latenessMs({ fireTime, origin }: Trigger): number | undefined {
    const { scheduleClock, tree } = this;
    if (origin === 'resident') return undefined;
    const isStart = origin === 'schedule' && this.isStartedAfter;
    const start = isStart ? tree.startLedger()?.starts.find((one) => one.fireTime === fireTime) : undefined;
    const ms = start === undefined ? scheduleClock.wallNow() - fireTime : scheduleClock.sharedNow() - start.at;
    return Math.max(0, ms);
  }

  /** Reports the first run of a lease if it begins too late. */
  noteStarted(trigger: Trigger, latenessMs: number): void {
    this.lateRuns.note(trigger, latenessMs);
  }

  /**
   * Tells an early run, unless the registry's own clock was set back: then nothing is early once the instances agree on
   * that.
   */
  private async tellIfAhead(jobName: JobName, items: readonly number[], fireTime: number): Promise<void> {
    if (await this.scheduleClock.hasCome(fireTime)) return;
    this.events.emit({ kind: 'early', jobName, items, fireTime });
  }

  private get isStartedAfter(): boolean {
    return this.settings.configuration.after.length > 0;
  }
}

type LateEvent = Extract<JobEvent, { kind: 'late' }>;

/**
 * Reports runs of a process that begin too late: the first one of each job at once, and those of the following minute
 * together, since an overloaded process must not report each one.
 */
export class LateRuns {
  private readonly heldBack: HeldBack<LateEvent>;

  /** @param lateAfterMs longest time from the due instant to the handler's first line without an event */
  constructor(
    clock: Clock,
    events: Pick<JobEvents, 'emit'>,
    private readonly lateAfterMs: number,
  ) {
    this.heldBack = new HeldBack(clock, {
      windowMs: WINDOW_MS,
      join: joined,
      tell: (late: LateEvent) => events.emit(late),
    });
  }

  /**
   * Notes how long after the due instant the first handler of a run was called. Failover runs are always late and
   * reported by events of their own.
   */
  note(trigger: Trigger, latenessMs: number): void {
    const { lateAfterMs } = this;
    if (latenessMs <= lateAfterMs || trigger.source === 'FAILOVER') return;
    this.heldBack.add(trigger.jobName, { kind: 'late', trigger, latenessMs, lateAfterMs, count: 1 });
  }

  /** Tells the reports that were held back. */
  end(): void {
    this.heldBack.end();
  }
}

function joined(held: LateEvent, next: LateEvent): LateEvent {
  return { ...(next.latenessMs > held.latenessMs ? next : held), count: held.count + next.count };
}
