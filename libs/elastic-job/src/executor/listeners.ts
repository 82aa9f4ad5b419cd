import { inOwnContext } from '../async-context/index.js';
import { AbortState, type Clock, type Timer } from '../clock/index.js';
import type { ExecutionLease, GuaranteedRun } from '../coordination/index.js';
import {
  handled,
  type JobConfiguration,
  JobTimeoutError,
  type KnownListener,
  listenersOf,
  parseShardingItemParameters,
  type RunBarrier,
  type ShardingContexts,
} from '../domain/index.js';
import type { HungHandler } from './executable-job.js';
import type { JobExecutor } from './job-executor.js';

type Phase = 'beforeJobExecuted' | 'afterJobExecuted';

/** Conditions of all runs of a job's listeners. */
interface ListenerTerms {
  readonly clock: Clock;
  /** How long a listener may go on after its signal, in milliseconds. */
  readonly hungGraceMs: number;
  /** Called with the error of a listener. @param method of the listener, after its name */
  readonly onError: (error: unknown, method: string) => void;
  /** Called if a listener has not returned within the grace: for each item before a run, and once after it. */
  readonly onHung: (lease: ExecutionLease, hung: HungHandler) => void;
  /** Called when a listener that was hung has returned. */
  readonly onReturned: (lease: ExecutionLease) => void;
}

/** A lease whose listeners have been called for its beginning. */
interface NotifiedLease {
  /** Calls them for the end, in order. Never rejects. */
  after(): Promise<void>;
}

/**
 * Calls the listeners of one job for its leases on this instance. Errors of listeners are reported, and have no other
 * effect.
 */
export class JobListeners {
  private readonly listeners: readonly KnownListener[];

  /** @param executor ends all notices about hung listeners together with those about handlers */
  constructor(
    listeners: readonly KnownListener[],
    private readonly enter: (lease: ExecutionLease) => Pick<GuaranteedRun, 'meet' | 'leave'>,
    private readonly executor: Pick<JobExecutor, 'notice'>,
    private readonly terms: ListenerTerms,
  ) {
    this.listeners = listeners.toSorted((a, b) => a.order - b.order);
  }

  /** Calls them for the beginning of a lease, in order. Never rejects. */
  async before(lease: ExecutionLease, configuration: JobConfiguration): Promise<NotifiedLease> {
    const called = listenersOf(configuration, this.listeners);
    if (called.length === 0) return { after: () => Promise.resolve() };
    const run = new RunListeners(called, lease, configuration, this.enter(lease), this.terms);
    await this.executor.notice(run, () => run.before());
    return { after: () => this.executor.notice(run, () => run.after()) };
  }
}

/** Listeners of one lease. A phase has the time limit of the job, and counts as hung as a handler does. */
class RunListeners {
  /** Ends when this instance may no longer act for any of the items, or at the time limit of a phase. */
  private readonly ending = new AbortState();
  private readonly contexts: ShardingContexts;
  /** The barrier for the listeners, which may forget to await it. */
  private readonly shownBarrier: RunBarrier = {
    meet: (phase, timeoutMs, atLast) => handled(this.barrier.meet(phase, timeoutMs, atLast)),
  };
  private readonly offAborted: (() => void)[];
  private called: KnownListener | undefined;
  private timers: Timer[] = [];

  constructor(
    private readonly listeners: readonly KnownListener[],
    private readonly lease: ExecutionLease,
    private readonly configuration: JobConfiguration,
    private readonly barrier: Pick<GuaranteedRun, 'meet' | 'leave'>,
    private readonly terms: ListenerTerms,
  ) {
    this.offAborted = lease.items.map((item) => lease.endingOf(item).onAbort(() => this.abortWithItems()));
    this.abortWithItems();
    this.contexts = contextsFor(lease, configuration, this.ending.signal);
  }

  /** Resolves when they have returned or, under `onHung: 'release'`, when they count as hung. Never rejects. */
  async before(): Promise<void> {
    const { items } = this.lease;
    const limit = () => items.forEach((item) => this.lease.abortItem(item, this.timeoutOf(item)));
    const isReleased = this.configuration.onHung === 'release';
    await this.run('beforeJobExecuted', { items, isReleased, limit });
  }

  /** Resolves when they have returned, or count as hung: the items are settled. Never rejects. */
  async after(): Promise<void> {
    const items = this.lease.items.slice(0, 1);
    const limit = () => this.ending.abort(this.timeoutOf(items[0]!));
    await this.run('afterJobExecuted', { items, isReleased: true, limit });
    for (const off of this.offAborted) off();
    this.barrier.leave();
  }

  /** Stops all notices about hung listeners. */
  forget(): void {
    for (const timer of this.timers.splice(0)) timer.cancel();
  }

  private abortWithItems(): void {
    const endings = this.lease.items.map((item) => this.lease.endingOf(item));
    if (endings.every(({ aborted }) => aborted)) this.ending.abort(endings[0]?.reason);
  }

  private timeoutOf(item: number): JobTimeoutError {
    return new JobTimeoutError(this.lease.jobName, item, this.configuration.timeoutMs ?? 0);
  }

  private async run(
    phase: Phase,
    { items, isReleased, limit }: { items: readonly number[]; isReleased: boolean; limit: () => void },
  ): Promise<void> {
    const { clock } = this.terms;
    const { timeoutMs } = this.configuration;
    let isHung = false;
    let giveUp = (): void => {};
    const released = new Promise<void>((resolve) => (giveUp = resolve));
    if (timeoutMs !== undefined) this.timers.push(clock.setTimer(timeoutMs, limit));
    const offHung = this.whenHung((since) => {
      isHung = true;
      const listener = this.called && methodOf(this.called, phase);
      const { reason } = this.ending;
      for (const item of items) this.terms.onHung(this.lease, { item, since, reason, isReleased, listener });
      if (isReleased) giveUp();
    });
    const notifying = async (): Promise<void> => {
      await this.notify(phase);
      offHung();
      this.forget();
      if (isHung) this.terms.onReturned(this.lease);
    };
    await Promise.race([notifying(), released]);
  }

  /** @param hang called once the grace after an abort is over @returns a function that ends the wait for the abort */
  private whenHung(hang: (since: number) => void): () => void {
    const { clock, hungGraceMs } = this.terms;
    const waitForGrace = (): void => {
      const since = clock.wallNow();
      this.timers.push(clock.setTimer(hungGraceMs, () => hang(since)));
    };
    if (!this.ending.aborted) return this.ending.onAbort(waitForGrace);
    waitForGrace();
    return () => {};
  }

  private async notify(phase: Phase): Promise<void> {
    for (const called of this.listeners) {
      this.called = called;
      try {
        await inOwnContext(() => called.listener[phase](this.contexts, this.shownBarrier));
      } catch (error) {
        this.terms.onError(error, methodOf(called, phase));
      }
    }
  }
}

function methodOf({ name }: KnownListener, phase: Phase): string {
  return `${name}.${phase}`;
}

function contextsFor(lease: ExecutionLease, configuration: JobConfiguration, signal: AbortSignal): ShardingContexts {
  const parameters = parseShardingItemParameters(configuration.shardingItemParameters);
  return Object.freeze({
    jobName: lease.jobName,
    taskId: lease.taskId,
    shardingTotalCount: configuration.shardingTotalCount,
    jobParameter: configuration.jobParameter,
    shardingItemParameters: new Map(lease.items.map((item) => [item, parameters.get(item)])),
    fireTime: new Date(lease.trigger.fireTime),
    source: lease.trigger.source,
    signal,
  });
}
