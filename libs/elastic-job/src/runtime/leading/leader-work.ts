import type { Timer } from '../../clock/index.js';
import {
  type Authority,
  type CoordinationServices,
  disabledJob,
  isJobDisabled,
  type JobTree,
  type LeadershipTerm,
  purgeQueue,
  removeLostRequests,
  removeRetiredFailover,
  removeStaleCancels,
  requestedTrigger,
} from '../../coordination/index.js';
import { failsOver, type JobConfiguration } from '../../domain/index.js';
import { isUnanswered, type Operation } from '../../registry/index.js';
import { LastFailures } from '../../repeat/index.js';
import { JobDuty, type Report } from '../news/index.js';
import type { CutShort, RecentPeers } from '../rescuing/index.js';
import type { ProcessContext } from '../runs/index.js';
import { ParentWatch } from './parent-watch.js';
import type { Resharding } from './resharding.js';

/** The leader's work for a job besides its runs, done each time the leader is woken. */
export class LeaderWork extends JobDuty {
  private waiting: Timer | undefined;
  /** Undefined until the job has parents, as most have none. */
  private parents: ParentWatch | undefined;
  private readonly lastFailures = new LastFailures();

  constructor(
    tree: JobTree,
    report: Report,
    private readonly process: Pick<ProcessContext, 'events' | 'services'>,
    private readonly peers: RecentPeers,
    private readonly resharding: Resharding,
    private readonly cutShort: CutShort,
  ) {
    super(tree, report, 'leading the job');
  }

  override stop(): void {
    super.stop();
    this.waiting?.cancel();
    this.parents?.stop();
  }

  /** Purges the queue of a disabled job, or the items in it would run when the job is enabled again. */
  purgeIfDisabled(): Promise<void> {
    const { tree } = this;
    return this.purge(disabledJob(tree), () => isJobDisabled(tree));
  }

  /**
   * Does the work as this job's leader or, if a Java peer leads, as the first instance of ours.
   * @throws the first failure; the others are reported here, once as long as they last
   */
  protected async work(): Promise<void> {
    const term = this.services.leader.term(this.tree.jobName);
    if (term === undefined) return this.assistJava();
    const { services, tree } = this;
    const steps = new Steps(term.signal);
    try {
      await steps.take(() => this.removeLeftOver(term));
      const mayPlan = await steps.take(async () => {
        await this.sweep(term);
        await this.cutShort.report(term.signal);
      });
      await steps.take(() => this.reportLostRequests(term));
      await steps.take(() => this.removeRetired(term));
      await steps.take(() => this.purge(term, (item) => item >= this.configuration.shardingTotalCount));
      // A plan comes right after a sweep, and after the report of runs that were cut short: with the plan the other
      // instances forget these, so if this one left before its report, nobody would report them.
      if (mayPlan) await steps.take(() => this.plan(term));
      await steps.take(() => services.configurations.keep(tree, term));
      await steps.take(() => this.keepParents(term));
      await steps.take(() => services.retention.tidy(tree, term));
      this.end(steps.failures);
    } catch (error) {
      // A deposed leader stops, and its successor does the same work again.
      if (!term.signal.aborted) throw error;
    }
  }

  private get services(): CoordinationServices {
    return this.process.services;
  }

  /** The present settings, as they may change while a request is under way. */
  private get configuration(): JobConfiguration {
    return this.services.configurations.current(this.tree.jobName);
  }

  private get isFailoverOn(): boolean {
    return failsOver(this.configuration);
  }

  private async plan(term: LeadershipTerm): Promise<void> {
    const { jobName } = this.tree;
    const plan = await this.resharding.plan(term);
    if (plan !== undefined) this.process.events.emit({ kind: 'resharded', jobName, ...plan });
  }

  private async removeRetired(term: LeadershipTerm): Promise<void> {
    if (this.isFailoverOn) return;
    this.reportPurged(await removeRetiredFailover(this.tree, term, () => !this.isFailoverOn));
  }

  /** @throws {ConfigurationError} if a parent has come that cannot be one */
  private async keepParents(term: LeadershipTerm): Promise<void> {
    if (this.services.dependencies.isChild(this.tree)) {
      this.parents ??= new ParentWatch(this.tree, this.services, this.process.events, this.report, () => this.wake());
    }
    await this.parents?.keep(term);
  }

  // Java's leader creates this node in its own session. If the node outlives that session, no Java peer removes it.
  private async removeLeftOver({ guard, signal }: LeadershipTerm): Promise<void> {
    const { tree } = this;
    if (!tree.isProcessingLeftOver()) return;
    const path = tree.paths.reshardingProcessing;
    const operations: Operation[] = [...guard, { kind: 'delete', path, version: tree.stat(path)?.version }];
    const { kind } = await tree.commit(operations, { signal });
    if (kind === 'refused') return;
    const message = `removed "${path}": no session holds it any more, and it made every trigger wait`;
    this.process.events.emit({ kind: 'warning', jobName: tree.jobName, message });
  }

  // Does what a Java leader does not: it notices a crash only while it watches, and overlooks instances that join
  // during its resharding.
  private async assistJava(): Promise<void> {
    const { services, tree } = this;
    const leader = tree.leader();
    const instances = tree.instances();
    const isLedByJava = instances.some(({ jobInstanceId, isOurs }) => jobInstanceId === leader && !isOurs);
    const first = instances.find(({ isOurs }) => isOurs)?.jobInstanceId;
    if (!isLedByJava || first !== tree.self.jobInstanceId) return;
    if (services.sharding.hasOverlooked(tree)) await services.sharding.requestResharding(tree.jobName);
    const guard: Operation[] = [{ kind: 'check', path: tree.paths.instance(first) }];
    const authority: Authority = { guard, signal: tree.signal };
    const steps = new Steps(tree.signal);
    await steps.take(() => this.sweep(authority));
    await steps.take(() => this.reportLostRequests(authority));
    await steps.take(() => services.configurations.keep(tree, authority));
    this.end(steps.failures);
  }

  // The first one is thrown, and reported as that of any duty.
  private end(failures: readonly unknown[]): void {
    const [first] = failures;
    for (const error of this.lastFailures.note(failures)) if (error !== first) this.fail(error);
    if (failures.length > 0) throw first;
  }

  // An instance that is gone takes no request any more, and no other one takes it.
  private async reportLostRequests(authority: Authority): Promise<void> {
    const { tree } = this;
    for (;;) {
      const lost = await removeLostRequests(tree, authority, (missing) => this.peers.goneForGood(missing));
      if (lost.length === 0) return;
      for (const request of lost) {
        const reason = `its instance is gone: ${request.path.slice(tree.paths.triggers.length + 1)}`;
        this.process.events.emit({ kind: 'skipped', trigger: requestedTrigger(tree.jobName, request), reason });
      }
    }
  }

  private async purge(authority: Authority, isPurged: (item: number) => boolean): Promise<void> {
    const items = await purgeQueue(this.tree, authority, this.tree.clock.wallNow(), isPurged);
    this.reportPurged(items);
  }

  private reportPurged(items: readonly number[]): void {
    if (items.length > 0) this.process.events.emit({ kind: 'failover-purged', jobName: this.tree.jobName, items });
  }

  private async sweep(authority: Authority): Promise<void> {
    const { tree } = this;
    const { events, services } = this.process;
    const { jobName } = tree;
    const queued = await services.orphans.sweep(tree, authority, {
      onOverflow: (items) => events.emit({ kind: 'failover-overflow', jobName, items }),
      onStopped: (runs) => events.emit({ kind: 'cut-short', jobName, ...runs }),
    });
    if (queued.length > 0) events.emit({ kind: 'orphaned', jobName, items: queued });
    // Not before a sweep, which reads the requests: a run that is to be cancelled is not queued.
    await removeStaleCancels(tree, authority);
    // A missing peer leaves orphans only once it is gone for good.
    this.peers.watchMissing();
    // An instance that was shut down gets its grace to finish its runs.
    const graceMs = services.shutdowns.nextGoneInMs(tree);
    this.waiting?.cancel();
    if (graceMs !== undefined) this.waiting = tree.clock.setTimer(graceMs, () => this.wake());
  }
}

/** Steps in order. One that fails holds up none of the others, unless the registry does not answer. */
class Steps {
  readonly failures: unknown[] = [];

  /** @param signal aborts when no further step may be taken */
  constructor(private readonly signal: AbortSignal) {}

  /** @returns false if the step has failed */
  async take(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      if (this.signal.aborted || isUnanswered(error)) throw error;
      this.failures.push(error);
      return false;
    }
  }
}
