import type { BegunExecution, ExecutionLease, JobTree } from '../../coordination/index.js';
import {
  executorDeathIn,
  type JobName,
  LeaseLostError,
  rerunIdOf,
  type SettledOutcome,
  type ShardOutcome,
  type Trigger,
} from '../../domain/index.js';
import type { ExecutableJob, HungHandler, RetriedItem } from '../../executor/index.js';
import type { JobEvents, RecordedBegin } from '../../tracing/index.js';
import type { NewsEmitter, Report } from '../news/index.js';
import type { JobSettings } from '../settings/index.js';
import type { ProcessContext } from './process-context.js';
import type { RunningItems } from './running-items.js';

type ReportsOfExecutor = Pick<ExecutableJob, 'onStarted' | 'onHung' | 'onRetry' | 'onReturned'>;

/** Recorded begins of a lease, by item; undefined if it records nothing. */
export type RecordedBegins = ReadonlyMap<number, RecordedBegin> | undefined;

/**
 * Reports the runs of one job and session: in events, to error handlers, and as news to the duties that wait for free
 * items. It also reports runs that begin before they are due, or too long after it.
 */
export class RunReports {
  /** @param report reports failures of what belongs to no single item */
  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly running: RunningItems,
    private readonly news: NewsEmitter,
    private readonly process: Pick<ProcessContext, 'errorHandlers' | 'events' | 'lateRuns' | 'scheduleClock'>,
    readonly report: Report,
  ) {}

  /**
   * Reports the answer to a begin, and fire times that were begun before they came: that of this begin, or those that
   * other instances have begun, as the answer shows.
   */
  answered(trigger: Trigger, begun: BegunExecution): void {
    this.reportEarly(trigger, begun);
    this.news.emit({ kind: 'ItemsBegun', trigger, former: begun.former });
    if (begun.refused.size > 0) this.news.emit({ kind: 'ItemsRefused', refused: begun.refused });
  }

  claimed({ items, jobName }: ExecutionLease): void {
    this.events.emit({ kind: 'claimed', jobName, items, source: 'FAILOVER' });
  }

  /** @returns the recorded begin of each item; undefined if the lease records nothing */
  begun(lease: ExecutionLease): RecordedBegins {
    const { items, taskId, trigger } = lease;
    const begins = recordedBegins(lease);
    this.events.emit({ kind: 'begun', trigger, taskId, items, begins });
    this.news.emit({ kind: 'LeaseRuns', lease });
    return begins;
  }

  /** Reports of the executor. A hung handler keeps its item here until it returns, even if others have it by then. */
  ofExecutor(lease: ExecutionLease): ReportsOfExecutor {
    const { events, running } = this;
    const { taskId, trigger } = lease;
    let isStarted = false;
    return {
      onStarted: (item: number, attempt: number) => {
        const latenessMs = isStarted ? undefined : this.latenessMs(trigger);
        isStarted = true;
        events.emit({ kind: 'started', trigger, taskId, item, attempt, latenessMs });
        if (latenessMs !== undefined) this.process.lateRuns.note(trigger, latenessMs);
      },
      onHung: (hung: HungHandler) => this.hung(lease, hung),
      onRetry: (retried: RetriedItem) => events.emit({ kind: 'retrying', trigger, ...retried }),
      onReturned: (item: number) => {
        if (running.return(item, lease)) this.freed(trigger, item);
      },
    };
  }

  /** @param begunAt moment on the monotonic clock @returns true if the item is free here now */
  settled(
    lease: ExecutionLease,
    item: number,
    outcome: SettledOutcome,
    begunAt: number,
    begin: RecordedBegin | undefined,
  ): boolean {
    const { events, running, tree } = this;
    const { jobName, taskId, trigger } = lease;
    const isFree = running.endLease(item, lease);
    this.news.emit({ kind: 'ItemSettled', item, outcome: outcome.kind });
    const durationMs = tree.clock.monotonicNow() - begunAt;
    events.emit({ kind: 'settled', trigger, taskId, item, outcome, durationMs, begin });
    if (outcome.kind !== 'fenced' && lease.requeueOf(item) === 'overflow') {
      events.emit({ kind: 'failover-overflow', jobName, items: [item] });
    }
    lease.trace?.settled(item, outcome);
    return isFree;
  }

  /** The item is free here now. */
  freed(trigger: Trigger, item: number): void {
    const isOver = this.tree.signal.aborted;
    this.news.emit(isOver ? { kind: 'ItemOutlivedSession' } : { kind: 'ItemEnded', trigger, item });
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
    return this.process.errorHandlers.handle(failure, this.settings.configuration);
  }

  /** Reports an executor that has died. */
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

  private get events(): JobEvents {
    return this.process.events;
  }

  private reportEarly({ jobName, fireTime, origin }: Trigger, { early, lease }: BegunExecution): void {
    if (early !== undefined) {
      for (const time of new Set([...early.values()].flat())) {
        const items = [...early.keys()].filter((item) => early.get(item)!.includes(time));
        this.events.emit({ kind: 'early', jobName, items, fireTime: time });
      }
    }
    const isScheduled = origin === 'schedule' && !this.isStartedAfter;
    if (lease === undefined || !isScheduled || !this.process.scheduleClock.isAhead(fireTime)) return;
    this.reportIfAhead(jobName, lease.items, fireTime).catch(this.report('telling of an early run'));
  }

  /**
   * Reports an early run, unless the registry's own clock was set back: then nothing is early once the instances agree
   * on that.
   */
  private async reportIfAhead(jobName: JobName, items: readonly number[], fireTime: number): Promise<void> {
    if (await this.process.scheduleClock.hasCome(fireTime)) return;
    this.events.emit({ kind: 'early', jobName, items, fireTime });
  }

  /**
   * Milliseconds since the run that begins now was due; undefined for resident runs, which are never due, and for
   * re-runs, which nobody has waited for since.
   */
  private latenessMs({ fireTime, origin }: Trigger): number | undefined {
    const { scheduleClock } = this.process;
    if (origin === 'resident' || rerunIdOf(origin) !== undefined) return undefined;
    const isStart = origin === 'schedule' && this.isStartedAfter;
    const start = isStart ? this.tree.startLedger()?.starts.find((one) => one.fireTime === fireTime) : undefined;
    const ms = start === undefined ? scheduleClock.wallNow() - fireTime : scheduleClock.sharedNow() - start.at;
    return Math.max(0, ms);
  }

  private get isStartedAfter(): boolean {
    return this.settings.configuration.after.length > 0;
  }
}

function recordedBegins(lease: ExecutionLease): RecordedBegins {
  if (lease.run === undefined) return undefined;
  const begins = new Map<number, RecordedBegin>();
  for (const item of lease.items) {
    const [begun, token] = [lease.begun(item), lease.token(item)];
    if (begun === undefined || token === undefined) continue;
    const { begunAt, launch, run } = begun;
    begins.set(item, { run, begunAt, token: token.toString(), launch });
  }
  return begins;
}

/** Errors that kept items of a lease from succeeding. */
function failuresIn(
  { jobName }: ExecutionLease,
  outcomes: ReadonlyMap<number, SettledOutcome>,
): ReadonlyMap<number, unknown> {
  const failures = new Map<number, unknown>();
  for (const [item, outcome] of outcomes) {
    if (outcome.kind === 'failed') failures.set(item, outcome.error);
    if (outcome.kind === 'aborted') failures.set(item, outcome.reason);
    if (outcome.kind === 'fenced') failures.set(item, new LeaseLostError(jobName, item));
  }
  return failures;
}
