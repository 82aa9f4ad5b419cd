import type { Clock } from '../../clock/index.js';

/**
 * The network between one client and the server: keeps the order, takes its time, and can be broken. What is in transit
 * when it breaks never arrives. While the client is frozen, what arrives for it waits in its socket.
 */
export class MemoryLink {
  private inTransit: (() => void)[] = [];
  private readonly inSocket: (() => void)[] = [];
  private isBroken = false;
  private isFrozen = false;
  private readonly oneWayMs: number;

  /**
   * @param clock the network's, which goes on when a client stands still
   * @param latencyMs the time there and back, in milliseconds; 0 is one microtask each way
   */
  constructor(
    private readonly clock: Clock,
    latencyMs: number,
  ) {
    this.oneWayMs = latencyMs / 2;
  }

  get broken(): boolean {
    return this.isBroken;
  }

  get frozen(): boolean {
    return this.isFrozen;
  }

  /** Calls `arrive` at the server. */
  send(arrive: () => void): void {
    this.carry(arrive);
  }

  /** Calls `arrive` at the client. */
  deliver(arrive: () => void): void {
    this.carry(() => {
      if (this.isFrozen) this.inSocket.push(arrive);
      else arrive();
    });
  }

  /** There and back: `answer` runs at the server, `receive` at the client. */
  ask<A>(answer: () => A, receive: (answer: A) => void): void {
    this.send(() => {
      const given = answer();
      this.deliver(() => receive(given));
    });
  }

  /** Loses what is in transit and carries nothing until it is mended. */
  break(): void {
    this.drop();
    this.isBroken = true;
  }

  mend(): void {
    this.isBroken = false;
  }

  /** Loses what is in transit. */
  drop(): void {
    this.inTransit.length = 0;
    this.inTransit = [];
    this.inSocket.length = 0;
  }

  freeze(): void {
    this.isFrozen = true;
  }

  /** What has waited in the socket is taken in at once, in order. */
  thaw(): void {
    this.isFrozen = false;
    while (this.inSocket.length > 0) this.inSocket.shift()!();
  }

  /** All that is carried takes equally long, so nothing overtakes. */
  private carry(arrive: () => void): void {
    if (this.isBroken) return;
    const { inTransit } = this;
    inTransit.push(arrive);
    const next = () => inTransit.shift()?.();
    if (this.oneWayMs === 0) queueMicrotask(next);
    else this.clock.setTimer(this.oneWayMs, next);
  }
}
