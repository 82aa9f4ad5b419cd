import { Deadline, type Timer } from '../../clock/index.js';
import type { ExecutionLease, JobTree, Sharding } from '../../coordination/index.js';
import {
  residentFireTime,
  residentPauseMs,
  type ResidentStop,
  ResidentStoppedError,
  SparseMap,
  type Trigger,
} from '../../domain/index.js';
import { type JobSettings } from '../settings/index.js';
import { type Report, JobDuty } from '../news/index.js';
import type { Leases, TriggerGate } from '../runs/index.js';

/** Least pause after a final refusal, for example because another instance has begun the item meanwhile. */
const REFUSED_PAUSE_MS = 100;

/**
 * Items of a resident job. Each one runs here while this instance owns it: it begins as soon as it is free, and again
 * when it ends. When it must no longer run here, its signal aborts, and the new owner begins it once it is released.
 * Each item has a lease, and each begin its own target: origin `resident`, later than the last one.
 * @see ElasticJob-Cloud, jobs of type DAEMON
 */
export class ResidentItems extends JobDuty {
  private readonly held = new SparseMap<number, ExecutionLease>();
  /** Pauses of ended items until their next begin. */
  private readonly resting = new SparseMap<number, Timer>();
  private readonly lastPausesMs = new SparseMap<number, number>();
  private isLeaving = false;

  constructor(
    tree: JobTree,
    private readonly sharding: Sharding,
    private readonly settings: JobSettings,
    private readonly gate: TriggerGate,
    private readonly leases: Leases,
    private readonly hungGraceMs: number,
    report: Report,
  ) {
    super(tree, report, 'running resident items');
  }

  workExpected(): void {
    this.wake();
  }

  treeReset(): void {
    this.wake();
  }

  shardingCompleted(): void {
    this.wake();
  }

  configurationChanged(): void {
    this.wake();
  }

  instanceJoined(): void {
    this.wake();
  }

  instanceLost(): void {
    this.wake();
  }

  itemSwitched(): void {
    this.wake();
  }

  itemReleased(): void {
    this.wake();
  }

  serverChanged(): void {
    this.wake();
  }

  nextInstanceChanged(): void {
    this.wake();
  }

  /**
   * An item may be free, or must stop here. A job of another kind has nothing to do, unless items still run or what
   * has failed is to be repeated.
   */
  override wake(): void {
    if (this.settings.configuration.resident || this.held.size > 0 || !this.isAtRest) super.wake();
  }

  /** Begins nothing more. */
  override stop(): void {
    super.stop();
    this.isLeaving = true;
    for (const timer of this.resting.values()) timer.cancel();
  }

  /** Aborts running items, because this instance leaves. Call it after `stop`. */
  end(): void {
    for (const [item, lease] of this.held) this.abort(item, lease);
  }

  protected async work(): Promise<void> {
    const { leases, tree } = this;
    await tree.sync({ signal: tree.signal });
    const wanted = this.isResident ? this.sharding.ownItems(tree) : [];
    for (const [item, lease] of this.held) if (!wanted.includes(item)) this.abort(item, lease);
    // Items that may move soon would be stopped right after their begin.
    if (this.isLeaving || !this.gate.mayBeginUnasked || tree.isReshardingPending()) return;
    // A run that has released its item counts as held until its listeners have ended; then the item rests.
    const isBusy = (item: number) => this.held.has(item) || leases.running.has(item) || tree.isRunning(item);
    const isFree = (item: number) => !isBusy(item) && !this.resting.has(item);
    await Promise.all(wanted.filter(isFree).map((item) => this.begin(item)));
  }

  private get isResident(): boolean {
    const { settings, tree } = this;
    return settings.configuration.resident && settings.unshareable(tree).length === 0;
  }

  private async begin(item: number): Promise<void> {
    const { tree } = this;
    const { clock } = this.tree;
    if (!(await tree.loadRecords([item], { signal: tree.signal }))) return this.wake();
    const fireTime = residentFireTime(tree.record(item)?.stored ?? { kind: 'none' }, clock.wallNow());
    const trigger: Trigger = { jobName: tree.jobName, fireTime, origin: 'resident', source: 'NORMAL_TRIGGER' };
    const { lease, refused } = await this.leases.begin(trigger, [item]);
    if (lease !== undefined) return this.runItem(item, lease);
    // A busy item will be released, which wakes this duty.
    if (refused.get(item) !== 'busy') this.restItem(item, REFUSED_PAUSE_MS);
  }

  private runItem(item: number, lease: ExecutionLease): void {
    const { clock } = this.tree;
    const begunAt = clock.monotonicNow();
    this.held.set(item, lease);
    if (this.isLeaving) this.abort(item, lease);
    const ended = this.leases.run(lease).catch(this.report('running a resident item'));
    void this.untilEnded(lease, ended).then(() => this.afterRun(item, lease, clock.monotonicNow() - begunAt));
  }

  // A listener after the run may never return.
  private async untilEnded(lease: ExecutionLease, ended: Promise<void>): Promise<void> {
    const { clock } = this.tree;
    await lease.settled();
    await Deadline.after(clock, this.hungGraceMs).holdsFor(ended);
  }

  private afterRun(item: number, { signal }: ExecutionLease, ranMs: number): void {
    this.held.delete(item);
    if (signal.aborted) {
      // It was told to end here, so a later run starts with the shortest pause again.
      this.lastPausesMs.delete(item);
      return this.wake();
    }
    const pauseMs = residentPauseMs(this.lastPausesMs.get(item), ranMs);
    this.lastPausesMs.set(item, pauseMs);
    this.restItem(item, pauseMs);
  }

  private restItem(item: number, pauseMs: number): void {
    if (this.isLeaving) return;
    const onRested = () => {
      this.resting.delete(item);
      this.wake();
    };
    this.resting.set(item, this.tree.clock.setTimer(pauseMs, onRested));
  }

  private abort(item: number, lease: ExecutionLease): void {
    lease.abort(new ResidentStoppedError(lease.jobName, item, this.reasonFor(item)));
  }

  private reasonFor(item: number): ResidentStop {
    const { tree } = this;
    if (this.isLeaving) return 'leaving';
    if (!this.isResident) return 'settings';
    const isServerOff = tree.serverStatus(tree.self.serverIp) !== 'ENABLED';
    return isServerOff || tree.isDisabled(item) ? 'disabled' : 'moved';
  }
}
