import { describe, expect, it } from 'vitest';
import { clockOffsetMs, refineTime, timeAt, TimeDifferenceError } from './registry-time.js';

const SAMPLE = { time: 50_000, sent: 100, received: 120 };

describe('registry time', () => {
  it('spans the time that the first write took, and the millisecond that the registry does not tell', () => {
    expect(refineTime(undefined, SAMPLE)).toEqual({ earliest: 50_000, latest: 50_021, at: 120 });
  });

  it('moves on with the monotonic clock, and is widened by 200 millionths of its age', () => {
    const known = refineTime(undefined, SAMPLE);
    expect(timeAt(known, 10_120)).toEqual({ earliest: 59_998, latest: 60_023 });
    expect(timeAt(known, 100)).toEqual({ earliest: 50_000, latest: 50_021 });
  });

  it('is what two samples have in common', () => {
    const known = refineTime(undefined, SAMPLE);
    const slow = refineTime(known, { time: 51_500, sent: 1_000, received: 3_000 });
    expect(slow).toEqual({ ...timeAt(known, 3_000), at: 3_000 });
    const quick = refineTime(known, { time: 50_890, sent: 1_000, received: 1_002 });
    expect(quick).toEqual({ earliest: 50_890, latest: 50_893, at: 1_002 });
  });

  it.each([
    ['back', 43_000],
    ['forward', 57_000],
  ])('starts anew with a sample that contradicts it: the registry was set %s', (_, time) => {
    const known = refineTime(undefined, SAMPLE);
    expect(refineTime(known, { time, sent: 1_000, received: 1_010 })).toEqual({
      earliest: time,
      latest: time + 11,
      at: 1_010,
    });
  });

  it.each([
    [999, -1],
    [1_000, 0],
    [1_020, 0],
    [1_025, 5],
  ])('says of a wall clock at %d ms that it is off by %d ms', (wall, offset) => {
    expect(clockOffsetMs(wall, { earliest: 1_000, latest: 1_020 })).toBe(offset);
  });
});

it.each([
  [4_000, "4000 ms ahead of the registry's"],
  [-4_000, "4000 ms behind the registry's"],
])('a trigger refused for a difference of %i ms is told which clock is ahead', (differenceMs, told) => {
  expect(new TimeDifferenceError('settle', differenceMs, 3).message).toContain(told);
});
