import { type BegunExecution, type ExecutionLease, untilAnswered } from '../../coordination/index.js';
import {
  type BegunItem,
  executorDeathIn,
  goesRound,
  type JobConfiguration,
  type ItemWork,
  type JobName,
  LeaseLostError,
  type RunTrace,
  type SettledOutcome,
  type ShardingContext,
  type ShardOutcome,
  SparseMap,
  type Trigger,
} from '../../domain/index.js';
import { type ExecutableJob, type HungHandler, JobListeners, type RetriedItem } from '../../executor/index.js';
import { repeat } from '../../repeat/index.js';
import type { JobContext } from './job-context.js';
import type { TriggerGate } from './trigger-gate.js';

/** Begins the leases of one job and session, from any source, and runs them to their end. */
export class LeaseRunner {
  /** Undefined if the job has no listeners. */
  private readonly listeners: JobListeners | undefined;

  constructor(
    private readonly context: JobContext,
    private readonly gate: Pick<TriggerGate, 'mayBegin'>,
  ) {
    const { tree, services, listeners } = context;
    if (listeners.length === 0) return;
    const enter = (lease: ExecutionLease) => services.guarantee.enter(tree, lease);
    const { clock, executor, options } = context;
    this.listeners = new JobListeners(listeners, enter, executor, {
      clock,
      hungGraceMs: options.hungGraceMs,
      onError: (error, method) => context.report(`the listener ${method}`)(error),
      onHung: (lease, hung) => this.tellHung(lease, hung),
      onReturned: (lease) => this.returnAll(lease),
    });
  }

  /**
   * Begins the items that may begin, when it is the job's turn; none once this instance leaves. Items that were begun
   * must be run.
   */
  begin(trigger: Trigger, items: readonly number[]): Promise<BegunExecution> {
    const { registryTurns } = this.context;
    if (registryTurns === undefined) return this.beginNow(trigger, items);
    return registryTurns.run(items.length, () => this.beginNow(trigger, items));
  }

  private async beginNow(trigger: Trigger, items: readonly number[]): Promise<BegunExecution> {
    const { news, running, services } = this.context;
    // The caller may have waited since its decision, for a sync or a record, and the drain waits only for begins that
    // it sees.
    if (!this.gate.mayBegin) return { lease: undefined, refused: new Map(), former: new Map() };
    const begun = await running.expect(() => services.executions.begin({ trigger, items }, running));
    this.tellEarly(trigger, begun);
    news.tell({ kind: 'ItemsBegun', trigger, former: begun.former });
    if (begun.refused.size > 0) news.tell({ kind: 'ItemsRefused', refused: begun.refused });
    return begun;
  }

  /** Reports fire times that were begun before they came: here, as the begin's answer shows, or by others. */
  private tellEarly({ jobName, fireTime, origin }: Trigger, { early, lease }: BegunExecution): void {
    const { events, scheduleClock, settings } = this.context;
    if (early !== undefined && early.size > 0) {
      for (const time of new Set([...early.values()].flat())) {
        const items = [...early.keys()].filter((item) => early.get(item)!.includes(time));
        events.emit({ kind: 'early', jobName, items, fireTime: time });
      }
    }
    const isScheduled = origin === 'schedule' && settings.configuration.after.length === 0;
    if (lease === undefined || !isScheduled || !scheduleClock.isAhead(fireTime)) return;
    this.tellIfAhead(jobName, lease.items, fireTime).catch(this.context.report('telling of an early run'));
  }

  /**
   * Tells an early run, unless the registry's own clock was set back: then nothing is early once the instances agree on
   * that.
   */
  private async tellIfAhead(jobName: JobName, items: readonly number[], fireTime: number): Promise<void> {
    if (await this.context.scheduleClock.hasCome(fireTime)) return;
    this.context.events.emit({ kind: 'early', jobName, items, fireTime });
  }

  /** Runs a lease without waiting for it. @param what completes "running ..." in the report of a failure */
  start(lease: ExecutionLease, what: string): void {
    this.run(lease).catch(this.context.report(`running ${what}`));
  }

  /** Resolves when every item is settled and the listeners are told. */
  async run(lease: ExecutionLease): Promise<void> {
    try {
      await this.runToEnd(lease);
    } catch (error) {
      // Items without an end would stay marked for as long as the session lasts.
      for (const item of lease.items) lease.settle(item, { kind: 'failed', error });
      throw error;
    } finally {
      lease.trace?.ended();
    }
  }

  private async runToEnd(lease: ExecutionLease): Promise<void> {
    const { registryTurns, clock, events, executor, news, running, settings } = this.context;
    const { taskId, trigger } = lease;
    const begunAt = clock.monotonicNow();
    const contexts = new SparseMap<number, ShardingContext>();
    const unrecorded = registryTurns?.unrecorded();
    lease.onSettled((item, outcome) => {
      unrecorded?.recorded();
      const isFree = running.endLease(item, lease);
      news.tell({ kind: 'ItemSettled', item, outcome: outcome.kind });
      events.emit({ kind: 'settled', trigger, taskId, item, outcome, durationMs: clock.monotonicNow() - begunAt });
      if (outcome.kind !== 'fenced' && lease.requeueOf(item) === 'overflow') {
        events.emit({ kind: 'failover-overflow', jobName: lease.jobName, items: [item] });
      }
      lease.trace?.settled(item, outcome);
      this.tellWork(contexts.get(item), outcome);
      if (isFree) this.tellEnd(trigger, item);
    });
    events.emit({ kind: 'begun', trigger, taskId, items: lease.items });
    news.tell({ kind: 'LeaseRuns', lease });
    const told = this.listeners && (await this.listeners.before(lease, settings.configuration));
    const handler = this.noting(contexts, this.traced(lease));
    const thrown: unknown[] = [];
    await executor.run(lease, this.executable(lease, handler), (item, outcome) => {
      unrecorded?.ended();
      lease.settle(item, outcome);
      this.tellDeath(lease, item, outcome);
      if (outcome.kind === 'failed' && this.isThrown(lease, item, outcome.error)) thrown.push(outcome.error);
    });
    const failures = failuresIn(lease, await lease.settled());
    events.emit({ kind: 'finished', trigger, taskId, items: lease.items, failures });
    if (goesRound(settings.configuration)) await this.nameNextInstance();
    if (thrown.length > 0) this.tellThrown(lease, thrown);
    if (told !== undefined) await told.after();
  }

  private tellHung(lease: ExecutionLease, hung: HungHandler): void {
    this.context.running.hang(lease, hung);
    this.context.events.emit({ kind: 'hung', trigger: lease.trigger, ...hung });
  }

  private returnAll(lease: ExecutionLease): void {
    for (const item of this.context.running.returnAll(lease)) this.tellEnd(lease.trigger, item);
  }

  private tellEnd(trigger: Trigger, item: number): void {
    const { news, tree } = this.context;
    news.tell(tree.signal.aborted ? { kind: 'ItemOutlivedSession' } : { kind: 'ItemEnded', trigger, item });
  }

  private isThrown(lease: ExecutionLease, item: number, error: unknown): boolean {
    const { errorHandlers, settings } = this.context;
    const { jobName, taskId, trigger } = lease;
    const { fireTime, source } = trigger;
    return errorHandlers.handle({ jobName, item, taskId, fireTime, source, error }, settings.configuration);
  }

  // As in Java, where Quartz logs what a job throws and goes on.
  private tellThrown({ jobName, items }: ExecutionLease, thrown: readonly unknown[]): void {
    const error = thrown.length === 1 ? thrown[0] : new AggregateError(thrown, `${thrown.length} items have failed.`);
    this.context.events.emit({ kind: 'error', jobName, message: `the run of items ${items.join(',')} failed`, error });
  }

  // Outermost wrapper of a handler, so that a user's interceptors are part of the traced run.
  private traced({ trace }: ExecutionLease): ItemWork {
    const { handler, tasks } = this.context;
    if (trace === undefined) return handler;
    const told = tasks === undefined ? (_item: number, begun?: BegunItem) => begun : withTrace(trace);
    return (context, begun) => trace.aroundItem(context, () => handler(context, told(context.shardingItem, begun)));
  }

  // Remembers the context of each item for work that wants to hear of its settled runs.
  private noting(contexts: SparseMap<number, ShardingContext>, handler: ItemWork): ItemWork {
    if (this.context.settled === undefined) return handler;
    return (context, begun) => {
      contexts.set(context.shardingItem, context);
      return handler(context, begun);
    };
  }

  private tellWork(context: ShardingContext | undefined, outcome: SettledOutcome): void {
    if (context === undefined) return;
    const told = async () => this.context.settled?.(context, outcome);
    told().catch(this.context.report('what follows a settled run'));
  }

  // Tasks repeat their work themselves, and their backend counts their time from their start. Their items are free only
  // once they have ended: two tasks of an item would run otherwise.
  private get runConfiguration(): JobConfiguration {
    const { settings, tasks } = this.context;
    if (tasks === undefined) return settings.configuration;
    return { ...settings.configuration, maxAttempts: 1, timeoutMs: undefined, onHung: 'wait' };
  }

  // A hung handler keeps its item here until it returns, even if the item was given up to others.
  private executable(lease: ExecutionLease, handler: ItemWork): ExecutableJob {
    const { events, lateRuns, running } = this.context;
    const { taskId, trigger } = lease;
    let isStarted = false;
    return {
      configuration: this.runConfiguration,
      handler,
      onStarted: (item: number, attempt: number) => {
        const latenessMs = isStarted ? undefined : this.latenessMs(trigger);
        isStarted = true;
        events.emit({ kind: 'started', trigger, taskId, item, attempt, latenessMs });
        if (latenessMs !== undefined) lateRuns.note(trigger, latenessMs);
      },
      onHung: (hung: HungHandler) => this.tellHung(lease, hung),
      onRetry: (retried: RetriedItem) => events.emit({ kind: 'retrying', trigger, ...retried }),
      onReturned: (item: number) => {
        if (running.return(item, lease)) this.tellEnd(trigger, item);
      },
    };
  }

  /** Milliseconds since the run that begins now was due; undefined for resident runs, which are never due. */
  private latenessMs({ fireTime, origin }: Trigger): number | undefined {
    const { scheduleClock, settings, tree } = this.context;
    if (origin === 'resident') return undefined;
    const isStart = origin === 'schedule' && settings.configuration.after.length > 0;
    const start = isStart ? tree.startLedger()?.starts.find((one) => one.fireTime === fireTime) : undefined;
    const ms = start === undefined ? scheduleClock.wallNow() - fireTime : scheduleClock.sharedNow() - start.at;
    return Math.max(0, ms);
  }

  private tellDeath(lease: ExecutionLease, item: number, outcome: ShardOutcome): void {
    const state = executorDeathIn(outcome);
    if (state === undefined) return;
    const { trigger } = lease;
    this.context.events.emit({
      kind: 'executor-died',
      trigger,
      item,
      state,
      requeue: lease.requeueOf(item),
    });
  }

  private nameNextInstance(): Promise<void> {
    const { services, tree } = this.context;
    const name = () => services.sharding.nameNextInstance(tree);
    return repeat(untilAnswered(tree), name).catch(this.context.report('naming the next instance'));
  }
}

/** Data of an item's begin as its task receives it. */
function withTrace(trace: RunTrace) {
  return (item: number, begun?: BegunItem): BegunItem | undefined =>
    begun && {
      ...begun,
      trace: { traceparent: trace.traceparentOf?.(item), task: (task) => trace.task?.(item, task) },
    };
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
