import {
  type BegunExecution,
  type CoordinationServices,
  type ExecutionLease,
  type FailoverQueue,
  type Guarantees,
  type JobTree,
  untilAnswered,
} from '../../coordination/index.js';
import {
  goesRound,
  type KnownListener,
  type SettledOutcome,
  type ShardingContext,
  type Trigger,
} from '../../domain/index.js';
import { type ExecutableJob, type JobExecutor, JobListeners } from '../../executor/index.js';
import { repeat } from '../../repeat/index.js';
import type { RegistryTurns } from '../../turns/index.js';
import { configurationOf, handlerOf, type JobSettings, type JobWork } from '../settings/index.js';
import type { RecordedBegins, RunReports } from './run-reports.js';
import type { RunningItems } from './running-items.js';
import type { TriggerGate } from './trigger-gate.js';

/** A job as its leases run it. */
interface LeasedJob {
  readonly work: JobWork;
  readonly settings: JobSettings;
  readonly running: RunningItems;
  readonly executor: JobExecutor;
}

/** Leases of one job and session, from any source: begins them, and runs them to their end. */
export class Leases {
  /**
   * @param listeners undefined if the job has none
   * @param turns undefined if what the job begins waits for no turn
   */
  constructor(
    private readonly tree: JobTree,
    private readonly services: Pick<CoordinationServices, 'executions' | 'sharding'>,
    private readonly job: LeasedJob,
    private readonly gate: Pick<TriggerGate, 'mayBegin' | 'mayBeginUnasked'>,
    private readonly reports: RunReports,
    private readonly listeners: JobListeners | undefined,
    private readonly turns: RegistryTurns | undefined,
  ) {}

  /** Items that run here under leases of this session or a former one. */
  get running(): RunningItems {
    return this.job.running;
  }

  /**
   * Begins the items that may begin, when it is the job's turn; none once this instance leaves. Items that were begun
   * must be run.
   */
  begin(trigger: Trigger, items: readonly number[]): Promise<BegunExecution> {
    const { turns } = this;
    if (turns === undefined) return this.beginNow(trigger, items);
    return turns.run(items.length, () => this.beginNow(trigger, items));
  }

  private async beginNow(trigger: Trigger, items: readonly number[]): Promise<BegunExecution> {
    const { running } = this.job;
    // The caller may have waited since its decision, for a sync or a record, and the drain waits only for begins that
    // it sees.
    if (!this.gate.mayBegin) return { lease: undefined, refused: new Map(), former: new Map() };
    const begun = await running.expect(() => this.services.executions.begin({ trigger, items }, running));
    this.reports.answered(trigger, begun);
    return begun;
  }

  /**
   * Begins items, and runs them without waiting for their ends.
   * @param what completes "running ..." in the report of a failure
   * @returns the items that could not be begun, with the causes
   */
  async beginAndRun(trigger: Trigger, items: readonly number[], what: string): Promise<BegunExecution['refused']> {
    const { lease, refused } = await this.begin(trigger, items);
    if (lease !== undefined) this.start(lease, what);
    return refused;
  }

  /**
   * Runs waiting items once they are claimed, without waiting for their ends.
   * @param claim not called if nothing may begin without a trigger
   */
  async claim(claim: () => ReturnType<FailoverQueue['claim']>): Promise<ExecutionLease | 'lost' | 'empty'> {
    const { running } = this.job;
    if (!this.gate.mayBeginUnasked) return 'empty';
    const claimed = await running.expect(async () => {
      const answer = await claim();
      if (answer.kind === 'claimed') running.add(answer.lease);
      return answer;
    });
    if (claimed.kind !== 'claimed') return claimed.kind;
    this.reports.claimed(claimed.lease);
    this.start(claimed.lease, 'a failover item');
    return claimed.lease;
  }

  /** Runs a lease without waiting for it. @param what completes "running ..." in the report of a failure */
  start(lease: ExecutionLease, what: string): void {
    this.run(lease).catch(this.reports.report(`running ${what}`));
  }

  /** Resolves when every item is settled and the listeners have been called. */
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
    const { reports, tree } = this;
    const { executor, settings } = this.job;
    const begunAt = tree.clock.monotonicNow();
    const contexts = new Map<number, ShardingContext>();
    const unrecorded = this.turns?.unrecorded();
    let begins: RecordedBegins;
    lease.onSettled((item, outcome) => {
      unrecorded?.recorded();
      const isFree = reports.settled(lease, item, outcome, begunAt, begins?.get(item));
      this.notifyWork(contexts.get(item), outcome);
      if (isFree) reports.freed(lease.trigger, item);
    });
    begins = reports.begun(lease);
    const notified = this.listeners && (await this.listeners.before(lease, settings.configuration));
    const thrown: unknown[] = [];
    await executor.run(lease, this.executable(lease, contexts), (item, outcome) => {
      unrecorded?.ended();
      lease.settle(item, outcome);
      reports.died(lease, item, outcome);
      if (outcome.kind === 'failed' && reports.failed(lease, item, outcome.error)) thrown.push(outcome.error);
    });
    reports.finished(lease, await lease.settled());
    if (goesRound(settings.configuration)) await this.nameNextInstance();
    if (thrown.length > 0) reports.thrown(lease, thrown);
    if (notified !== undefined) await notified.after();
  }

  private executable(lease: ExecutionLease, contexts: Map<number, ShardingContext>): ExecutableJob {
    const { settings, work } = this.job;
    const { onStarted, onHung, onRetry, onReturned } = this.reports.ofExecutor(lease);
    const configuration = configurationOf(work, settings.configuration);
    return { configuration, handler: handlerOf(work, lease.trace, contexts), onStarted, onHung, onRetry, onReturned };
  }

  private notifyWork(context: ShardingContext | undefined, outcome: SettledOutcome): void {
    if (context === undefined) return;
    const notified = async () => this.job.work.settled?.(context, outcome);
    notified().catch(this.reports.report('what follows a settled run'));
  }

  private nameNextInstance(): Promise<void> {
    const { services, tree } = this;
    const name = () => services.sharding.nameNextInstance(tree);
    return repeat(untilAnswered(tree), name).catch(this.reports.report('naming the next instance'));
  }
}

/** Parts of a session that calls of its listeners need. */
interface LeaseListenersParts {
  readonly tree: JobTree;
  readonly guarantee: Guarantees;
  readonly executor: JobExecutor;
  readonly hungGraceMs: number;
  readonly reports: RunReports;
}

/** Listeners around the leases of one job and session; undefined if the job has none. */
export function leaseListeners(
  listeners: readonly KnownListener[],
  { tree, guarantee, executor, hungGraceMs, reports }: LeaseListenersParts,
): JobListeners | undefined {
  if (listeners.length === 0) return undefined;
  const enter = (lease: ExecutionLease) => guarantee.enter(tree, lease);
  return new JobListeners(listeners, enter, executor, {
    clock: tree.clock,
    hungGraceMs,
    onError: (error, method) => reports.report(`the listener ${method}`)(error),
    onHung: (lease, hung) => reports.hung(lease, hung),
    onReturned: (lease) => reports.returned(lease),
  });
}
