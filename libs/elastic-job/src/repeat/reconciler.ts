import type { Clock, Timer } from '../clock/index.js';
import { messageOf } from '../domain/index.js';
import { BackOff, type BackOffOptions } from './repeat.js';

/** Pauses in milliseconds after an error that nobody has expected, such as one of a user's function. */
const PAUSES: BackOffOptions = { firstMs: 500, longestMs: 30_000 };

/** Failures of the last run, by their texts: what fails in the same way again is not reported again. */
export class LastFailures {
  private last: readonly string[] = [];

  /** Notes the failures of a run. @returns those to report, one of each text: the run before has not failed so */
  note(failures: readonly unknown[]): readonly unknown[] {
    const texts = failures.map((error) => messageOf(error));
    const { last } = this;
    this.last = texts;
    return failures.filter((_, n) => !last.includes(texts[n]!) && texts.indexOf(texts[n]!) === n);
  }
}

/** Failed runs in a row. */
class Failing {
  private readonly failures = new LastFailures();
  private readonly backOff: BackOff;

  constructor(clock: Clock, pauses: BackOffOptions) {
    this.backOff = new BackOff(clock, pauses);
  }

  get runs(): number {
    return this.backOff.failures;
  }

  /** @returns true if it is to be reported: the run before has not failed in the same way */
  note(error: unknown): boolean {
    this.backOff.failed();
    return this.failures.note([error]).length > 0;
  }

  nextMs(): number {
    return this.backOff.nextMs();
  }
}

/** Work that is not at rest. */
interface Active {
  isWoken: boolean;
  isRunning: boolean;
  /** Resolves when all wakes so far are worked off. */
  run: Promise<void> | undefined;
  failing: Failing | undefined;
  /** Wakes the work again after a failure. */
  retry: Timer | undefined;
}

const AT_REST: Active = { isWoken: false, isRunning: false, run: undefined, failing: undefined, retry: undefined };

/**
 * Work that events wake. It runs once at a time, and a wake during a run makes it run once more. So the last event is
 * never overlooked, and a thousand events cost two runs. After an error it wakes itself, after pauses that grow: what
 * has failed has no event that would wake it again. A wake ends such a pause.
 */
export abstract class WokenWork {
  /** Undefined at rest: a job has a dozen of these, and most of them rest. */
  private active: Active | undefined;
  private isStopped = false;

  wake(): void {
    if (this.isStopped) return;
    const active = (this.active ??= { ...AT_REST });
    active.retry?.cancel();
    active.isWoken = true;
    if (!active.isRunning) active.run = this.runWhileWoken(active);
  }

  /** Wakes it, and resolves when that wake is worked off, also if the work has failed. */
  async wakeAndWait(): Promise<void> {
    this.wake();
    await this.rested();
  }

  /** Resolves when all wakes so far are worked off. */
  async rested(): Promise<void> {
    await this.active?.run;
  }

  /** Leaves a failed attempt as it is, until the next wake. */
  rest(): void {
    this.active?.retry?.cancel();
  }

  /** Starts nothing more; a present run may end. */
  stop(): void {
    this.isStopped = true;
    if (this.active !== undefined) this.active.isWoken = false;
    this.rest();
  }

  /** False during a run, and while one that has failed is to be repeated. */
  protected get isAtRest(): boolean {
    return this.active === undefined;
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

  private async runWhileWoken(active: Active): Promise<void> {
    active.isRunning = true;
    while (active.isWoken) {
      active.isWoken = false;
      try {
        await this.attempt();
        active.failing = undefined;
        this.ended(undefined);
      } catch (error) {
        this.failed(active, error);
      }
    }
    active.isRunning = false;
    if (active.failing === undefined) this.active = undefined;
  }

  private failed(active: Active, error: unknown): void {
    const isRepeated = this.ended({ error });
    const failing = (active.failing ??= new Failing(this.clock, PAUSES));
    if (failing.note(error)) this.fail(error);
    if (active.isWoken || this.isStopped || !isRepeated) return;
    active.retry = this.clock.setTimer(failing.nextMs(), () => this.wake());
  }
}

/** Woken work that is a function. Classes with a run of their own extend `WokenWork`. */
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

/** Options of `Reconcilers`: work on many things, each named by its key. */
interface ReconcilersOptions<Key> {
  readonly clock: Clock;
  /** Most keys that are worked on side by side; the others wait in the order of their wakes. */
  readonly atOnce: number;
  /** Pauses after a failed run of a key. */
  readonly pauses: BackOffOptions;
  /**
   * Brings one key closer to its wanted state. It must read the state, not rely on wakes.
   * @param failures number of failed runs of the key since its last success
   * @returns milliseconds until its next run, which a wake during this run makes 0; undefined if nothing is left to do
   */
  readonly work: (key: Key, failures: number) => Promise<number | undefined>;
  /** Receives a failure, unless the key's former run has failed in the same way. Must not throw. */
  readonly onFailure: (key: Key, error: unknown) => void;
}

/**
 * Makes each of many things as it is wanted.
 *
 * ```
 * resting --wake--> waiting --a place is free--> running --> resting | waiting | pausing
 * pausing --its time is over--> waiting
 * ```
 *
 * - A key runs once at a time. A wake during its run makes it run once more, as soon as a place is free, or after the
 *   pause if the run fails. So no change is overlooked.
 * - A pausing key holds no place. A wake does not end the pause, so news of others hurry nothing that fails for itself.
 *   `forget` does, for a key that has changed itself, also if the run under way fails.
 * - A failed run is repeated after pauses that grow, until it succeeds, or the key is forgotten.
 *
 * @see Kubernetes, `client-go/util/workqueue`, for the same rules on wakes during a run
 */
export class Reconcilers<Key> {
  private readonly waiting = new Set<Key>();
  private readonly running = new Set<Key>();
  private readonly pausing = new Map<Key, Timer>();
  private readonly failing = new Map<Key, Failing>();
  /** Keys that were forgotten during their run. */
  private readonly changed = new Set<Key>();
  private isStopped = false;

  constructor(private readonly options: ReconcilersOptions<Key>) {}

  wake(key: Key): void {
    if (this.isStopped || this.pausing.has(key)) return;
    this.waiting.add(key);
    this.startWaiting();
  }

  /** Forgets that a key waits or pauses, and its failures. A run that is under way ends by itself. */
  forget(key: Key): void {
    if (this.running.has(key)) this.changed.add(key);
    this.waiting.delete(key);
    this.failing.delete(key);
    this.pausing.get(key)?.cancel();
    this.pausing.delete(key);
  }

  /** Forgets all keys. */
  clear(): void {
    for (const timer of this.pausing.values()) timer.cancel();
    this.waiting.clear();
    this.failing.clear();
    this.pausing.clear();
  }

  /** Starts nothing more. */
  stop(): void {
    this.isStopped = true;
    this.clear();
  }

  private startWaiting(): void {
    for (const key of this.waiting) {
      if (this.running.size >= this.options.atOnce) return;
      if (this.running.has(key)) continue;
      this.waiting.delete(key);
      void this.run(key);
    }
  }

  private async run(key: Key): Promise<void> {
    this.running.add(key);
    try {
      const againMs = await this.options.work(key, this.failing.get(key)?.runs ?? 0);
      this.failing.delete(key);
      if (againMs !== undefined && !this.waiting.has(key)) this.pause(key, againMs);
    } catch (error) {
      this.fail(key, error);
    }
    this.running.delete(key);
    this.changed.delete(key);
    this.startWaiting();
  }

  private fail(key: Key, error: unknown): void {
    if (this.isStopped) return;
    const { clock, onFailure, pauses } = this.options;
    const failing = this.failing.get(key) ?? new Failing(clock, pauses);
    this.failing.set(key, failing);
    if (failing.note(error)) onFailure(key, error);
    if (this.changed.has(key) && this.waiting.has(key)) return;
    this.waiting.delete(key);
    this.pause(key, failing.nextMs());
  }

  private pause(key: Key, ms: number): void {
    if (ms === 0) return this.wake(key);
    if (this.isStopped) return;
    const goOn = () => {
      this.pausing.delete(key);
      this.wake(key);
    };
    this.pausing.set(key, this.options.clock.setTimer(ms, goOn));
  }
}
