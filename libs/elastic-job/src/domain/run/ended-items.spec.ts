import { describe, expect, it } from 'vitest';
import { decideBegin } from './begin.decision.js';
import {
  type EndedItems,
  endedRunRecord,
  firstRunRecord,
  formatEndedItems,
  parseEndedItems,
  withEndedItems,
} from './ended-items.js';
import { lastScheduledOf, type RunRecord, type StoredRecord } from './run-record.js';
import type { Target } from './trigger.js';

const AUTHOR = { run: 'new', by: 'leader', at: 99_000 };
const RUN: RunRecord = {
  run: 'old',
  by: 'owner',
  target: { fireTime: 20_000, origin: 'schedule' },
  attempt: 2,
  begunAt: 20_003,
};
const NONE: EndedItems = { records: new Map() };

describe('a new item of a number that an ended item had', () => {
  it.each([
    ['the last fire time', RUN, { fireTime: 20_000, origin: 'schedule' }],
    ['an earlier fire time', RUN, { fireTime: 10_000, origin: 'schedule' }],
    ["an operator's request", by('manual:a'), { fireTime: 20_000, origin: 'manual:a' }],
    ["an operator's former request", { ...RUN, triggers: ['a', 'b'] }, { fireTime: 7, origin: 'manual:a' }],
    ["a fire time before an operator's", by('manual:a', 15_000), { fireTime: 15_000, origin: 'schedule' }],
    ['a fire time that was begun early', early(), { fireTime: 20_000, origin: 'schedule' }],
    ['an instant of a resident', by('resident'), { fireTime: 20_000, origin: 'resident' }],
  ] as const)('is not begun for %s that the ended one was begun for', (_, record, target) => {
    expect(decide(bornAfter(record), target)).toBe('alreadyBegun');
  });

  it.each([
    ['a later fire time', RUN, { fireTime: 21_000, origin: 'schedule' }],
    ["another operator's request", by('manual:a'), { fireTime: 7, origin: 'manual:b' }],
    ["a fire time around an operator's", by('manual:a'), { fireTime: 15_000, origin: 'schedule' }],
    ['a fire time that an early one has overtaken', early(), { fireTime: 15_000, origin: 'schedule' }],
  ] as const)('is begun for %s', (_, record, target) => {
    expect(decide(bornAfter(record), target)).toBe('begin');
  });

  it.each<[string, Partial<RunRecord>, Target | undefined]>([
    ['its last fire time', { lastScheduled: 15_000 }, { fireTime: 15_000, origin: 'schedule' }],
    ["operators' requests", { triggers: ['a', 'b'] }, { fireTime: 20_000, origin: 'manual:b' }],
    ['nothing', {}, undefined],
  ])('keeps of one whose last run was that of a re-run: %s', (_, more, target) => {
    const record: RunRecord = { ...by('rerun:x'), ...more };
    expect(endedRunRecord({ kind: 'record', record })?.target).toEqual(target);
  });

  it('counts what an unreadable record may have begun, and nothing where there was no run', () => {
    expect(lastScheduledOf(bornAfterStored({ kind: 'none', unreadableSince: 5_000 }))).toBe(5_000);
    expect(endedRunRecord({ kind: 'none' })).toBeUndefined();
    expect(firstRunRecord(undefined, undefined, AUTHOR)).toBeUndefined();
  });

  it('takes part in no earlier start of a job after others either', () => {
    expect(firstRunRecord(undefined, 30_000, AUTHOR)).toMatchObject({ target: { fireTime: 30_000 }, by: 'leader' });
    expect(lastScheduledOf({ kind: 'record', record: firstRunRecord(RUN, 30_000, AUTHOR)! })).toBe(30_000);
    expect(lastScheduledOf({ kind: 'record', record: firstRunRecord(RUN, 10_000, AUTHOR)! })).toBe(20_000);
  });

  it('keeps fields of a later version, and nothing of the run itself', () => {
    const record = { ...RUN, mood: 'x', launch: 3, isAdoptable: true, trace: 't', executorDeaths: 1, owesAfter: 4 };
    const target = { ...RUN.target, parameters: 'secret' };

    expect(
      firstRunRecord(endedRunRecord({ kind: 'record', record: { ...record, target } }), undefined, AUTHOR),
    ).toEqual({
      run: 'new',
      by: 'leader',
      target: RUN.target,
      attempt: 1,
      begunAt: 20_000,
      settled: { at: 99_000, outcome: 'succeeded' },
      lastScheduled: 20_000,
      mood: 'x',
    });
  });
});

describe('what is kept of ended items', () => {
  const ended = (from: number, to: number, record: RunRecord) =>
    Array.from({ length: to - from + 1 }, (_, n) => [from + n, endedRunRecord(stored(record))!] as const);

  it('is one line for all items with equal pasts, whoever ran them', () => {
    const kept = withEndedItems(
      NONE,
      [...ended(2, 5, RUN), ...ended(6, 9, { ...RUN, by: 'b', run: 'r' })],
      () => false,
    );

    expect(formatEndedItems(kept)).toBe(
      '{"v":1,"ended":[{"items":[[2,9]],"record":{"target":{"fireTime":20000,"origin":"schedule"}}}]}',
    );
    expect(parseEndedItems(formatEndedItems(kept))).toEqual(kept);
  });

  it('goes once the items are there again, and is replaced when they end again', () => {
    const first = withEndedItems(NONE, ended(2, 5, RUN), () => false);
    const next = withEndedItems(first, ended(4, 4, by('resident')), (item) => item < 4);

    expect([...next.records.keys()]).toEqual([4, 5]);
    expect(next.records.get(4)!.target.origin).toBe('resident');
    expect(formatEndedItems(withEndedItems(next, [], () => true))).toBe('');
  });

  it('is short for 10,000 items with equal pasts', () => {
    const text = formatEndedItems({ records: new Map(ended(0, 9_999, RUN)) });

    expect(text.length).toBeLessThan(200);
    expect(parseEndedItems(text).records.size).toBe(10_000);
  });

  it('is short for 10,000 different pasts too: all items count as begun for what any of them was', () => {
    const records = Array.from(
      { length: 10_000 },
      (_, item) => [item, at(item, item % 2 ? 'schedule' : 'manual:a')] as const,
    );
    const text = formatEndedItems({
      records: new Map(records.map(([item, one]) => [item, endedRunRecord(stored(one))!])),
    });
    const { others, records: named } = parseEndedItems(text);

    expect(text.length).toBeLessThan(500);
    expect(named.size).toBe(0);
    expect(lastScheduledOf(stored(others!))).toBe(9_999);
    expect(others!.triggers).toEqual(['a']);
    expect(decide(stored(firstRunRecord(others, undefined, AUTHOR)!), { fireTime: 9_999, origin: 'schedule' })).toBe(
      'alreadyBegun',
    );
  });

  /** One record for all items, since these are more than a job may have. */
  const folded = (...pasts: readonly RunRecord[]) => {
    const records = Array.from({ length: 10_001 }, (_, n) => pasts[n % pasts.length]!);
    return parseEndedItems(
      formatEndedItems({ records: new Map(records.map((one, n) => [n, endedRunRecord(stored(one))!])) }),
    ).others!;
  };

  it('is the latest run, fire time and requests of them all, if they are told apart no more', () => {
    const all = folded(at(5, 'schedule'), at(9, 'resident'), at(7, 'manual:a'));
    expect(all.target).toEqual({ fireTime: 9, origin: 'resident' });
    expect([all.lastScheduled, all.triggers]).toEqual([5, ['a']]);
    expect(folded(at(9, 'schedule'), at(5, 'schedule')).target.fireTime).toBe(9);
    expect(folded(...Array.from({ length: 9 }, (_, n) => at(n, `manual:${n}`))).triggers).toEqual(['5', '6', '7', '8']);
    expect(folded(at(5, 'resident'), at(6, 'resident'))).not.toHaveProperty('lastScheduled');
    expect(folded(RUN)).not.toHaveProperty('triggers');
  });

  it('are the early fire times that reach furthest, if they are told apart no more', () => {
    const until = (last: number) => ({ ...RUN, early: { after: 9_000, until: last, fireTimes: [last] } });

    expect(folded(until(20_000), until(40_000), until(30_000)).early).toEqual(until(40_000).early);
    expect(folded(RUN, until(20_000)).early).toEqual(until(20_000).early);
    expect(folded(RUN)).not.toHaveProperty('early');
  });

  it('keeps what stood for items before, once there are too many again', () => {
    const records = new Map(Array.from({ length: 10_001 }, (_, n) => [n, endedRunRecord(stored(RUN))!] as const));
    const kept = formatEndedItems({ records, others: endedRunRecord(stored(by('manual:a')))! });

    expect(parseEndedItems(kept).others!.triggers).toEqual(['a']);
  });

  it.each([
    ['[[1,10000]]', 10_000],
    ['[[1,10001]]', 0],
    ['[[0,5000],[6000,11000]]', 0],
    ['[[9998,9999]]', 2],
    ['[[20000,1],[0,10001]]', 0],
  ])('names as many items as a job may have: %s', (items, count) => {
    expect(parseEndedItems(withItems(items)).records.size).toBe(count);
  });

  it('is in the order of the items, whichever ended first', () => {
    const records = new Map([5, 2, 3].map((item) => [item, endedRunRecord(stored(RUN))!]));

    expect(formatEndedItems({ records })).toContain('"items":[[2,3],[5,5]]');
  });

  it.each([
    ['an origin', { target: { fireTime: 1, origin: 'x'.repeat(20_000) } }],
    ['a trigger', { triggers: ['x'.repeat(20_000)] }],
    ['triggers', { triggers: Array.from({ length: 2_000 }, (_, n) => `trigger-${n}`) }],
    ['early runs', { early: { after: 1, until: 9, fireTimes: Array.from({ length: 9_000 }, (_, n) => n) } }],
    ['an unknown field', { mood: 'x'.repeat(20_000) }],
  ])('has at most 16 KB, and reads as it was written, also after a text with %s too long', (_, field) => {
    const record = { target: { fireTime: 1, origin: 'schedule' }, ...field };
    const kept = parseEndedItems(JSON.stringify({ v: 1, ended: [{ items: [[1, 2]], record }, { record }] }));
    const text = formatEndedItems(kept);

    expect(text.length).toBeLessThanOrEqual(16_384);
    expect(parseEndedItems(text)).toEqual(kept);
  });

  it.each([
    ['no JSON', '{'],
    ['no list', '{"v":1,"ended":{}}'],
    ['an entry that is none', '{"v":1,"ended":[5,null]}'],
    ['no record', '{"v":1,"ended":[{"items":[[1,2]]}]}'],
    ['a record without a target', '{"v":1,"ended":[{"items":[[1,2]],"record":{}}]}'],
    ['an instant beyond all dates', withItems('[[1,2]]', 9e15)],
    ['ranges that are none', withItems('[[2,1],[1],[-1,0],["1",2],5,null]')],
    ['more items than a job may have', withItems('[[0,1000000000]]')],
  ])('is nothing in a damaged text: %s', (_, text) => {
    expect(parseEndedItems(text)).toEqual(NONE);
  });
});

function withItems(items: string, fireTime = 1): string {
  return `{"v":1,"ended":[{"items":${items},"record":{"target":{"fireTime":${fireTime},"origin":"schedule"}}}]}`;
}

function by(origin: Target['origin'], lastScheduled?: number): RunRecord {
  return { ...at(20_000, origin), ...(lastScheduled !== undefined && { lastScheduled }) };
}

function at(fireTime: number, origin: Target['origin']): RunRecord {
  return { ...RUN, target: { fireTime, origin } };
}

function early(): RunRecord {
  return { ...RUN, lastScheduled: 9_000, early: { after: 9_000, until: 20_000, fireTimes: [20_000] } };
}

function stored(record: RunRecord): StoredRecord {
  return { kind: 'record', record };
}

function bornAfter(record: RunRecord): StoredRecord {
  return bornAfterStored(stored(record));
}

/** The record of the new item, through the registry. */
function bornAfterStored(former: StoredRecord): StoredRecord {
  const text = formatEndedItems({ records: new Map([[3, endedRunRecord(former)!]]) });
  return stored(firstRunRecord(parseEndedItems(text).records.get(3), undefined, AUTHOR)!);
}

function decide(of: StoredRecord, target: Target) {
  return decideBegin(target, { stored: of, isRunning: false, isQueued: false });
}
