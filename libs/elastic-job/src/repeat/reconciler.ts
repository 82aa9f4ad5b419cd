import type { Clock, Timer } from '../clock/index.js';
import { messageOf } from '../domain/index.js';
import { BackOff, type BackOffOptions } from './back-off.js';

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
export abstract class WokenWork {
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

/** Woken work of any kind. */
export class Reconciler extends WokenWork {
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
