import { describe, expect, it } from 'vitest';
import { decideBegin } from './begin.decision.js';
import {
  earlyRunsOf,
  isAhead,
  mayRepeatEarlyRun,
  recordAsOf,
  type RegistryNow,
  spansOfEarlyRuns,
  wasEarly,
} from './early-runs.js';
import { lastScheduledOf, owesAfter, type RunRecord, type StoredRecord } from './run-record.js';

const HOUR = 3_600_000;
const NOON = Date.UTC(2030, 0, 1, 12);
const FIVE = NOON + 5 * HOUR;
const now: RegistryNow = { earliest: NOON, latest: NOON + 20, toleranceMs: 10_000 };

describe('a record whose fire time is yet to come', () => {
  it.each([
    ['within the tolerance', NOON + 10_020, false],
    ['beyond the tolerance', NOON + 10_021, true],
  ])('is from the future if that is %s', (_, fireTime, isFromTheFuture) => {
    expect(recordAsOf(record({ fireTime }), NOON - 1_000, now).ahead).toEqual(isFromTheFuture ? [fireTime] : []);
  });

  it('is a question of the registry alone: nothing is ahead while nobody knows the time', () => {
    expect([isAhead(FIVE, undefined), isAhead(FIVE, now)]).toEqual([false, true]);
  });

  it('is counted as it is, if all that it names has come', () => {
    const stored = record({ fireTime: NOON }, { owesAfter: NOON - HOUR, lastScheduled: NOON - HOUR });
    expect(recordAsOf(stored, NOON, now)).toEqual({ stored, ahead: [] });
  });

  it('is no question of an operator, whose trigger may name any time', () => {
    const stored = record({ fireTime: FIVE, origin: 'manual:1' });
    expect(recordAsOf(stored, NOON, now)).toEqual({ stored, ahead: [] });
  });

  it('was written just now, if the registry shows the very millisecond', () => {
    expect(owesAfter(recordAsOf(record({ fireTime: FIVE }), now.latest, now).stored)).toBe(now.latest);
  });

  it('shows every fire time that is yet to come, ascending, without those that are known already', () => {
    const early = { after: NOON, until: FIVE, fireTimes: [FIVE] };
    const stored = record({ fireTime: FIVE }, { lastScheduled: FIVE + 2, early });
    expect(recordAsOf(stored, NOON, now).ahead).toEqual([FIVE + 2]);
    const later = record({ fireTime: FIVE + 3 }, { lastScheduled: FIVE + 4, early });
    const { stored: counted, ahead } = recordAsOf(later, NOON, now);
    expect(ahead).toEqual([FIVE + 3, FIVE + 4]);
    expect(earlyRunsOf(counted)?.fireTimes).toEqual([FIVE, FIVE + 3, FIVE + 4]);
  });

  it('names the early fire times in their order, whichever was found first, and nothing else', () => {
    const early = { after: NOON, until: FIVE + 9, fireTimes: [FIVE + 9] };
    const known = recordAsOf(record({ fireTime: FIVE + 3 }, { early }), NOON, now).stored;
    const first = recordAsOf(record({ fireTime: NOON, origin: 'manual:1' }, { lastScheduled: FIVE }), NOON, now).stored;

    expect(earlyRunsOf(known)).toEqual({ after: NOON, until: FIVE + 9, fireTimes: [FIVE + 3, FIVE + 9] });
    expect(earlyRunsOf(first)).toEqual({ after: NOON, until: FIVE, fireTimes: [FIVE] });
    expect(lastScheduledOf(first)).toBe(NOON);
  });

  it('has done what has come, even where its last one is yet to come', () => {
    const stored = record({ fireTime: FIVE }, { lastScheduled: NOON - HOUR });
    expect(lastScheduledOf(recordAsOf(stored, NOON - 2 * HOUR, now).stored)).toBe(NOON - HOUR);
  });

  it('changes nothing that is owed, and adds nothing', () => {
    const owing = record({ fireTime: FIVE }, { owesAfter: NOON - HOUR });
    expect(recordAsOf(owing, NOON - 60_000, now).stored).toMatchObject({ record: { owesAfter: NOON - HOUR } });
    const counted = recordAsOf(record({ fireTime: FIVE }), NOON - 60_000, now).stored;
    expect(counted).toMatchObject({ record: { lastScheduled: NOON - 60_000 } });
    expect(counted).not.toHaveProperty('record.owesAfter');
  });

  it('is as good as any other as long as nobody knows the time', () => {
    const stored = record({ fireTime: FIVE });
    expect(recordAsOf(stored, NOON, undefined)).toEqual({ stored, ahead: [] });
  });

  it('owes what has come since it was written', () => {
    const { stored } = recordAsOf(record({ fireTime: FIVE }), NOON - 60_000, now);
    expect([owesAfter(stored), lastScheduledOf(stored)]).toEqual([NOON - 60_000, NOON - 60_000]);
  });

  it.each([
    ['the fire time that it names', FIVE, 'alreadyBegun'],
    ['one that was done when it was written', NOON - 60_000, 'alreadyBegun'],
    ['one that has come since', NOON - 59_999, 'begin'],
    ['one up to the one that it names', FIVE - 1, 'begin'],
    ['one after it', FIVE + 1, 'begin'],
  ])('decides on %s', (_, fireTime, decision) => {
    const { stored } = recordAsOf(record({ fireTime: FIVE }), NOON - 60_000, now);
    expect(decideBegin({ fireTime, origin: 'schedule' }, { stored, isRunning: false, isQueued: false })).toBe(decision);
  });

  it('owes since a moment ago, if the registry itself was set back since it was written', () => {
    const { stored } = recordAsOf(record({ fireTime: FIVE }), FIVE, now);
    expect(owesAfter(stored)).toBe(NOON - 10_000);
  });

  it('hides nothing that an item owes that only operators have run', () => {
    const stored = record({ fireTime: FIVE, origin: 'manual:1' }, { owesAfter: FIVE });
    expect(owesAfter(recordAsOf(stored, NOON - 60_000, now).stored)).toBe(NOON - 60_000);
  });

  it('keeps the names of earlier ones, and what was done meanwhile', () => {
    const early = { after: NOON - 2 * HOUR, until: FIVE, fireTimes: [FIVE] };
    const stored = record({ fireTime: FIVE + 1 }, { lastScheduled: NOON - HOUR, early });
    const { stored: counted, ahead } = recordAsOf(stored, NOON - 60_000, now);
    expect(ahead).toEqual([FIVE + 1]);
    expect(lastScheduledOf(counted)).toBe(NOON - 60_000);
    expect(earlyRunsOf(counted)).toEqual({ after: NOON - 2 * HOUR, until: FIVE + 1, fireTimes: [FIVE, FIVE + 1] });
  });

  it('names eight fire times at most, the last ones', () => {
    const fireTimes = Array.from({ length: 8 }, (_, n) => FIVE + n);
    const stored = record({ fireTime: FIVE + 8 }, { early: { after: NOON, until: FIVE + 7, fireTimes } });
    expect(earlyRunsOf(recordAsOf(stored, NOON, now).stored)?.fireTimes).toEqual(fireTimes.map((time) => time + 1));
  });
});

describe('a text that nobody can read', () => {
  it('counts up to when it was written, or up to a moment ago if the registry was set back', () => {
    const unreadable: StoredRecord = { kind: 'none', unreadableSince: FIVE };
    expect(recordAsOf(unreadable, NOON - 60_000, now)).toEqual({
      stored: { kind: 'none', unreadableSince: NOON - 60_000 },
      ahead: [],
    });
    expect(recordAsOf(unreadable, FIVE, now).stored).toEqual({ kind: 'none', unreadableSince: NOON - 10_000 });
  });

  it('is not made of an item that has none', () => {
    expect(recordAsOf({ kind: 'none' }, NOON, now)).toEqual({ stored: { kind: 'none' }, ahead: [] });
  });
});

describe('early runs in a record', () => {
  const early = { after: NOON, until: FIVE, fireTimes: [FIVE] };

  it.each([
    ['in the stretch', NOON + 1, true],
    ['at its end, by name', FIVE, false],
    ['before it', NOON, false],
    ['after it', FIVE + 1, false],
  ])('excuse a second begin of a fire time %s', (_, fireTime, isExcused) => {
    const { record: begun } = record({ fireTime }, { early });
    expect(mayRepeatEarlyRun(begun)).toBe(isExcused);
  });

  it('excuse no begin of an operator', () => {
    expect(mayRepeatEarlyRun(record({ fireTime: NOON + 1, origin: 'manual:1' }, { early }).record)).toBe(false);
  });

  it('are not owed, each for itself', () => {
    const stored = record({ fireTime: NOON }, { early: { ...early, fireTimes: [FIVE - 1, FIVE] } });
    expect(spansOfEarlyRuns(stored)).toEqual([
      { after: FIVE - 2, until: FIVE - 1 },
      { after: FIVE - 1, until: FIVE },
    ]);
    expect(spansOfEarlyRuns(record({ fireTime: NOON }))).toEqual([]);
    expect(spansOfEarlyRuns({ kind: 'none' })).toEqual([]);
  });

  it('are those of the schedule that the record names', () => {
    const stored = record({ fireTime: NOON }, { early });
    expect(wasEarly(stored, { fireTime: FIVE, origin: 'schedule' })).toBe(true);
    expect(wasEarly(stored, { fireTime: FIVE - 1, origin: 'schedule' })).toBe(false);
    expect(wasEarly(stored, { fireTime: FIVE, origin: 'manual:1' })).toBe(false);
    expect(wasEarly(record({ fireTime: FIVE }), { fireTime: FIVE, origin: 'schedule' })).toBe(false);
    expect(wasEarly({ kind: 'none' }, { fireTime: FIVE, origin: 'schedule' })).toBe(false);
  });

  it('excuse a second begin at the end of the stretch too, if that is not known by name', () => {
    expect(mayRepeatEarlyRun(record({ fireTime: FIVE }, { early: { ...early, fireTimes: [] } }).record)).toBe(true);
  });

  it('excuse nothing where there are none', () => {
    expect(mayRepeatEarlyRun(record({ fireTime: NOON + 1 }).record)).toBe(false);
  });

  it('are none of an item without a record, and are kept while only operators have run it', () => {
    expect(earlyRunsOf({ kind: 'none' })).toBeUndefined();
    expect(earlyRunsOf(record({ fireTime: FIVE }))).toBeUndefined();
    expect(earlyRunsOf(record({ fireTime: NOON, origin: 'manual:1' }, { early }))).toEqual(early);
  });

  it('are over once a begin stands at the last of them', () => {
    const stored = record({ fireTime: NOON, origin: 'manual:1' }, { early, lastScheduled: FIVE });
    expect(earlyRunsOf(stored)).toBeUndefined();
  });

  it('are kept until a begin has passed the last of them', () => {
    expect(earlyRunsOf(record({ fireTime: FIVE - 1 }, { early }))).toEqual(early);
    expect(earlyRunsOf(record({ fireTime: FIVE + 1 }, { early }))).toBeUndefined();
  });
});

function record(
  target: { fireTime: number; origin?: RunRecord['target']['origin'] },
  more: Partial<RunRecord> = {},
): Extract<StoredRecord, { kind: 'record' }> {
  const begun = { run: 'r', by: 'a', target: { origin: 'schedule' as const, ...target }, attempt: 1, begunAt: NOON };
  return { kind: 'record', record: { ...begun, ...more } };
}
