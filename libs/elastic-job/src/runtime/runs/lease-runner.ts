import { type ExecutionLease, type JobTree, type Sharding, untilAnswered } from '../../coordination/index.js';
import { goesRound, type SettledOutcome, type ShardingContext, SparseMap } from '../../domain/index.js';
import type { ExecutableJob, JobExecutor, JobListeners } from '../../executor/index.js';
import { repeat } from '../../repeat/index.js';
import type { JobSettings } from '../settings/index.js';
import { configurationOf, handlerOf, type JobWork } from '../settings/index.js';
import type { RegistryTurns } from '../../turns/index.js';
import type { RunReports } from './run-reports.js';
import type { Report } from '../news/index.js';

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
