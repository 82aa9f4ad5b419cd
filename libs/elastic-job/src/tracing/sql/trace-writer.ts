import type { Clock } from '../../clock/index.js';
import { describeError, StuckConnectionError } from '../../domain/index.js';
import { BackOff, repeat, type RepeatPolicy } from '../../repeat/index.js';
import { HistoryTimeoutError } from './history.errors.js';
import { deliver, type Refusal, RowQueue, type RowReceiver, writeFaultOf } from './row-delivery.js';
import type { TraceRow } from './trace-row.js';
import { MOST_ROWS } from './trace-columns.js';
import { type TraceStore, within } from './trace-store.js';

/** Least time between two reports of refused rows, in milliseconds. `history-dropped` counts all that are dropped. */
const REFUSAL_INTERVAL_MS = 60_000;
/** Longest wait for a transaction, in milliseconds. */
const WRITE_TIMEOUT_MS = 10_000;
/** Pauses after a failure, in milliseconds; a database that answers is tried again after the first. */
const PAUSES = { firstMs: 500, longestMs: 10_000 };
/** Pause while the process ends: hardly any. */
const HURRIED_PAUSE_MS = 200;

/** Destination of the rows. */
export type RowStore = Pick<TraceStore, 'open' | 'write' | 'ping' | 'ownTablesRefusal'>;

interface TraceWriterParts {
  readonly store: RowStore;
  readonly clock: Clock;
  readonly queueRows: number;
  /** How long rows are collected, in milliseconds. */
  readonly gatherMs: number;
  /** @param since the time of the oldest of the rows, in milliseconds since the epoch */
  readonly onDropped: (count: number, since: number | undefined) => void;
  /** Called once for each outage, and at most once a minute for each kind of refused rows. */
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
  private readonly receiver: RowReceiver;
  /** Ends of the time in which no further refusal is reported, by its kind. */
  private readonly quietUntil = new Map<string, number>();
  private reportedDropped = 0;
  private failingFrom: number | undefined;
  private hasReportedOwnTables = false;
  /** True once it was reported, in this outage, that the connection commits nothing. */
  private isStuck = false;

  constructor(private readonly parts: TraceWriterParts) {
    this.queue = new RowQueue(parts.queueRows);
    this.backOff = new BackOff(parts.clock, PAUSES);
    this.receiver = {
      refusalOf: (rows) => this.refusalOf(rows),
      onWritten: (count) => this.onWritten(count),
      onLess: (row, error) => this.onLess(row, error),
      onRefused: (row, error) => this.onRefused(row, error),
    };
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
    await Promise.race([this.running?.catch(() => {}), aborted(this.over.signal)]);
    signal.removeEventListener('abort', end);
    this.over.abort();
    this.queue.dropAll();
    this.reportDropped();
  }

  /**
   * The first attempt, without rows, opens the store, so that its faults are reported at start.
   * @throws the reason of `over`
   */
  private async run(): Promise<void> {
    const policy: RepeatPolicy = { signal: this.over.signal, wait: () => this.pause(false) };
    do await repeat(policy, () => this.attempt());
    while (await this.gather());
  }

  /** Writes the oldest rows, unless no row is left and none will come. @throws an error, once it is noted */
  private async attempt(): Promise<void> {
    if (this.isDone) return;
    const batch = this.queue.take(MOST_ROWS);
    try {
      await this.prepare(batch);
      await deliver(batch, this.receiver);
    } catch (error) {
      this.queue.giveBack();
      throw error;
    } finally {
      this.reportDropped();
    }
  }

  /** True once all rows are written, or dropped, and no more will come. */
  private get isDone(): boolean {
    return this.hurry.signal.aborted && this.queue.size === 0;
  }

  /** Opens the store, and shows that it answers if there is nothing to write. */
  private async prepare(batch: readonly TraceRow[]): Promise<void> {
    const { clock, store } = this.parts;
    const ready = async (): Promise<void> => {
      await store.open();
      this.reportOwnTables(store);
      if (batch.length === 0) await store.ping();
    };
    await within(clock, WRITE_TIMEOUT_MS, ready()).catch((error: unknown) => {
      this.note(error);
      throw error;
    });
  }

  /** A failure of unknown cause counts as a refusal after a pause, if the database answers. */
  private async refusalOf(rows: readonly TraceRow[]): Promise<Refusal | undefined> {
    const { clock, store } = this.parts;
    this.over.signal.throwIfAborted();
    try {
      if (rows.length > 0) await within(clock, WRITE_TIMEOUT_MS, store.write(rows));
      return undefined;
    } catch (error) {
      const fault = error instanceof HistoryTimeoutError ? 'database' : writeFaultOf(error);
      if (fault === 'row') return { error, isOfContents: true };
      this.note(error);
      if (fault === 'database' || !(await this.answers(store))) throw error;
      await this.pause(true);
      return { error, isOfContents: false };
    }
  }

  private onWritten(count: number): void {
    this.queue.done(count);
    this.backOff.succeeded();
    this.failingFrom = undefined;
    this.isStuck = false;
  }

  private onLess(row: TraceRow, error: unknown): void {
    this.onWritten(1);
    const what = `the database refuses the text of a row of job "${row.jobName}"; the row is written with less of it`;
    this.reportRefusal('less', what, error);
  }

  private onRefused(row: TraceRow, error: unknown): void {
    this.queue.drop();
    this.reportRefusal('refused', `the database refuses a row of job "${row.jobName}", which is dropped`, error);
  }

  private reportOwnTables({ ownTablesRefusal }: RowStore): void {
    if (ownTablesRefusal === undefined || this.hasReportedOwnTables) return;
    this.hasReportedOwnTables = true;
    const what = "the database refuses to create the tables of runs, attempts, events and sums; only ElasticJob's two";
    this.parts.onError(`${what} are written`, ownTablesRefusal);
  }

  private reportRefusal(kind: string, message: string, error: unknown): void {
    const now = this.parts.clock.monotonicNow();
    if (now < (this.quietUntil.get(kind) ?? -Infinity)) return;
    this.quietUntil.set(kind, now + REFUSAL_INTERVAL_MS);
    this.parts.onError(message, error);
  }

  /**
   * Notes that the database takes nothing at present. V8 keeps all frames of an error until its stack is read, and with
   * them a refused statement of libsql, whose connection commits nothing before it is collected. So it is read here.
   */
  private note(error: unknown): void {
    describeError(error);
    if (this.over.signal.aborted) return;
    this.backOff.failed();
    this.failingFrom ??= this.parts.clock.wallNow();
    const isStuck = error instanceof StuckConnectionError;
    if (isStuck && !this.isStuck) this.parts.onError('the connection commits nothing; trying again', error);
    else if (this.backOff.failures === 1) this.parts.onError('the database takes nothing; trying again', error);
    this.isStuck ||= isStuck;
  }

  private async answers(store: RowStore): Promise<boolean> {
    try {
      await within(this.parts.clock, WRITE_TIMEOUT_MS, store.ping());
      return true;
    } catch {
      return false;
    }
  }

  private async pause(isUp: boolean): Promise<true> {
    const { clock } = this.parts;
    const { signal } = this.hurry.signal.aborted ? this.over : this.hurry;
    const pauseMs = this.backOff.nextMs(isUp ? PAUSES.firstMs : undefined);
    await clock.sleep(this.hurry.signal.aborted ? HURRIED_PAUSE_MS : pauseMs, signal).catch(() => {}); // Cut short.
    return true;
  }

  /** Resolves when there are rows to write, after the time for collecting more. @returns false if there will be none */
  private async gather(): Promise<boolean> {
    const { signal } = this.hurry;
    if (this.backOff.failures > 0 || signal.aborted) return !this.isDone;
    if (this.queue.size === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.queue.size < MOST_ROWS) {
      await this.parts.clock.sleep(this.parts.gatherMs, signal).catch(() => {}); // A stop shortens the pause.
    }
    return !this.isDone;
  }

  private reportDropped(): void {
    const count = this.queue.dropped - this.reportedDropped;
    this.reportedDropped = this.queue.dropped;
    if (count > 0) this.parts.onDropped(count, this.queue.takeLostFrom());
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
