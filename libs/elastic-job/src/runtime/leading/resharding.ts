import type { CoordinationServices, JobTree, LeadershipTerm } from '../../coordination/index.js';
import {
  causeOfMoves,
  type FormerOwnerState,
  InvalidShardingError,
  type ItemMoves,
  type ReshardingCause,
} from '../../domain/index.js';
import type { JobSchedule } from '../settings/index.js';
import type { RegistryTurns } from '../../turns/index.js';
import type { RecentPeers } from '../rescuing/index.js';

/** A plan that was written. */
export interface WrittenPlan {
  /** The instance that owns each item. */
  readonly assignment: ReadonlyMap<number, string>;
  readonly moves: ItemMoves;
  readonly cause: ReshardingCause | undefined;
}

/** Most instances that are remembered as leaving. */
const MOST_LEAVING = 1_000;
/** Shared, since nobody leaves most jobs. */
const NOBODY: ReadonlySet<string> = new Set();

/**
 * The leader's plan of one job: if it is outdated, and when to make it anew.
 *
 * Beside Java the flag is set at once, but the plan is made at the next trigger, when no item runs, because that is
 * when a Java peer looks for it. Only a leader whose schedule does not tick makes it as soon as no item runs.
 */
export class Resharding {
  /** True while this leader sets the flag and is about to make the plan. */
  isAnnouncing = false;
  /** Number of triggers here that wait for the plan. */
  waitingTriggers = 0;
  private isPlanOutdated = false;
  private leaving: ReadonlySet<string> = NOBODY;
  /** Resolves when it is time for the plan, unless more has changed meanwhile. */
  private gathering: Promise<void> | undefined;

  /** @param onGathered called when it is time to make the plan; must not throw */
  constructor(
    private readonly tree: JobTree,
    private readonly services: Pick<CoordinationServices, 'configurations' | 'sharding'>,
    private readonly schedule: Pick<JobSchedule, 'willTick'>,
    private readonly registryTurns: RegistryTurns | undefined,
    private readonly delayMs: number,
    private readonly peers: RecentPeers,
    private readonly onGathered: () => void,
  ) {}

  /** True while the plan waits for a moment in which no item runs. */
  get isHeldUp(): boolean {
    return this.tree.company.plansWhenIdle && this.tree.isReshardingPending();
  }

  /** Resolves when the plan has waited for further changes; undefined if it does not wait. */
  get gathered(): Promise<void> | undefined {
    return this.gathering;
  }

  /** Notes that an instance has announced that it leaves. Each instance does, since each may be the next leader. */
  noteLeaving(instanceId: string): void {
    this.leaving = new Set([...this.leaving, instanceId].slice(-MOST_LEAVING));
  }

  /** Notes that an instance has joined, perhaps under the id of one that has left. */
  noteJoined(instanceId: string): void {
    if (this.leaving.has(instanceId)) this.leaving = new Set([...this.leaving].filter((id) => id !== instanceId));
  }

  /** Marks the plan as outdated, since members or settings have changed. */
  outdate(): void {
    this.isPlanOutdated = true;
  }

  /**
   * Makes the plan if it is time. It must come right after a sweep, since leftovers of Java peers must be swept before
   * the records are stamped.
   * @returns the plan, if it was written now
   * @throws the term's reason if the term is over
   * @throws {InvalidShardingError} if the strategy has no plan; the last one stays in force, and the next call asks
   * again
   */
  async plan(term: LeadershipTerm): Promise<WrittenPlan | undefined> {
    try {
      return await this.planNow(term);
    } catch (error) {
      if (error instanceof InvalidShardingError) await this.services.sharding.keepLastPlan(this.tree, term);
      throw error;
    }
  }

  private async planNow(term: LeadershipTerm): Promise<WrittenPlan | undefined> {
    // The last Java peer may be back in a moment.
    if (this.tree.company.plansOnTrigger || this.peers.watchMissing()) return this.planBesideJava(term);
    if (this.gathering !== undefined) return undefined;
    if (this.isPlanOutdated && !this.services.sharding.isFixed(this.tree)) {
      // Before triggers are told to wait.
      this.services.sharding.assertPlannable(this.tree);
      this.isPlanOutdated = false;
      await this.announce(term);
      if (!this.isAlone) {
        this.gathering = this.gatherChanges(term);
        return undefined;
      }
    }
    this.isPlanOutdated = false;
    return this.commit(term);
  }

  /** True if no other instance is in the job, so none changes at the same time. */
  private get isAlone(): boolean {
    return this.tree.instances().length <= 1;
  }

  private async planBesideJava(term: LeadershipTerm): Promise<WrittenPlan | undefined> {
    const isPlanNeeded = this.isPlanOutdated && !this.services.sharding.isFixed(this.tree);
    if (isPlanNeeded) await this.announce(term);
    this.isPlanOutdated = false;
    if (!this.tree.isReshardingPending()) return undefined;
    if (this.waitingTriggers === 0 && this.schedule.willTick) return undefined;
    // A peer that is missing only briefly keeps its items.
    return this.peers.watchMissing() ? undefined : this.commit(term);
  }

  // Waits for further changes, so that ten pods that start together cost one plan; triggers are told to wait meanwhile.
  // Sweeps do not wait, as an instance that dies meanwhile leaves orphans. A leader without other instances does not
  // wait.
  private async gatherChanges({ signal }: LeadershipTerm): Promise<void> {
    const { clock } = this.tree;
    await Promise.allSettled([clock.sleep(this.delayMs, signal)]);
    this.gathering = undefined;
    this.onGathered();
  }

  private async announce(term: LeadershipTerm): Promise<void> {
    this.isAnnouncing = true;
    try {
      await this.services.sharding.announce(this.tree, term);
    } finally {
      this.isAnnouncing = false;
    }
  }

  private async commit(term: LeadershipTerm): Promise<WrittenPlan | undefined> {
    const { registryTurns, services, tree } = this;
    const { jobName } = tree;
    const isLastGone = this.peers.hadJava && !this.tree.company.hasJava;
    const { shardingTotalCount } = services.configurations.current(jobName);
    const reshard = () => services.sharding.reshard(tree, term, isLastGone);
    const outcome = await (registryTurns?.run(shardingTotalCount, reshard) ?? reshard());
    if (outcome.kind !== 'no-instance') this.peers.forget();
    if (outcome.kind !== 'committed') return undefined;
    const { assignment, moves } = outcome;
    return { assignment, moves, cause: causeOfMoves(moves, assignment, (id) => this.stateOf(id)) };
  }

  private stateOf(instanceId: string): FormerOwnerState {
    const { tree } = this;
    const isRegistered = tree.hasInstance(instanceId);
    if (isRegistered && tree.availableInstance(instanceId) !== undefined) return 'available';
    // An operator's shutdown removes the instance first, and the instance then ends its session.
    if (this.leaving.has(instanceId) || (!isRegistered && tree.hasSession(instanceId))) return 'leaving';
    return isRegistered ? 'disabled' : 'gone';
  }
}
