import { describe, expect, it } from 'vitest';
import { decideReference, offsetsByProcess } from './registry-trust.decision.js';

const HOUR = 3_600_000;
const TOLERANCE = 10_000;

it.each<[string, number, readonly number[], number]>([
  ['alone', HOUR, [], 0],
  ['with another that agrees', HOUR, [HOUR + 500], HOUR + 500],
  ['with another that agrees with the registry', HOUR, [0], 0],
  ['in a majority', HOUR, [HOUR, 0], HOUR],
  ['in a minority', HOUR, [HOUR, 0, 0], 0],
  ['in a half', HOUR, [HOUR, 0, 100], 0],
  ['behind the registry with all others', -HOUR, [-HOUR, -HOUR], -HOUR],
  ['with others that are off the other way', HOUR, [-HOUR, -HOUR], -HOUR],
  ['that agrees with the registry against most', 0, [HOUR, HOUR + 1, HOUR + 2], HOUR + 1],
  ['off by no more than the tolerance', TOLERANCE, [TOLERANCE], 0],
  ['with others in any order', 0, [HOUR + 2, 5, HOUR, HOUR + 1, HOUR + 3], HOUR + 2],
  ['with others that differ by no more than the tolerance', HOUR, [HOUR + TOLERANCE, 0], HOUR + TOLERANCE],
])(
  'takes for an instance %s (own offset %i, others %j) the clock that is %i ms ahead of the registry',
  (_, own, others, ms) => {
    expect(decideReference(own, others, TOLERANCE, 0)).toBe(ms);
  },
);

it.each<[string, number, readonly number[], number]>([
  ['the others have left', HOUR + 5, [], HOUR],
  ['half of them agree with the registry', 0, [HOUR], HOUR],
  ['all of them agree with the registry', 0, [0], 0],
  ['the last one agrees with the registry', 0, [], 0],
])('chooses again after the registry was found wrong if %s (own offset %i, others %j): %i ms', (_, own, others, ms) => {
  expect(decideReference(own, others, TOLERANCE, HOUR)).toBe(ms);
});

describe('the clocks that vote', () => {
  const told = (jobInstanceId: string, offsetMs: number, reportedIn: bigint) => ({
    jobInstanceId,
    offsetMs,
    reportedIn,
  });

  it('are one for each process, in however many jobs it has reported its offset', () => {
    const inTwoJobs = [told('10.0.0.1@-@7-1a', HOUR, 3n), told('10.0.0.1@-@7-1a', HOUR, 4n)];
    expect([...offsetsByProcess(inTwoJobs)]).toEqual([['10.0.0.1@-@7', HOUR]]);
  });

  it('are not more while the nodes of a lost session are there, and the latest report counts', () => {
    const latest = told('10.0.0.1@-@7-2b', 0, 9n);
    const lost = told('10.0.0.1@-@7-1a', HOUR, 3n);
    expect([...offsetsByProcess([latest, lost]).values()]).toEqual([0]);
    expect([...offsetsByProcess([lost, latest]).values()]).toEqual([0]);
  });

  it('are those of different processes, of one server too', () => {
    expect(offsetsByProcess([told('10.0.0.1@-@7-1a', 0, 1n), told('10.0.0.1@-@8-1b', 0, 2n)]).size).toBe(2);
  });
});
