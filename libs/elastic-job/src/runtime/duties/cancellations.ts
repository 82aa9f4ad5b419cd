import type { Clock } from '../../clock/index.js';
import type { ExecutionLease, JobTree, JobTreeEvent } from '../../coordination/index.js';
import { CancelledError } from '../../domain/index.js';
import { type Reaction, registryReaction, type RunningItems } from '../leases/index.js';

/** What cancelling needs of a job's session. */
export interface CancellationParts {
  readonly tree: JobTree;
  readonly clock: Clock;
  readonly running: RunningItems;
  /** Tells what has failed. */
  report(work: string): (error: unknown) => void;
}

/**
 * Aborts what operators cancel of this instance's runs. A request names its run: one that comes too late aborts no
 * later one. It goes with the end of the run, or by the leader's sweep.
 */
export class Cancellations {
  private readonly looking: Reaction;

  constructor(private readonly parts: CancellationParts) {
    const { tree, clock } = parts;
    this.looking = registryReaction(tree, clock, () => this.look(), parts.report('cancelling a run'));
  }

  hear(event: JobTreeEvent): void {
    const { running, tree } = this.parts;
    if (event.kind === 'CancelRequested' && running.has(event.item)) this.looking.wake();
    if (event.kind === 'TreeReset' && tree.cancels().length > 0) this.looking.wake();
  }

  /**
   * Items run under the lease from now on; the news of a request may have been faster than the reply to their begin.
   */
  onRun({ items }: ExecutionLease): void {
    const { tree } = this.parts;
    if (items.some((item) => tree.has(tree.paths.cancel(item)))) this.looking.wake();
  }

  private async look(): Promise<void> {
    const { running, tree } = this.parts;
    await tree.sync({ signal: tree.signal });
    const items = tree.cancels().filter((item) => running.has(item));
    const paths = items.map((item) => tree.paths.cancel(item));
    if (!(await tree.load(paths, { signal: tree.signal }))) return this.looking.wake();
    for (const item of items) {
      const lease = running.leaseOf(item);
      const run = tree.node(tree.paths.cancel(item))?.data;
      if (run !== undefined && lease?.run === run) lease.abortItem(item, new CancelledError(tree.jobName, item));
    }
  }
}
