import { describe, expect, it } from 'vitest';
import {
  fireTimesOf,
  formatStartLedger,
  KEPT_STARTS,
  NO_STARTS,
  noteParent as noteParentAt,
  parseStartLedger,
  spansOfStarts,
  type StartLedger,
  withParents,
} from './start-ledger.js';

const NOW = 99;
const BOTH = withParents(NO_STARTS, ['import', 'check']);

describe('the starts of a job', () => {
  it('given one of two parents that has succeeded, when the other one does, then the job is started, and not before', () => {
    const first = noteParent(BOTH, 'check', 10);
    const second = noteParent(first, 'import', 10);

    expect(first.starts).toEqual([]);
    expect(second).toEqual({ parents: ['import', 'check'], pending: new Map(), starts: [start(10)] });
  });

  it('given a start, when a parent is told of again, or an earlier fire time, or a stranger, then nothing changes', () => {
    const started = noteParent(withParents(NO_STARTS, ['import']), 'import', 10);

    expect(noteParent(started, 'import', 10)).toBe(started);
    expect(noteParent(started, 'import', 9)).toBe(started);
    expect(noteParent(started, 'export', 11)).toBe(started);
  });

  it('given fire times for which one parent is missing, when a later one is complete, then they are pending no more', () => {
    const pending = noteParent(noteParent(BOTH, 'import', 10), 'import', 30);
    const { pending: left, starts } = noteParent(noteParent(pending, 'import', 20), 'check', 20);

    expect(starts).toEqual([start(20)]);
    expect([...left.keys()]).toEqual([30]);
  });

  it('given more starts than are kept, when another one comes, then the oldest is forgotten', () => {
    let ledger = withParents(NO_STARTS, ['import']);
    for (let time = 1; time <= KEPT_STARTS + 1; time++) ledger = noteParent(ledger, 'import', time);

    expect(ledger.starts).toHaveLength(KEPT_STARTS);
    expect(ledger.starts[0]).toEqual(start(2));
  });

  it('given other parents, when the job waits for them, then its starts stay and what was pending goes', () => {
    const before = noteParent(noteParent(noteParent(BOTH, 'import', 10), 'check', 10), 'import', 20);

    expect(withParents(before, ['export'])).toEqual({ parents: ['export'], pending: new Map(), starts: [start(10)] });
  });

  it('given a ledger, when it is written and read, then it is the same, and what is none is not understood', () => {
    const ledger = noteParent(noteParent(noteParent(BOTH, 'import', 10), 'check', 10), 'import', 20);

    expect(parseStartLedger(formatStartLedger(ledger))).toEqual(ledger);
    expect(['', '{"v":2}', '{"v":1,"parents":[1],"pending":[],"starts":[]}'].map(parseStartLedger)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('given starts, when they are asked for as fire times, then each interval has its own', () => {
    const times = fireTimesOf([10, 20, 30].map(start));

    expect([times.next(0), times.next(10), times.next(30)]).toEqual([10, 20, undefined]);
    expect([times.latest(25, 0), times.latest(25, 20), times.latest(Infinity, 0)]).toEqual([20, undefined, 30]);
  });

  it('given spans in which nobody was to run, when starts have come in them, then their fire times are forgiven, and no others', () => {
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
