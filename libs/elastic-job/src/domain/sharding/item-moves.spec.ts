import { describe, expect, it } from 'vitest';
import { causeOfMoves, type FormerOwnerState, movesBetween } from './item-moves.js';

describe('the moves of a plan', () => {
  it('are the items with another owner, those that are new, and those that end', () => {
    const former = new Map([
      [0, 'a'],
      [1, 'b'],
      [3, 'b'],
    ]);
    const plan = new Map([
      [2, 'a'],
      [1, 'a'],
      [0, 'a'],
    ]);
    expect([...movesBetween(former, plan)]).toEqual([
      [1, { from: 'b', to: 'a' }],
      [2, { from: undefined, to: 'a' }],
      [3, { from: 'b', to: undefined }],
    ]);
  });
});

describe('the cause of the moves', () => {
  it.each<[cause: string | undefined, former: string, plan: string, states: Record<string, FormerOwnerState>]>([
    ['joined', '', 'ab', {}],
    ['joined', 'aa', 'ab', { a: 'available' }],
    ['joined', 'aab', 'bca', { a: 'available', b: 'available' }],
    ['crashed', 'ab', 'aa', { b: 'gone' }],
    ['crashed', 'abc', 'aaa', { b: 'leaving', c: 'gone' }],
    ['left', 'ab', 'aa', { b: 'leaving' }],
    ['left', 'abc', 'aaa', { b: 'disabled', c: 'leaving' }],
    ['disabled', 'ab', 'aa', { b: 'disabled' }],
    ['total', 'ab', 'aba', { a: 'available', b: 'available' }],
    ['total', 'aba', 'ab', { a: 'available', b: 'available' }],
    ['operator', 'ab', 'ba', { a: 'available', b: 'available' }],
    [undefined, 'ab', 'ab', { a: 'available', b: 'available' }],
  ])('is %s from owners "%s" to "%s"', (cause, former, plan, states) => {
    const owners = ownersIn(plan);
    expect(causeOfMoves(movesBetween(ownersIn(former), owners), owners, (id) => states[id]!)).toBe(cause);
  });
});

/** A letter for each item: its owner. */
function ownersIn(letters: string): ReadonlyMap<number, string> {
  return new Map(letters.split('').map((owner, item) => [item, owner]));
}
