import { lastScheduledOf, type StoredRecord } from './run-record.js';

/**
 * Whether the owner of an item still owes it a fire time that is due. An item that was never begun by one of ours for a fire
 * time owes nothing: nobody can say since when.
 * @param fireTime milliseconds since the epoch
 */
export function isOwedFireTime(stored: StoredRecord, fireTime: number): boolean {
  const last = lastScheduledOf(stored);
  return last !== undefined && last < fireTime;
}
