// Memory of other instances that have gone. Each instance has it, since each may be the next leader.
import type { Timer } from '../../clock/index.js';
import { type Absences, type Configurations, type JobTree, untilCommitted } from '../../coordination/index.js';
import { type CutShortRuns, failsOver, findCutShort, type StoredRecord } from '../../domain/index.js';
import { repeat } from '../../repeat/index.js';
import type { JobEvents } from '../../tracing/index.js';

/** Most lost instances that are remembered until a leader has reported their runs. */
const MOST_LOST = 1_000;
/** Shared, since most jobs have lost nobody. */
const NOBODY: readonly string[] = [];

/**
 * Reports runs that died with their instance and that nobody repeats. Without failover the marks of a run are
 * ephemeral, so the sweep finds nothing; the record shows the run that has no end.
 *
 * Each instance remembers who was lost, since each may be the next leader. One that starts while nobody leads takes all
 * that are not there as lost: of several that start together, each may become the first leader.
 */
export class CutShort {
  private lost = NOBODY;
  /** Instances that were there at the last news. */
  private present = NOBODY;
  private areAllLost = false;

  constructor(
    private readonly tree: JobTree,
    private readonly configurations: Configurations,
    private readonly events: JobEvents,
  ) {}

  /** True if runs of lost instances are to be reported. */
  get isAwaited(): boolean {
    return this.areAllLost || this.lost.length > 0;
  }

  noteStart(): void {
    const { tree } = this;
    const self = tree.self.jobInstanceId;
    const leader = tree.leader() ?? self;
    this.areAllLost = leader === self || !tree.hasInstance(leader);
    this.noteMembers();
  }

  noteJoined(instanceId: string): void {
    this.present = [...without(this.present, instanceId), instanceId];
  }

  noteLost(instanceId: string): void {
    this.present = without(this.present, instanceId);
    this.lost = [...without(this.lost, instanceId), instanceId].slice(-MOST_LOST);
  }

  /** Notes who is there, and who has gone while no news came. */
  noteMembers(): void {
    const { tree } = this;
    for (const id of this.present) if (!tree.hasInstance(id)) this.noteLost(id);
    this.present = tree.instances().map(({ jobInstanceId }) => jobInstanceId);
  }

  /** Forgets the runs that the leader has reported. */
  forget(): void {
    this.lost = NOBODY;
    this.areAllLost = false;
  }

  /** Reports the runs, as the leader; after a sweep, which has synced. */
  async report(signal: AbortSignal): Promise<void> {
    if (!this.isAwaited) return;
    const { events, tree } = this;
    const { monitorExecution, resident } = this.configurations.current(tree.jobName);
    // Beside Java a record without an end proves nothing.
    if (!monitorExecution || resident || tree.company.endsByMark) return this.forget();
    const { found, isAwaited } = await repeat(untilCommitted(tree, 'reading runs', signal), () => this.find(signal));
    if (!isAwaited) this.forget();
    for (const runs of found) events.emit({ kind: 'cut-short', jobName: tree.jobName, ...runs });
  }

  private async find(
    signal: AbortSignal,
  ): Promise<{ readonly found: readonly CutShortRuns[]; readonly isAwaited: boolean } | undefined> {
    const { tree } = this;
    const configuration = this.configurations.current(tree.jobName);
    const isFailoverOn = failsOver(configuration);
    const { shardingTotalCount } = configuration;
    const items = tree.items().filter((item) => !isFailoverOn || item >= shardingTotalCount);
    await tree.loadRecords(items, { signal });
    // Records and marks are read at one moment, since the end of a run changes both.
    const runs = items.flatMap((item) => {
      const stored = tree.record(item)?.stored;
      return stored === undefined ? [] : { item, stored, isHeld: tree.isMarked(item) || tree.isQueued(item) };
    });
    if (runs.length < items.length) return undefined;
    const ended = runs.filter(({ stored, isHeld }) => !isHeld || !this.isThere(stored));
    return findCutShort(ended, (id) => this.isLost(id), { isFailoverOn, shardingTotalCount });
  }

  // Also an instance that is back under its configured id: a run of its present session has a mark.
  private isLost(instanceId: string): boolean {
    const { tree } = this;
    const isOther = !tree.hasInstance(instanceId) || instanceId === tree.self.jobInstanceId;
    return this.lost.includes(instanceId) || (this.areAllLost && isOther);
  }

  private isThere(stored: StoredRecord): boolean {
    return stored.kind === 'record' && this.tree.hasInstance(stored.record.by);
  }
}

function without(instanceIds: readonly string[], gone: string): readonly string[] {
  return instanceIds.filter((id) => id !== gone);
}

/** Java peers that a job has or had a moment ago, since a peer leaves and comes back at every reconnect. */
export class RecentPeers {
  private isRemembered = false;
  private waiting: Timer | undefined;

  /** @param onKnown called when the missing peers are back or gone for good; must not throw */
  constructor(
    private readonly tree: JobTree,
    private readonly absences: Absences,
    private readonly onKnown: () => void,
  ) {}

  /** True if the job has had Java peers since an instance of ours last wrote a plan without them. */
  get hadJava(): boolean {
    return this.isRemembered;
  }

  /** Remembers the peers that the job has now. */
  rememberPeers(): void {
    this.isRemembered ||= this.tree.company.hasJava;
  }

  /** Notes that an instance came or went. */
  note(instanceId: string): void {
    if (this.isRemembered) this.absences.note(this.tree, [instanceId]);
    this.rememberPeers();
  }

  /** Forgets former peers after a plan without any was written. */
  forget(): void {
    if (!this.tree.company.hasJava) this.isRemembered = false;
  }

  /**
   * Selects the instances that are gone for good: at once if none of them can be a Java peer that reconnects.
   * @param missing instances that are not registered
   */
  goneForGood(missing: readonly string[]): readonly string[] {
    const { tree } = this;
    if (!this.isRemembered) return missing;
    this.absences.note(tree, missing);
    return missing.filter((id) => this.absences.isGone(tree, id));
  }

  /** Calls `onKnown` when it is known if the missing peers come back. @returns true if any are missing */
  watchMissing(): boolean {
    const remainingMs = this.absences.longestRemainingMs(this.tree);
    this.stop();
    if (remainingMs === 0) return false;
    this.waiting = this.tree.clock.setTimer(remainingMs, this.onKnown);
    return true;
  }

  stop(): void {
    this.waiting?.cancel();
  }
}
