import type { ExecutionLease, GuaranteedRun } from '../coordination/index.js';
import { type JobConfiguration, type KnownListener, listenersOf } from '../domain/index.js';
import type { JobExecutor } from './job-executor.js';
import { type ListenerTerms, RunListeners } from './run-listeners.js';

/** A lease whose listeners have been called for its beginning. */
interface ToldLease {
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
  async before(lease: ExecutionLease, configuration: JobConfiguration): Promise<ToldLease> {
    const called = listenersOf(configuration, this.listeners);
    if (called.length === 0) return { after: () => Promise.resolve() };
    const run = new RunListeners(called, lease, configuration, this.enter(lease), this.terms);
    await this.executor.notice(run, () => run.before());
    return { after: () => this.executor.notice(run, () => run.after()) };
  }
}
