import { BackOff, type BackOffOptions, type Clock, type Timer } from '../../clock/index.js';
import { type RepeatedWork, untilDone } from '../../coordination/index.js';
import { messageOf } from '../../domain/index.js';
import type { JobContext } from './job-context.js';

/** Pauses in milliseconds after an error that nobody has expected, such as one of a user's function. */
const PAUSES: BackOffOptions = { firstMs: 500, longestMs: 30_000 };

/**
 * Work that events wake. It runs once at a time, and a wake during a run makes it run once more. So the last event is
 * never overlooked, and a thousand events cost two runs. After an error it wakes itself, after pauses that grow: what
 * has failed has no event that would wake it again.
 */
abstract class WokenWork {
  private run: Promise<void> | undefined;
  private isWoken = false;
  private isStopped = false;
  private backOff: BackOff | undefined;
  private retry: Timer | undefined;
  /** Text of the last error, which is reported once in a row. */
  private told: string | undefined;

  constructor(private readonly time: Clock) {}

  wake(): void {
    if (this.isStopped) return;
    this.retry?.cancel();
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
    this.retry?.cancel();
  }

  /** Starts nothing more; a present run may end. */
  stop(): void {
    this.isStopped = true;
    this.isWoken = false;
    this.rest();
  }

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
    this.backOff = undefined;
    this.told = undefined;
    this.ended(undefined);
  }

  private failed(error: unknown): void {
    const isRepeated = this.ended({ error });
    const text = messageOf(error);
    if (text !== this.told) this.fail(error);
    this.told = text;
    if (this.isStopped || !isRepeated) return;
    this.backOff ??= new BackOff(this.time, PAUSES);
    this.backOff.failed();
    this.retry?.cancel();
    this.retry = this.time.setTimer(this.backOff.nextMs(), () => this.wake());
  }
}

/** Work of any kind that events wake. */
export class Reaction extends WokenWork {
  /** @param onError must not throw */
  constructor(
    clock: Clock,
    private readonly work: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {
    super(clock);
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
  private standing: RepeatedWork | undefined;

  // A job has a dozen of these, most of them idle, so the objects of a run are created when it runs.
  /** @param what completes "... failed" in reports */
  constructor(
    private readonly context: Pick<JobContext, 'tree' | 'clock' | 'report'>,
    private readonly what: string,
    private readonly work: () => Promise<void>,
  ) {
    super(context.clock);
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
      this.standing?.end();
      this.standing = undefined;
      return false;
    }
    this.standing ??= tree.failures.watch(this.what);
    this.standing.note(failure.error, clock.wallNow());
    return true;
  }
}
