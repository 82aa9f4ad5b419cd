import type { Clock } from '../../clock/index.js';
import { keepRounds, repeat } from '../../repeat/index.js';
import type { TraceDatabase } from './trace-row.js';
import { type TraceStore, within } from './trace-store.js';

const DAY_MS = 86_400_000;
/** Longest pause between two rounds, in milliseconds. Instances run at different times. */
const INTERVAL_MS = 600_000;
/** Most rows of one statement, since rows that are deleted at once are locked at once. */
const BATCH_ROWS = 1_000;
/** Longest wait for a statement, in milliseconds. */
const TIMEOUT_MS = 60_000;
/** Most attempts at a step that conflicts with another instance's. */
const MOST_ATTEMPTS = 10;
/**
 * Error codes of MySQL and PostgreSQL for one of two instances that delete the same rows at the same time; it has to
 * try again.
 */
const DEADLOCKS: readonly unknown[] = ['ER_LOCK_DEADLOCK', '40P01'];

interface TraceRetentionParts {
  readonly store: TraceStore;
  readonly clock: Clock;
  readonly keepDays: number | undefined;
  readonly keepRows: number | undefined;
  readonly onError: (message: string, error: unknown) => void;
}

/** Deletes rows beyond the limits, in small steps. Every instance does; a row may already be gone. */
export class TraceRetention {
  private readonly ending = new AbortController();

  constructor(private readonly parts: TraceRetentionParts) {}

  start(): void {
    const { clock, keepDays, keepRows, onError } = this.parts;
    if (keepDays === undefined && keepRows === undefined) return;
    const { signal } = this.ending;
    void keepRounds(() => this.prune(), {
      clock,
      signal,
      longestMs: INTERVAL_MS,
      spread: 0.5,
      onError: (error) => onError('old rows were not deleted; trying again later', error),
    });
  }

  stop(): void {
    this.ending.abort();
  }

  /** One round over all tables. @throws the driver's error @throws {HistoryTimeoutError} */
  async prune(): Promise<void> {
    for (const table of this.parts.store.tables) {
      for (const before of await this.limitsOf(table)) await this.deleteBefore(before, table);
    }
  }

  /** Rows before any of these instants are deleted. */
  private async limitsOf(table: keyof TraceDatabase) {
    const { clock, keepDays, keepRows, store } = this.parts;
    const byAge = keepDays === undefined ? undefined : store.timeIn(table, clock.wallNow() - keepDays * DAY_MS);
    const byCount =
      keepRows === undefined ? undefined : await within(clock, TIMEOUT_MS, store.timeOfRow(keepRows, table));
    return [byAge, byCount].filter((time) => time !== undefined);
  }

  private async deleteBefore(before: Date | number | string, table: keyof TraceDatabase): Promise<void> {
    let deleted = BATCH_ROWS;
    while (deleted === BATCH_ROWS && !this.ending.signal.aborted) deleted = await this.deleteSome(before, table);
  }

  private deleteSome(before: Date | number | string, table: keyof TraceDatabase): Promise<number> {
    const { clock, store } = this.parts;
    const isRepeated = (error: unknown) => DEADLOCKS.includes(Reflect.get(Object(error), 'code'));
    return repeat({ signal: this.ending.signal, mostAttempts: MOST_ATTEMPTS, isRepeated }, () =>
      within(clock, TIMEOUT_MS, store.deleteBefore(before, table, BATCH_ROWS)),
    );
  }
}
