import { expect, it } from 'vitest';
import { isOwedFireTime } from './catch-up.decision.js';
import type { RunRecord, StoredRecord } from './run-record.js';

const RECORD: RunRecord = {
  run: 'r',
  by: 'a',
  target: { fireTime: 2_000, origin: 'schedule' },
  attempt: 1,
  begunAt: 2_000,
};

it.each<[string, StoredRecord, boolean]>([
  [
    'begun for an earlier one',
    { kind: 'record', record: { ...RECORD, target: { ...RECORD.target, fireTime: 1_000 } } },
    true,
  ],
  ['begun for it', { kind: 'record', record: RECORD }, false],
  [
    'begun by hand for that instant',
    { kind: 'record', record: { ...RECORD, target: { fireTime: 2_000, origin: 'manual:1' } } },
    false,
  ],
  [
    'begun for a later one',
    { kind: 'record', record: { ...RECORD, target: { ...RECORD.target, fireTime: 3_000 } } },
    false,
  ],
  ['begun by hand after it', byHandAfter(2_000), false],
  ['begun by hand after an earlier one', byHandAfter(1_000), true],
  ['begun by hand only', byHandAfter(undefined), false],
  ['never begun', { kind: 'none' }, false],
  ['begun by another version', { kind: 'foreign', text: '?' }, false],
])(
  'given an item that was %s, when its owner looks at a due fire time, then it knows whether it owes it',
  (_, stored, isOwed) => {
    expect(isOwedFireTime(stored, 2_000)).toBe(isOwed);
  },
);

/** An operator's run since a fire time. */
function byHandAfter(lastScheduled: number | undefined): StoredRecord {
  return { kind: 'record', record: { ...RECORD, target: { fireTime: 1_500, origin: 'manual:1' }, lastScheduled } };
}
