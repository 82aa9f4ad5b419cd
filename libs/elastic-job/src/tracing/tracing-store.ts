import type { JobEventSink } from './event-sink.js';

/** State of a sink's store. */
export interface TracingStoreStatus {
  /** Rows that wait in memory, or are being written. */
  readonly queuedRows: number;
  /** Rows that were dropped since the start. */
  readonly droppedRows: number;
  /** Since when the store has accepted nothing, in milliseconds since the epoch; undefined if it accepts rows. */
  readonly failingSince: number | undefined;
}

/** A sink with a store of its own, as far as its health is concerned. */
export interface TracingStore {
  readonly name: string;
  readonly status: TracingStoreStatus;
}

/** The sinks that write to a store. */
export function tracingStoresOf(sinks: readonly JobEventSink[]): readonly TracingStore[] {
  return sinks.filter((sink): sink is JobEventSink & TracingStore => 'status' in sink && isStatus(sink.status));
}

function isStatus(status: unknown): status is TracingStoreStatus {
  const { queuedRows, droppedRows } = Object(status);
  return typeof queuedRows === 'number' && typeof droppedRows === 'number';
}
