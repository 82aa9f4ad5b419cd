import type { Timer } from '../../clock/index.js';
import type { Absences, JobTree } from '../../coordination/index.js';

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
