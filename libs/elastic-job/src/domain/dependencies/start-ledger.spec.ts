import { describe, expect, it } from 'vitest';
import {
  fireTimesOf,
  formatFireTimes,
  formatStartLedger,
  KEPT_PENDING,
  KEPT_STARTS,
  NO_STARTS,
  noteParent as noteParentAt,
  parseFireTimes,
  parseStartLedger,
  spansOfStarts,
  type StartLedger,
  withParents,
} from './start-ledger.js';

const NOW = 99;
const BOTH = withParents(NO_STARTS, ['import', 'check']);

describe('the starts of a job', () => {
  it('starts the job once its last parent has succeeded, and not before', () => {
    const first = noteParent(BOTH, 'check', 10);
    const second = noteParent(first, 'import', 10);

    expect(first.starts).toEqual([]);
    expect(second).toEqual({ parents: ['import', 'check'], pending: new Map(), starts: [start(10)] });
  });

  it('ignores a repeated parent, an earlier fire time and a job that is no parent', () => {
    const started = noteParent(withParents(NO_STARTS, ['import']), 'import', 10);

    expect(noteParent(started, 'import', 10)).toBe(started);
    expect(noteParent(started, 'import', 9)).toBe(started);
    expect(noteParent(started, 'export', 11)).toBe(started);
  });

  it('drops fire times that wait for a parent once a later one is complete', () => {
    const pending = noteParent(noteParent(BOTH, 'import', 10), 'import', 30);
    const { pending: left, starts } = noteParent(noteParent(pending, 'import', 20), 'check', 20);

    expect(starts).toEqual([start(20)]);
    expect([...left.keys()]).toEqual([30]);
  });

  it('forgets the oldest start if more come than are kept', () => {
    let ledger = withParents(NO_STARTS, ['import']);
    for (let time = 1; time <= KEPT_STARTS + 1; time++) ledger = noteParent(ledger, 'import', time);

    expect(ledger.starts).toHaveLength(KEPT_STARTS);
    expect(ledger.starts[0]).toEqual(start(2));
  });

  it('keeps its starts and drops pending fire times if the job gets other parents', () => {
    const before = noteParent(noteParent(noteParent(BOTH, 'import', 10), 'check', 10), 'import', 20);

    expect(withParents(before, ['export'])).toEqual({ parents: ['export'], pending: new Map(), starts: [start(10)] });
  });

  it('reads a ledger as it was written, and reads nothing from a text that is none', () => {
    const ledger = noteParent(noteParent(noteParent(BOTH, 'import', 10), 'check', 10), 'import', 20);

    expect(parseStartLedger(formatStartLedger(ledger))).toEqual(ledger);
    expect(['', '{"v":1}', '{"v":1,"parents":[1],"pending":[],"starts":[]}'].map(parseStartLedger)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    '{"v":1,"parents":["import"],"pending":[],"starts":[[1e999,99]]}',
    '{"v":1,"parents":["import"],"pending":[],"starts":[[10,-1e999]]}',
    '{"v":1,"parents":["import"],"pending":[[1e999,["import"]]],"starts":[]}',
    '{"v":1,"parents":["import"],"pending":[],"starts":[[0.5,99]]}',
    '{"v":1,"parents":["import"],"pending":[],"starts":[[8900000000000000,99]]}',
    '{"v":1,"parents":["import"],"pending":[],"starts":[[10,9e15]]}',
    '{"v":1,"parents":["import"],"pending":[[9e15,[]]],"starts":[]}',
    '{"v":1,"parents":["import"],"pending":[],"starts":[],"earlier":[8900000000000000]}',
  ])('takes a text with a number that it could not have written for damaged: %s', (text) => {
    expect(parseStartLedger(text)).toBeUndefined();
  });

  it.each([
    '{"v":1,"parents":["import"],"pending":[],"starts":[[20,99],[10,100]]}',
    '{"v":1,"parents":["import"],"pending":[],"starts":[[10,99],[10,100]]}',
    '{"v":1,"parents":["import"],"pending":[],"starts":[[10,99]],"earlier":[10]}',
  ])('takes starts that do not ascend for damaged: %s', (text) => {
    expect(parseStartLedger(text)).toBeUndefined();
  });

  it('keeps the latest thousand fire times that wait for a parent, in whichever order they came', () => {
    let ledger = BOTH;
    for (let time = KEPT_PENDING + 1; time >= 1; time--) ledger = noteParent(ledger, 'import', time);

    expect([...ledger.pending.keys()]).toEqual(Array.from({ length: KEPT_PENDING }, (_, n) => n + 2));
  });

  it('knows at first no parent, nothing pending and no start', () => {
    expect(NO_STARTS).toEqual({ parents: [], pending: new Map(), starts: [] });
  });

  it.each<[string, object]>([
    ['parents that are no list', { parents: 'import' }],
    ['a parent that is no text', { parents: ['import', 5] }],
    ['pending fire times that are no list', { pending: {} }],
    ['a pending entry that is no list', { pending: [[10, []], { 0: 10, 1: [] }] }],
    [
      'a pending entry without a fire time',
      {
        pending: [
          [10, []],
          ['10', []],
        ],
      },
    ],
    ['a pending entry without parents', { pending: [[10, []], [20]] }],
    ['starts that are no list', { starts: {} }],
    ['a start that is no list', { starts: [[10, 1], { 0: 20, 1: 1 }] }],
    [
      'a start without a fire time',
      {
        starts: [
          [10, 1],
          ['20', 1],
        ],
      },
    ],
    ['a start without its instant', { starts: [[10, 1], [20]] }],
  ])('is not understood with %s', (_, damage) => {
    const whole = { v: 1, parents: ['import'], pending: [], starts: [] };
    expect(parseStartLedger(JSON.stringify(whole))).toBeDefined();
    expect(parseStartLedger(JSON.stringify({ ...whole, ...damage }))).toBeUndefined();
  });

  it('excludes a start if one of several spans covers it, to its very end', () => {
    const starts = [{ fireTime: 10, at: 50 }];
    const spans = [
      { after: 0, until: 10 },
      { after: 40, until: 50 },
    ];
    expect(spansOfStarts(starts, spans)).toEqual([{ after: 9, until: 10 }]);
    expect(spansOfStarts(starts, [{ after: 50, until: 60 }])).toEqual([]);
  });

  it('has a latest fire time up to an instant, that included', () => {
    expect(fireTimesOf([10, 20, 30].map(start)).latest(20, 0)).toBe(20);
  });

  it('keeps the fire times of all starts, also of those whose instants are not written', () => {
    let ledger = withParents(NO_STARTS, ['import']);
    for (let n = 1; n <= KEPT_STARTS + 1; n++) ledger = noteParent(ledger, 'import', n * 60_000);
    const text = formatStartLedger(ledger);

    const read = parseStartLedger(text)!;
    expect(read.starts.map(({ fireTime }) => fireTime)).toEqual(ledger.starts.map(({ fireTime }) => fireTime));
    expect(read.starts.at(-1)).toEqual(ledger.starts.at(-1));
    expect(formatStartLedger(read)).toBe(text);
    expect(text.length).toBeLessThan(2_000);
  });

  it('keeps fields of a later version after it notes a start', () => {
    const later = '{"v":7,"parents":["import"],"pending":[],"starts":[[10,99]],"earlier":"?","mood":{"a":1}}';
    const noted = noteParent(parseStartLedger(later)!, 'import', 20);

    expect(noted).toEqual({ parents: ['import'], pending: new Map(), starts: [start(10), start(20)], mood: { a: 1 } });
    const starts = [10, 20].map((fireTime) => [fireTime, NOW]);
    const written = { v: 1, parents: ['import'], pending: [], starts, mood: { a: 1 } };
    expect(JSON.parse(formatStartLedger(noted))).toEqual(written);
  });

  it('keeps as many runs of a parent pending as a job catches up on if another parent is behind', () => {
    let ledger = BOTH;
    for (let time = 1; time <= KEPT_PENDING + 1; time++) ledger = noteParent(ledger, 'import', time);

    expect(noteParent(ledger, 'check', 2).starts).toEqual([start(2)]);
    expect(ledger.pending.size).toBe(KEPT_PENDING);
  });

  it('gives the next and the latest fire time of the starts in an interval', () => {
    const times = fireTimesOf([10, 20, 30].map(start));

    expect([times.next(0), times.next(10), times.next(30)]).toEqual([10, 20, undefined]);
    expect([times.latest(25, 0), times.latest(25, 20), times.latest(Infinity, 0)]).toEqual([20, undefined, 30]);
  });

  it('excludes exactly the fire times of starts that came within the given spans', () => {
    const starts = [
      { fireTime: 10, at: 50 },
      { fireTime: 20, at: 60 },
      { fireTime: 30, at: 70 },
    ];

    expect(spansOfStarts(starts, [{ after: 50, until: 60 }])).toEqual([{ after: 19, until: 20 }]);
  });
});

function noteParent(ledger: StartLedger, parent: string, fireTime: number): StartLedger {
  return noteParentAt(ledger, parent, fireTime, NOW);
}

function start(fireTime: number) {
  return { fireTime, at: NOW };
}

describe('fire times in short', () => {
  it('take two numbers for each run of equal steps, after the first time', () => {
    expect(formatFireTimes([10, 20, 30, 50, 60])).toEqual([10, 10, 2, 20, 1, 10, 1]);
    expect(formatFireTimes([10])).toEqual([10]);
    expect(formatFireTimes([])).toEqual([]);
  });

  it.each([[[]], [[7]], [[7, 8]], [[10, 20, 30, 50, 60, 61]]])('stay the same once written and read: %j', (times) => {
    expect(parseFireTimes(formatFireTimes(times), 6)).toEqual(times);
  });

  it.each([undefined, '10', ['10'], [10, 1.5, 1], [10, 10], [10, 0, 1], [10, -1, 1], [10, 1, 6], [10, 1, 1e15]])(
    'are not read from %j, which is no list of at most six fire times',
    (value) => {
      expect(parseFireTimes(value, 6)).toBeUndefined();
    },
  );
});
