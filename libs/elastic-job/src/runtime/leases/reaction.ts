import { untilDone } from '../../coordination/index.js';
import type { JobContext } from './job-context.js';

/**
 * Work that events wake. It runs once at a time, and a wake during a run makes it run once more. So the last event is
 * never overlooked, and a thousand events cost two runs.
 */
abstract class WokenWork {
  private run: Promise<void> | undefined;
  private isWoken = false;
  private isStopped = false;

  wake(): void {
    if (this.isStopped) return;
    this.isWoken = true;
    this.run ??= this.runWhileWoken();
  }

  /** Wakes it, and resolves when that wake is worked off. */
  async wakeAndWait(): Promise<void> {
    this.wake();
    await this.rested();
  }

  /** Resolves when all wakes so far are worked off. */
  async rested(): Promise<void> {
    await this.run;
  }

  /** Starts nothing more; a present run may end. */
  stop(): void {
    this.isStopped = true;
    this.isWoken = false;
  }

  /** One run. It must read the state, not rely on events. */
  protected abstract attempt(): Promise<void>;

  /** Reports a failed attempt. Must not throw. */
  protected abstract fail(error: unknown): void;

  private async runWhileWoken(): Promise<void> {
    while (this.isWoken) {
      this.isWoken = false;
      try {
        await this.attempt();
      } catch (error) {
        this.fail(error);
      }
    }
    this.run = undefined;
  }
}

/** Work of any kind that events wake. */
export class Reaction extends WokenWork {
  /** @param onError must not throw */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {
    super();
  }

  protected attempt(): Promise<void> {
    return this.work();
  }

  protected fail(error: unknown): void {
    this.onError(error);
  }
}

/**
 * Work on the registry for a job during one session. Without an answer it starts again as soon as the registry answers;
 * after a refusal it starts again after a pause, and reports that once.
 */
export class SessionReaction extends WokenWork {
  // A job has a dozen of these, most of them idle, so the objects of a run are created when it runs.
  /** @param what completes "... failed" in reports */
  constructor(
    private readonly context: Pick<JobContext, 'tree' | 'clock' | 'report'>,
    private readonly what: string,
    private readonly work: () => Promise<void>,
  ) {
    super();
  }

  protected attempt(): Promise<void> {
    const { clock, tree } = this.context;
    return untilDone(tree, clock, this.work, (error) => this.fail(error));
  }

  protected fail(error: unknown): void {
    this.context.report(this.what)(error);
  }
}
