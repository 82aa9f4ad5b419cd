import type { Timer } from '../../clock/index.js';
import {
  type JobTree,
  nextOfReruns,
  type NextOfRerun,
  noteEndedTarget,
  type Sharding,
} from '../../coordination/index.js';
import { RUNS_RERUNS, type Target, type Trigger } from '../../domain/index.js';
import { JobDuty, type News, type Report } from '../news/index.js';
import type { Leases, TriggerGate } from '../runs/index.js';
import type { JobSettings } from '../settings/index.js';
import type { CatchUp } from './catch-up.js';
import type { ManualTriggers } from './manual-triggers.js';
import type { OwedFireTimes } from './owed-fire-times.js';

/** Milliseconds after which items that wait are looked at again: some of what they wait for has no news. */
const LOOK_AGAIN_MS = 5_000;

/** Targets of one re-run and fire time, which begin together. */
interface Beginning {
  readonly target: Target;
  readonly items: number[];
}

/**
 * Past fire times that operators want once more, for the items that this instance owns.
 *
 * An item has one thing to do at a time. Operators' triggers, and fire times of the schedule that it owes or that are
 * being begun, go first; then it begins its next target. What comes while that runs meets a busy item, as ever. Items
 * that are disabled wait. Nothing begins while one instance of the job lacks the ability: it could claim a target by
 * failover and would note no progress.
 *
 * State: none. What is next stands in the registry, so an item goes on where another instance has left it.
 */
export class Reruns extends JobDuty {
  private later: Timer | undefined;

  constructor(
    tree: JobTree,
    private readonly sharding: Sharding,
    private readonly settings: JobSettings,
    private readonly gate: TriggerGate,
    private readonly leases: Leases,
    private readonly owed: OwedFireTimes,
    private readonly catchUp: Pick<CatchUp, 'isHandling' | 'wake'>,
    private readonly manual: Pick<ManualTriggers, 'awaited'>,
    report: Report,
  ) {
    super(tree, report, 'running a re-run');
  }

  // A job without re-runs has nothing to do, unless what has failed is to be repeated.
  override wake(): void {
    if (!this.isAtRest || this.tree.reruns.length > 0) super.wake();
  }

  workExpected(): void {
    this.wake();
  }

  treeReset(): void {
    this.wake();
  }

  rerunChanged(): void {
    this.wake();
  }

  shardingCompleted(): void {
    this.wake();
  }

  configurationChanged(): void {
    this.wake();
  }

  serverChanged(): void {
    this.wake();
  }

  itemSwitched(): void {
    this.wake();
  }

  ownerChanged(): void {
    this.wake();
  }

  nextInstanceChanged(): void {
    this.wake();
  }

  itemEnded(): void {
    this.wake();
  }

  triggersBegun(): void {
    this.wake();
  }

  // It may have been the last one that lacked the ability.
  instanceLost(): void {
    this.wake();
  }

  itemReleased({ item }: News<'ItemReleased'>): void {
    if (!this.leases.running.has(item)) this.wake();
  }

  /** Begins nothing more. */
  override stop(): void {
    super.stop();
    this.later?.cancel();
  }

  protected async work(): Promise<void> {
    const { sharding, tree } = this;
    this.later?.cancel();
    if (tree.reruns.length === 0 || !this.mayBegin) return;
    const now = await this.owed.now();
    await tree.sync({ signal: tree.signal });
    if (!this.mayBegin || this.catchUp.isHandling(() => this.wake())) return;
    const free = this.freeItems();
    const next = await nextOfReruns(tree, free);
    if (next === undefined) return this.wake();
    // A tick may have begun meanwhile.
    if (this.catchUp.isHandling(() => this.wake())) return;
    const owing = new Set(this.owed.payable(free, now));
    if (next.some(({ item }) => owing.has(item))) this.catchUp.wake();
    if (sharding.ownItems(tree).length > 0) this.lookLater();
    await this.takeUp(next.filter(({ item }) => !owing.has(item)));
  }

  /** Begins what is next, and notes what has ended. */
  private async takeUp(next: readonly NextOfRerun[]): Promise<void> {
    const ended = next.filter(({ isEnded }) => isEnded);
    for (const { target, items } of together(next.filter(({ isEnded }) => !isEnded))) {
      const trigger: Trigger = { jobName: this.tree.jobName, ...target, source: 'NORMAL_TRIGGER' };
      const refused = await this.leases.beginAndRun(trigger, items, 'a re-run');
      // It has ended meanwhile, or is withdrawn.
      if ([...refused.values()].includes('alreadyBegun')) this.wake();
    }
    for (const { item, target } of ended) await noteEndedTarget(this.tree, item, target);
    if (ended.length > 0) this.wake();
  }

  /** True if this job has re-runs run now, as far as it does not depend on the item. */
  private get mayBegin(): boolean {
    const { gate, settings, sharding, tree } = this;
    const { monitorExecution, resident } = settings.configuration;
    if (!gate.mayBeginUnasked || !monitorExecution || resident) return false;
    // A Java peer lacks the ability as well. Items that may move soon wait for their next owner.
    return tree.without(RUNS_RERUNS).length === 0 && !sharding.mustWait(tree);
  }

  /** Own items that run nowhere, and that nothing else is to begin first, as far as memory shows. */
  private freeItems(): readonly number[] {
    const { leases, sharding, tree } = this;
    const { awaited } = this.manual;
    const isBusy = (item: number) => leases.running.has(item) || tree.isMarked(item) || tree.isQueued(item);
    return sharding.ownItems(tree).filter((item) => !awaited.has(item) && !isBusy(item));
  }

  private lookLater(): void {
    this.later?.cancel();
    this.later = this.tree.clock.setTimer(LOOK_AGAIN_MS, () => this.wake());
  }
}

function together(next: readonly NextOfRerun[]): readonly Beginning[] {
  const found = new Map<string, Beginning>();
  for (const { item, target } of next) {
    const key = `${target.fireTime} ${target.origin}`;
    const beginning = found.get(key) ?? { target, items: [] };
    found.set(key, beginning);
    beginning.items.push(item);
  }
  return [...found.values()];
}
