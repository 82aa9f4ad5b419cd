import { describe, expect, it } from 'vitest';
import {
  carriedFields,
  executorDeathsOf,
  owesAfterTrigger,
  formatRunRecord,
  hasBegun,
  lastFireTimeOf,
  lastScheduledOf,
  launchOf,
  owesAfter,
  parseRunRecord,
  passedRunRecord,
  type RunRecord,
  sharedRunRecord,
  traceparentOf,
  triggersOf,
} from './run-record.js';
import { adoptedStopOf, droppedRunRecord } from './dropped-run.js';
import type { Target } from './trigger.js';

const RECORD: RunRecord = {
  run: '11111111-1111-4111-8111-111111111111',
  by: '10.0.0.1@-@7-1a',
  target: { fireTime: 1_893_456_000_000, origin: 'schedule' },
  attempt: 1,
  begunAt: 1_893_456_000_012,
};
/** An operator's trigger has an id of at most 100 characters. */
const LONG_ORIGIN = `manual:${'x'.repeat(101)}`;

describe('the record of a run', () => {
  it.each<[string, RunRecord]>([
    ['begun', RECORD],
    ['settled', { ...RECORD, settled: { at: 1_893_456_000_999, outcome: 'failed' } }],
    ['begun by hand', { ...RECORD, target: { fireTime: 1, origin: 'manual:7' } }],
    [
      'begun by hand after a fire time',
      { ...RECORD, target: { fireTime: 1, origin: 'manual:7', parameters: 'p' }, lastScheduled: 2 },
    ],
  ])('is read as it was written, for a run that was %s', (_, record) => {
    expect(parseRunRecord(formatRunRecord(record, 1))).toEqual({ kind: 'record', record });
  });

  it('is absent from the empty text of an item that Java keeps', () => {
    expect(parseRunRecord('')).toEqual({ kind: 'none' });
  });

  it.each([
    ['a later version, but no target', JSON.stringify({ v: 2, ...RECORD, target: undefined })],
    ['no run', JSON.stringify({ v: 1, ...RECORD, run: undefined })],
    ['no holder', JSON.stringify({ v: 1, ...RECORD, by: 5 })],
    ['no target', JSON.stringify({ v: 1, ...RECORD, target: null })],
    ['a target without origin', JSON.stringify({ v: 1, ...RECORD, target: { fireTime: 1 } })],
    ['a settlement without outcome', JSON.stringify({ v: 1, ...RECORD, settled: { at: 1 } })],
    ['a settlement of null', JSON.stringify({ v: 1, ...RECORD, settled: null })],
    ['a fire time beyond all dates', JSON.stringify({ v: 1, ...RECORD, target: { ...RECORD.target, fireTime: 9e15 } })],
    ['an end before all dates', JSON.stringify({ v: 1, ...RECORD, settled: { at: -9e15, outcome: 'failed' } })],
    [
      'an origin that no trigger has',
      JSON.stringify({ v: 1, ...RECORD, target: { fireTime: 1, origin: LONG_ORIGIN } }),
    ],
    ['half of a record', formatRunRecord(RECORD, 1).slice(0, 40)],
    ['no object', '5'],
    ['null', 'null'],
    ['no JSON', 'hello'],
  ])('is absent from a text with %s, and what was due until its instant counts as done', (_, text) => {
    const stored = parseRunRecord(text, 5_000);
    expect(stored).toEqual({ kind: 'none', unreadableSince: 5_000 });
    expect(lastScheduledOf(stored)).toBe(5_000);
    expect(lastFireTimeOf(stored)).toBe(5_000);
  });

  it.each([
    { after: 1, until: 3, fireTimes: [2, 'x'] },
    { after: 1, until: 3, fireTimes: {} },
    { after: 1, until: null, fireTimes: [3] },
    { after: '1', until: 3, fireTimes: [3] },
    { after: -9e15, until: 3, fireTimes: [3] },
    { after: 1, until: 9e15, fireTimes: [3] },
    { after: 1, until: 3, fireTimes: [9e15] },
    { after: 1, until: 3, fireTimes: Array.from({ length: 101 }, () => 3) },
    null,
    'none',
  ])('knows no early runs if they are damaged: %o', (early) => {
    expect(parseRunRecord(JSON.stringify({ v: 1, ...RECORD, early }))).toEqual({ kind: 'record', record: RECORD });
  });

  it.each([
    { stopped: 'timeout' },
    { stopped: { run: 'r' } },
    { stopped: { cause: 'timed-out' } },
    { stopped: null },
    { isAdoptable: 'yes' },
    { launch: 'first' },
    { trace: 5 },
  ])('knows nothing of a field that is damaged: %j', (field) => {
    expect(parseRunRecord(JSON.stringify({ v: 1, ...RECORD, ...field }))).toEqual({ kind: 'record', record: RECORD });
  });

  it("keeps early runs, operators' triggers, and that it was stopped, as they were written", () => {
    const fireTimes = Array.from({ length: 100 }, (_, n) => n);
    const record: RunRecord = {
      ...RECORD,
      early: { after: 1, until: 3, fireTimes },
      triggers: ['a', 'x'.repeat(100)],
      stopped: { run: 'r', cause: 'timed-out' },
      isAdoptable: true,
    };
    expect(parseRunRecord(formatRunRecord(record, 1))).toEqual({ kind: 'record', record });
    for (const triggers of ['a', ['x'.repeat(101)]]) {
      const text = JSON.stringify({ v: 1, ...RECORD, triggers });
      expect(parseRunRecord(text)).toEqual({ kind: 'record', record: RECORD });
    }
  });

  it('does not count an empty text as one that nobody can read', () => {
    expect(parseRunRecord('', 5_000)).toEqual({ kind: 'none' });
  });

  it('owes what has come since its last fire time, or since an operator was the first to run it', () => {
    const byHand: RunRecord = { ...RECORD, target: { fireTime: 9, origin: 'manual:7' } };
    expect(owesAfter({ kind: 'record', record: { ...RECORD, owesAfter: 5 } })).toBe(RECORD.target.fireTime);
    expect(owesAfter({ kind: 'record', record: { ...byHand, owesAfter: 5 } })).toBe(5);
    expect(owesAfter({ kind: 'none' })).toBeUndefined();
    expect(owesAfter({ kind: 'none', unreadableSince: 4 })).toBe(4);
  });

  it("owes since the earlier one of an operator's instant and the begin", () => {
    const target = { fireTime: 9, origin: 'manual:7' } as const;
    expect(owesAfterTrigger({ ...RECORD, target, begunAt: 12 })).toBe(9);
    expect(owesAfterTrigger({ ...RECORD, target, begunAt: 7 })).toBe(7);
    expect(owesAfterTrigger(RECORD)).toBeUndefined();
  });

  it('owes since the begin of a re-run, whose fire time is long past', () => {
    const target = { fireTime: 9, origin: 'rerun:7' } as const;
    expect(owesAfterTrigger({ ...RECORD, target, begunAt: 12 })).toBe(12);
  });

  it('stands for fire times that nobody owes, as one that has succeeded', () => {
    const passed = { run: 'r', target: { fireTime: 5, origin: 'schedule' }, attempt: 1, begunAt: 5 };
    const settled = { at: 9, outcome: 'succeeded' };
    expect(passedRunRecord('r', 'me', 5, 9)).toEqual({ ...passed, by: 'me', settled });
    expect(sharedRunRecord('r', 5, 9)).toEqual({ ...passed, by: 'java', settled });
  });

  it.each([
    ['a later version', { v: 2, ...RECORD }],
    ['no version', RECORD],
  ])('is read from a text with %s by the fields that this version knows', (_, fields) => {
    expect(parseRunRecord(JSON.stringify(fields))).toEqual({ kind: 'record', record: RECORD });
  });

  it('leaves out known fields of another type', () => {
    const odd = { attempt: '1', begunAt: null, lastScheduled: {}, owesAfter: 'x', triggers: ['a', 5], trace: 5 };
    const text = JSON.stringify({ v: 2, ...RECORD, ...odd, executorDeaths: [] });
    const { fireTime } = RECORD.target;
    expect(parseRunRecord(text)).toEqual({ kind: 'record', record: { ...RECORD, begunAt: fireTime } });
  });

  it.each(['lastScheduled', 'owesAfter'])('leaves out %s beyond all dates', (field) => {
    for (const [instant, isKept] of [
      [8.64e15, true],
      [8.64e15 + 1, false],
      [-8.64e15 - 1, false],
    ] as const) {
      const { record } = Object(parseRunRecord(JSON.stringify({ ...RECORD, [field]: instant })));
      expect(record).toEqual({ ...RECORD, ...(isKept && { [field]: instant }) });
    }
  });

  it('shows a target as begun only if both fire time and origin match', () => {
    const stored = parseRunRecord(formatRunRecord(RECORD, 1));

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

  it("counts the deaths of a target's executors, and starts anew for another target", () => {
    const stored = { kind: 'record', record: died } as const;
    expect(executorDeathsOf(stored, target)).toBe(2);
    expect(executorDeathsOf(stored, { ...target, fireTime: 2 })).toBeUndefined();
    expect(executorDeathsOf({ kind: 'none' }, target)).toBeUndefined();
  });

  it('keeps the outcome of an ended run that will not be repeated, and owes it no more', () => {
    expect(droppedRunRecord(died, 5, 'overflow').settled).toEqual({ at: 5, outcome: 'aborted', cause: 'overflow' });
    const drained: RunRecord = { ...RECORD, settled: { at: 2, outcome: 'aborted' } };
    expect(droppedRunRecord(drained, 5, 'purged').settled).toEqual({ at: 2, outcome: 'aborted', cause: 'purged' });
    expect(droppedRunRecord(failed, 5, 'purged').settled).toEqual({ at: 2, outcome: 'failed', cause: 'KILLED' });
    const handed: RunRecord = { ...RECORD, settled: { at: 2, outcome: 'aborted', cause: 'handed-over' } };
    expect(droppedRunRecord(handed, 5, 'purged').settled).toEqual({ at: 2, outcome: 'aborted', cause: 'purged' });
  });

  it('says of a task that is left to be adopted why it was told to stop, and of no other run', () => {
    const left: RunRecord = { ...died, isAdoptable: true, stopped: { run: 'former', cause: 'timed-out' } };
    const stopOf = (record: RunRecord, of: Target = target) => adoptedStopOf({ kind: 'record', record }, of);

    expect(stopOf({ ...left, stopped: { run: 'r', cause: 'timed-out' } })).toBe('timed-out');
    expect(stopOf({ ...left, stopped: { run: 'r', cause: 'cancelled' } })).toBe('cancelled');
    expect(stopOf({ ...left, isAdoptable: false, stopped: { run: 'r', cause: 'cancelled' } })).toBeUndefined();
    expect(stopOf({ ...left, stopped: { run: 'r', cause: 'cancelled' } }, { ...target, fireTime: 2 })).toBeUndefined();
    expect(adoptedStopOf({ kind: 'none' }, target)).toBeUndefined();
  });

  it('keeps the latest four triggers of operators for the record of the next run', () => {
    const former = {
      ...RECORD,
      target: { fireTime: 1, origin: 'manual:e' },
      triggers: ['a', 'b', 'c', 'd'],
    } as const;
    expect(triggersOf({ kind: 'record', record: former })).toEqual(['b', 'c', 'd', 'e']);
    expect(triggersOf({ kind: 'record', record: { ...former, target: RECORD.target } })).toEqual(['a', 'b', 'c', 'd']);
    const repeated = { ...former, target: { fireTime: 1, origin: 'manual:d' } } as const;
    expect(triggersOf({ kind: 'record', record: repeated })).toEqual(['a', 'b', 'c', 'd']);
    const longer = { ...repeated, triggers: ['a', 'b', 'c', 'd', 'e'] };
    expect(triggersOf({ kind: 'record', record: longer })).toEqual(['b', 'c', 'd', 'e']);
    expect(triggersOf({ kind: 'none' })).toEqual([]);
  });

  it('names the trace of the former run for the same target only', () => {
    const stored = { kind: 'record', record: { ...died, trace: '00-a-b-01' } } as const;
    expect(traceparentOf(stored, target)).toBe('00-a-b-01');
    expect(traceparentOf(stored, { ...target, fireTime: 2 })).toBeUndefined();
    expect(traceparentOf({ kind: 'none' }, target)).toBeUndefined();
    expect(droppedRunRecord(stored.record, 5, 'overflow')).not.toHaveProperty('trace');
  });

  it('keeps fields that a later version has added, unless they are too large', () => {
    const text = JSON.stringify({ v: 1, ...failed, later: 'x' });
    const stored = parseRunRecord(text);
    expect(stored).toEqual({ kind: 'record', record: { ...failed, later: 'x' } });
    expect(carriedFields(stored)).toEqual({ later: 'x' });
    expect(carriedFields({ kind: 'none' })).toBeUndefined();
    const tooMuch = parseRunRecord(JSON.stringify({ ...JSON.parse(text), later: 'x'.repeat(5_000) }));
    expect(carriedFields(tooMuch)).toBeUndefined();
  });
});

describe('the launches of a target', () => {
  const record = { run: 'r', by: 'i', target: { fireTime: 7, origin: 'schedule' as const }, attempt: 1, begunAt: 7 };
  const settled = (cause: 'handed-over' | 'DROPPED') => ({ at: 8, outcome: 'aborted' as const, cause });

  it.each<[string, object, number]>([
    ['was left by a holder that has died', { isAdoptable: true, launch: 2 }, 2],
    ['was handed over', { isAdoptable: true, launch: 2, settled: settled('handed-over') }, 2],
    ['has died', { isAdoptable: true, launch: 2, settled: settled('DROPPED') }, 3],
    ['ended with its holder', { launch: 2 }, 3],
    ['was never counted', {}, 2],
  ])('reach $2 for a task that %s, once its target is begun again', (_, fields, launch) => {
    expect(launchOf({ kind: 'record', record: { ...record, ...fields } }, record.target)).toBe(launch);
  });

  it('begin at 1 for another target', () => {
    const stored = { kind: 'record', record: { ...record, isAdoptable: true, launch: 2 } } as const;
    expect(launchOf(stored, { ...record.target, fireTime: 9 })).toBe(1);
    expect(launchOf({ kind: 'none' }, record.target)).toBe(1);
  });
});
