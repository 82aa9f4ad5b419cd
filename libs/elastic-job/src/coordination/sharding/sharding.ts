/**
 * Owners of items.
 *
 * State: `sharding/{item}/instance` names the owner; `leader/sharding/necessary` means that the owners are outdated.
 * The leader sets the flag when it learns of a change, and computes a plan from the registered instances. It commits
 * owners and the removal of the flag in one transaction under its term's guard.
 *
 * Guarantees: owners change all at once or not at all. The owner is the instance that *should* run an item; the one
 * that *does* is decided by the begin, so an outdated view costs a refused begin, never a second run. A running item
 * stays with its holder. The targets of an item that ends outlive it, in `ended`, so that a new item of its number is
 * not begun for them by a clock that is behind.
 *
 * Beside Java: the leader waits until no item runs, as a Java leader does, because a Java peer checks the flag and then
 * begins. A trigger also waits for a Java leader that is resharding. The flag is removed a moment after the new owners
 * are written: a Java peer reads the flag from the server but its items from a cache that is still to learn the owners,
 * so an item could be left out by each of two peers. When the last Java peer has left, the first plan marks the fire
 * times until then as done in each record.
 *
 * Failures: if the leader dies before the commit, the flag stays and the next leader takes over. If an instance joins
 * or leaves during the commit, the comparison after it sets the flag again.
 */
import { inOwnContext } from '../../async-context/index.js';
import { type Clock, Deadline } from '../../clock/index.js';
import {
  goesRound,
  type JobConfiguration,
  type JobName,
  lastFireTime,
  type ItemMoves,
  movesBetween,
  planSharding,
  sharedRunRecord,
  timetableOf,
  nextIpAfter,
  nextInstanceOf,
} from '../../domain/index.js';
import { creation, type Operation } from '../../registry/index.js';
import type { Configurations } from '../configuration/index.js';
import { type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { repeat } from '../../repeat/index.js';
import { isEndedKnown, loadEnded, type NewItems, planOperations, stampOperations } from './plan-operations.js';

/** Milliseconds for a Java peer's cache to read an owner after the news of its change. */
const JAVA_READ_MS = 500;

/** Result of a leader's look at the assignment. */
type ReshardingOutcome =
  | { readonly kind: 'committed'; readonly assignment: ReadonlyMap<number, string>; readonly moves: ItemMoves }
  /** Every item has its owner. */
  | { readonly kind: 'unchanged' }
  /** No instance can take items. */
  | { readonly kind: 'no-instance' }
  /** The job has Java peers, and an item runs: look again when one has ended. */
  | { readonly kind: 'barred' };

export class Sharding {
  constructor(
    private readonly trees: JobTrees,
    private readonly configurations: Configurations,
    private readonly clock: Clock,
    private readonly scheduleClock: Pick<Clock, 'wallNow'> = clock,
  ) {}

  /** Owner (instance id) of each assigned item now. */
  async assignments(jobName: JobName): Promise<ReadonlyMap<number, string>> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    return ownersOf(tree);
  }

  /** Asks the leader for a new assignment. It comes with a later event; this call does not wait for it. */
  async requestResharding(jobName: JobName): Promise<void> {
    const tree = this.trees.of(jobName);
    if (tree.isReshardingNecessary()) return;
    // A refusal means that another instance has asked, which is as good.
    await tree.commit([creation(tree.paths.reshardingFlag)]);
  }

  /** True if a trigger has to wait for the leader's plan, as of the last sync. */
  mustWait(tree: JobTree): boolean {
    // A disabled server gets no items, and if all servers are disabled, no instance reshards.
    return tree.isReshardingPending() && tree.serverStatus(tree.self.serverIp) === 'ENABLED';
  }

  /** Waits until no trigger has to wait any more. @returns false if none has come within `shardingTimeoutMs` */
  async waitForPlan(tree: JobTree): Promise<boolean> {
    const { signal } = tree;
    const { shardingTimeoutMs } = this.configurations.current(tree.jobName);
    const deadline = Deadline.after(this.clock, shardingTimeoutMs);
    const isDone = () => !this.mustWait(tree);
    while (!isDone()) {
      if (!(await tree.until(isDone, ['ShardingCompleted', 'TreeReset'], deadline, signal))) return false;
      await tree.sync({ signal });
    }
    return true;
  }

  /** Items that this instance owns and may run: not disabled, and not taken over by another instance. */
  ownItems(tree: JobTree): readonly number[] {
    if (tree.serverStatus(tree.self.serverIp) !== 'ENABLED') return [];
    const configuration = this.configurations.current(tree.jobName);
    return this.runnableItems(tree, configuration).filter((item) => item < configuration.shardingTotalCount);
  }

  /**
   * Names the next server after a run under SINGLE_SHARDING_BALANCE. The name lasts as long as this instance lives. One
   * request.
   * @see ElasticJob 3.0.5, `SingleShardingJobFacade`
   */
  async nameNextInstance(tree: JobTree): Promise<void> {
    const path = tree.paths.nextInstanceIp;
    await repeat(untilCommitted(tree, 'naming the next instance'), async () => {
      const data = nextIpAfter(tree.self, tree.availableInstances());
      const isKept = data === tree.self.serverIp && tree.node(path)?.data === data;
      if (isKept && tree.stat(path)?.ephemeralOwner === tree.registry.session.id) return true;
      const kind = tree.has(path) ? 'renew' : 'create';
      const result = await tree.commit([{ kind, path, data, mode: 'EPHEMERAL' }]);
      return result.kind === 'committed' || undefined;
    });
  }

  // The next instance runs the item that goes round, regardless of its owner.
  private runnableItems(tree: JobTree, configuration: JobConfiguration): readonly number[] {
    const { jobInstanceId } = tree.self;
    // Java's instances take turns only if the registry says so.
    const takesTurns = goesRound(configuration) && this.configurations.strategy(tree) === configuration.strategy;
    const isRound = takesTurns && !tree.isReshardingNecessary();
    const next = isRound
      ? nextInstanceOf(tree.node(tree.paths.nextInstanceIp)?.data, tree.availableInstances())
      : undefined;
    if (next === undefined) return tree.ownItems();
    return next === jobInstanceId ? tree.items().filter((item) => tree.isOpen(item)) : [];
  }

  /** True if sharding is static and every item has an owner: then only a changed total gives an item another owner. */
  isFixed(tree: JobTree): boolean {
    const { staticSharding, shardingTotalCount } = this.configurations.current(tree.jobName);
    if (!staticSharding) return false;
    const owned = tree.items().filter((item) => item < shardingTotalCount && tree.owner(item) !== undefined);
    return owned.length === shardingTotalCount && tree.items().length === shardingTotalCount;
  }

  /**
   * True if a Java leader has overlooked an instance of either kind. It reads the members, waits for running items, and
   * then removes the flag even if an instance that joined meanwhile has set it. Every Java strategy gives each instance
   * an item if there are enough.
   */
  hasOverlooked(tree: JobTree): boolean {
    if (!tree.company.overlooksChanges || tree.isReshardingPending() || this.isFixed(tree)) return false;
    const members = memberIds(tree);
    const isEnough = members.length <= this.configurations.current(tree.jobName).shardingTotalCount;
    if (!isEnough) return false;
    const owners = new Set(ownersOf(tree).values());
    return members.some((id) => !owners.has(id));
  }

  /** Asks the strategy for a plan, without effect. @throws {InvalidShardingError} if it has none */
  assertPlannable(tree: JobTree): void {
    this.plan(tree);
  }

  /**
   * True if the owners differ from a plan made now, as far as known without a request. Never true for a job with fixed
   * owners.
   * @throws {InvalidShardingError} if there is no plan
   */
  isMisplaced(tree: JobTree): boolean {
    if (this.isFixed(tree) || memberIds(tree).length === 0) return false;
    return [...this.plan(tree)].some(([item, instanceId]) => tree.owner(item) !== instanceId);
  }

  /** Sets the resharding flag under the leader's guard, so that triggers wait for the plan. */
  async announce(tree: JobTree, term: LeadershipTerm): Promise<void> {
    if (tree.isReshardingNecessary()) return;
    await tree.commitShared([...term.guard, creation(tree.paths.reshardingFlag)], undefined, { signal: term.signal });
  }

  /**
   * Takes the resharding flag back since there is no new plan, so that triggers go on with the last one. Where it gives
   * no living instance an item, the flag stays: nothing could run anyway.
   */
  async keepLastPlan(tree: JobTree, term: LeadershipTerm): Promise<void> {
    const members = new Set(memberIds(tree));
    const isInForce = [...ownersOf(tree).values()].some((owner) => members.has(owner));
    if (!isInForce || !tree.isReshardingNecessary()) return;
    const operations: Operation[] = [...term.guard, { kind: 'delete', path: tree.paths.reshardingFlag }];
    await tree.commitShared(operations, undefined, { signal: term.signal });
  }

  /**
   * Computes the assignment from the registered instances and commits it.
   * @param hadJava true if the job had Java peers until now; their runs are then noted in the records
   * @throws the term's reason if the term is over
   */
  async reshard(tree: JobTree, term: LeadershipTerm, hadJava = false): Promise<ReshardingOutcome> {
    const { signal } = term;
    await tree.sync({ signal });
    const former = ownersOf(tree);
    const attempt = async (): Promise<ReshardingOutcome | undefined> => {
      if (this.isFixed(tree) && !tree.isReshardingNecessary()) return { kind: 'unchanged' };
      if (this.isBarred(tree)) return { kind: 'barred' };
      const members = memberIds(tree);
      if (members.length === 0) return { kind: 'no-instance' };
      const plan = this.plan(tree);
      if (hadJava && !(await tree.loadRecords([...plan.keys()], { signal }))) return undefined;
      await loadEnded(tree, plan, { signal });
      // Something has changed meanwhile: the next attempt reads it again.
      if (!isEndedKnown(tree, plan)) return undefined;
      const changes = [
        ...(hadJava ? this.stamps(tree, plan.keys()) : []),
        ...planOperations(tree, plan, this.newItems(tree)),
      ];
      if (changes.length === 0) return { kind: 'unchanged' };
      const owners = changes.filter(({ path }) => path !== tree.paths.reshardingFlag);
      const isToBeRead = tree.company.readsOwnersLate && tree.isReshardingNecessary() && owners.length > 0;
      // A total that changed between plan and commit would leave items without an owner.
      const operations = [...term.guard, ...tree.configAsRead(), ...(isToBeRead ? owners : changes)];
      const result = await tree.commitShared(operations, undefined, { signal });
      if (result.kind === 'refused') return undefined;
      if (isToBeRead) {
        await this.clock.sleep(JAVA_READ_MS, signal);
        return undefined;
      }
      await tree.sync({ signal });
      // Members are compared again after the commit, so that an instance that joined meanwhile gets a plan.
      if (memberIds(tree).join() === members.join())
        return { kind: 'committed', assignment: plan, moves: movesBetween(former, plan) };
      await this.announce(tree, term);
      return undefined;
    };
    return repeat(untilCommitted(tree, 'resharding', signal), attempt);
  }

  // Java's barrier. A peer that saw no flag may be creating its mark only now, but every running item has one.
  private isBarred(tree: JobTree): boolean {
    const { monitorExecution, shardingTotalCount } = this.configurations.current(tree.jobName);
    if (!monitorExecution || !tree.company.plansWhenIdle) return false;
    return tree.items().some((item) => item < shardingTotalCount && tree.isRunning(item));
  }

  private stamps(tree: JobTree, items: Iterable<number>): Operation[] {
    const now = this.scheduleClock.wallNow();
    const last = lastFireTime(timetableOf(this.configurations.current(tree.jobName), true), now);
    return last === undefined ? [] : stampOperations(tree, items, sharedRunRecord(this.clock.uuid(), last, now));
  }

  private newItems(tree: JobTree): NewItems {
    const start = tree.startLedger()?.starts.at(-1)?.fireTime;
    let run: string | undefined;
    const author = () => {
      // Items that are new in one plan share a record.
      run ??= this.clock.uuid();
      return { run, by: tree.self.jobInstanceId, at: this.clock.wallNow() };
    };
    return { author, ...(start !== undefined && { start }) };
  }

  private plan(tree: JobTree): ReadonlyMap<number, string> {
    const { shardingTotalCount } = this.configurations.current(tree.jobName);
    const strategy = this.configurations.strategy(tree);
    const { jobName } = tree;
    return inOwnContext(() =>
      planSharding(strategy, tree.availableInstances(), jobName, shardingTotalCount, ownersOf(tree)),
    );
  }
}

function memberIds(tree: JobTree): string[] {
  return tree.availableInstances().map(({ jobInstanceId }) => jobInstanceId);
}

function ownersOf(tree: JobTree): Map<number, string> {
  const owners = new Map<number, string>();
  for (const item of tree.items()) {
    const owner = tree.owner(item);
    if (owner !== undefined) owners.set(item, owner);
  }
  return owners;
}
