import type { Clock } from '../../clock/index.js';
import {
  type BegunExecution,
  type CoordinationServices,
  type ExecutionLease,
  type JobTree,
  untilAnswered,
} from '../../coordination/index.js';
import {
  type ElasticJobListener,
  executorDeathIn,
  goesRound,
  type JobHandler,
  type JobName,
  LeaseLostError,
  type RefusalCause,
  type SettledOutcome,
  type ShardOutcome,
  type Trigger,
} from '../../domain/index.js';
import {
  type HungHandler,
  type JobErrorHandlers,
  type JobExecutor,
  JobListeners,
  type RetriedItem,
  taskIdOf,
} from '../../executor/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { JobSettings } from './job-settings.js';
import type { ScheduleClock } from './schedule-clock.js';
import type { RunningItems } from './running-items.js';

/** What runs leases. */
export interface LeaseRunnerParts {
  readonly tree: JobTree;
  readonly services: CoordinationServices;
  readonly executor: JobExecutor;
  readonly errorHandlers: JobErrorHandlers;
  readonly events: JobEvents;
  readonly clock: Clock;
  readonly scheduleClock: ScheduleClock;
  readonly handler: JobHandler;
  readonly listeners: readonly ElasticJobListener[];
  readonly running: RunningItems;
  readonly settings: JobSettings;
  /** False for good once this instance leaves. */
  mayBegin(): boolean;
  /** Items were begun. @param former the instant after which each owed what has come */
  onBegun(trigger: Trigger, former: ReadonlyMap<number, number | undefined>): void;
  /** Items could not be begun. */
  onRefused(refused: ReadonlyMap<number, RefusalCause>): void;
  /** Items run under the lease from now on. */
  onRun(lease: ExecutionLease): void;
  /** An item is free again here; its session may be over. */
  onItemEnded(trigger: Trigger, item: number): void;
  /** Tells what has failed. */
  report(work: string): (error: unknown) => void;
}

/** Begins and runs the leases of one job and session, whatever they come from, to their end. */
export class LeaseRunner {
  /** Undefined: nobody has to be told. */
  private readonly listeners: JobListeners | undefined;

  constructor(private readonly parts: LeaseRunnerParts) {
    const { tree, services, listeners } = parts;
    if (listeners.length === 0) return;
    const enter = (lease: ExecutionLease) => services.guarantee.enter(tree, lease);
    this.listeners = new JobListeners(listeners, enter, parts.report('telling a listener'));
  }

  /** Begins what may be begun of the items: none once this instance leaves. What was begun must be run. */
  async begin(trigger: Trigger, items: readonly number[]): Promise<BegunExecution> {
    const { running, services } = this.parts;
    // Whoever decided to begin may have waited since, for a sync or a record, and the drain waits only for what it
    // sees.
    if (!this.parts.mayBegin()) return { lease: undefined, refused: new Map(), former: new Map() };
    return running.expect(async () => {
      const begun = await services.executions.begin({ trigger, items }, (lease) => running.add(lease));
      this.tellEarly(trigger, begun);
      this.parts.onBegun(trigger, begun.former);
      if (begun.refused.size > 0) this.parts.onRefused(begun.refused);
      return begun;
    });
  }

  /**
   * Tells of fire times that were begun although they are yet to come: here, as the begin's answer shows, or by others.
   */
  private tellEarly({ jobName, fireTime, origin }: Trigger, { early = new Map(), lease }: BegunExecution): void {
    const { events, scheduleClock, settings } = this.parts;
    for (const time of new Set([...early.values()].flat())) {
      const items = [...early.keys()].filter((item) => early.get(item)!.includes(time));
      events.emit({ kind: 'early', jobName, items, fireTime: time });
    }
    const isScheduled = origin === 'schedule' && settings.configuration.after.length === 0;
    if (lease === undefined || !isScheduled || !scheduleClock.isAhead(fireTime)) return;
    this.tellIfAhead(jobName, lease.items, fireTime).catch(this.parts.report('telling of an early run'));
  }

  /** If the registry's own clock was set back, nothing is early as soon as the instances agree on that. */
  private async tellIfAhead(jobName: JobName, items: readonly number[], fireTime: number): Promise<void> {
    if (await this.parts.scheduleClock.hasCome(fireTime)) return;
    this.parts.events.emit({ kind: 'early', jobName, items, fireTime });
  }

  /** Runs a lease that nobody waits for. @param what completes "running ..." if it fails */
  start(lease: ExecutionLease, what: string): void {
    this.run(lease).catch(this.parts.report(`running ${what}`));
  }

  /** Resolves when every item is settled and the listeners are told. */
  async run(lease: ExecutionLease): Promise<void> {
    const { clock, events, executor, running, settings } = this.parts;
    const { trigger } = lease;
    const taskId = taskIdOf(lease);
    const begunAt = clock.monotonicNow();
    lease.onSettled((item, outcome) => {
      const isFree = running.settle(item, lease);
      events.emit({ kind: 'settled', trigger, taskId, item, outcome, durationMs: clock.monotonicNow() - begunAt });
      if (outcome.kind !== 'fenced' && lease.requeueOf(item) === 'overflow') {
        events.emit({ kind: 'failover-overflow', jobName: lease.jobName, items: [item] });
      }
      lease.trace?.settled(item, outcome);
      if (isFree) this.parts.onItemEnded(trigger, item);
    });
    events.emit({ kind: 'begun', trigger, taskId, items: lease.items });
    this.parts.onRun(lease);
    const told = await this.listeners?.before(lease, settings.configuration);
    const job = { configuration: settings.configuration, handler: this.traced(lease), ...this.watch(lease) };
    const thrown: unknown[] = [];
    for await (const { item, outcome } of executor.run(lease, job)) {
      lease.settle(item, outcome);
      this.tellDeath(lease, item, outcome);
      if (outcome.kind === 'failed' && this.isThrown(lease, item, outcome.error)) thrown.push(outcome.error);
    }
    const failures = failuresIn(lease, await lease.settled());
    events.emit({ kind: 'finished', trigger, taskId, items: lease.items, failures });
    if (goesRound(settings.configuration)) await this.passTurn();
    await told?.after();
    if (thrown.length > 0) this.tellThrown(lease, thrown);
    lease.trace?.ended();
  }

  private isThrown(lease: ExecutionLease, item: number, error: unknown): boolean {
    const { errorHandlers, settings } = this.parts;
    const { jobName, trigger } = lease;
    const { fireTime, source } = trigger;
    const taskId = taskIdOf(lease);
    return errorHandlers.handle({ jobName, item, taskId, fireTime, source, error }, settings.configuration);
  }

  // As in Java, where Quartz logs what a job throws, and goes on.
  private tellThrown({ jobName, items }: ExecutionLease, thrown: readonly unknown[]): void {
    const error = thrown.length === 1 ? thrown[0] : new AggregateError(thrown, `${thrown.length} items have failed.`);
    this.parts.events.emit({ kind: 'error', jobName, message: `the run of items ${items.join(',')} failed`, error });
  }

  // The outermost that goes around a handler: whatever a user's interceptor does belongs to the run.
  private traced({ trace }: ExecutionLease): JobHandler {
    const { handler } = this.parts;
    return trace === undefined ? handler : (context) => trace.aroundItem(context, () => handler(context));
  }

  // A hung handler keeps its item here until it returns, also if the item was given up to others.
  private watch(lease: ExecutionLease) {
    const { events, running } = this.parts;
    const { trigger } = lease;
    const taskId = taskIdOf(lease);
    return {
      onStarted: (item: number, attempt: number) => events.emit({ kind: 'started', trigger, taskId, item, attempt }),
      onHung: (hung: HungHandler) => {
        running.hang(lease, hung);
        events.emit({ kind: 'hung', trigger, ...hung });
      },
      onRetry: (retried: RetriedItem) => events.emit({ kind: 'retrying', trigger, ...retried }),
      onReturned: (item: number) => {
        if (running.return(item, lease)) this.parts.onItemEnded(trigger, item);
      },
    };
  }

  private tellDeath(lease: ExecutionLease, item: number, outcome: ShardOutcome): void {
    const state = executorDeathIn(outcome);
    if (state === undefined) return;
    const { trigger } = lease;
    this.parts.events.emit({ kind: 'executor-died', trigger, item, state, requeue: lease.requeueOf(item) });
  }

  private passTurn(): Promise<void> {
    const { clock, services, tree } = this.parts;
    const pass = () => services.sharding.passTurn(tree);
    return untilAnswered(tree, clock, pass).catch(this.parts.report('passing the turn on'));
  }
}

/** What kept the items of a lease from succeeding. */
function failuresIn({ jobName }: ExecutionLease, outcomes: ReadonlyMap<number, SettledOutcome>): Map<number, unknown> {
  const failures = new Map<number, unknown>();
  for (const [item, outcome] of outcomes) {
    if (outcome.kind === 'failed') failures.set(item, outcome.error);
    if (outcome.kind === 'aborted') failures.set(item, outcome.reason);
    if (outcome.kind === 'fenced') failures.set(item, new LeaseLostError(jobName, item));
  }
  return failures;
}
