import type { Clock, Timer } from '../../clock/index.js';
import {
  type FailureReport,
  type HeldFailures,
  holdFailure,
  type JobFailure,
  kindOfFailure,
} from '../../domain/index.js';

/** How many kinds of failures are remembered; beyond that, what is known of the oldest one is told and forgotten. */
const MOST_KINDS = 1_000;

/** Failures of one kind since they were told. */
interface Kind<T> {
  held: HeldFailures;
  /** With the last of them. */
  bearing: T;
  /** When they are told, on the monotonic clock. */
  readonly toldAt: number;
}

/**
 * Lets the first failure of each kind through, holds those that follow for a window, and then lets them through as one,
 * with their count. A kind that stayed away for a window is new again.
 */
export class HeldBack<T> {
  /** In the order in which their windows end, since all windows are of the same length. */
  private readonly kinds = new Map<string, Kind<T>>();
  private timer: Timer | undefined;
  private isOver = false;

  /** @param tell called with each report, and with what came along with its failure */
  constructor(
    private readonly clock: Clock,
    private readonly windowMs: number,
    private readonly tell: (report: FailureReport, bearing: T) => void,
  ) {}

  /** How many kinds are remembered. */
  get size(): number {
    return this.kinds.size;
  }

  add(failure: JobFailure, bearing: T): void {
    const name = kindOfFailure(failure);
    const kind = this.kinds.get(name);
    const held = holdFailure(kind?.held, failure, this.clock.wallNow());
    if (kind !== undefined) return void Object.assign(kind, { held, bearing });
    if (!this.isOver) this.openWindow(name, held, bearing);
    this.tell(reportOf(held), bearing);
    if (this.kinds.size > MOST_KINDS) this.closeWindow(this.kinds.keys().next().value!);
  }

  /** Tells what is held, and holds nothing back any more. */
  end(): void {
    this.isOver = true;
    this.timer?.cancel();
    for (const name of this.kinds.keys()) this.closeWindow(name);
  }

  private openWindow(name: string, held: HeldFailures, bearing: T): void {
    const toldAt = this.clock.monotonicNow() + this.windowMs;
    this.kinds.set(name, { held: { ...held, count: 0 }, bearing, toldAt });
    if (this.kinds.size === 1) this.arm(toldAt);
  }

  /** @returns the kind, if something of it was held */
  private closeWindow(name: string): Kind<T> | undefined {
    const kind = this.kinds.get(name);
    this.kinds.delete(name);
    if (kind === undefined || kind.held.count === 0) return undefined;
    this.tell(reportOf(kind.held), kind.bearing);
    return kind;
  }

  private arm(toldAt: number): void {
    this.timer?.cancel();
    this.timer = this.clock.setTimer(Math.max(0, toldAt - this.clock.monotonicNow()), () => this.closeDue());
  }

  private closeDue(): void {
    const now = this.clock.monotonicNow();
    for (const [name, { toldAt }] of this.kinds) {
      if (toldAt > now) break;
      const told = this.closeWindow(name);
      if (told !== undefined) this.openWindow(name, told.held, told.bearing);
    }
    const next = this.kinds.values().next().value;
    if (next !== undefined) this.arm(next.toldAt);
  }
}

function reportOf({ failure, count, since, until }: HeldFailures): FailureReport {
  return Object.freeze({ ...failure, count, since, until });
}
