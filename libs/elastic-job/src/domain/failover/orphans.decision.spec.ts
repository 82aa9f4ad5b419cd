import { describe, expect, it } from 'vitest';
import {
  type FailoverRoom,
  findOrphanedItems,
  type HolderMark,
  type OrphanedItem,
  placeOrphans,
  unrecordedHolders,
} from './orphans.decision.js';
import type { RunRecord, StoredRecord } from '../run/index.js';

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
  ])('names the stale marks of an item %s', (_, holders, stale) => {
    expect(orphans(holders)).toMatchObject([{ item: 3, stale, mustRepeat: true }]);
  });

  it.each<[string, Partial<Record<HolderMark, string>>]>([
    ['without marks', {}],
    ['that a living instance runs', { running: 'alive' }],
    ['that a living rescuer runs', { running: 'alive', failovering: 'alive', failover: 'alive' }],
    ['that a living instance has taken from a dead rescuer', { failovering: 'dead', failover: 'alive' }],
    ['that a living instance runs although a dead one had taken it', { running: 'alive', failovering: 'dead' }],
  ])('leaves alone an item %s', (_, holders) => {
    expect(orphans(holders)).toEqual([]);
  });

  it.each<[string, StoredRecord, boolean]>([
    ['never ended', UNFINISHED, true],
    ['ended', FINISHED, false],
    ['left no record, as Java does', { kind: 'none' }, true],
    ['left no record where another run had left one', recordOf('somebody else'), true],
    ['left a record that cannot be read', { kind: 'none', unreadableSince: 1 }, true],
  ])('decides whether an item with a stale mark is owed if its run %s: $2', (_, stored, mustRepeat) => {
    expect(orphans({ running: 'dead' }, stored)).toMatchObject([{ item: 3, stale: ['running'], mustRepeat }]);
  });

  it('finds the holders whose runs are in no record, among marks of several instances', () => {
    const holders = new Map([
      ['failovering', 'dead'],
      ['running', 'java'],
    ] as const);
    expect(unrecordedHolders({ item: 3, stored: UNFINISHED, holders })).toEqual(['java']);
    expect(unrecordedHolders({ item: 3, stored: { kind: 'none' }, holders })).toEqual(['dead', 'java']);
    expect(unrecordedHolders({ item: 3, stored: { kind: 'none', unreadableSince: 1 }, holders })).toEqual([
      'dead',
      'java',
    ]);
  });

  it('is not of the recorded run as soon as one of the stale marks is of another one', () => {
    expect(orphans({ running: 'dead', failovering: 'java' }, FINISHED)).toEqual([
      { item: 3, stale: ['running', 'failovering'], run: undefined, mustRepeat: true },
    ]);
    expect(orphans({ running: 'dead' }, FINISHED)).toMatchObject([{ run: { run: 'r' }, mustRepeat: false }]);
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

describe('where an orphan goes', () => {
  const room: FailoverRoom = { isFailoverOn: true, queued: new Set(), failoverQueueLimit: 2, shardingTotalCount: 10 };

  it('is the queue until that is full, and past it then', () => {
    expect(places([0, 1, 2].map(orphan), room)).toEqual(['queue', 'queue', 'overflow']);
    expect(places([0, 1].map(orphan), { ...room, queued: new Set([7]) })).toEqual(['queue', 'overflow']);
  });

  it('is nowhere if nothing is orphan, and takes no place from others', () => {
    expect(places([{ ...orphan(0), mustRepeat: false }, orphan(1), orphan(2)], room)).toEqual([
      'none',
      'queue',
      'queue',
    ]);
  });

  it('is nowhere if the item is queued already', () => {
    expect(places([orphan(7), orphan(8)], { ...room, queued: new Set([7]) })).toEqual(['none', 'queue']);
  });

  it('is nowhere without failover, and beyond the total count', () => {
    expect(places([orphan(0)], { ...room, isFailoverOn: false })).toEqual(['none']);
    expect(places([orphan(9), orphan(10)], room)).toEqual(['queue', 'none']);
  });

  it('is the queue for a task that goes on, without failover and in a full queue, below the total count', () => {
    const adoptable = (item: number) => ({ ...orphan(item), run: { ...RUN, isAdoptable: true } });
    const full = { ...room, isFailoverOn: false, failoverQueueLimit: 0 };
    expect(places([adoptable(9), adoptable(10), orphan(1)], full)).toEqual(['queue', 'none', 'none']);
    expect(places([adoptable(0)], { ...full, queued: new Set([0]) })).toEqual(['none']);
  });

  it('is the end of its run if that was told to stop for good, with or without failover', () => {
    const stopped = { ...orphan(0), run: { ...RUN, stopped: { run: RUN.run, cause: 'cancelled' } as const } };
    expect(places([stopped], room)).toEqual(['stopped']);
    expect(places([stopped], { ...room, isFailoverOn: false })).toEqual(['stopped']);
    expect(places([stopped, orphan(1), orphan(2)], room)).toEqual(['stopped', 'queue', 'queue']);
  });

  it('is the queue if an earlier run was told to stop, or if a task that was told to stop goes on', () => {
    const stopped = (run: Partial<RunRecord>) => ({ ...orphan(0), run: { ...RUN, ...run } });
    expect(places([stopped({ stopped: { run: 'earlier', cause: 'cancelled' } })], room)).toEqual(['queue']);
    const task = stopped({ isAdoptable: true, stopped: { run: RUN.run, cause: 'cancelled' } });
    expect(places([task], room)).toEqual(['queue']);
  });

  it('is reported with all that is known of it', () => {
    expect(placeOrphans([orphan(3)], room)).toEqual([{ ...orphan(3), place: 'queue' }]);
    expect(placeOrphans([orphan(10)], room)).toEqual([{ ...orphan(10), place: 'none' }]);
  });

  function orphan(item: number): OrphanedItem {
    return { item, stale: ['running'], run: RUN, mustRepeat: true };
  }

  function places(orphans: readonly OrphanedItem[], at: FailoverRoom) {
    return placeOrphans(orphans, at).map(({ place }) => place);
  }
});
