import { Listeners } from '../domain/index.js';

/**
 * Places for running items of one job on this instance. Its leases share them; the older lease fills a free place
 * first.
 */
export class Slots {
  private taken = 0;
  private readonly waiting = new Listeners<() => void>();

  /** Takes a place. @param limit present number of places */
  take(limit: number): boolean {
    if (this.taken >= limit) return false;
    this.taken += 1;
    return true;
  }

  free(): void {
    this.taken -= 1;
    this.waiting.forEach((fill) => fill());
  }

  /** Calls `fill` whenever a place is free. @returns a function that stops this */
  onFree(fill: () => void): () => void {
    return this.waiting.add(fill);
  }
}
