import { describe, expect, it } from 'vitest';
import { findOrphanedItems, type HolderMark, unrecordedHolders } from './orphans.decision.js';
import type { RunRecord, StoredRecord } from './run-record.js';

const MARKS: readonly HolderMark[] = ['running', 'failovering', 'failover'];
const RUN: RunRecord = {
  run: 'r',
  by: 'dead',
  target: { fireTime: 1, origin: 'schedule' },
  attempt: 1,
  begunAt: 1,
};
const UNFINISHED: StoredRecord = { kind: 'record', record: RUN };
const FINISHED: StoredRecord = { kind: 'record', record: { ...RUN, settled: { at: 2, outcome: 'succeeded' } } };

function recordOf(by: string): StoredRecord {
  return { kind: 'record', record: { ...RUN, by, settled: { at: 2, outcome: 'succeeded' } } };
}

describe('which items have lost their holder', () => {
  it.each<[string, Partial<Record<HolderMark, string>>, HolderMark[]]>([
    ['that a dead instance ran', { running: 'dead' }, ['running']],
    ['that a dead rescuer ran', { running: 'dead', failovering: 'dead' }, ['running', 'failovering']],
    [
      'whose rescuer left the job but not the registry',
      { running: 'dead', failovering: 'dead', failover: 'dead' },
      ['running', 'failovering', 'failover'],
    ],
    ['that a dead rescuer had taken', { failovering: 'dead' }, ['failovering']],
  ])('given an item %s, when marks are judged, then its stale marks are named', (_, holders, stale) => {
    expect(orphans(holders)).toMatchObject([{ item: 3, stale, isOwed: true }]);
  });

  it.each<[string, Partial<Record<HolderMark, string>>]>([
    ['without marks', {}],
    ['that a living instance runs', { running: 'alive' }],
    ['that a living rescuer runs', { running: 'alive', failovering: 'alive', failover: 'alive' }],
    ['that a living instance has taken from a dead rescuer', { failovering: 'dead', failover: 'alive' }],
    ['that a living instance runs although a dead one had taken it', { running: 'alive', failovering: 'dead' }],
  ])('given an item %s, when marks are judged, then it is left alone', (_, holders) => {
    expect(orphans(holders)).toEqual([]);
  });

  it.each<[string, StoredRecord, boolean]>([
    ['never ended', UNFINISHED, true],
    ['ended', FINISHED, false],
    ['left no record, as Java does', { kind: 'none' }, true],
    ['left no record where another run had left one', recordOf('somebody else'), true],
    ['cannot be judged', { kind: 'foreign', text: '?' }, false],
  ])(
    'given a stale mark of a run that %s, when it is judged, then the item is owed accordingly',
    (_, stored, isOwed) => {
      expect(orphans({ running: 'dead' }, stored)).toMatchObject([{ item: 3, stale: ['running'], isOwed }]);
    },
  );

  it('given marks of several instances, when it is asked whose runs are in no record, then those that the record does not name', () => {
    const holders = new Map([
      ['failovering', 'dead'],
      ['running', 'java'],
    ] as const);
    expect(unrecordedHolders({ item: 3, stored: UNFINISHED, holders })).toEqual(['java']);
    expect(unrecordedHolders({ item: 3, stored: { kind: 'none' }, holders })).toEqual(['dead', 'java']);
    expect(unrecordedHolders({ item: 3, stored: { kind: 'foreign', text: '?' }, holders })).toEqual([]);
  });

  function orphans(holders: Partial<Record<HolderMark, string>>, stored = UNFINISHED) {
    const marks = {
      item: 3,
      stored,
      holders: new Map(MARKS.flatMap((mark) => (holders[mark] === undefined ? [] : [[mark, holders[mark]] as const]))),
    };
    return findOrphanedItems([marks], (instanceId) => instanceId === 'alive');
  }
});
