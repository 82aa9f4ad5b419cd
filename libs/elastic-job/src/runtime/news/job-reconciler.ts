import type { Clock } from '../../clock/index.js';
import { type JobTree, untilDone } from '../../coordination/index.js';
import { repeat, WokenWork } from '../../repeat/index.js';
import type { Report } from './work-errors.js';

/**
 * Work on the registry for a job during one session. Without an answer it starts again as soon as the registry answers;
 * after a refusal or another error it starts again after a pause, and reports that once. The tree shows what fails.
 */
export class JobReconciler extends WokenWork {
  // A job has a dozen of these, most of them idle, so the objects of a run are created when it runs.
  /** @param what completes "... failed" in reports */
  constructor(
    private readonly tree: JobTree,
    private readonly report: Report,
    private readonly what: string,
    private readonly work: () => Promise<void>,
  ) {
    super();
  }

  protected get clock(): Clock {
    return this.tree.clock;
  }

  protected attempt(): Promise<void> {
    return repeat(
      untilDone(this.tree, (error) => this.fail(error)),
      this.work,
    );
  }

  protected fail(error: unknown): void {
    this.report(this.what)(error);
  }

  protected override ended(failure: { readonly error: unknown } | undefined): boolean {
    const { tree } = this;
    if (failure === undefined || tree.signal.aborted) {
      tree.failures.end(this);
      return false;
    }
    tree.failures.note(this, this.what, failure.error, tree.clock.wallNow());
    return true;
  }
}
