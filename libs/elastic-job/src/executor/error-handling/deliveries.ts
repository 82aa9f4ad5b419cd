import { ElasticJobError } from '../../domain/index.js';

/** Most deliveries at a time, and most that wait. */
const MOST_AT_ONCE = 8;
const MOST_WAITING = 100;

/** Runs deliveries in the background: a few at a time, with a bounded queue. */
export class Deliveries {
  private readonly waiting: (() => Promise<void>)[] = [];
  private underWay = 0;
  private onIdle: (() => void)[] = [];

  /** @param deliver must never reject @returns false if the queue is full */
  add(deliver: () => Promise<void>): boolean {
    if (this.waiting.length >= MOST_WAITING) return false;
    this.waiting.push(deliver);
    this.startNext();
    return true;
  }

  /** Resolves when no delivery runs or waits. */
  async idle(): Promise<void> {
    if (this.underWay > 0) await new Promise<void>((resolve) => this.onIdle.push(resolve));
  }

  private startNext(): void {
    while (this.underWay < MOST_AT_ONCE && this.waiting.length > 0) void this.run(this.waiting.shift()!);
  }

  private async run(deliver: () => Promise<void>): Promise<void> {
    this.underWay += 1;
    await deliver();
    this.underWay -= 1;
    this.startNext();
    if (this.underWay === 0) for (const resolve of this.onIdle.splice(0)) resolve();
  }
}

/**
 * A report has not reached its channel. The job is not affected.
 * @remarks Check the channel's address, credentials and service. The job itself goes on.
 */
export class DeliveryError extends ElasticJobError {
  readonly code = 'DELIVERY';

  constructor(
    /** The type of the error handler. */
    readonly type: string,
    /** The fault: `the server answered 500`. */
    readonly fault: string,
    options?: ErrorOptions,
  ) {
    super(`A failure was not delivered by ${type}: ${fault}.`, options);
  }
}
