import type { Clock, Timer } from './clock.js';

/** All that came of one kind since something of it was told. */
interface Kind<T> {
  /** Undefined: nothing. */
  held: T | undefined;
  /** When it is told, on the monotonic clock. */
  readonly toldAt: number;
}

interface HeldBackOptions<T> {
  readonly windowMs: number;
  /**
   * How many kinds are remembered; beyond that, what is held of the oldest one is told, and the kind forgotten.
   * @default all
   */
  readonly mostKinds?: number;
  /** Makes one of all that is held so far and the next. */
  readonly join: (held: T, next: T) => T;
  readonly tell: (told: T) => void;
}

/**
 * Lets the first of each kind through, holds those that follow for a window, and then lets them through as one. A kind
 * that stayed away for a window is new again.
 */
export class HeldBack<T> {
  /** In the order in which their windows end, since all windows are of the same length. */
  private readonly kinds = new Map<string, Kind<T>>();
  private timer: Timer | undefined;
  private isOver = false;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicNow' | 'setTimer'>,
    private readonly options: HeldBackOptions<T>,
  ) {}

  /** How many kinds are remembered. */
  get size(): number {
    return this.kinds.size;
  }

  add(name: string, next: T): void {
    const { join, mostKinds = Infinity, tell } = this.options;
    const kind = this.kinds.get(name);
    if (kind !== undefined) return void (kind.held = kind.held === undefined ? next : join(kind.held, next));
    if (!this.isOver) this.openWindow(name);
    tell(next);
    if (this.kinds.size > mostKinds) this.closeWindow(this.kinds.keys().next().value!);
  }

  /** Tells what is held, and holds nothing back any more. */
  end(): void {
    this.isOver = true;
    this.timer?.cancel();
    for (const name of this.kinds.keys()) this.closeWindow(name);
  }

  private openWindow(name: string): void {
    const toldAt = this.clock.monotonicNow() + this.options.windowMs;
    this.kinds.set(name, { held: undefined, toldAt });
    if (this.kinds.size === 1) this.arm(toldAt);
  }

  /** @returns true if something was held */
  private closeWindow(name: string): boolean {
    const held = this.kinds.get(name)?.held;
    this.kinds.delete(name);
    if (held === undefined) return false;
    this.options.tell(held);
    return true;
  }

  private arm(toldAt: number): void {
    this.timer?.cancel();
    this.timer = this.clock.setTimer(Math.max(0, toldAt - this.clock.monotonicNow()), () => this.closeDue());
  }

  private closeDue(): void {
    const now = this.clock.monotonicNow();
    for (const [name, { toldAt }] of this.kinds) {
      if (toldAt > now) break;
      if (this.closeWindow(name)) this.openWindow(name);
    }
    const next = this.kinds.values().next().value;
    if (next !== undefined) this.arm(next.toldAt);
  }
}
