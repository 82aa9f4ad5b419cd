import type { TraceRow } from './trace-row.js';

/**
 * Rows that wait to be written, in order, each once: a later version of a row replaces the earlier one. When the
 * queue is full the oldest row is dropped, because after an outage the present matters most.
 */
export class RowQueue {
  private waiting = new Map<number, TraceRow>();
  private taken: readonly TraceRow[] = [];
  private lost = 0;

  /** @param limit most rows that wait or are being written; must exceed the rows that are taken at once */
  constructor(private readonly limit: number) {}

  get size(): number {
    return this.waiting.size + this.taken.length;
  }

  /** Number of rows dropped so far. */
  get dropped(): number {
    return this.lost;
  }

  put(row: TraceRow): void {
    if (this.size >= this.limit && !this.waiting.has(row.number)) this.dropOldest();
    this.waiting.set(row.number, row);
  }

  /** The oldest rows. They belong to the caller until `done`, `drop` or `giveBack`; no others can be taken before. */
  take(count: number): readonly TraceRow[] {
    this.taken = firstOf(this.waiting.values(), count);
    for (const { number } of this.taken) this.waiting.delete(number);
    return this.taken;
  }

  /** Call when the first `count` of the taken rows are written. */
  done(count: number): void {
    this.taken = this.taken.slice(count);
  }

  /** Call when the taken rows were not written; they come first again. */
  giveBack(): void {
    const inOrder = [...this.taken, ...this.waiting.values()];
    this.waiting = new Map(inOrder.map((row) => [row.number, row]));
    this.taken = [];
  }

  /** Drops the first of the taken rows. */
  drop(): void {
    this.lost += Math.min(this.taken.length, 1);
    this.done(1);
  }

  /** Drops all rows. */
  dropAll(): void {
    this.giveBack();
    this.lost += this.waiting.size;
    this.waiting.clear();
  }

  private dropOldest(): void {
    const [oldest] = this.waiting.keys();
    if (oldest === undefined) return;
    this.waiting.delete(oldest);
    this.lost += 1;
  }
}

function firstOf<T>(values: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const value of values) {
    if (first.length >= count) break;
    first.push(value);
  }
  return first;
}
