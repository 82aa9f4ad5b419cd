import type { Clock } from '../../clock/index.js';
import { untilDone } from '../../coordination/index.js';
import { repeat, WokenWork } from '../../repeat/index.js';
import type { JobContext } from './job-context.js';

/**
 * Work on the registry for a job during one session. Without an answer it starts again as soon as the registry answers;
 * after a refusal or another error it starts again after a pause, and reports that once. The tree shows what fails.
 */
export class JobReconciler extends WokenWork {
  // A job has a dozen of these, most of them idle, so the objects of a run are created when it runs.
  /** @param what completes "... failed" in reports */
  constructor(
    private readonly context: Pick<JobContext, 'tree' | 'clock' | 'report'>,
    private readonly what: string,
    private readonly work: () => Promise<void>,
  ) {
    super();
  }

  protected get clock(): Clock {
    return this.context.clock;
  }

  protected attempt(): Promise<void> {
    const { tree } = this.context;
    return repeat(
      untilDone(tree, (error) => this.fail(error)),
      this.work,
    );
  }

  protected fail(error: unknown): void {
    this.context.report(this.what)(error);
  }

  protected override ended(failure: { readonly error: unknown } | undefined): boolean {
    const { clock, tree } = this.context;
    if (failure === undefined || tree.signal.aborted) {
      tree.failures.end(this);
      return false;
    }
    tree.failures.note(this, this.what, failure.error, clock.wallNow());
    return true;
  }
}
