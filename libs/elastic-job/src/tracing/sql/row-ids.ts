import type { Clock } from '../../clock/index.js';

/** Rows of one millisecond that are told apart by their order: 12 bits. */
const ROWS_PER_MS = 4_096;

/**
 * Ids in the order of the rows. So an index of them grows at its end, which halves what a row costs SQLite, and rows of
 * one instant are read in their order, also where a TIMESTAMP has seconds only.
 * @see RFC 9562, section 5.7, UUID version 7, with a counter after the time
 */
export class RowIds {
  private instant = 0;
  private count = 0;

  constructor(private readonly clock: Clock) {}

  next(): string {
    const now = this.clock.wallNow();
    this.count = now === this.instant ? (this.count + 1) % ROWS_PER_MS : 0;
    this.instant = now;
    const time = now.toString(16).padStart(12, '0');
    const counter = this.count.toString(16).padStart(3, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}${this.clock.uuid().slice(18)}`;
  }
}
