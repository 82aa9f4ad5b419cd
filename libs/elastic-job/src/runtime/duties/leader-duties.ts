// Covered by test/scenario/operating.spec.ts
import type { Timer } from '../../clock/index.js';
import type { JobConfiguration } from '../../domain/index.js';
import { type JobContext, SessionReaction } from '../leases/index.js';
import type { Duty, News } from './duty.js';
import { LeaderWork } from './leader-work.js';
import { RecentPeers } from './recent-peers.js';
import { Resharding } from './resharding.js';

const MINUTE_MS = 60_000;
/** Owners that change are compared with the plan so much later, in milliseconds: all of a plan are known by then. */
const COMPARE_MS = 5_000;

/**
 * What wakes an instance to lead a job: it stands for election when nobody leads, and does the leader's work when there
 * is some. It plans a moment after the members or the total have changed, while it goes on sweeping.
 */
export class LeaderDuties implements Duty {
  private readonly election: SessionReaction;
  private readonly duties: SessionReaction;
  private readonly peers: RecentPeers;
  private readonly resharding: Resharding;
  private readonly work: LeaderWork;
  private reconciling: Timer | undefined;
  private comparing: Timer | undefined;

  constructor(private readonly context: JobContext) {
    this.election = new SessionReaction(context, 'leading the job', () => this.elect());
    this.duties = new SessionReaction(context, 'leading the job', () => this.work.do());
    const wake = () => this.duties.wake();
    this.peers = new RecentPeers(context, wake);
    this.resharding = new Resharding(context, this.peers, wake);
    this.work = new LeaderWork(context, this.peers, this.resharding, wake);
  }

  LeaderLost(): void {
    const { services, tree } = this.context;
    services.leader.endTerm(tree.jobName, new Error(`Job "${tree.jobName}": the election node went.`));
    this.election.wake();
  }

  LeaderElected(): void {
    this.wakeBesideJava();
  }

  ShardingCompleted(): void {
    this.peers.forget();
    this.wakeBesideJava();
  }

  InstanceJoined({ instanceId }: News<'InstanceJoined'>): void {
    this.peers.note(instanceId);
    this.reshardSoon();
  }

  InstanceDraining(): void {
    this.reshardSoon();
  }

  InstanceLost({ instanceId }: News<'InstanceLost'>): void {
    const { services, tree } = this.context;
    // Also by those who may lead before its grace is over.
    if (tree.hasSession(instanceId)) services.shutdowns.note(tree, [instanceId]);
    this.peers.note(instanceId);
    this.reshardSoon();
  }

  // The items of an instance that was shut down are waited for no longer.
  SessionEnded({ instanceId }: News<'SessionEnded'>): void {
    this.wakeIf(this.context.services.shutdowns.forget(this.context.tree, instanceId));
  }

  ServerChanged({ serverIp }: News<'ServerChanged'>): void {
    const { tree } = this.context;
    if (serverIp === tree.self.serverIp) this.election.wake();
    // No item depends on a server without instances.
    if (tree.hasInstanceAt(serverIp)) this.reshardSoon();
  }

  TreeReset(): void {
    this.peers.rememberPeers();
    this.election.wake();
    this.reshardSoon();
  }

  ConfigurationChanged(): void {
    this.reconcileLater();
    this.reshardSoon();
  }

  ConfigurationKept(): void {
    const { configurations } = this.context.services;
    // It decides while the text of `config` cannot be used; somebody may have removed it by hand.
    if (configurations.inForce(this.context.tree).fault !== undefined) this.reshardSoon();
    else this.wakeIf(configurations.textToKeep(this.context.tree) !== undefined);
  }

  OwnerChanged(): void {
    this.compareOwnersLater();
  }

  ReshardingRequested(): void {
    this.wakeIf(!this.resharding.isAnnouncing);
  }

  PlanDamaged(): void {
    this.duties.wake();
  }

  SweepNeeded(): void {
    this.duties.wake();
  }

  StartsChanged(): void {
    this.wakeIf(this.context.services.dependencies.isDamaged(this.context.tree));
  }

  CancelRequested({ item }: News<'CancelRequested'>): void {
    this.wakeIf(this.isCancelLeft(item));
  }

  // An item beyond the total is removed once nobody runs it.
  ItemReleased({ item }: News<'ItemReleased'>): void {
    this.wakeIf(item >= this.configuration.shardingTotalCount || this.resharding.isHeldUp || this.isCancelLeft(item));
  }

  /** Resolves when somebody leads and, if it is this instance, the first assignment is made. */
  async start(): Promise<void> {
    this.peers.rememberPeers();
    await this.election.wakeAndWait();
    // An instance that is elected does the leader's work already.
    this.wakeIf(this.context.services.leader.term(this.context.tree.jobName) === undefined);
    await this.duties.rested();
    while (this.resharding.gathered !== undefined) {
      await this.resharding.gathered;
      await this.duties.rested();
    }
    this.reconcileLater();
  }

  stop(): void {
    this.election.stop();
    this.duties.stop();
    this.reconciling?.cancel();
    this.comparing?.cancel();
    this.peers.stop();
    this.work.stop();
  }

  /** While it works, a trigger here waits for the plan: a leader beside Java makes it now. */
  whileTriggered<T>(assign: () => Promise<T>): Promise<T> {
    return this.resharding.whileTriggered(() => {
      if (this.resharding.isHeldUp) this.duties.wake();
      return assign();
    });
  }

  private wakeIf(isWork: boolean): void {
    if (isWork) this.duties.wake();
  }

  /** If a Java peer leads, somebody of ours has to sweep, and it may have overlooked this instance. */
  private wakeBesideJava(): void {
    this.wakeIf(this.context.tree.company.overlooksChanges);
  }

  /** The run has ended before its holder knew of the request to cancel it. */
  private isCancelLeft(item: number): boolean {
    const { tree } = this.context;
    return tree.has(tree.paths.cancel(item)) && !tree.isRunning(item);
  }

  /** Looks for orphans and misplaced items that no event told of, every so often. */
  private reconcileLater(): void {
    const { reconcileIntervalMinutes } = this.configuration;
    this.reconciling?.cancel();
    if (reconcileIntervalMinutes <= 0) return;
    this.reconciling = this.context.scheduleClock.setTimer(reconcileIntervalMinutes * MINUTE_MS, () => {
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
    if (isDisabled) await this.work.purgeIfDisabled();
    // A leader whose server an operator has disabled abdicates, as in Java. A Java successor may have missed the cause.
    if (before !== undefined && isDisabled) {
      if (this.context.tree.company.overlooksChanges)
        await this.context.services.sharding.announce(this.context.tree, before);
      return this.context.services.leader.resign(jobName);
    }
    const term = await this.context.services.leader.elect(this.context.tree);
    if (term === undefined || term === before) return;
    this.context.events.emit({ kind: 'leader-elected', jobName, instanceId: term.instanceId, term: term.term });
    this.duties.wake();
  }
}
