// Covered by test/scenario/mixed-runs.spec.ts
import type { Clock, Timer } from '../../clock/index.js';
import type { Absences, JobTree } from '../../coordination/index.js';

/** The Java peers that a job has, or had a moment ago: at every reconnect a peer goes and comes back. */
export class RecentPeers {
  private isRemembered = false;
  private waiting: Timer | undefined;

  /** @param onKnown whoever was missing is back or gone for good; must not throw */
  constructor(
    private readonly tree: JobTree,
    private readonly absences: Absences,
    private readonly clock: Clock,
    private readonly onKnown: () => void,
  ) {}

  /** The job has had Java peers since somebody of ours last wrote a plan without them. */
  get hadJava(): boolean {
    return this.isRemembered;
  }

  /** Remembers the peers that the job has now. */
  rememberPeers(): void {
    this.isRemembered ||= this.tree.company.hasJava;
  }

  /** An instance came or went. */
  note(instanceId: string): void {
    if (this.isRemembered) this.absences.note(this.tree, [instanceId]);
    this.rememberPeers();
  }

  /** A plan was written; if no peer is in it, those that were are history. */
  forget(): void {
    if (!this.tree.company.hasJava) this.isRemembered = false;
  }

  /** Calls `onKnown` when it is known what became of those who are missing. @returns whether anybody is */
  watchMissing(): boolean {
    const remainingMs = this.absences.longestRemainingMs(this.tree);
    this.stop();
    if (remainingMs === 0) return false;
    this.waiting = this.clock.setTimer(remainingMs, this.onKnown);
    return true;
  }

  stop(): void {
    this.waiting?.cancel();
  }
}
