import type { Clock, Timer } from '../clock/index.js';
import {
  type JobTree,
  type JobTreeEvent,
  type LeadershipTerm,
  removeRetiredFailover,
  untilAnswered,
} from '../coordination/index.js';
import type { JobConfiguration } from '../domain/index.js';
import type { JobEvents } from '../tracing/index.js';
import type { CoordinationServices } from './coordination-services.js';
import { Reaction } from './reaction.js';

const MINUTE_MS = 60_000;

/**
 * What an instance does while it leads a job: stands for election when nobody leads, sweeps orphans, and reshards when
 * the members or the total have changed. Lives as long as the job's session.
 */
export class LeaderDuties {
  private readonly election: Reaction;
  private readonly duties: Reaction;
  private isPlanOutdated = false;
  private reconciling: Timer | undefined;

  constructor(
    private readonly tree: JobTree,
    private readonly services: CoordinationServices,
    private readonly events: JobEvents,
    private readonly clock: Clock,
    private readonly options: { readonly reshardDelayMs: number },
    onError: (error: unknown) => void,
  ) {
    const react = (work: () => Promise<void>) => new Reaction(() => untilAnswered(tree, clock, work), onError);
    this.election = react(() => this.elect());
    this.duties = react(() => this.lead());
  }

  /** Resolves when somebody leads and, if it is this instance, the first assignment is made. */
  async start(): Promise<void> {
    await this.election.settle();
    await this.duties.settle();
    this.reconcileLater();
  }

  stop(): void {
    this.election.stop();
    this.duties.stop();
    this.reconciling?.cancel();
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
        return this.reshardSoon();
      case 'ConfigurationChanged':
        this.reconcileLater();
        return this.reshardSoon();
      case 'TreeReset':
        this.election.wake();
        return this.reshardSoon();
      case 'ReshardingRequested':
        return this.duties.wake();
      case 'ItemReleased':
        // An item beyond the total is removed once nobody runs it.
        if (event.item >= this.configuration.shardingTotalCount) this.duties.wake();
        return;
      case 'LeaderElected':
      case 'ShardingCompleted':
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
    // A leader whose server an operator has disabled abdicates, as in Java.
    if (before !== undefined && this.tree.serverStatus(self.serverIp) === 'DISABLED') {
      return this.services.leader.resign(jobName);
    }
    const term = await this.services.leader.elect(this.tree);
    if (term === undefined || term === before) return;
    this.events.emit({ kind: 'leader-elected', jobName, instanceId: term.instanceId, term: term.term });
    this.duties.wake();
  }

  private async lead(): Promise<void> {
    const { jobName } = this.tree;
    const term = this.services.leader.term(jobName);
    if (term === undefined) return;
    try {
      const orphans = await this.services.queue.sweep(this.tree, term);
      if (orphans.length > 0) this.events.emit({ kind: 'orphaned', jobName, items: orphans });
      const { failover, monitorExecution } = this.configuration;
      if (!failover || !monitorExecution) await removeRetiredFailover(this.tree, term);
      await this.gatherChanges(term);
      const outcome = await this.services.sharding.reshard(this.tree, term);
      if (outcome.kind === 'committed')
        this.events.emit({ kind: 'resharded', jobName, assignment: outcome.assignment });
      await this.services.retention.tidy(this.tree, term);
    } catch (error) {
      // A deposed leader stops; its successor does the same work anew.
      if (!term.signal.aborted) throw error;
    }
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
