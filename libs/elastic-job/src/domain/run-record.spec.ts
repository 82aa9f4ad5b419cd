import { describe, expect, it } from 'vitest';
import {
  droppedRunRecord,
  executorDeathsOf,
  formatRunRecord,
  hasBegun,
  parseRunRecord,
  type RunRecord,
  traceparentOf,
  triggersOf,
} from './run-record.js';

const RECORD: RunRecord = {
  run: '11111111-1111-4111-8111-111111111111',
  by: '10.0.0.1@-@7-1a',
  target: { fireTime: 1_893_456_000_000, origin: 'schedule' },
  attempt: 1,
  begunAt: 1_893_456_000_012,
};

describe('the record of a run', () => {
  it.each<[string, RunRecord]>([
    ['begun', RECORD],
    ['settled', { ...RECORD, settled: { at: 1_893_456_000_999, outcome: 'failed' } }],
    ['begun by hand', { ...RECORD, target: { fireTime: 1, origin: 'manual:7' } }],
    [
      'begun by hand after a fire time',
      { ...RECORD, target: { fireTime: 1, origin: 'manual:7', parameters: 'p' }, lastScheduled: 2 },
    ],
  ])('given a run that was %s, when it is written and read, then it is the same', (_, record) => {
    expect(parseRunRecord(formatRunRecord(record))).toEqual({ kind: 'record', record });
  });

  it('given an item that Java keeps, when it is read, then there is no record', () => {
    expect(parseRunRecord('')).toEqual({ kind: 'none' });
  });

  it.each([
    ['a later version', JSON.stringify({ v: 2, ...RECORD })],
    ['no version', JSON.stringify(RECORD)],
    ['no run', JSON.stringify({ v: 1, ...RECORD, run: undefined })],
    ['no holder', JSON.stringify({ v: 1, ...RECORD, by: 5 })],
    ['no target', JSON.stringify({ v: 1, ...RECORD, target: null })],
    ['a target without origin', JSON.stringify({ v: 1, ...RECORD, target: { fireTime: 1 } })],
    ['a settlement without outcome', JSON.stringify({ v: 1, ...RECORD, settled: { at: 1 } })],
    ['a settlement of null', JSON.stringify({ v: 1, ...RECORD, settled: null })],
    ['half of a record', formatRunRecord(RECORD).slice(0, 40)],
    ['no object', '5'],
    ['null', 'null'],
    ['no JSON', 'hello'],
  ])('given a text with %s, when it is read, then it is foreign and kept as it is', (_, text) => {
    expect(parseRunRecord(text)).toEqual({ kind: 'foreign', text });
  });

  it('given a record, when a target is compared, then fire time and origin both count', () => {
    const stored = parseRunRecord(formatRunRecord(RECORD));

    expect(hasBegun(stored, RECORD.target)).toBe(true);
    expect(hasBegun(stored, { ...RECORD.target, origin: 'manual:1' })).toBe(false);
    expect(hasBegun(stored, { ...RECORD.target, fireTime: 1 })).toBe(false);
    expect(hasBegun({ kind: 'none' }, RECORD.target)).toBe(false);
  });
});

describe('what a record says of executors', () => {
  const target = { fireTime: 1, origin: 'schedule' } as const;
  const died: RunRecord = { run: 'r', by: 'a', target, attempt: 1, begunAt: 1, executorDeaths: 2 };
  const failed: RunRecord = { ...died, settled: { at: 2, outcome: 'failed', cause: 'KILLED', isOwed: true } };

  it('given a target whose executors have died, when it is begun again, then they are counted; of another target they are not', () => {
    const stored = { kind: 'record', record: died } as const;
    expect(executorDeathsOf(stored, target)).toBe(2);
    expect(executorDeathsOf(stored, { ...target, fireTime: 2 })).toBeUndefined();
    expect(executorDeathsOf({ kind: 'none' }, target)).toBeUndefined();
  });

  it('given a run that nobody will repeat, when it is recorded, then one that had ended keeps its outcome and is owed no more', () => {
    expect(droppedRunRecord(died, 5, 'overflow').settled).toEqual({ at: 5, outcome: 'aborted', cause: 'overflow' });
    const drained: RunRecord = { ...RECORD, settled: { at: 2, outcome: 'aborted' } };
    expect(droppedRunRecord(drained, 5, 'purged').settled).toEqual({ at: 2, outcome: 'aborted', cause: 'purged' });
    expect(droppedRunRecord(failed, 5, 'purged').settled).toEqual({ at: 2, outcome: 'failed', cause: 'KILLED' });
  });

  it('given triggers of operators, when a record is made of the next run, then it knows the latest of them', () => {
    const former = {
      ...RECORD,
      target: { fireTime: 1, origin: 'manual:e' },
      triggers: ['a', 'b', 'c', 'd'],
    } as const;
    expect(triggersOf({ kind: 'record', record: former })).toEqual(['b', 'c', 'd', 'e']);
    expect(triggersOf({ kind: 'record', record: { ...former, target: RECORD.target } })).toEqual(['a', 'b', 'c', 'd']);
    const repeated = { ...former, target: { fireTime: 1, origin: 'manual:d' } } as const;
    expect(triggersOf({ kind: 'record', record: repeated })).toEqual(['a', 'b', 'c', 'd']);
    expect(triggersOf({ kind: 'none' })).toEqual([]);
  });

  it('given a run that was traced, when its target is repeated, then the record names it; for another target it does not', () => {
    const stored = { kind: 'record', record: { ...died, trace: '00-a-b-01' } } as const;
    expect(traceparentOf(stored, target)).toBe('00-a-b-01');
    expect(traceparentOf(stored, { ...target, fireTime: 2 })).toBeUndefined();
    expect(traceparentOf({ kind: 'none' }, target)).toBeUndefined();
    expect(droppedRunRecord(stored.record, 5, 'overflow')).not.toHaveProperty('trace');
  });

  it('given fields that a later version has added, when the record is read, then they are kept', () => {
    const text = JSON.stringify({ v: 1, ...failed, later: 'x' });
    expect(parseRunRecord(text)).toEqual({ kind: 'record', record: { ...failed, later: 'x' } });
  });
});
