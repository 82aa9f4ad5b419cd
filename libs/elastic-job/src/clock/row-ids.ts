import type { Clock } from './clock.js';

/** Rows of one instant that can be ordered: 12 bits. */
const ROWS_OF_INSTANT = 4_096;

/**
 * Ids of rows in a database, in the order of the rows. So an index of them grows at its end, which halves the cost of a
 * row in SQLite, and rows of one instant are read in their order, even where a TIMESTAMP has only seconds. A random
 * part, drawn once for all rows of an instant, distinguishes the processes.
 * @see RFC 9562, section 5.7, UUID version 7, with a counter after the time
 */
export class RowIds {
  private instant = Number.NaN;
  private count = 0;
  private time = '';
  private chance = '';

  constructor(private readonly clock: Clock) {}

  next(): string {
    const now = this.clock.wallNow();
    this.count = now === this.instant ? this.count + 1 : ROWS_OF_INSTANT;
    if (this.count >= ROWS_OF_INSTANT) this.begin(now);
    return this.time + this.count.toString(16).padStart(3, '0') + this.chance;
  }

  private begin(instant: number): void {
    const hex = instant.toString(16).padStart(12, '0');
    this.instant = instant;
    this.count = 0;
    this.time = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
    this.chance = this.clock.uuid().slice(18);
  }
}
