import type { Clock } from '../../clock/index.js';

/**
 * The network between one client and the server: keeps the order, takes its time, and can be broken. What is in transit
 * when it breaks never arrives.
 */
export class MemoryLink {
  private inTransit: (() => void)[] = [];
  private isBroken = false;
  private readonly oneWayMs: number;

  /** @param latencyMs the time there and back, in milliseconds; 0 is one microtask each way */
  constructor(
    private readonly clock: Clock,
    latencyMs: number,
  ) {
    this.oneWayMs = latencyMs / 2;
  }

  get broken(): boolean {
    return this.isBroken;
  }

  /** Calls `arrive` at the other end. All that is carried takes equally long, so nothing overtakes. */
  carry(arrive: () => void): void {
    if (this.isBroken) return;
    const { inTransit } = this;
    inTransit.push(arrive);
    const next = () => inTransit.shift()?.();
    if (this.oneWayMs === 0) queueMicrotask(next);
    else this.clock.setTimer(this.oneWayMs, next);
  }

  /** There and back: `answer` runs at the other end, `receive` here. */
  ask<A>(answer: () => A, receive: (answer: A) => void): void {
    this.carry(() => {
      const given = answer();
      this.carry(() => receive(given));
    });
  }

  /** Loses what is in transit and carries nothing until it is mended. */
  break(): void {
    this.inTransit.length = 0;
    this.inTransit = [];
    this.isBroken = true;
  }

  mend(): void {
    this.isBroken = false;
  }
}
