import type { Timer } from '../../clock/index.js';
import type { JobConfiguration } from '../../domain/index.js';
import type { CoordinationServices, JobTree } from '../../coordination/index.js';
import { JobReconciler, type News, type Report } from '../news/index.js';
import { type JobSchedule } from '../settings/index.js';
import type { RegistryTurns } from '../../turns/index.js';
import { CutShort, RecentPeers } from '../rescuing/index.js';
import type { ProcessContext } from '../runs/index.js';
import { LeaderWork } from './leader-work.js';
import { RerunEnds } from './rerun-ends.js';
import { Resharding } from './resharding.js';

const MINUTE_MS = 60_000;
/**
 * Milliseconds between a change of owners and its comparison with the plan; all changes of one plan are known by then.
 */
const COMPARE_MS = 5_000;

/**
 * Leads a job: stands for election if there is no leader, and does the leader's work when there is some. It makes a
 * plan shortly after members or the total have changed, while it keeps sweeping.
 */
export class LeaderDuties {
  private readonly election: JobReconciler;
  private readonly cutShort: CutShort;
  private readonly peers: RecentPeers;
  private readonly resharding: Resharding;
  private readonly work: LeaderWork;
  /** Undefined until the job has a re-run, as most have none. */
  private reruns: RerunEnds | undefined;
  private reconciling: Timer | undefined;
  private comparing: Timer | undefined;

  constructor(
    private readonly tree: JobTree,
    private readonly process: Pick<ProcessContext, 'events' | 'options' | 'scheduleClock' | 'services'>,
    schedule: Pick<JobSchedule, 'willTick'>,
    registryTurns: RegistryTurns | undefined,
    private readonly report: Report,
  ) {
    const { events, options, services } = process;
    const wake = () => this.work.wake();
    this.election = new JobReconciler(tree, report, 'leading the job', () => this.elect());
    this.cutShort = new CutShort(tree, services.configurations, events);
    const peers = (this.peers = new RecentPeers(tree, services.absences, wake));
    this.resharding = new Resharding(tree, services, schedule, registryTurns, options.reshardDelayMs, peers, wake);
    this.work = new LeaderWork(tree, report, process, peers, this.resharding, this.cutShort);
  }

  leaderLost(): void {
    this.services.leader.depose(this.tree.jobName);
    this.election.wake();
  }

  leaderElected(): void {
    this.wakeBesideJava();
  }

  shardingCompleted(): void {
    this.peers.forget();
    // The leader has reported them before its plan.
    if (this.services.leader.term(this.tree.jobName) === undefined) this.cutShort.forget();
    this.wakeBesideJava();
  }

  instanceJoined({ instanceId }: News<'InstanceJoined'>): void {
    const { services, tree } = this;
    services.shutdowns.forget(tree, instanceId);
    this.peers.note(instanceId);
    this.cutShort.noteJoined(instanceId);
    this.resharding.noteJoined(instanceId);
    this.reshardSoon();
  }

  instanceDraining({ instanceId }: News<'InstanceDraining'>): void {
    this.resharding.noteLeaving(instanceId);
    this.reshardSoon();
  }

  instanceLost({ instanceId }: News<'InstanceLost'>): void {
    const { services, tree } = this;
    // Noted by every instance, since any of them may lead before the grace ends.
    if (tree.hasSession(instanceId)) services.shutdowns.note(tree, [instanceId]);
    this.peers.note(instanceId);
    this.cutShort.noteLost(instanceId);
    this.reshardSoon();
  }

  // Items of an instance that was shut down need not be waited for any longer.
  sessionEnded({ instanceId }: News<'SessionEnded'>): void {
    this.wakeIf(this.services.shutdowns.forget(this.tree, instanceId));
  }

  serverChanged({ serverIp }: News<'ServerChanged'>): void {
    const { tree } = this;
    if (serverIp === tree.self.serverIp) this.election.wake();
    // A server without instances owns no item.
    if (tree.hasInstanceAt(serverIp)) this.reshardSoon();
  }

  treeReset(): void {
    this.peers.rememberPeers();
    this.cutShort.noteMembers();
    this.election.wake();
    this.reshardSoon();
    this.lookAtReruns();
  }

  configurationChanged(): void {
    this.lookAtReruns();
    this.reconcileLater();
    this.reshardSoon();
  }

  configurationKept(): void {
    const { configurations } = this.services;
    // The plan depends on the text of `config`, which may have been removed by hand while it could not be used.
    if (configurations.inForce(this.tree).fault !== undefined) this.reshardSoon();
    else this.wakeIf(configurations.textToKeep(this.tree) !== undefined);
  }

  ownerChanged(): void {
    this.compareOwnersLater();
  }

  reshardingRequested(): void {
    this.wakeIf(!this.resharding.isAnnouncing);
  }

  planDamaged(): void {
    this.work.wake();
  }

  // Somebody had deleted it, with what stood below: the leader, the resharding flag, or the failover queue.
  nodeLaid(): void {
    this.election.wake();
    this.reshardSoon();
  }

  sweepNeeded(): void {
    this.work.wake();
  }

  startsChanged(): void {
    const { services, tree } = this;
    this.wakeIf(services.dependencies.isDamaged(tree) || services.dependencies.isLost(tree));
  }

  rerunChanged(): void {
    this.lookAtReruns();
  }

  rerunProgressed(): void {
    this.lookAtReruns();
  }

  // A request to an instance that is there is that instance's to take.
  triggerRequested({ instanceId }: News<'TriggerRequested'>): void {
    this.wakeIf(!this.tree.hasInstance(instanceId));
  }

  cancelRequested({ item }: News<'CancelRequested'>): void {
    this.wakeIf(this.isCancelLeft(item));
  }

  // An item beyond the total is removed once it no longer runs.
  itemReleased({ item }: News<'ItemReleased'>): void {
    const isWork = this.resharding.isHeldUp || this.cutShort.isAwaited || this.isCancelLeft(item);
    this.wakeIf(isWork || item >= this.configuration.shardingTotalCount);
  }

  /** Resolves when there is a leader and, if it is this instance, the first assignment is made. */
  async start(): Promise<void> {
    this.peers.rememberPeers();
    this.cutShort.noteStart();
    await this.election.wakeAndWait();
    // A newly elected instance does the leader's work already.
    this.wakeIf(this.services.leader.term(this.tree.jobName) === undefined);
    await this.work.rested();
    while (this.resharding.gathered !== undefined) {
      await this.resharding.gathered;
      await this.work.rested();
    }
    this.reconcileLater();
  }

  stop(): void {
    this.election.stop();
    this.reconciling?.cancel();
    this.comparing?.cancel();
    this.peers.stop();
    this.reruns?.stop();
    this.work.stop();
  }

  /** A trigger here waits for the plan, which makes a leader beside Java create it now. */
  triggerWaits(): void {
    this.resharding.waitingTriggers += 1;
    this.wakeIf(this.resharding.isHeldUp);
  }

  /** The trigger waits no more. Call it once after each `triggerWaits`. */
  triggerGoesOn(): void {
    this.resharding.waitingTriggers -= 1;
  }

  /** One of them may be done or withdrawn. */
  private lookAtReruns(): void {
    const { process, report, tree } = this;
    if (tree.reruns.length > 0) (this.reruns ??= new RerunEnds(tree, process.services, report)).look();
  }

  private wakeIf(isWork: boolean): void {
    if (isWork) this.work.wake();
  }

  /** If a Java peer leads, one instance of ours must sweep, and the peer may have overlooked this instance. */
  private wakeBesideJava(): void {
    this.wakeIf(this.tree.company.overlooksChanges);
  }

  /** True if a run has ended before its holder learned of the request to cancel it. */
  private isCancelLeft(item: number): boolean {
    const { tree } = this;
    return tree.isCancelled(item) && !tree.isRunning(item);
  }

  /** Looks periodically for orphans and misplaced items that no event has reported. */
  private reconcileLater(): void {
    const { reconcileIntervalMinutes } = this.configuration;
    this.reconciling?.cancel();
    if (reconcileIntervalMinutes <= 0) return;
    this.reconciling = this.process.scheduleClock.setTimer(reconcileIntervalMinutes * MINUTE_MS, () => {
      this.services.dependencies.forget(this.tree);
      this.work.wake();
      this.reconcileLater();
    });
  }

  // Compares owners with the plan later. An owner set by hand runs the item, or does not exist, and triggers no plan by
  // itself.
  private compareOwnersLater(): void {
    if (this.tree.signal.aborted) return;
    this.comparing ??= this.tree.clock.setTimer(COMPARE_MS, () => {
      this.comparing = undefined;
      if (this.services.leader.term(this.tree.jobName) !== undefined && this.isMisplaced()) this.reshardSoon();
    });
  }

  // If there can be no plan, the attempt to make one reports that.
  private isMisplaced(): boolean {
    try {
      return this.services.sharding.isMisplaced(this.tree);
    } catch {
      return true;
    }
  }

  private get services(): CoordinationServices {
    return this.process.services;
  }

  private get configuration(): JobConfiguration {
    return this.services.configurations.current(this.tree.jobName);
  }

  private reshardSoon(): void {
    this.resharding.outdate();
    this.work.wake();
  }

  private async elect(): Promise<void> {
    const { jobName, self } = this.tree;
    const before = this.services.leader.term(jobName);
    const isDisabled = this.tree.serverStatus(self.serverIp) === 'DISABLED';
    if (isDisabled) await this.work.purgeIfDisabled();
    // A leader whose server an operator has disabled abdicates, as in Java. A Java successor may have missed the cause.
    if (before !== undefined && isDisabled) {
      if (this.tree.company.overlooksChanges) await this.services.sharding.announce(this.tree, before);
      return this.services.leader.resign(jobName);
    }
    const term = await this.services.leader.elect(this.tree);
    if (term === undefined || term === before) return;
    this.process.events.emit({ kind: 'leader-elected', jobName, instanceId: term.instanceId, term: term.term });
    this.work.wake();
    this.lookAtReruns();
  }
}
