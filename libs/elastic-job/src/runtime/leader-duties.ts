import type { Clock, Timer } from '../clock/index.js';
import {
  type JobTree,
  type JobTreeEvent,
  type LeadershipTerm,
  removeRetiredFailover,
  type Sweeper,
  untilAnswered,
} from '../coordination/index.js';
import type { JobConfiguration } from '../domain/index.js';
import type { JobEvents } from '../tracing/index.js';
import type { CoordinationServices } from './coordination-services.js';
import { Reaction } from './reaction.js';

const MINUTE_MS = 60_000;

export interface LeaderDutiesOptions {
  readonly reshardDelayMs: number;
  /** False: no trigger will come here by itself, because the job is paused, has no schedule, or its schedule is over. */
  isTicking(): boolean;
}

/**
 * What an instance does while it leads a job: stands for election when nobody leads, sweeps orphans, and reshards when
 * the members or the total have changed. Lives as long as the job's session.
 *
 * Beside Java the flag is set at once, but the plan is made at the next trigger, when nobody runs an item: this is when a
 * Java peer looks for it. Only a leader whose schedule does not tick makes it as soon as nobody runs an item. If a Java
 * peer leads, the first instance of ours sweeps.
 */
export class LeaderDuties {
  private readonly election: Reaction;
  private readonly duties: Reaction;
  private isPlanOutdated = false;
  /** The job has had Java peers since somebody of ours last wrote a plan without them. */
  private wasMixed = false;
  /** Triggers here that wait for the plan. */
  private waitingTriggers = 0;
  private reconciling: Timer | undefined;
  private lookingAgain: Timer | undefined;

  constructor(
    private readonly tree: JobTree,
    private readonly services: CoordinationServices,
    private readonly events: JobEvents,
    private readonly clock: Clock,
    private readonly options: LeaderDutiesOptions,
    onError: (error: unknown) => void,
  ) {
    const react = (work: () => Promise<void>) => new Reaction(() => untilAnswered(tree, clock, work), onError);
    this.election = react(() => this.elect());
    this.duties = react(() => this.lead());
  }

  /** Resolves when somebody leads and, if it is this instance, the first assignment is made. */
  async start(): Promise<void> {
    this.wasMixed ||= this.tree.isMixed();
    await this.election.settle();
    await this.duties.settle();
    this.reconcileLater();
  }

  stop(): void {
    this.election.stop();
    this.duties.stop();
    this.reconciling?.cancel();
    this.lookingAgain?.cancel();
  }

  /** While it works, a trigger here waits for the plan: a leader beside Java makes it now. */
  async whileTriggered<T>(assign: () => Promise<T>): Promise<T> {
    this.waitingTriggers += 1;
    if (this.tree.isMixed() && this.tree.isReshardingPending()) this.duties.wake();
    try {
      return await assign();
    } finally {
      this.waitingTriggers -= 1;
    }
  }

  hear(event: JobTreeEvent): void {
    switch (event.kind) {
      case 'LeaderLost':
        this.services.leader.endTerm(
          this.tree.jobName,
          new Error(`Job "${this.tree.jobName}": the election node went.`),
        );
        return this.election.wake();
      case 'ServerChanged':
        if (event.serverIp === this.tree.self.serverIp) this.election.wake();
        // Nobody's items depend on a server without instances.
        if (this.tree.hasInstanceAt(event.serverIp)) this.reshardSoon();
        return;
      case 'InstanceJoined':
      case 'InstanceLost':
        if (this.wasMixed) this.services.absences.note(this.tree, [event.instanceId]);
        this.wasMixed ||= this.tree.isMixed();
        return this.reshardSoon();
      case 'ConfigurationChanged':
        this.reconcileLater();
        return this.reshardSoon();
      case 'TreeReset':
        this.wasMixed ||= this.tree.isMixed();
        this.election.wake();
        return this.reshardSoon();
      case 'ReshardingRequested':
        return this.duties.wake();
      case 'ItemReleased':
        // An item beyond the total is removed once nobody runs it.
        if (event.item >= this.configuration.shardingTotalCount) this.duties.wake();
        // Beside Java the plan waits until nobody runs an item.
        if (this.tree.isMixed() && this.tree.isReshardingPending()) this.duties.wake();
        return;
      case 'LeaderElected':
        // If it is a Java peer, somebody of ours has to sweep.
        if (this.tree.isMixed()) this.duties.wake();
        return;
      case 'ShardingCompleted':
        // A Java leader may have overlooked this instance.
        if (this.tree.isMixed()) this.duties.wake();
        else this.wasMixed = false;
        return;
      case 'TurnChanged':
      case 'ItemQueued':
      case 'ItemSwitched':
      case 'TriggerRequested':
      case 'GuaranteeChanged':
        return;
      default:
        event satisfies never;
    }
  }

  /** Looks for orphans and misplaced items that no event told of, every so often. */
  private reconcileLater(): void {
    const { reconcileIntervalMinutes } = this.configuration;
    this.reconciling?.cancel();
    if (reconcileIntervalMinutes <= 0) return;
    this.reconciling = this.clock.setTimer(reconcileIntervalMinutes * MINUTE_MS, () => {
      this.duties.wake();
      this.reconcileLater();
    });
  }

  private get configuration(): JobConfiguration {
    return this.services.configurations.current(this.tree.jobName);
  }

  private reshardSoon(): void {
    this.isPlanOutdated = true;
    this.duties.wake();
  }

  private async elect(): Promise<void> {
    const { jobName, self } = this.tree;
    const before = this.services.leader.term(jobName);
    // A leader whose server an operator has disabled abdicates, as in Java. A Java successor may have missed the cause.
    if (before !== undefined && this.tree.serverStatus(self.serverIp) === 'DISABLED') {
      if (this.tree.isMixed()) await this.services.sharding.announce(this.tree, before);
      return this.services.leader.resign(jobName);
    }
    const term = await this.services.leader.elect(this.tree);
    if (term === undefined || term === before) return;
    this.events.emit({ kind: 'leader-elected', jobName, instanceId: term.instanceId, term: term.term });
    this.duties.wake();
  }

  private async lead(): Promise<void> {
    const term = this.services.leader.term(this.tree.jobName);
    if (term === undefined) return this.assistJava();
    try {
      await this.sweep(term);
      const { failover, monitorExecution } = this.configuration;
      if (!failover || !monitorExecution) await removeRetiredFailover(this.tree, term);
      // The last Java peer may be back in a moment.
      if (this.tree.isMixed() || this.isLookingAgain()) await this.reshardBesideJava(term);
      else await this.reshard(term);
      await this.services.retention.tidy(this.tree, term);
    } catch (error) {
      // A deposed leader stops; its successor does the same work anew.
      if (!term.signal.aborted) throw error;
    }
  }

  private async reshard(term: LeadershipTerm): Promise<void> {
    await this.gatherChanges(term);
    await this.commitPlan(term);
  }

  private async reshardBesideJava(term: LeadershipTerm): Promise<void> {
    const isDue = this.isPlanOutdated && !this.services.sharding.isFixed(this.tree);
    if (isDue) await this.services.sharding.announce(this.tree, term);
    this.isPlanOutdated = false;
    if (!this.tree.isReshardingPending()) return;
    if (this.waitingTriggers === 0 && this.options.isTicking()) return;
    // Who is missing for a moment only keeps its items.
    if (!this.isLookingAgain()) await this.commitPlan(term);
  }

  private async commitPlan(term: LeadershipTerm): Promise<void> {
    const { jobName } = this.tree;
    const outcome = await this.services.sharding.reshard(this.tree, term, this.wasMixed && !this.tree.isMixed());
    if (outcome.kind === 'committed') this.events.emit({ kind: 'resharded', jobName, assignment: outcome.assignment });
    if (!this.tree.isMixed() && outcome.kind !== 'no-instance') this.wasMixed = false;
  }

  // A Java leader sees only crashes that happen before its eyes, and overlooks who joins during its resharding.
  private async assistJava(): Promise<void> {
    const { tree } = this;
    const leader = tree.leader();
    const instances = tree.instances();
    const isLedByJava = instances.some(({ jobInstanceId, isOurs }) => jobInstanceId === leader && !isOurs);
    const first = instances.find(({ isOurs }) => isOurs)?.jobInstanceId;
    if (!isLedByJava) return;
    if (this.services.sharding.isOverlooked(tree)) await this.services.sharding.requestResharding(tree.jobName);
    if (first !== tree.self.jobInstanceId) return;
    await this.sweep({ guard: [{ kind: 'check', path: tree.paths.instance(first) }], signal: tree.signal });
  }

  private async sweep(sweeper: Sweeper): Promise<void> {
    const { jobName } = this.tree;
    const orphans = await this.services.queue.sweep(this.tree, sweeper);
    if (orphans.length > 0) this.events.emit({ kind: 'orphaned', jobName, items: orphans });
    this.isLookingAgain();
  }

  /** Whether somebody is missing who may still come back; then the duties are done again when that is known. */
  private isLookingAgain(): boolean {
    const remainingMs = this.services.absences.longestRemainingMs(this.tree);
    this.lookingAgain?.cancel();
    if (remainingMs === 0) return false;
    this.lookingAgain = this.clock.setTimer(remainingMs, () => this.duties.wake());
    return true;
  }

  // Ten pods that start together cost one plan: triggers are told to wait, and the plan waits for the last of them.
  private async gatherChanges(term: LeadershipTerm): Promise<void> {
    while (this.isPlanOutdated) {
      this.isPlanOutdated = false;
      if (this.services.sharding.isFixed(this.tree)) return;
      await this.services.sharding.announce(this.tree, term);
      await this.clock.sleep(this.options.reshardDelayMs, term.signal);
    }
  }
}
