import { describe, expect, it } from 'vitest';
import { dueTimes, judgeLedger, type LedgerLine } from './ledger.js';

const DUE = 1_000;
const RUN: LedgerLine = { kind: 'run', job: 'job-0', item: 0, fireTime: DUE, source: 'NORMAL_TRIGGER' };
const TOLD: LedgerLine = { kind: 'missed', job: 'job-0', items: [0], since: 500, fireTime: DUE };
const RESCUE: LedgerLine = { ...RUN, source: 'FAILOVER' };

function judge(lines: readonly LedgerLine[]) {
  return judgeLedger([{ job: 'job-0', fireTime: DUE }], 1, lines);
}

describe('ledger of what the processes have done', () => {
  it('counts a due run that was done once', () => {
    expect(judge([RUN])).toEqual({ due: 1, once: 1, repeated: 0, told: 0, silent: [], doubled: [] });
  });

  it('counts one that was only rescued as done once', () => {
    expect(judge([RESCUE])).toMatchObject({ once: 1, doubled: [] });
  });

  it('lets a killed process have done what its rescuer does once more', () => {
    expect(judge([RUN, RESCUE])).toMatchObject({ once: 0, repeated: 1, doubled: [] });
  });

  it('counts a due run that was told as missed', () => {
    expect(judge([TOLD])).toMatchObject({ told: 1, silent: [] });
  });

  it('finds one that was neither done nor told', () => {
    const silent = ['job-0, item 0, due 1970-01-01T00:00:01.000Z'];

    expect(judge([])).toMatchObject({ silent });
    expect(judge([{ ...RUN, item: 1 }])).toMatchObject({ silent });
    expect(judge([{ ...TOLD, fireTime: DUE - 1 }])).toMatchObject({ silent });
    expect(judge([{ ...TOLD, items: [1] }])).toMatchObject({ silent });
  });

  it('finds one that was done twice without a crash, or done and told', () => {
    expect(judge([RUN, RUN]).doubled).toHaveLength(1);
    expect(judge([RUN, TOLD]).doubled).toHaveLength(1);
  });
});

describe('due times', () => {
  it('are those of each job once a minute from the beginning of a span to before its end', () => {
    const seconds = new Map([
      ['first', 0],
      ['later', 30],
    ]);

    expect(dueTimes(seconds, 60_000, 150_000)).toEqual([
      { job: 'first', fireTime: 60_000 },
      { job: 'first', fireTime: 120_000 },
      { job: 'later', fireTime: 90_000 },
    ]);
  });
});
