import type { Clock, Timer } from '../../clock/index.js';
import type { CoordinationServices, ExecutionLease, JobTree, JobTreeEvent } from '../../coordination/index.js';
import {
  residentFireTime,
  residentPauseMs,
  type ResidentStop,
  ResidentStoppedError,
  type Trigger,
} from '../../domain/index.js';
import {
  type JobSettings,
  type LeaseRunner,
  type Reaction,
  registryReaction,
  type RunningItems,
  type TriggerGate,
} from '../leases/index.js';

/** What a resident job needs of its session. */
export interface ResidentItemsParts {
  readonly tree: JobTree;
  readonly services: CoordinationServices;
  readonly clock: Clock;
  readonly settings: JobSettings;
  readonly running: RunningItems;
  readonly leases: LeaseRunner;
  readonly gate: TriggerGate;
  /** Tells what has failed. */
  report(work: string): (error: unknown) => void;
}

/**
 * The least pause after a begin that was refused for good, such as where another instance has begun the item meanwhile.
 */
const REFUSED_PAUSE_MS = 100;

/**
 * The items of a resident job, each of which runs here whenever this instance owns it: it begins as soon as it is free,
 * and again when it ends. When it is no longer to run here its signal aborts, and the new owner begins when it is
 * released. Each item has a lease, and each begin a target of its own: origin `resident`, later than the last one.
 * @see ElasticJob-Cloud, jobs of type DAEMON
 */
export class ResidentItems {
  private readonly looking: Reaction;
  private readonly held = new Map<number, ExecutionLease>();
  /** Items that have ended, until they are begun again. */
  private readonly resting = new Map<number, Timer>();
  private readonly lastPausesMs = new Map<number, number>();
  private isStopped = false;

  constructor(private readonly parts: ResidentItemsParts) {
    const { tree, clock } = parts;
    this.looking = registryReaction(tree, clock, () => this.look(), parts.report('running resident items'));
  }

  /** An item may be free, or no longer to run here. Nothing to do for a job of another kind. */
  wake(): void {
    if (this.parts.settings.configuration.resident || this.held.size > 0) this.looking.wake();
  }

  hear(event: JobTreeEvent): void {
    switch (event.kind) {
      case 'ConfigurationChanged':
      case 'InstanceJoined':
      case 'InstanceLost':
      case 'ItemSwitched':
      case 'ItemReleased':
      case 'ServerChanged':
      case 'TurnChanged':
        return this.wake();
      default:
    }
  }

  /** Begins nothing more. */
  stop(): void {
    this.isStopped = true;
    this.looking.stop();
    for (const timer of this.resting.values()) timer.cancel();
  }

  /** Tells what runs to end: this instance leaves. After `stop`. */
  end(): void {
    for (const [item, lease] of this.held) this.abort(item, lease);
  }

  private async look(): Promise<void> {
    const { gate, running, tree } = this.parts;
    await tree.sync({ signal: tree.signal });
    const wanted = this.wantedItems();
    for (const [item, lease] of this.held) if (!wanted.includes(item)) this.abort(item, lease);
    // What is about to move would only be begun to be stopped.
    if (this.isStopped || !gate.mayBeginUnasked || tree.isReshardingPending()) return;
    // A run that has released its item is held until its listeners have ended, and then the item rests.
    const isBusy = (item: number) => this.held.has(item) || running.has(item) || tree.isRunning(item);
    const isFree = (item: number) => !isBusy(item) && !this.resting.has(item);
    await Promise.all(wanted.filter(isFree).map((item) => this.begin(item)));
  }

  /** The items that are to run here. */
  private wantedItems(): readonly number[] {
    const { services, tree } = this.parts;
    return this.isResident ? services.sharding.ownItems(tree) : [];
  }

  private get isResident(): boolean {
    const { settings, tree } = this.parts;
    return settings.configuration.resident && settings.unshareable(tree).length === 0;
  }

  private async begin(item: number): Promise<void> {
    const { clock, leases, tree } = this.parts;
    if (!(await tree.loadRecords([item], { signal: tree.signal }))) return this.wake();
    const fireTime = residentFireTime(tree.record(item)?.stored ?? { kind: 'none' }, clock.wallNow());
    const trigger: Trigger = { jobName: tree.jobName, fireTime, origin: 'resident', source: 'NORMAL_TRIGGER' };
    const { lease, refused } = await leases.begin(trigger, [item]);
    if (lease !== undefined) return this.run(item, lease);
    // One that is busy is released some time.
    if (refused.get(item) !== 'busy') this.rest(item, REFUSED_PAUSE_MS);
  }

  private run(item: number, lease: ExecutionLease): void {
    const { clock, leases } = this.parts;
    const begunAt = clock.monotonicNow();
    this.held.set(item, lease);
    if (this.isStopped) this.abort(item, lease);
    void leases
      .run(lease)
      .catch(this.parts.report('running a resident item'))
      .then(() => this.afterRun(item, lease, clock.monotonicNow() - begunAt));
  }

  private afterRun(item: number, { signal }: ExecutionLease, ranMs: number): void {
    this.held.delete(item);
    if (signal.aborted) {
      // It was told to end here: if it comes back, then afresh.
      this.lastPausesMs.delete(item);
      return this.wake();
    }
    const pauseMs = residentPauseMs(this.lastPausesMs.get(item), ranMs);
    this.lastPausesMs.set(item, pauseMs);
    this.rest(item, pauseMs);
  }

  private rest(item: number, pauseMs: number): void {
    if (this.isStopped) return;
    const onRested = () => {
      this.resting.delete(item);
      this.wake();
    };
    this.resting.set(item, this.parts.clock.setTimer(pauseMs, onRested));
  }

  private abort(item: number, lease: ExecutionLease): void {
    lease.abort(new ResidentStoppedError(lease.jobName, item, this.reasonFor(item)));
  }

  private reasonFor(item: number): ResidentStop {
    const { tree } = this.parts;
    if (this.isStopped) return 'leaving';
    if (!this.isResident) return 'settings';
    const isServerOff = tree.serverStatus(tree.self.serverIp) !== 'ENABLED';
    return isServerOff || tree.has(tree.paths.mark(item, 'disabled')) ? 'disabled' : 'moved';
  }
}
