import { describe, expect, it } from 'vitest';
import { formatArrival, formatPassed, parseArrival, parsePassed } from './arrival-text.js';

const ROUND = { fireTime: 1_790_000_000_000, origin: 'schedule' } as const;

describe('the text of an arrival', () => {
  it('given one of ours, when it is written and read, then it is the same', () => {
    expect(parseArrival(formatArrival({ by: 'a', round: ROUND }))).toEqual({ by: 'a', round: ROUND });
  });

  it.each(['', '{}', '{"by":"a"}', '{"by":1,"round":{"fireTime":1,"origin":"schedule"}}'])(
    'given %j, when it is read, then it is none',
    (text) => {
      expect(parseArrival(text)).toBeUndefined();
    },
  );

  it('given a round with more than its target, when it is read, then the target is taken alone', () => {
    const text = '{"by":"a","round":{"fireTime":5,"origin":"schedule","mood":1}}';
    expect(parseArrival(text)).toEqual({ by: 'a', round: { fireTime: 5, origin: 'schedule' } });
  });

  it('given a fire time that no text can hold, when it is read, then it is none', () => {
    expect(parseArrival('{"by":"a","round":{"fireTime":1e999,"origin":"schedule"}}')).toBeUndefined();
  });
});

describe('the text of the rounds that are over', () => {
  it('given both phases, when they are written and read, then they are the same', () => {
    const passed = { started: ROUND, completed: { ...ROUND, fireTime: 5 } };
    expect(parsePassed(formatPassed(passed))).toEqual(passed);
  });

  it('given one that is damaged, when they are read, then the other one counts', () => {
    const text = '{"started":{"fireTime":-1e999,"origin":"schedule"},"completed":{"fireTime":5,"origin":"schedule"}}';
    expect(parsePassed(text)).toEqual({ started: undefined, completed: { fireTime: 5, origin: 'schedule' } });
  });
});
