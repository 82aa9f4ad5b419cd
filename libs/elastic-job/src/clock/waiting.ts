import type { Clock } from './clock.js';
import { whileWaiting } from './aborts.js';

/** Ends of a wait. One of them should be there, unless the caller bounds the wait. */
export interface WaitLimits {
  readonly deadline?: Deadline | undefined;
  readonly signals?: readonly (AbortSignal | undefined)[];
}

/** Starts a wait. Calls `goOn` when it ends, never before this returns. @returns a function that stops the wait */
type Arm = (goOn: () => void) => () => void;

/**
 * Waits until `arm` calls back. However it ends, no timer and no listener is left, and what `arm` returned was called.
 * @returns false if the deadline came first @throws the reason of the first signal that aborts
 */
export function waitFor(arm: Arm, { deadline, signals = [] }: WaitLimits = {}): Promise<boolean> {
  // Without AbortSignal.any: Node 20 keeps a part of each result as long as any of its signals lives, and some live for
  // a session.
  return new Promise((resolve, reject) => {
    for (const signal of signals) signal?.throwIfAborted();
    const stops: (() => void)[] = [];
    const end = (conclude: () => void) => () => {
      for (const stop of stops.splice(0)) stop();
      conclude();
    };
    const abort = end(() => reject(signals.find((signal) => signal?.aborted)?.reason));
    stops.push(arm(end(() => resolve(true))));
    if (deadline) stops.push(deadline.onPassed(end(() => resolve(false))));
    for (const signal of signals) if (signal) stops.push(whileWaiting(signal, abort));
  });
}

/**
 * Waits until a condition is met. It is looked at now, and after each change.
 * @param onChange adds a listener for changes @returns false if the deadline came first @throws a signal's reason
 */
export async function waitUntil(isMet: () => boolean, onChange: Arm, limits?: WaitLimits): Promise<boolean> {
  while (!isMet()) if (!(await waitFor(onChange, limits))) return false;
  return true;
}

/** `Clock.sleep` on top of `Clock.setTimer`, for the clocks themselves. @throws the signal's reason once it aborts */
export async function sleepOn(clock: Pick<Clock, 'setTimer'>, ms: number, signal?: AbortSignal): Promise<void> {
  const arm: Arm = (wake) => {
    const timer = clock.setTimer(ms, wake);
    return () => timer.cancel();
  };
  await waitFor(arm, { signals: [signal] });
}

/**
 * A moment on the monotonic clock up to which waiting is allowed. It is passed on, so that several waits together last
 * no longer than one.
 */
export class Deadline {
  private constructor(
    private readonly clock: Pick<Clock, 'monotonicNow' | 'nextTurn' | 'setTimer'>,
    private readonly at: number,
  ) {}

  /** @param timeoutMs milliseconds from now */
  static after(clock: Pick<Clock, 'monotonicNow' | 'nextTurn' | 'setTimer'>, timeoutMs: number): Deadline {
    return new Deadline(clock, clock.monotonicNow() + timeoutMs);
  }

  /** Milliseconds; 0 once it has passed. */
  get leftMs(): number {
    return Math.max(0, this.at - this.clock.monotonicNow());
  }

  /** A deadline earlier by this many milliseconds, which are left to later steps. */
  less(ms: number): Deadline {
    return new Deadline(this.clock, this.at - ms);
  }

  /** This deadline, or the one so many milliseconds from now if that is earlier. */
  within(timeoutMs: number): Deadline {
    return new Deadline(this.clock, Math.min(this.at, this.clock.monotonicNow() + timeoutMs));
  }

  /**
   * Calls back once it has passed. If the process was busy or stopped and notices that late, what has come meanwhile
   * has its turn before. @returns a function after which it does not call back
   */
  onPassed(callback: () => void): () => void {
    let isStopped = false;
    const pass = async () => {
      await this.clock.nextTurn();
      if (!isStopped) callback();
    };
    const timer = this.clock.setTimer(this.leftMs, () => void pass());
    return () => {
      isStopped = true;
      timer.cancel();
    };
  }

  /**
   * Waits for work that cannot be cancelled. If the wait ends first the work goes on, and its later error is ignored.
   * @param late called if the deadline came first; returns a result in place of that of the work, or throws
   * @throws the error of the work, or the signal's reason
   */
  async bounds<T>(work: Promise<T>, late: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    let goOn = () => {};
    const ended = () => goOn();
    work.then(ended, ended);
    const arm: Arm = (wake) => {
      goOn = wake;
      return () => (goOn = () => {});
    };
    return (await waitFor(arm, { deadline: this, signals: [signal] })) ? work : late();
  }

  /** Waits for the work as `bounds` does. @returns false if the deadline came first */
  holdsFor(work: Promise<unknown>): Promise<boolean> {
    const ended = work.then(() => true);
    return this.bounds(ended, () => false);
  }
}
