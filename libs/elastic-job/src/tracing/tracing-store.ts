import type { JobEventSink } from './event-sink.js';

/** How a store is doing that a sink writes to. */
export interface TracingStoreStatus {
  /** Rows that wait in memory, or are being written. */
  readonly queuedRows: number;
  /** Rows that were given up since the start. */
  readonly droppedRows: number;
  /** Since when the store has taken nothing, in milliseconds since the epoch; undefined: it takes what comes. */
  readonly failingSince: number | undefined;
}

/** A sink that writes to a store of its own, as far as its health goes. */
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
