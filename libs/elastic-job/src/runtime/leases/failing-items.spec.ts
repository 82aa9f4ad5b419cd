import { expect, it } from 'vitest';
import { FailingItems } from './failing-items.js';

const MINUTE = 60_000;

it('counts from the first failure of an item to its last one, of several items the longest', () => {
  const failing = new FailingItems();

  failing.note(0, 'failed', 5 * MINUTE);
  expect(failing.longestMs([0, 1])).toBe(0);
  failing.note(1, 'failed', 6 * MINUTE);
  failing.note(0, 'failed', 10 * MINUTE);
  failing.note(1, 'failed', 20 * MINUTE);

  expect(failing.longestMs([0, 1])).toBe(14 * MINUTE);
});

it.each(['succeeded', 'fenced'] as const)('counts anew after a run that has %s', (outcome) => {
  const failing = new FailingItems();

  failing.note(0, 'failed', 0);
  failing.note(0, outcome, MINUTE);
  failing.note(0, 'failed', 2 * MINUTE);
  failing.note(0, 'failed', 5 * MINUTE);

  expect(failing.longestMs([0])).toBe(3 * MINUTE);
});

it('counts on over a run that was cut short', () => {
  const failing = new FailingItems();

  failing.note(0, 'failed', 0);
  failing.note(0, 'aborted', MINUTE);
  failing.note(0, 'failed', 2 * MINUTE);

  expect(failing.longestMs([0])).toBe(2 * MINUTE);
});

it('forgets an item that this instance has no more, also if it comes back', () => {
  const failing = new FailingItems();

  failing.note(0, 'failed', 0);
  failing.note(0, 'failed', MINUTE);

  expect([failing.longestMs([1]), failing.longestMs([0, 1])]).toEqual([0, 0]);
});
