import { hasBegun, isLeftToAdopt, type RunRecord, type StoredRecord } from './run-record.js';
import { outcomeOfStop, type StopCause } from './shard-outcome.js';
import type { Target } from './trigger.js';

/** Record of an unfinished run that will not be repeated. @param at milliseconds since the epoch */
export function droppedRunRecord(record: RunRecord, at: number, cause: 'overflow' | 'purged' | 'released'): RunRecord {
  const { isOwed: _isOwed, ...settled } = record.settled ?? { at, outcome: 'aborted' };
  const former = settled.cause === 'handed-over' ? undefined : settled.cause;
  return { ...withoutTrace(record), settled: { ...settled, cause: former ?? cause } };
}

/** Record of a run that was told to stop for good, as far as it has begun. */
export function stopRequestedRecord(record: RunRecord, cause: StopCause): RunRecord {
  return { ...withoutTrace(record), stopped: { run: record.run, cause } };
}

/** Why an unfinished run was told to stop for good; undefined if it was not, or has ended. */
export function stopOf({ run, settled, stopped }: RunRecord): StopCause | undefined {
  return settled === undefined && stopped?.run === run ? stopped.cause : undefined;
}

/** Why the task that a begin adopts was told to stop for good; undefined if it was not, or if nothing is adopted. */
export function adoptedStopOf(stored: StoredRecord, target: Target): StopCause | undefined {
  if (stored.kind !== 'record' || !isLeftToAdopt(stored) || !hasBegun(stored, target)) return undefined;
  const { run, stopped } = stored.record;
  // Also of a run that has ended, since it has handed the task over.
  return stopped?.run === run ? stopped.cause : undefined;
}

/**
 * Record of a stopped run whose holder is gone before its handler has returned.
 * @param at milliseconds since the epoch
 */
export function stoppedRunRecord({ stopped: _stopped, ...record }: RunRecord, at: number, cause: StopCause): RunRecord {
  return { ...withoutTrace(record), settled: { at, outcome: outcomeOfStop(cause), cause } };
}

/** Drops the trace from a record whose run will not be repeated. */
export function withoutTrace({ trace: _trace, ...record }: RunRecord): RunRecord {
  return record;
}
