import type { StoredRecord } from './run-record.js';

/**
 * Whether the owner of an item still owes it a fire time that is due. An item that was never begun by one of ours owes
 * nothing: nobody can say since when.
 * @param fireTime milliseconds since the epoch
 */
export function isOwedFireTime(stored: StoredRecord, fireTime: number): boolean {
  return stored.kind === 'record' && stored.record.target.fireTime < fireTime;
}
