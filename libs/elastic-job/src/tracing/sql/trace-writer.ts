import { BackOff, type Clock } from '../../clock/index.js';
import { HistoryTimeoutError } from './history.errors.js';
import { RowQueue } from './row-queue.js';
import type { TraceRow } from './trace-row.js';
import { MOST_ROWS, type TraceStore } from './trace-store.js';
import { within } from './within.js';

/** Refusals of a single row, while the database answers, after which the row itself is taken to be at fault. */
const MOST_REFUSALS = 3;
/** Longest wait for a transaction, in milliseconds. */
const WRITE_TIMEOUT_MS = 10_000;
/** Pauses after a failure, in milliseconds; a database that answers is tried again after the first. */
const PAUSES = { firstMs: 500, longestMs: 10_000 };
/** Pause while the process ends: hardly any. */
const HURRIED_PAUSE_MS = 200;

/** Destination of the rows. */
export type RowStore = Pick<TraceStore, 'isOpen' | 'open' | 'write' | 'ping'>;

interface TraceWriterParts {
  readonly store: RowStore;
  readonly clock: Clock;
  readonly queueRows: number;
  /** How long rows are collected, in milliseconds. */
  readonly gatherMs: number;
  readonly onDropped: (count: number) => void;
  /** Called once for each outage, and for each row that the database refuses. */
  readonly onError: (message: string, error: unknown) => void;
}

/** Writes rows in batches, one after the other, in the background. */
export class TraceWriter {
  private readonly queue: RowQueue;
  /** Aborts when the remaining rows are to be written without delay. */
  private readonly hurry = new AbortController();
  /** Aborts when no more rows are to be written. */
  private readonly over = new AbortController();
  private wake = (): void => {};
  private running: Promise<void> | undefined;
  private readonly backOff: BackOff;
  private refusals = 0;
  private batchRows = MOST_ROWS;
  private toldDropped = 0;
  private failingFrom: number | undefined;

  constructor(private readonly parts: TraceWriterParts) {
    this.queue = new RowQueue(parts.queueRows);
    this.backOff = new BackOff(parts.clock, PAUSES);
  }

  get queued(): number {
    return this.queue.size;
  }

  get dropped(): number {
    return this.queue.dropped;
  }

  /** Since when the database has accepted nothing, in milliseconds since the epoch; undefined if it accepts rows. */
  get failingSince(): number | undefined {
    return this.failingFrom;
  }

  /** Returns at once, and never throws. */
  offer(rows: readonly TraceRow[]): void {
    if (this.over.signal.aborted) return;
    for (const row of rows) this.queue.put(row);
    if (rows.length > 0) this.wake();
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves when all rows are written, or when `signal` aborts; the remaining rows are dropped then. */
  async stop(signal: AbortSignal): Promise<void> {
    const end = (): void => this.over.abort(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    this.hurry.abort();
    this.wake();
    await Promise.race([this.running, aborted(this.over.signal)]);
    signal.removeEventListener('abort', end);
    this.over.abort();
    this.queue.dropAll();
    this.tellDropped();
  }

  // The first attempt, without rows, opens the store, so that its faults are reported at start.
  private async run(): Promise<void> {
    while (!this.over.signal.aborted) {
      await this.attempt();
      if (this.queue.size === 0 && this.hurry.signal.aborted) return;
      await this.gather();
    }
  }

  private async attempt(): Promise<void> {
    const { clock, store } = this.parts;
    const batch = this.queue.take(this.batchRows);
    try {
      await within(clock, WRITE_TIMEOUT_MS, this.write(batch));
      this.queue.done();
      this.backOff.succeeded();
      this.refusals = 0;
      this.failingFrom = undefined;
      this.batchRows = Math.min(this.batchRows * 2, MOST_ROWS);
    } catch (error) {
      if (this.over.signal.aborted) return;
      this.backOff.failed();
      this.failingFrom ??= clock.wallNow();
      const isUp = store.isOpen && !(error instanceof HistoryTimeoutError) && (await this.answers(store));
      this.giveBack(batch, isUp, error);
      await this.pause(isUp);
    }
    this.tellDropped();
  }

  private async write(batch: readonly TraceRow[]): Promise<void> {
    await this.parts.store.open();
    await (batch.length > 0 ? this.parts.store.write(batch) : this.parts.store.ping());
  }

  /** Halves a batch that a reachable database refuses, until a single row is found and dropped. */
  private giveBack(batch: readonly TraceRow[], isUp: boolean, error: unknown): void {
    if (isUp && batch.length === 1 && ++this.refusals >= MOST_REFUSALS) {
      this.refusals = 0;
      this.queue.dropTaken();
      return this.parts.onError(`the database refuses a row of job "${batch[0]!.jobName}", which is dropped`, error);
    }
    this.queue.giveBack();
    if (isUp) this.batchRows = Math.max(1, Math.ceil(batch.length / 2));
    if (this.backOff.failures === 1) this.parts.onError('the database takes nothing; trying again', error);
  }

  private async answers(store: RowStore): Promise<boolean> {
    try {
      await within(this.parts.clock, WRITE_TIMEOUT_MS, store.ping());
      return true;
    } catch {
      return false;
    }
  }

  private async pause(isUp: boolean): Promise<void> {
    const { clock } = this.parts;
    const { signal } = this.hurry.signal.aborted ? this.over : this.hurry;
    const pauseMs = this.backOff.nextMs(isUp ? PAUSES.firstMs : undefined);
    await clock.sleep(this.hurry.signal.aborted ? HURRIED_PAUSE_MS : pauseMs, signal).catch(() => {}); // Cut short.
  }

  /** Resolves when there are rows to write, after the time for collecting more. */
  private async gather(): Promise<void> {
    const { signal } = this.hurry;
    if (this.backOff.failures > 0 || signal.aborted) return;
    if (this.queue.size === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.queue.size >= MOST_ROWS || signal.aborted) return;
    await this.parts.clock.sleep(this.parts.gatherMs, signal).catch(() => {}); // A stop shortens the pause.
  }

  private tellDropped(): void {
    const count = this.queue.dropped - this.toldDropped;
    this.toldDropped = this.queue.dropped;
    if (count > 0) this.parts.onDropped(count);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
