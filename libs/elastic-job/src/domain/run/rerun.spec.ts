import { describe, expect, it } from 'vitest';
import {
  formatRerun,
  formatRerunProgress,
  hasRerunItem,
  inOrderOfReruns,
  isRerunDone,
  nextRerunTarget,
  parseRerun,
  parseRerunProgress,
  progressAfter,
  type Rerun,
  RERUN_LIMITS,
  rerunTargets,
} from './rerun.js';
import { rerunIdOf, triggerIdOf } from './trigger.js';

const RERUN: Rerun = { at: 9_000, items: [3, 5], fireTimes: [1_000, 2_000, 4_000] };

describe('a re-run', () => {
  it('runs the fire times of an item oldest first, and ends after the last one', () => {
    const next = (ended?: number) => {
      const progress = ended === undefined ? undefined : { ended, failed: 0 };
      return nextRerunTarget('r1', RERUN, 3, progress)?.fireTime;
    };
    expect([next(), next(0), next(1), next(2), next(3)]).toEqual([1_000, 1_000, 2_000, 4_000, undefined]);
  });

  it('is the origin of its runs, which have the parameters that the operator has passed', () => {
    const target = nextRerunTarget('r1', { ...RERUN, parameters: 'region=eu' }, 5);
    expect(target).toEqual({ fireTime: 1_000, origin: 'rerun:r1', parameters: 'region=eu' });
    expect(rerunIdOf(target!.origin)).toBe('r1');
    expect(triggerIdOf(target!.origin)).toBeUndefined();
  });

  it('has nothing for other items, and nothing more once it is withdrawn', () => {
    expect(nextRerunTarget('r1', RERUN, 4)).toBeUndefined();
    expect(nextRerunTarget('r1', { ...RERUN, withdrawn: true }, 3)).toBeUndefined();
    expect([3, 4, 5].map((item) => hasRerunItem(RERUN, item))).toEqual([true, false, true]);
  });

  it('counts one target for each item and fire time', () => {
    expect(rerunTargets(RERUN)).toBe(6);
  });

  it('comes after those that were asked for before it, and after a lesser id of the same instant', () => {
    const asked = (id: string, at: number) => ({ id, rerun: { ...RERUN, at } });
    const inOrder = inOrderOfReruns([asked('c', 2), asked('b', 1), asked('a', 2)]);
    expect(inOrder.map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  });
});

describe('the progress of an item', () => {
  it('grows by each fire time that ends, in whatever way', () => {
    const first = progressAfter(RERUN, undefined, 1_000, 'succeeded');
    const second = progressAfter(RERUN, first, 2_000, 'failed');
    const third = progressAfter(RERUN, second, 4_000, 'aborted');
    expect([first, second, third]).toEqual([
      { ended: 1, failed: 0 },
      { ended: 2, failed: 1 },
      { ended: 3, failed: 2 },
    ]);
  });

  it('stays as it is for a fire time that has ended before, and for one that the re-run does not have', () => {
    expect(progressAfter(RERUN, { ended: 2, failed: 1 }, 2_000, 'failed')).toBeUndefined();
    expect(progressAfter(RERUN, undefined, 3_000, 'succeeded')).toBeUndefined();
  });

  it.each([
    ['all of its items are', 10, [3, 3], true],
    ['one of its items is not', 10, [3, 2], false],
    ['one of its items has not begun', 10, [3, undefined], false],
    ['the total was made smaller than the one that is not', 5, [3, 2], true],
    ['the total was made smaller than all of its items', 2, [undefined, undefined], true],
  ])('decides if a re-run is done: %s', (_what, total, [third, fifth], isDone) => {
    const ended = new Map([
      [3, third],
      [5, fifth],
    ]);
    const progressOf = (item: number) => {
      const count = ended.get(item);
      return count === undefined ? undefined : { ended: count, failed: 0 };
    };
    expect(isRerunDone(RERUN, total, progressOf)).toBe(isDone);
  });
});

describe('the text of a re-run', () => {
  it.each([RERUN, { ...RERUN, parameters: 'p', anyTime: true, withdrawn: true }])(
    'is read as it was written: %o',
    (rerun) => {
      expect(parseRerun(formatRerun(rerun))).toEqual(rerun);
    },
  );

  it('has the format that the operations write', () => {
    expect(formatRerun(RERUN)).toBe('{"v":1,"at":9000,"items":[3,5],"fireTimes":[1000,2000,4000]}');
    expect(formatRerunProgress({ ended: 2, failed: 1 })).toBe('{"ended":2,"failed":1}');
  });

  it('is taken up to the limits', () => {
    const ascending = (count: number) => Array.from({ length: count }, (_, n) => n);
    const read = (items: number, times: number) =>
      parseRerun(formatRerun({ at: 1, items: ascending(items), fireTimes: ascending(times) })) !== undefined;
    expect(read(100, RERUN_LIMITS.fireTimes)).toBe(true);
    expect([read(1, RERUN_LIMITS.fireTimes + 1), read(101, 100), read(0, 1), read(1, 0)]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"v":1,"at":1,"items":[1]}',
    '{"v":1,"at":"1","items":[1],"fireTimes":[1]}',
    '{"v":1,"at":1,"items":[2,1],"fireTimes":[1]}',
    '{"v":1,"at":1,"items":[1,1],"fireTimes":[1]}',
    '{"v":1,"at":1,"items":[-1],"fireTimes":[1]}',
    '{"v":1,"at":1,"items":[1],"fireTimes":[2,1]}',
    '{"v":1,"at":1,"items":[1],"fireTimes":[1e300]}',
  ])('is damaged if it is %s', (text) => {
    expect(parseRerun(text)).toBeUndefined();
  });
});

describe('the text of a progress', () => {
  it('is read as it was written', () => {
    expect(parseRerunProgress(formatRerunProgress({ ended: 7, failed: 2 }))).toEqual({ ended: 7, failed: 2 });
  });

  it.each(['', 'null', '{}', '{"ended":-1,"failed":0}', '{"ended":1.5}', '{"ended":"1"}'])(
    'counts as none if it is %s',
    (text) => {
      expect(parseRerunProgress(text)).toBeUndefined();
    },
  );

  it('never has more failures than ends', () => {
    expect(parseRerunProgress('{"ended":1,"failed":9}')).toEqual({ ended: 1, failed: 1 });
    expect(parseRerunProgress('{"ended":1,"failed":"x"}')).toEqual({ ended: 1, failed: 0 });
  });
});
