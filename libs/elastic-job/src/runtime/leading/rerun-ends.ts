import type { Timer } from '../../clock/index.js';
import { type CoordinationServices, type JobTree, removeEndedReruns } from '../../coordination/index.js';
import { JobReconciler, type Report } from '../news/index.js';

/**
 * Milliseconds between a change of a re-run and the leader's look: many ends come at the same time, and an operator's
 * process that withdraws one removes it itself.
 */
const LOOK_MS = 1_000;

/** Removes re-runs that are withdrawn or done, while this instance leads the job. */
export class RerunEnds {
  private readonly removing: JobReconciler;
  private timer: Timer | undefined;

  constructor(
    private readonly tree: JobTree,
    private readonly services: Pick<CoordinationServices, 'configurations' | 'leader'>,
    report: Report,
  ) {
    this.removing = new JobReconciler(tree, report, 'removing re-runs', () => this.remove());
  }

  look(): void {
    if (this.tree.signal.aborted) return;
    this.timer ??= this.tree.clock.setTimer(LOOK_MS, () => {
      this.timer = undefined;
      this.removing.wake();
    });
  }

  stop(): void {
    this.timer?.cancel();
    this.removing.stop();
  }

  private async remove(): Promise<void> {
    const { services, tree } = this;
    const { jobName } = tree;
    const term = services.leader.term(jobName);
    if (term === undefined) return;
    try {
      await removeEndedReruns(tree, term, () => services.configurations.current(jobName).shardingTotalCount);
    } catch (error) {
      // A deposed leader stops, and its successor does the same work again.
      if (!term.signal.aborted) throw error;
    }
  }
}
