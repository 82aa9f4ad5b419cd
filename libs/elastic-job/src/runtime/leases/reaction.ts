import { BackOff, type BackOffOptions, type Clock, type Timer } from '../../clock/index.js';
import { untilDone } from '../../coordination/index.js';
import { messageOf } from '../../domain/index.js';
import type { JobContext } from './job-context.js';

/** Pauses in milliseconds after an error that nobody has expected, such as one of a user's function. */
const PAUSES: BackOffOptions = { firstMs: 500, longestMs: 30_000 };

/** Failed attempts in a row. */
interface Failing {
  readonly backOff: BackOff;
  /** Text of the last error, which is reported once in a row. */
  told: string | undefined;
  /** Wakes the work again. */
  retry?: Timer;
}

/**
 * Work that events wake. It runs once at a time, and a wake during a run makes it run once more. So the last event is
 * never overlooked, and a thousand events cost two runs. After an error it wakes itself, after pauses that grow: what
 * has failed has no event that would wake it again.
 */
abstract class WokenWork {
  private run: Promise<void> | undefined;
  private isWoken = false;
  private isStopped = false;
  private failing: Failing | undefined;

  wake(): void {
    if (this.isStopped) return;
    this.rest();
    this.isWoken = true;
    this.run ??= this.runWhileWoken();
  }

  /** Wakes it, and resolves when that wake is worked off, also if the work has failed. */
  async wakeAndWait(): Promise<void> {
    this.wake();
    await this.rested();
  }

  /** Resolves when all wakes so far are worked off. */
  async rested(): Promise<void> {
    await this.run;
  }

  /** Leaves a failed attempt as it is, until the next wake. */
  rest(): void {
    this.failing?.retry?.cancel();
  }

  /** Starts nothing more; a present run may end. */
  stop(): void {
    this.isStopped = true;
    this.isWoken = false;
    this.rest();
  }

  protected abstract get clock(): Clock;

  /** One run. It must read the state, not rely on events. */
  protected abstract attempt(): Promise<void>;

  /** Reports a failed attempt, unless the former one has failed in the same way. Must not throw. */
  protected abstract fail(error: unknown): void;

  /** Called after each attempt. @param _failure undefined if it has succeeded @returns true if it is to be repeated */
  protected ended(_failure: { readonly error: unknown } | undefined): boolean {
    return true;
  }

  private async runWhileWoken(): Promise<void> {
    while (this.isWoken) {
      this.isWoken = false;
      try {
        await this.attempt();
        this.succeeded();
      } catch (error) {
        this.failed(error);
      }
    }
    this.run = undefined;
  }

  private succeeded(): void {
    this.rest();
    this.failing = undefined;
    this.ended(undefined);
  }

  private failed(error: unknown): void {
    const isRepeated = this.ended({ error });
    this.failing ??= { backOff: new BackOff(this.clock, PAUSES), told: undefined };
    const { backOff, told } = this.failing;
    this.failing.told = messageOf(error);
    if (this.failing.told !== told) this.fail(error);
    this.rest();
    if (this.isStopped || !isRepeated) return;
    backOff.failed();
    this.failing.retry = this.clock.setTimer(backOff.nextMs(), () => this.wake());
  }
}

/** Work of any kind that events wake. */
export class Reaction extends WokenWork {
  /** @param onError must not throw */
  constructor(
    protected readonly clock: Clock,
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
 * after a refusal or another error it starts again after a pause, and reports that once. The tree shows what fails.
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

  protected get clock(): Clock {
    return this.context.clock;
  }

  protected attempt(): Promise<void> {
    const { clock, tree } = this.context;
    return untilDone(tree, clock, this.work, (error) => this.fail(error));
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
