import type { Clock } from '../clock/index.js';
import type { JobTree, LeadershipTerm } from '../coordination/index.js';
import type { JobEvents } from '../tracing/index.js';
import type { CoordinationServices } from './coordination-services.js';
import type { RecentPeers } from './recent-peers.js';

export interface ReshardingOptions {
  /** How long a leader waits for further changes before it reshards, in milliseconds. */
  readonly reshardDelayMs: number;
  /** False: no trigger will come here by itself, because the job is paused, has no schedule, or its schedule is over. */
  isTicking(): boolean;
}

/**
 * The leader's plan of one job: whether it is out of date, and when it is made anew.
 *
 * Beside Java the flag is set at once, but the plan is made at the next trigger, when nobody runs an item: this is when a
 * Java peer looks for it. Only a leader whose schedule does not tick makes it as soon as nobody runs an item.
 */
export class Resharding {
  private isPlanOutdated = false;
  /** Triggers here that wait for the plan. */
  private waitingTriggers = 0;

  constructor(
    private readonly tree: JobTree,
    private readonly services: CoordinationServices,
    private readonly events: JobEvents,
    private readonly clock: Clock,
    private readonly options: ReshardingOptions,
    private readonly peers: RecentPeers,
  ) {}

  /** The plan waits for a moment in which nobody runs an item. */
  get isHeldUp(): boolean {
    return this.tree.isMixed() && this.tree.isReshardingPending();
  }

  /** The members or the settings have changed. */
  outdate(): void {
    this.isPlanOutdated = true;
  }

  /** While it works, a trigger here waits for the plan. */
  async whileTriggered<T>(assign: () => Promise<T>): Promise<T> {
    this.waitingTriggers += 1;
    try {
      return await assign();
    } finally {
      this.waitingTriggers -= 1;
    }
  }

  /** Makes the plan if it is time. @throws the term's reason if it is over */
  async plan(term: LeadershipTerm): Promise<void> {
    // The last Java peer may be back in a moment.
    if (this.tree.isMixed() || this.peers.watchMissing()) return this.planBesideJava(term);
    await this.gatherChanges(term);
    await this.commit(term);
  }

  private async planBesideJava(term: LeadershipTerm): Promise<void> {
    const isDue = this.isPlanOutdated && !this.services.sharding.isFixed(this.tree);
    if (isDue) await this.services.sharding.announce(this.tree, term);
    this.isPlanOutdated = false;
    if (!this.tree.isReshardingPending()) return;
    if (this.waitingTriggers === 0 && this.options.isTicking()) return;
    // Who is missing for a moment only keeps its items.
    if (!this.peers.watchMissing()) await this.commit(term);
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

  private async commit(term: LeadershipTerm): Promise<void> {
    const { jobName } = this.tree;
    const isLastGone = this.peers.wasMixed && !this.tree.isMixed();
    const outcome = await this.services.sharding.reshard(this.tree, term, isLastGone);
    if (outcome.kind === 'committed') this.events.emit({ kind: 'resharded', jobName, assignment: outcome.assignment });
    if (outcome.kind !== 'no-instance') this.peers.forget();
  }
}
