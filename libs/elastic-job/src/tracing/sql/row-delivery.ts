import { lesserVersionsOf, type TraceRow } from './trace-row.js';

/** Rows that a database which takes others does not take. */
export interface Refusal {
  readonly error: unknown;
  /** True if the error names the contents of a row; false if a repetition may succeed. */
  readonly isOfContents: boolean;
}

/** Receiver of a batch. Its calls tell of all rows in their order. */
export interface RowReceiver {
  /** Writes all of the rows or none. Rejects if the database takes nothing at present. */
  refusalOf(rows: readonly TraceRow[]): Promise<Refusal | undefined>;
  onWritten(count: number): void;
  /** A row was written with less text. */
  onLess(row: TraceRow, error: unknown): void;
  onRefused(row: TraceRow, error: unknown): void;
}

/**
 * Delivers a batch. One that is refused is halved until the refused rows stand alone, so that each of them costs no
 * other row. A row that stands alone is tried again with less text, and is refused after that.
 * @throws the receiver's error; the rows that were not told of are not delivered then
 */
export async function deliver(rows: readonly TraceRow[], receiver: RowReceiver): Promise<void> {
  const refusal = await receiver.refusalOf(rows);
  if (refusal === undefined) return receiver.onWritten(rows.length);
  const middle = Math.floor(rows.length / 2);
  if (middle === 0) return deliverAlone(rows[0]!, refusal, receiver);
  await deliver(rows.slice(0, middle), receiver);
  await deliver(rows.slice(middle), receiver);
}

async function deliverAlone(row: TraceRow, { error, isOfContents }: Refusal, receiver: RowReceiver): Promise<void> {
  if (!isOfContents && (await receiver.refusalOf([row])) === undefined) return receiver.onWritten(1);
  for (const less of lesserVersionsOf(row)) {
    if ((await receiver.refusalOf([less])) === undefined) return receiver.onLess(row, error);
  }
  receiver.onRefused(row, error);
}
