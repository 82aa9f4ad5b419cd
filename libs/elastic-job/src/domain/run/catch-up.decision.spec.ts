import { describe, expect, it } from 'vitest';
import {
  type CatchUpRule,
  decideCatchUp,
  decideGiveUp,
  type OwedSpan,
  owedTimes,
  findMissed,
  latestOwed,
} from './catch-up.decision.js';

/** A schedule that fires at every multiple of 10. */
const EVERY_TEN = {
  next: (after: number) => Math.floor(after / 10) * 10 + 10,
  latest: (notAfter: number, after: number) => {
    const last = Math.floor(notAfter / 10) * 10;
    return last > after ? last : undefined;
  },
};
/** A schedule that fires once. */
const ONCE = {
  next: (after: number) => (after < 10 ? 10 : undefined),
  latest: (notAfter: number, after: number) => (after < 10 && notAfter >= 10 ? 10 : undefined),
};

function owedOf(changes: Partial<OwedSpan> = {}): OwedSpan {
  return { schedule: EVERY_TEN, after: 20, until: 60, excluded: [], ...changes };
}

function rule(misfirePolicy: CatchUpRule['misfirePolicy'], misfireLimit = 100): CatchUpRule {
  return { misfirePolicy, misfireLimit };
}

describe('the owed fire times', () => {
  it.each<[string, Partial<OwedSpan>, number[]]>([
    ['begun for 20, at 60', {}, [30, 40, 50, 60]],
    ['nothing has come since', { until: 29 }, []],
    ['its clock was set back', { until: 10 }, []],
    ['disabled after 30 and enabled at 50', { excluded: [{ after: 30, until: 50 }] }, [30, 60]],
    ['disabled at 29 and enabled at 30, just when it was due', { excluded: [{ after: 29, until: 30 }] }, [40, 50, 60]],
    ['disabled and enabled between two', { excluded: [{ after: 31, until: 39 }] }, [30, 40, 50, 60]],
    [
      'switched off twice, once while it was off already',
      {
        excluded: [
          { after: 45, until: 55 },
          { after: 25, until: 47 },
        ],
      },
      [60],
    ],
    ['switched off all the time', { excluded: [{ after: 0, until: 60 }] }, []],
    ['a schedule that has ended', { schedule: ONCE, after: 0 }, [10]],
  ])('are listed, and the last of them is found: %s', (_, changes, expected) => {
    expect([...owedTimes(owedOf(changes))]).toEqual(expected);
    expect(latestOwed(owedOf(changes))).toBe(expected.at(-1));
  });
});

describe('decideCatchUp', () => {
  it.each<[CatchUpRule, number | undefined]>([
    [rule('skip'), undefined],
    [rule('once'), 60],
    [rule('all'), 30],
    [rule('all', 4), 30],
    [rule('all', 3), 40],
    [rule('all', 1), 60],
  ])('begins, by the rule %o for four owed fire times, %s first', (given, expected) => {
    expect(decideCatchUp(owedOf(), given)).toBe(expected);
  });

  it('begins nothing if nothing is owed', () => {
    for (const policy of ['skip', 'once', 'all'] as const) {
      expect(decideCatchUp(owedOf({ until: 20 }), rule(policy))).toBeUndefined();
    }
  });

  it('does not count fire times of an excluded span towards the limit', () => {
    expect(decideCatchUp(owedOf({ excluded: [{ after: 35, until: 55 }] }), rule('all', 2))).toBe(30);
  });
});

describe('decideGiveUp', () => {
  it.each<[string, Partial<OwedSpan>, CatchUpRule, ReturnType<typeof decideGiveUp>]>([
    ['too late but the last', {}, rule('skip'), { upTo: 50, waiting: 60 }],
    ['not too late', { until: 51, after: 40 }, rule('skip'), { upTo: 50, waiting: undefined }],
    ['still to be begun', {}, rule('once'), { upTo: undefined, waiting: 30 }],
    ['excluded first', { excluded: [{ after: 0, until: 45 }] }, rule('all'), { upTo: 40, waiting: 50 }],
    ['excluded, all of it', { excluded: [{ after: 0, until: 60 }] }, rule('once'), { upTo: 60, waiting: undefined }],
    ['not owed', { until: 25 }, rule('skip'), { upTo: undefined, waiting: undefined }],
  ])('decides what to give up of fire times that are %s: $3', (_, changes, given, expected) => {
    expect(decideGiveUp(owedOf(changes), given, 50)).toEqual(expected);
  });
});

describe('findMissed', () => {
  it('reports what was missed in a row as one stretch, with its length', () => {
    expect(findMissed(owedOf(), 5)).toEqual([{ first: 30, last: 60, count: 4 }]);
  });

  it('counts a stretch up to the limit, and reports it as a whole', () => {
    expect(findMissed(owedOf(), 2)).toEqual([{ first: 30, last: 60, count: 2 }]);
  });

  it('parts stretches by excluded fire times, and not by spans without any', () => {
    const excluded = [
      { after: 51, until: 59 },
      { after: 30, until: 40 },
    ];
    expect(findMissed(owedOf({ excluded }), 5)).toEqual([
      { first: 30, last: 30, count: 1 },
      { first: 50, last: 60, count: 2 },
    ]);
  });

  it('is one stretch also around several spans without fire times, after other stretches', () => {
    const excluded = [
      { after: 25, until: 40 },
      { after: 55, until: 70 },
      { after: 81, until: 82 },
      { after: 91, until: 92 },
    ];
    expect(findMissed(owedOf({ after: 0, until: 100, excluded }), 9)).toEqual([
      { first: 10, last: 20, count: 2 },
      { first: 50, last: 50, count: 1 },
      { first: 80, last: 100, count: 3 },
    ]);
  });

  it('is no stretch where two spans have no fire time between them', () => {
    const excluded = [
      { after: 30, until: 42 },
      { after: 48, until: 60 },
    ];
    expect(findMissed(owedOf({ excluded }), 9)).toEqual([{ first: 30, last: 30, count: 1 }]);
  });

  it('finds nothing where nothing is owed', () => {
    expect(findMissed(owedOf({ until: 25 }), 5)).toEqual([]);
  });
});
