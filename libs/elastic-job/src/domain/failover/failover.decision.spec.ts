import { describe, expect, it } from 'vitest';
import type { RunRecord, ShardOutcomeKind, StoppedRun, StoredRecord, Target } from '../run/index.js';
import { decideFailover, type QueuedItemState } from './failover.decision.js';

const NONE: StoredRecord = { kind: 'none' };
const UNREADABLE: StoredRecord = { kind: 'none', unreadableSince: 2_000 };

describe('what becomes of a queued item', () => {
  const UNRECORDED = target(5_000);

  it.each<[string, StoredRecord]>([
    ['whose run never ended', record(1_000)],
    ['whose run was aborted', record(1_000, { settled: 'aborted' })],
  ])('begins, for the target of its record, an item %s', (_, stored) => {
    expect(decide({ stored })).toEqual({ kind: 'begin', target: target(1_000) });
  });

  it.each<[string, StoredRecord]>([
    ['that succeeded', record(1_000, { settled: 'succeeded' })],
    ['that failed', record(1_000, { settled: 'failed' })],
    ['whose run was told to stop for good', stopped({ run: 'r', cause: 'cancelled' })],
    ['whose run had to stop for good when its holder was gone', stoppedAndSettled()],
  ])('owes nothing for an item %s', (_, stored) => {
    expect(decide({ stored })).toEqual({ kind: 'void' });
  });

  it('begins, beside Java, the probable target of a run that may have followed one that was told to stop', () => {
    const stored = stopped({ run: 'r', cause: 'cancelled' });
    const unseen = { stored, endsByMark: true, lastRun: 'unknown' } as const;
    expect(decide(unseen)).toEqual({ kind: 'begin', target: UNRECORDED });
    expect(decide({ ...unseen, lastRun: 'unrecorded' })).toEqual({ kind: 'begin', target: UNRECORDED });
    expect(decide({ ...unseen, lastRun: 'recorded' })).toEqual({ kind: 'void' });
    expect(decide({ ...unseen, unrecorded: target(1_000) })).toEqual({ kind: 'void' });
    expect(decide({ ...unseen, endsByMark: false })).toEqual({ kind: 'void' });
  });

  it('begins an item if the stop was for an earlier run, or if its task goes on', () => {
    expect(decide({ stored: stopped({ run: 'earlier', cause: 'cancelled' }) })).toMatchObject({ kind: 'begin' });
    const task = stopped({ run: 'r', cause: 'cancelled' }, { isAdoptable: true });
    expect(decide({ stored: task })).toMatchObject({ kind: 'begin' });
  });

  it.each<[string, Partial<QueuedItemState>]>([
    ['that runs', { isRunning: true }],
    ['that somebody has taken', { isTaken: true }],
  ])('leaves alone an item %s', (_, state) => {
    expect(decide(state)).toEqual({ kind: 'busy' });
  });

  it.each<[string, Partial<QueuedItemState>]>([
    ['that only Java has run', { stored: NONE }],
    ['whose record cannot be read', { stored: UNREADABLE }],
    ['that Java has run since', { lastRun: 'unrecorded' }],
    ['that Java has run since it was settled', { stored: record(5_000, { settled: 'failed' }), lastRun: 'unrecorded' }],
    ['that Java may have run since', { stored: record(1_000, { settled: 'succeeded' }), lastRun: 'unknown' }],
    ['whose end nobody here has seen', { lastRun: 'unknown' }],
  ])('begins, for the fire time before the entry, an item %s', (_, state) => {
    expect(decide({ endsByMark: true, ...state })).toEqual({ kind: 'begin', target: UNRECORDED });
  });

  it('owes nothing if this very fire time is settled and no later run is known', () => {
    const stored = record(5_000, { settled: 'succeeded' });
    expect(decide({ endsByMark: true, stored, lastRun: 'unknown' })).toEqual({ kind: 'void' });
  });

  it.each([
    [true, 'begin'],
    [undefined, 'void'],
  ])('decides for the owed run of a dead executor: %s gives %s', (isOwed, kind) => {
    const settled = { at: 2_000, outcome: 'failed', cause: 'KILLED', isOwed } as const;
    const stored = {
      kind: 'record',
      record: { run: 'r', by: 'a', target: target(1_000), attempt: 1, begunAt: 1, settled },
    } as const;
    expect(decide({ stored })).toMatchObject({ kind });
  });

  it.each(['gone', 'self', 'other'] as const)(
    'repeats an unsettled run, without Java, if its holder is %s',
    (holder) => {
      expect(decide({ holder, lastRun: 'unknown' })).toEqual({ kind: 'begin', target: target(1_000) });
    },
  );

  it.each<[QueuedItemState['holder'], string]>([
    ['gone', 'begin'],
    ['self', 'void'],
    ['other', 'busy'],
  ])('decides on an unsettled record beside Java by its holder: %s gives %s', (holder, kind) => {
    expect(decide({ endsByMark: true, holder }).kind).toBe(kind);
  });

  function decide(state: Partial<QueuedItemState>) {
    return decideFailover({
      stored: record(1_000),
      isRunning: false,
      isTaken: false,
      endsByMark: false,
      lastRun: 'recorded',
      holder: 'gone',
      unrecorded: UNRECORDED,
      ...state,
    });
  }
});

function target(fireTime: number): Target {
  return { fireTime, origin: 'schedule' };
}

function record(fireTime: number, { settled }: { settled?: ShardOutcomeKind } = {}): StoredRecord {
  const begun = { run: 'r', by: 'a', target: target(fireTime), attempt: 1, begunAt: fireTime };
  return { kind: 'record', record: settled ? { ...begun, settled: { at: fireTime, outcome: settled } } : begun };
}

function stopped(about: StoppedRun, fields: Partial<RunRecord> = {}): StoredRecord {
  const begun = { run: 'r', by: 'a', target: target(1_000), attempt: 1, begunAt: 1_000 };
  return { kind: 'record', record: { ...begun, ...fields, stopped: about } };
}

function stoppedAndSettled(): StoredRecord {
  const begun = { run: 'r', by: 'a', target: target(1_000), attempt: 1, begunAt: 1_000 };
  return { kind: 'record', record: { ...begun, settled: { at: 2_000, outcome: 'aborted', cause: 'cancelled' } } };
}
