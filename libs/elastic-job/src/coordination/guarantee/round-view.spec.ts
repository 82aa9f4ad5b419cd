import { describe, expect, it } from 'vitest';
import { formatArrival, formatPassed, parseArrival, parsePassed } from './round-view.js';

const ROUND = { fireTime: 1_790_000_000_000, origin: 'schedule' } as const;

describe('the text of an arrival', () => {
  it('is read as it was written', () => {
    expect(parseArrival(formatArrival({ by: 'a', round: ROUND }))).toEqual({ by: 'a', round: ROUND });
  });

  it.each(['', '{}', '{"by":"a"}', '{"by":1,"round":{"fireTime":1,"origin":"schedule"}}'])(
    'is no arrival if it is %j',
    (text) => {
      expect(parseArrival(text)).toBeUndefined();
    },
  );

  it('is read with the target of its round alone', () => {
    const text = '{"by":"a","round":{"fireTime":5,"origin":"schedule","mood":1}}';
    expect(parseArrival(text)).toEqual({ by: 'a', round: { fireTime: 5, origin: 'schedule' } });
  });

  it('is no arrival if its fire time is not finite', () => {
    expect(parseArrival('{"by":"a","round":{"fireTime":1e999,"origin":"schedule"}}')).toBeUndefined();
  });
});

describe('the text of the rounds that are over', () => {
  it('holds both phases as they were written', () => {
    const passed = { started: ROUND, completed: { ...ROUND, fireTime: 5 } };
    expect(parsePassed(formatPassed(passed))).toEqual(passed);
  });

  it('keeps one phase if the other is damaged', () => {
    const text = '{"started":{"fireTime":-1e999,"origin":"schedule"},"completed":{"fireTime":5,"origin":"schedule"}}';
    expect(parsePassed(text)).toEqual({ started: undefined, completed: { fireTime: 5, origin: 'schedule' } });
  });
});
