import { describe, expect, it } from 'vitest';
import { findOrphanedItems, type HolderMark } from './orphans.decision.js';
import type { StoredRecord } from './run-record.js';

const MARKS: readonly HolderMark[] = ['running', 'failovering', 'failover'];
const UNFINISHED: StoredRecord = {
  kind: 'record',
  record: { run: 'r', by: 'dead', target: { fireTime: 1, origin: 'schedule' }, attempt: 1, begunAt: 1 },
};
const FINISHED: StoredRecord = {
  kind: 'record',
  record: { ...UNFINISHED.record, settled: { at: 2, outcome: 'succeeded' } },
};

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
    ['that a dead rescuer had taken from another', { failovering: 'dead', failover: 'alive' }, ['failovering']],
  ])('given an item %s, when marks are judged, then its stale marks are named', (_, holders, stale) => {
    expect(orphans(holders)).toEqual([{ item: 3, stale, isOwed: true }]);
  });

  it.each<[string, Partial<Record<HolderMark, string>>]>([
    ['without marks', {}],
    ['that a living instance runs', { running: 'alive' }],
    ['that a living rescuer runs', { running: 'alive', failovering: 'alive', failover: 'alive' }],
    ['that a living instance runs although a dead one had taken it', { running: 'alive', failovering: 'dead' }],
  ])('given an item %s, when marks are judged, then it is left alone', (_, holders) => {
    expect(orphans(holders)).toEqual([]);
  });

  it.each<[string, StoredRecord, boolean]>([
    ['never ended', UNFINISHED, true],
    ['ended', FINISHED, false],
    ['left no record', { kind: 'none' }, false],
    ['cannot be judged', { kind: 'foreign', text: '?' }, false],
  ])(
    'given a stale mark of a run that %s, when it is judged, then the item is owed accordingly',
    (_, stored, isOwed) => {
      expect(orphans({ running: 'dead' }, stored)).toEqual([{ item: 3, stale: ['running'], isOwed }]);
    },
  );

  function orphans(holders: Partial<Record<HolderMark, string>>, stored = UNFINISHED) {
    const marks = {
      item: 3,
      stored,
      holders: new Map(MARKS.flatMap((mark) => (holders[mark] === undefined ? [] : [[mark, holders[mark]] as const]))),
    };
    return findOrphanedItems([marks], (instanceId) => instanceId === 'alive');
  }
});
