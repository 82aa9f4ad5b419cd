import type { Clock } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';

/** The items of one job that run in this process, and the leases that hold them. */
export class RunningItems {
  private readonly leases = new Map<number, ExecutionLease>();
  /** Begins under way. */
  private expected = 0;
  private waiting: (() => void)[] = [];

  get size(): number {
    return this.leases.size;
  }

  has(item: number): boolean {
    return this.leases.has(item);
  }

  /** A begin is under way; it adds what it has begun before it ends. */
  async expect<T>(begin: () => Promise<T>): Promise<T> {
    this.expected += 1;
    try {
      return await begin();
    } finally {
      this.expected -= 1;
      this.tellIfNone();
    }
  }

  add(lease: ExecutionLease): void {
    for (const item of lease.items) this.leases.set(item, lease);
  }

  delete(item: number, lease: ExecutionLease): void {
    if (this.leases.get(item) === lease) this.leases.delete(item);
    this.tellIfNone();
  }

  abort(reason: unknown): void {
    for (const lease of new Set(this.leases.values())) lease.abort(reason);
  }

  /** Waits until nothing runs and nothing is about to. @returns false if `ms` milliseconds have passed first */
  async endWithin(clock: Clock, ms: number): Promise<boolean> {
    if (this.isNone()) return true;
    return new Promise((resolve) => {
      const timer = clock.setTimer(ms, () => resolve(false));
      this.waiting.push(() => {
        timer.cancel();
        resolve(true);
      });
    });
  }

  private isNone(): boolean {
    return this.leases.size === 0 && this.expected === 0;
  }

  private tellIfNone(): void {
    if (this.isNone()) for (const resolve of this.waiting.splice(0)) resolve();
  }
}
