import type { Clock, Timer } from './clock.js';

/** Values of one kind since the last delivery. */
interface Kind<T> {
  /** Undefined if there is none. */
  held: T | undefined;
  /** Time of its delivery, on the monotonic clock. */
  readonly deliverAt: number;
}

interface HeldBackOptions<T> {
  readonly windowMs: number;
  /**
   * Most kinds that are remembered. Beyond that, the held value of the oldest one is delivered, and the kind forgotten.
   * @default all
   */
  readonly mostKinds?: number;
  /** Joins the held value and the next one. */
  readonly join: (held: T, next: T) => T;
  readonly deliver: (delivered: T) => void;
}

/**
 * Delivers the first value of each kind, holds the following ones for a window, and then delivers them as one. A kind
 * without values for a window is new again.
 */
export class HeldBack<T> {
  /** In the order in which their windows end, since all windows have the same length. */
  private readonly kinds = new Map<string, Kind<T>>();
  private timer: Timer | undefined;
  private isOver = false;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicNow' | 'setTimer'>,
    private readonly options: HeldBackOptions<T>,
  ) {}

  /** Number of remembered kinds. */
  get size(): number {
    return this.kinds.size;
  }

  add(name: string, next: T): void {
    const { join, mostKinds = Infinity, deliver } = this.options;
    const kind = this.kinds.get(name);
    if (kind !== undefined) return void (kind.held = kind.held === undefined ? next : join(kind.held, next));
    if (!this.isOver) this.openWindow(name);
    deliver(next);
    if (this.kinds.size > mostKinds) this.closeWindow(this.kinds.keys().next().value!);
  }

  /** Delivers nothing more of these kinds: a later value of one is its first. */
  forget(isForgotten: (name: string) => boolean): void {
    for (const name of this.kinds.keys()) if (isForgotten(name)) this.kinds.delete(name);
    if (this.kinds.size === 0) this.timer?.cancel();
  }

  /** Delivers all held values, and holds nothing back any more. */
  end(): void {
    this.isOver = true;
    this.timer?.cancel();
    for (const name of this.kinds.keys()) this.closeWindow(name);
  }

  private openWindow(name: string): void {
    const deliverAt = this.clock.monotonicNow() + this.options.windowMs;
    this.kinds.set(name, { held: undefined, deliverAt });
    if (this.kinds.size === 1) this.arm(deliverAt);
  }

  /** @returns true if there was a held value */
  private closeWindow(name: string): boolean {
    const held = this.kinds.get(name)?.held;
    this.kinds.delete(name);
    if (held === undefined) return false;
    this.options.deliver(held);
    return true;
  }

  private arm(deliverAt: number): void {
    this.timer?.cancel();
    this.timer = this.clock.setTimer(Math.max(0, deliverAt - this.clock.monotonicNow()), () => this.closeDue());
  }

  private closeDue(): void {
    const now = this.clock.monotonicNow();
    for (const [name, { deliverAt }] of this.kinds) {
      if (deliverAt > now) break;
      if (this.closeWindow(name)) this.openWindow(name);
    }
    const next = this.kinds.values().next().value;
    if (next !== undefined) this.arm(next.deliverAt);
  }
}
