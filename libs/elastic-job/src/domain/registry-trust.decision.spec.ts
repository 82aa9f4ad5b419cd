import { expect, it } from 'vitest';
import { decideReference } from './registry-trust.decision.js';

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
])('given an instance %s, the clock that counts is ahead of the registry by %s, %j: %i ms', (_, own, others, ms) => {
  expect(decideReference(own, others, TOLERANCE, 0)).toBe(ms);
});

it.each<[string, number, readonly number[], number]>([
  ['the others have left', HOUR + 5, [], HOUR],
  ['half of them agree with the registry', 0, [HOUR], HOUR],
  ['all of them agree with the registry', 0, [0], 0],
  ['the last one agrees with the registry', 0, [], 0],
])(
  'given a registry that was found wrong, when %s, then the clock that counts follows (%i, %j): %i ms',
  (_, own, others, ms) => {
    expect(decideReference(own, others, TOLERANCE, HOUR)).toBe(ms);
  },
);
