import { describe, expect, it } from 'vitest';
import { decideBegin, type ItemState } from './begin.decision.js';
import type { RunRecord, StoredRecord } from './run-record.js';
import type { ShardOutcomeKind } from './shard-outcome.js';
import type { Target, TriggerOrigin } from './trigger.js';

const NONE: StoredRecord = { kind: 'none' };
const UNREADABLE = unreadable(2_000);

describe('whether an item may be begun', () => {
  it.each<[string, Partial<ItemState>, string]>([
    ['that was never begun', {}, 'begin'],
    ['whose last target is settled', { stored: record(1_000, { settled: 'succeeded' }) }, 'begin'],
    ['whose last target failed', { stored: record(1_000, { settled: 'failed' }) }, 'begin'],
    ['whose last run left no mark', { stored: record(1_000) }, 'begin'],
    ['that runs', { isRunning: true }, 'busy'],
    ['that runs for an earlier target', { stored: record(1_000), isRunning: true }, 'busy'],
    ['that waits for failover', { stored: record(1_000), isQueued: true }, 'busy'],
    ['that was begun for this target', { stored: record(2_000) }, 'alreadyBegun'],
    ['that runs for this very target', { stored: record(2_000), isRunning: true }, 'alreadyBegun'],
    ['that waits for failover of this very target', { stored: record(2_000), isQueued: true }, 'alreadyBegun'],
    ['that ended for this target', { stored: record(2_000, { settled: 'aborted' }) }, 'alreadyBegun'],
    ['that was begun for a later fire time', { stored: record(3_000) }, 'alreadyBegun'],
    ['that was begun later by hand', { stored: record(3_000, { origin: 'manual:1' }) }, 'begin'],
    ['that was begun by hand for the same instant', { stored: record(2_000, { origin: 'manual:1' }) }, 'begin'],
    ['that was begun by hand after this target', { stored: afterwardsByHand(2_000) }, 'alreadyBegun'],
    ['that was begun by hand after a later fire time', { stored: afterwardsByHand(3_000) }, 'alreadyBegun'],
    ['that was begun by hand after an earlier fire time', { stored: afterwardsByHand(1_000) }, 'begin'],
    ['whose record cannot be read, and was written since', { stored: UNREADABLE }, 'alreadyBegun'],
    ['whose record cannot be read, and was written before', { stored: unreadable(1_999) }, 'begin'],
    ['whose record cannot be read, while it runs', { stored: unreadable(1_999), isRunning: true }, 'busy'],
  ])('is answered with $2 at a fire time, for an item %s', (_, state, decision) => {
    expect(decideBegin(target(2_000), { stored: NONE, isRunning: false, isQueued: false, ...state })).toBe(decision);
  });

  it('allows a trigger by hand for an item that was begun for a later fire time', () => {
    const state = { stored: record(3_000), isRunning: false, isQueued: false };
    expect(decideBegin(target(2_000, 'manual:1'), state)).toBe('begin');
  });

  it.each<[string, Partial<ItemState>, string]>([
    ['that was never begun', {}, 'begin'],
    ['whose last fire time is later', { stored: record(3_000, { settled: 'succeeded' }) }, 'begin'],
    ['whose record cannot be read', { stored: UNREADABLE }, 'begin'],
    ['that has run for another re-run', { stored: record(2_000, { origin: 'rerun:b', settled: 'failed' }) }, 'begin'],
    ['that a crash has cut short', { stored: record(2_000, { origin: 'rerun:a' }) }, 'begin'],
    ['that has ended', { stored: record(2_000, { origin: 'rerun:a', settled: 'failed' }) }, 'alreadyBegun'],
    ['that runs for it', { stored: record(2_000, { origin: 'rerun:a' }), isRunning: true }, 'busy'],
    ['that runs for something else', { isRunning: true }, 'busy'],
    [
      'that waits for failover',
      { stored: record(2_000, { origin: 'rerun:a', settled: 'aborted' }), isQueued: true },
      'busy',
    ],
  ])('is answered with $2 for a target of a re-run, for an item %s', (_, state, decision) => {
    const given = { stored: NONE, isRunning: false, isQueued: false, ...state };
    expect(decideBegin(target(2_000, 'rerun:a'), given)).toBe(decision);
  });

  it('does not begin a target of a re-run again that an operator has cancelled, unless its task goes on', () => {
    const run = { run: 'r', by: 'a', target: target(2_000, 'rerun:a'), attempt: 1, begunAt: 2_000 };
    const stopped = { ...run, stopped: { run: 'r', cause: 'cancelled' } } as const;
    const decide = (begun: RunRecord) => {
      const stored: StoredRecord = { kind: 'record', record: begun };
      return decideBegin(run.target, { stored, isRunning: false, isQueued: false });
    };
    expect([decide(stopped), decide({ ...stopped, isAdoptable: true })]).toEqual(['alreadyBegun', 'begin']);
  });

  it('begins a resident item that has never run', () => {
    const state = { stored: NONE, isRunning: false, isQueued: false };
    expect(decideBegin(target(2_000, 'resident'), state)).toBe('begin');
  });

  it('does not begin a fire time again that a clock had begun ahead of it, whatever has run since', () => {
    const early = { after: 1_000, until: 2_000, fireTimes: [2_000] };
    const begun = { run: 'r', by: 'a', target: target(1_500, 'manual:1'), attempt: 1, begunAt: 1_500, early };
    const stored: StoredRecord = { kind: 'record', record: begun };
    expect(decideBegin(target(2_000), { stored, isRunning: false, isQueued: false })).toBe('alreadyBegun');
  });

  it.each([
    [1_999, 'begin'],
    [2_000, 'alreadyBegun'],
    [3_000, 'alreadyBegun'],
  ])('depends, for a resident item at 2000, on the fire time %i of its last target: %s', (fireTime, decision) => {
    const stored = record(fireTime, { origin: 'resident', settled: 'succeeded' });
    expect(decideBegin(target(2_000, 'resident'), { stored, isRunning: false, isQueued: false })).toBe(decision);
  });
});

describe('whether an item may be begun for what an operator has asked for', () => {
  it.each([
    ['that the schedule has begun since', thenScheduled('0', '1'), 'alreadyBegun'],
    ['that has run for other triggers only', thenScheduled('0', '2'), 'begin'],
    ['that nobody has asked for before', record(3_000), 'begin'],
    ['whose record cannot be read, and was written since', UNREADABLE, 'alreadyBegun'],
  ])('is answered with $2 to an instance that is late, for an item %s', (_, stored, decision) => {
    const asked = target(2_000, 'manual:1');
    expect(decideBegin(asked, { stored, isRunning: false, isQueued: false })).toBe(decision);
  });

  /** The record after runs for operators' triggers, and then one for the schedule. */
  function thenScheduled(...triggers: readonly string[]): StoredRecord {
    const begun = { run: 'r', by: 'a', target: target(5_000), attempt: 1, begunAt: 5_000 };
    return { kind: 'record', record: { ...begun, triggers } };
  }
});

function target(fireTime: number, origin: TriggerOrigin = 'schedule'): Target {
  return { fireTime, origin };
}

function record(
  fireTime: number,
  { settled, origin }: { settled?: ShardOutcomeKind; origin?: TriggerOrigin } = {},
): StoredRecord {
  const begun = { run: 'r', by: 'a', target: target(fireTime, origin), attempt: 1, begunAt: fireTime };
  return { kind: 'record', record: settled ? { ...begun, settled: { at: fireTime, outcome: settled } } : begun };
}

function unreadable(unreadableSince: number): StoredRecord {
  return { kind: 'none', unreadableSince };
}

/** A run for an operator's trigger, after the schedule has begun the item. */
function afterwardsByHand(lastScheduled: number): StoredRecord {
  const begun = { run: 'r', by: 'a', target: target(500, 'manual:1'), attempt: 1, begunAt: 5_000 };
  return { kind: 'record', record: { ...begun, lastScheduled } };
}
