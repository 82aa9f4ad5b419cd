// Covered by test/scenario/refused-requests.spec.ts
import { untilDone } from '../../coordination/index.js';
import type { JobContext } from './job-context.js';

/**
 * Work that events wake. It runs once at a time; a wake during a run makes it run once more, so what the last event
 * told is never overlooked and a thousand events cost two runs.
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

  /** Wakes it, and resolves when that wake has been worked off. */
  async wakeAndWait(): Promise<void> {
    this.wake();
    await this.rested();
  }

  /** Resolves when all wakes until then have been worked off. */
  async rested(): Promise<void> {
    await this.run;
  }

  /** Nothing starts any more; what runs may end. */
  stop(): void {
    this.isStopped = true;
    this.isWoken = false;
  }

  /** Must look at the state of things, not at events. */
  protected abstract attempt(): Promise<void>;

  /** Hears why an attempt has failed. Must not throw. */
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
 * Work for a job during one session, which asks the registry: unanswered, it begins anew as soon as the registry
 * answers again, and after a pause if the registry refuses it, which is told once.
 */
export class SessionReaction extends WokenWork {
  // A job has a dozen of these, most of which rest: what they need for a run is made when they run.
  /** @param what completes "... failed" */
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
