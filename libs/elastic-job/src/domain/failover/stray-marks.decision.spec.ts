import { describe, expect, it } from 'vitest';
import type { HolderMark } from './orphans.decision.js';
import type { RunRecord, StoredRecord } from '../run/index.js';
import { findStrayItems } from './stray-marks.decision.js';

const RUN: RunRecord = { run: 'r', by: 'self', target: { fireTime: 1, origin: 'schedule' }, attempt: 1, begunAt: 1 };
const UNFINISHED: StoredRecord = { kind: 'record', record: RUN };
const FINISHED: StoredRecord = { kind: 'record', record: { ...RUN, settled: { at: 2, outcome: 'succeeded' } } };
const OTHERS: StoredRecord = { kind: 'record', record: { ...RUN, by: 'other' } };

describe('the marks of an instance that lives', () => {
  it.each<[string, StoredRecord, RunRecord | undefined]>([
    ['its own unfinished run', UNFINISHED, RUN],
    ['its own finished run', FINISHED, undefined],
    ["another one's run", OTHERS, undefined],
    ['no run', { kind: 'none' }, undefined],
    ['a text that nobody can read', { kind: 'none', unreadableSince: 1 }, undefined],
  ])('on an item that it does not run, with a record of %s, are stray', (_, stored, unfinished) => {
    expect(find(stored, { running: 'self', failover: 'self' })).toEqual([
      { item: 3, marks: ['running', 'failover'], unfinished },
    ]);
  });

  it('are not stray on an item that it runs, begins or settles', () => {
    expect(find(UNFINISHED, { running: 'self' }, [3])).toEqual([]);
  });

  it('are told apart from those of others on the same item', () => {
    expect(find(OTHERS, { running: 'other' })).toEqual([]);
    expect(find(OTHERS, { running: 'other', failovering: 'self' })).toMatchObject([{ marks: ['failovering'] }]);
  });
});

function find(stored: StoredRecord, holders: Partial<Record<HolderMark, string>>, runs: readonly number[] = []) {
  const entries = (['running', 'failovering', 'failover'] as const).flatMap((mark) => {
    const holder = holders[mark];
    return holder === undefined ? [] : [[mark, holder] as const];
  });
  return findStrayItems([{ item: 3, stored, holders: new Map(entries) }], 'self', (item) => runs.includes(item));
}
