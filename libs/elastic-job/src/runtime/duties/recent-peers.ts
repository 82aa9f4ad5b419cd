// Covered by test/scenario/mixed-resharding.spec.ts
import type { Timer } from '../../clock/index.js';
import type { JobContext } from '../leases/index.js';

/** The Java peers that a job has, or had a moment ago: at every reconnect a peer goes and comes back. */
export class RecentPeers {
  private isRemembered = false;
  private waiting: Timer | undefined;

  /** @param onKnown whoever was missing is back or gone for good; must not throw */
  constructor(
    private readonly context: JobContext,
    private readonly onKnown: () => void,
  ) {}

  /** The job has had Java peers since somebody of ours last wrote a plan without them. */
  get hadJava(): boolean {
    return this.isRemembered;
  }

  /** Remembers the peers that the job has now. */
  rememberPeers(): void {
    this.isRemembered ||= this.context.tree.company.hasJava;
  }

  /** An instance came or went. */
  note(instanceId: string): void {
    if (this.isRemembered) this.context.services.absences.note(this.context.tree, [instanceId]);
    this.rememberPeers();
  }

  /** A plan was written; if no peer is in it, those that were are history. */
  forget(): void {
    if (!this.context.tree.company.hasJava) this.isRemembered = false;
  }

  /** Calls `onKnown` when it is known what became of those who are missing. @returns whether anybody is */
  watchMissing(): boolean {
    const remainingMs = this.context.services.absences.longestRemainingMs(this.context.tree);
    this.stop();
    if (remainingMs === 0) return false;
    this.waiting = this.context.clock.setTimer(remainingMs, this.onKnown);
    return true;
  }

  stop(): void {
    this.waiting?.cancel();
  }
}
