import type { Timer } from '../../clock/index.js';
import {
  disabledJob,
  isJobDisabled,
  type LeadershipTerm,
  purgeQueue,
  removeRetiredFailover,
  removeStaleCancels,
  type Sweeper,
} from '../../coordination/index.js';
import { failsOver, type JobConfiguration, type JobName } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { type JobContext, type JobNews, type Reaction, reactionIn } from '../leases/index.js';
import type { Duty } from './duty.js';
import { RecentPeers } from './recent-peers.js';
import { Resharding } from './resharding.js';

const MINUTE_MS = 60_000;
/** Owners that change are compared with the plan so much later, in milliseconds: all of a plan are known by then. */
const COMPARE_MS = 5_000;

/**
 * What an instance does while it leads a job: stands for election when nobody leads, sweeps orphans, and reshards a
 * moment after the members or the total have changed, while it goes on sweeping. If a Java peer leads, the first
 * instance of ours sweeps. Lives as long as the job's session.
 */
export class LeaderDuties implements Duty {
  private readonly election: Reaction;
  private readonly duties: Reaction;
  private readonly peers: RecentPeers;
  private readonly resharding: Resharding;
  private reconciling: Timer | undefined;
  private waiting: Timer | undefined;
  private comparing: Timer | undefined;
  private missingParents = '';

  constructor(private readonly context: JobContext) {
    const { clock, services, tree } = context;
    this.election = reactionIn(context, 'leading the job', () => this.elect());
    this.duties = reactionIn(context, 'leading the job', () => this.lead());
    this.peers = new RecentPeers(tree, services.absences, clock, () => this.duties.wake());
    this.resharding = new Resharding(context, this.peers, () => this.duties.wake());
  }

  /** Resolves when somebody leads and, if it is this instance, the first assignment is made. */
  async start(): Promise<void> {
    this.peers.look();
    await this.election.settle();
    await this.duties.settle();
    while (this.resharding.gathered !== undefined) {
      await this.resharding.gathered;
      await this.duties.settle();
    }
    this.reconcileLater();
  }

  stop(): void {
    this.election.stop();
    this.duties.stop();
    this.reconciling?.cancel();
    this.waiting?.cancel();
    this.comparing?.cancel();
    this.peers.stop();
  }

  /** While it works, a trigger here waits for the plan: a leader beside Java makes it now. */
  whileTriggered<T>(assign: () => Promise<T>): Promise<T> {
    return this.resharding.whileTriggered(() => {
      if (this.resharding.isHeldUp) this.duties.wake();
      return assign();
    });
  }

  hear(event: JobNews): void {
    switch (event.kind) {
      case 'LeaderLost':
        this.context.services.leader.endTerm(
          this.context.tree.jobName,
          new Error(`Job "${this.context.tree.jobName}": the election node went.`),
        );
        return this.election.wake();
      case 'ServerChanged':
        if (event.serverIp === this.context.tree.self.serverIp) this.election.wake();
        // Nobody's items depend on a server without instances.
        if (this.context.tree.hasInstanceAt(event.serverIp)) this.reshardSoon();
        return;
      case 'InstanceLost':
        // Also by those who may lead before its grace is over.
        if (this.context.tree.hasSession(event.instanceId))
          this.context.services.shutdowns.note(this.context.tree, [event.instanceId]);
        this.peers.note(event.instanceId);
        return this.reshardSoon();
      case 'InstanceJoined':
        this.peers.note(event.instanceId);
        return this.reshardSoon();
      case 'InstanceDraining':
        return this.reshardSoon();
      case 'SessionEnded':
        // What an instance that was shut down has left behind is waited for no longer.
        if (this.context.services.shutdowns.forget(this.context.tree, event.instanceId)) this.duties.wake();
        return;
      case 'ConfigurationChanged':
        this.reconcileLater();
        return this.reshardSoon();
      case 'ConfigurationKept':
        // It decides while the text of `config` cannot be used; somebody may have removed it by hand.
        if (this.context.services.configurations.inForce(this.context.tree).fault !== undefined)
          return this.reshardSoon();
        if (this.context.services.configurations.textToKeep(this.context.tree) !== undefined) this.duties.wake();
        return;
      case 'TreeReset':
        this.peers.look();
        this.election.wake();
        return this.reshardSoon();
      case 'ReshardingRequested':
      case 'PlanDamaged':
      case 'SweepDue':
        return this.duties.wake();
      case 'StartsChanged':
        if (this.context.services.dependencies.isDamaged(this.context.tree)) this.duties.wake();
        return;
      case 'OwnerChanged':
        return this.compareOwnersLater();
      case 'ItemReleased':
        // An item beyond the total is removed once nobody runs it.
        if (event.item >= this.configuration.shardingTotalCount || this.resharding.isHeldUp) this.duties.wake();
        return this.lookAtCancel(event.item);
      case 'CancelRequested':
        return this.lookAtCancel(event.item);
      case 'LeaderElected':
        // If it is a Java peer, somebody of ours has to sweep.
        if (this.context.tree.isMixed()) this.duties.wake();
        return;
      case 'ShardingCompleted':
        // A Java leader may have overlooked this instance.
        if (this.context.tree.isMixed()) this.duties.wake();
        else this.peers.forget();
        return;
      default:
    }
  }

  /** Looks for orphans and misplaced items that no event told of, every so often. */
  private reconcileLater(): void {
    const { reconcileIntervalMinutes } = this.configuration;
    this.reconciling?.cancel();
    if (reconcileIntervalMinutes <= 0) return;
    this.reconciling = this.context.clock.setTimer(reconcileIntervalMinutes * MINUTE_MS, () => {
      this.context.services.dependencies.forget(this.context.tree);
      this.duties.wake();
      this.reconcileLater();
    });
  }

  // An owner that somebody has set by hand runs the item, or is nobody. No plan comes of it by itself.
  private compareOwnersLater(): void {
    if (this.context.tree.signal.aborted) return;
    this.comparing ??= this.context.clock.setTimer(COMPARE_MS, () => {
      this.comparing = undefined;
      const { leader, sharding } = this.context.services;
      if (leader.term(this.context.tree.jobName) !== undefined && sharding.isMisplaced(this.context.tree))
        this.reshardSoon();
    });
  }

  // The run has ended before its holder knew of the request.
  private lookAtCancel(item: number): void {
    const { tree } = this.context;
    if (tree.has(tree.paths.cancel(item)) && !tree.isRunning(item)) this.duties.wake();
  }

  private get configuration(): JobConfiguration {
    return this.context.services.configurations.current(this.context.tree.jobName);
  }

  private reshardSoon(): void {
    this.resharding.outdate();
    this.duties.wake();
  }

  private async elect(): Promise<void> {
    const { jobName, self } = this.context.tree;
    const before = this.context.services.leader.term(jobName);
    const isDisabled = this.context.tree.serverStatus(self.serverIp) === 'DISABLED';
    // What waits would be run whenever the job is enabled again.
    if (isDisabled) await this.purge(disabledJob(this.context.tree), () => isJobDisabled(this.context.tree));
    // A leader whose server an operator has disabled abdicates, as in Java. A Java successor may have missed the cause.
    if (before !== undefined && isDisabled) {
      if (this.context.tree.isMixed()) await this.context.services.sharding.announce(this.context.tree, before);
      return this.context.services.leader.resign(jobName);
    }
    const term = await this.context.services.leader.elect(this.context.tree);
    if (term === undefined || term === before) return;
    this.context.events.emit({ kind: 'leader-elected', jobName, instanceId: term.instanceId, term: term.term });
    this.duties.wake();
  }

  private async lead(): Promise<void> {
    const term = this.context.services.leader.term(this.context.tree.jobName);
    if (term === undefined) return this.assistJava();
    try {
      await this.removeLeftOver(term);
      const leftOut = [...(await this.sweep(term))];
      const { shardingTotalCount } = this.configuration;
      if (!failsOver(this.configuration)) await removeRetiredFailover(this.context.tree, term);
      else await this.purge(term, (item) => item >= shardingTotalCount);
      await this.resharding.plan(term);
      await this.keepConfiguration(term, leftOut);
      await this.keepDependencies(term);
      await this.context.services.retention.tidy(this.context.tree, term);
      if (leftOut.length > 0) throw leftOut[0];
    } catch (error) {
      // A deposed leader stops; its successor does the same work anew.
      if (!term.signal.aborted) throw error;
    }
  }

  /** @param failed what has failed is told later: it holds up nothing else */
  private async keepConfiguration(term: Sweeper, failed: unknown[]): Promise<void> {
    await this.context.services.configurations
      .keep(this.context.tree, term)
      .catch((error: unknown) => failed.push(error));
  }

  // Java's leader makes this node in its own session; nobody else would remove one that outlives it.
  private async removeLeftOver({ guard, signal }: LeadershipTerm): Promise<void> {
    const { tree } = this.context;
    if (!tree.isProcessingLeftOver()) return;
    const path = tree.paths.reshardingProcessing;
    const operations: Operation[] = [...guard, { kind: 'delete', path, version: tree.stat(path)?.version }];
    const { kind } = await tree.registry.transaction(operations, { signal });
    if (kind === 'refused') return;
    const message = `removed "${path}": no session holds it, and it told every trigger to wait`;
    this.context.events.emit({ kind: 'warning', jobName: tree.jobName, message });
  }

  private async keepDependencies(term: LeadershipTerm): Promise<void> {
    const { events, services, tree } = this.context;
    const { jobName } = tree;
    const isDamaged = services.dependencies.isDamaged(tree);
    this.tellMissing(await services.dependencies.keep(tree, term));
    if (!isDamaged) return;
    const message = `"${tree.paths.after}" could not be read and was laid anew: starts that nobody had begun are lost`;
    events.emit({ kind: 'warning', jobName, message });
  }

  private tellMissing(parents: readonly JobName[]): void {
    if (parents.join() === this.missingParents) return;
    this.missingParents = parents.join();
    if (parents.length === 0) return;
    const message = `its parents are gone (${this.missingParents}); it is not started until they are back`;
    this.context.events.emit({ kind: 'warning', jobName: this.context.tree.jobName, message });
  }

  // A Java leader sees only crashes that happen before its eyes, and overlooks who joins during its resharding.
  private async assistJava(): Promise<void> {
    const { tree } = this.context;
    const leader = tree.leader();
    const instances = tree.instances();
    const isLedByJava = instances.some(({ jobInstanceId, isOurs }) => jobInstanceId === leader && !isOurs);
    const first = instances.find(({ isOurs }) => isOurs)?.jobInstanceId;
    if (!isLedByJava || first !== tree.self.jobInstanceId) return;
    if (this.context.services.sharding.hasOverlooked(tree))
      await this.context.services.sharding.requestResharding(tree.jobName);
    const guard: Operation[] = [{ kind: 'check', path: tree.paths.instance(first) }];
    const leftOut = [...(await this.sweep({ guard, signal: tree.signal }))];
    await this.keepConfiguration({ guard, signal: tree.signal }, leftOut);
    if (leftOut.length > 0) throw leftOut[0];
  }

  private async purge(purger: Sweeper, isPurged: (item: number) => boolean): Promise<void> {
    const items = await purgeQueue(this.context.tree, purger, this.context.clock.wallNow(), isPurged);
    if (items.length > 0)
      this.context.events.emit({ kind: 'failover-purged', jobName: this.context.tree.jobName, items });
  }

  /** @returns why items were left out */
  private async sweep(sweeper: Sweeper): Promise<readonly unknown[]> {
    const { jobName } = this.context.tree;
    const leftOut: unknown[] = [];
    const queued = await this.context.services.orphans.sweep(
      this.context.tree,
      sweeper,
      (items) => this.context.events.emit({ kind: 'failover-overflow', jobName, items }),
      (error) => leftOut.push(error),
    );
    await removeStaleCancels(this.context.tree, sweeper);
    if (queued.length > 0) this.context.events.emit({ kind: 'orphaned', jobName, items: queued });
    // A peer that is missing leaves orphans only once it is gone for good.
    this.peers.watchMissing();
    this.watchShutdowns();
    return leftOut;
  }

  // Whoever was shut down has its time to put away what it runs.
  private watchShutdowns(): void {
    const graceMs = this.context.services.shutdowns.nextGoneInMs(this.context.tree);
    this.waiting?.cancel();
    if (graceMs !== undefined) this.waiting = this.context.clock.setTimer(graceMs, () => this.duties.wake());
  }
}
