import {
  type BegunExecution,
  type ExecutionLease,
  type Executions,
  type Guarantees,
  type JobTree,
  type Sharding,
  untilAnswered,
} from '../../coordination/index.js';
import {
  goesRound,
  type KnownListener,
  type SettledOutcome,
  type ShardingContext,
  SparseMap,
  type Trigger,
} from '../../domain/index.js';
import { type ExecutableJob, type JobExecutor, JobListeners } from '../../executor/index.js';
import { repeat } from '../../repeat/index.js';
import type { RegistryTurns } from '../../turns/index.js';
import type { NewsFeed, Report } from '../news/index.js';
import { configurationOf, handlerOf, type JobSettings, type JobWork } from '../settings/index.js';
import type { Punctuality, RunReports } from './run-reports.js';
import type { RunningItems } from './running-items.js';
import type { TriggerGate } from './trigger-gate.js';

/** Begins the leases of one job and session, from any source. */
export class LeaseBegins {
  constructor(
    private readonly gate: Pick<TriggerGate, 'mayBegin'>,
    private readonly executions: Executions,
    private readonly running: RunningItems,
    private readonly news: NewsFeed,
    private readonly punctuality: Punctuality,
    private readonly registryTurns: RegistryTurns | undefined,
  ) {}

  /**
   * Begins the items that may begin, when it is the job's turn; none once this instance leaves. Items that were begun
   * must be run.
   */
  begin(trigger: Trigger, items: readonly number[]): Promise<BegunExecution> {
    const { registryTurns } = this;
    if (registryTurns === undefined) return this.beginNow(trigger, items);
    return registryTurns.run(items.length, () => this.beginNow(trigger, items));
  }

  private async beginNow(trigger: Trigger, items: readonly number[]): Promise<BegunExecution> {
    const { news, running } = this;
    // The caller may have waited since its decision, for a sync or a record, and the drain waits only for begins that
    // it sees.
    if (!this.gate.mayBegin) return { lease: undefined, refused: new Map(), former: new Map() };
    const begun = await running.expect(() => this.executions.begin({ trigger, items }, running));
    this.punctuality.noteBegun(trigger, begun);
    news.tell({ kind: 'ItemsBegun', trigger, former: begun.former });
    if (begun.refused.size > 0) news.tell({ kind: 'ItemsRefused', refused: begun.refused });
    return begun;
  }
}

/** Runs the leases of one job and session to their end. */
export class LeaseRunner {
  /** @param listeners undefined if the job has none */
  constructor(
    private readonly tree: JobTree,
    private readonly work: JobWork,
    private readonly settings: JobSettings,
    private readonly executor: JobExecutor,
    private readonly listeners: JobListeners | undefined,
    private readonly reports: RunReports,
    private readonly sharding: Sharding,
    private readonly registryTurns: RegistryTurns | undefined,
    private readonly report: Report,
  ) {}

  /** Runs a lease without waiting for it. @param what completes "running ..." in the report of a failure */
  start(lease: ExecutionLease, what: string): void {
    this.run(lease).catch(this.report(`running ${what}`));
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
    const { executor, reports, settings, tree } = this;
    const begunAt = tree.clock.monotonicNow();
    const contexts = new SparseMap<number, ShardingContext>();
    const unrecorded = this.registryTurns?.unrecorded();
    lease.onSettled((item, outcome) => {
      unrecorded?.recorded();
      const isFree = reports.settled(lease, item, outcome, begunAt);
      this.tellWork(contexts.get(item), outcome);
      if (isFree) reports.freed(lease.trigger, item);
    });
    reports.begun(lease);
    const told = this.listeners && (await this.listeners.before(lease, settings.configuration));
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
    if (told !== undefined) await told.after();
  }

  private executable(lease: ExecutionLease, contexts: SparseMap<number, ShardingContext>): ExecutableJob {
    const { reports, settings, work } = this;
    const { onStarted, onHung, onRetry, onReturned } = reports.ofExecutor(lease);
    const configuration = configurationOf(work, settings.configuration);
    return { configuration, handler: handlerOf(work, lease.trace, contexts), onStarted, onHung, onRetry, onReturned };
  }

  private tellWork(context: ShardingContext | undefined, outcome: SettledOutcome): void {
    if (context === undefined) return;
    const told = async () => this.work.settled?.(context, outcome);
    told().catch(this.report('what follows a settled run'));
  }

  private nameNextInstance(): Promise<void> {
    const { sharding, tree } = this;
    const name = () => sharding.nameNextInstance(tree);
    return repeat(untilAnswered(tree), name).catch(this.report('naming the next instance'));
  }
}

/** Parts of a session that calls of its listeners need. */
interface LeaseListenersParts {
  readonly tree: JobTree;
  readonly guarantee: Guarantees;
  readonly executor: JobExecutor;
  readonly hungGraceMs: number;
  readonly reports: RunReports;
  readonly report: Report;
}

/** Listeners around the leases of one job and session; undefined if the job has none. */
export function leaseListeners(
  listeners: readonly KnownListener[],
  { tree, guarantee, executor, hungGraceMs, reports, report }: LeaseListenersParts,
): JobListeners | undefined {
  if (listeners.length === 0) return undefined;
  const enter = (lease: ExecutionLease) => guarantee.enter(tree, lease);
  return new JobListeners(listeners, enter, executor, {
    clock: tree.clock,
    hungGraceMs,
    onError: (error, method) => report(`the listener ${method}`)(error),
    onHung: (lease, hung) => reports.hung(lease, hung),
    onReturned: (lease) => reports.returned(lease),
  });
}
