import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import type { EndedItem } from './ended-item.js';
import { type DelayedSettles, WaitingSettles } from './waiting-settles.js';

let clock: VirtualClock;
let told: DelayedSettles[];
let waiting: WaitingSettles;
beforeEach(() => {
  clock = new VirtualClock();
  told = [];
  waiting = new WaitingSettles('settle-orders', clock, (delayed) => told.push(delayed));
});

describe('ends that the registry does not record', () => {
  it('are told once, after 5 s, with the first attempt and the latest error', async () => {
    const since = clock.wallNow();
    const end = ended(3);
    waiting.add(end, new Error('first'));
    await clock.advance(4_999);
    waiting.add(end, new Error('latest'));
    expect([told, waiting.delayed]).toEqual([[], undefined]);
    await clock.advance(1);

    const delayed = { jobName: 'settle-orders', items: [3], since, error: new Error('latest') };
    expect(told).toEqual([delayed]);
    await clock.advance(60_000);
    expect(told).toHaveLength(1);
    expect(waiting.delayed).toEqual(delayed);
  });

  it('are told together if they are due within half a second, ascending, by the oldest of them', async () => {
    const since = clock.wallNow();
    waiting.add(ended(7), new Error('of 7'));
    await clock.advance(500);
    waiting.add(ended(2), new Error('of 2'));
    await clock.advance(4_500);

    expect(told).toEqual([{ jobName: 'settle-orders', items: [2, 7], since, error: new Error('of 7') }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('are told each in its time if they are further apart', async () => {
    waiting.add(ended(7), new Error('of 7'));
    await clock.advance(501);
    waiting.add(ended(2), new Error('of 2'));
    await clock.advance(4_499);
    expect(told.map(({ items }) => items)).toEqual([[7]]);
    await clock.advance(500);
    expect(told).toHaveLength(1);
    await clock.advance(1);

    expect(told.map(({ items }) => items)).toEqual([[7], [2]]);
    expect(waiting.delayed).toMatchObject({ items: [2, 7], error: new Error('of 7') });
  });

  it('are not told, and leave no timer, once they are recorded', async () => {
    const [one, two] = [ended(1), ended(2)];
    waiting.add(one, new Error('no'));
    waiting.add(two, new Error('no'));
    expect([waiting.size, waiting.has(one)]).toEqual([2, true]);

    waiting.delete(one);
    expect([waiting.size, waiting.has(one), clock.pendingTimers]).toEqual([1, false, 1]);
    waiting.delete(two);
    expect([waiting.size, clock.pendingTimers]).toEqual([0, 0]);
    await clock.advance(60_000);

    expect(told).toEqual([]);
  });

  it('are told anew for those that come after all were recorded', async () => {
    const first = ended(1);
    waiting.add(first, new Error('no'));
    waiting.delete(first);
    await clock.advance(3_000);
    waiting.add(ended(2), new Error('no'));
    await clock.advance(5_000);

    expect(told.map(({ items }) => items)).toEqual([[2]]);
  });

  it('are late no more once they are recorded', async () => {
    const [one, two] = [ended(1), ended(2)];
    waiting.add(one, new Error('no'));
    waiting.add(two, new Error('no'));
    await clock.advance(5_000);

    waiting.delete(one);
    expect(waiting.delayed).toMatchObject({ items: [2] });
    waiting.delete(two);
    expect(waiting.delayed).toBeUndefined();
  });
});

function ended(item: number): EndedItem {
  return {
    item,
    fireTime: 0,
    paths: [],
    operations: [],
    isDisturbed: false,
    judgeStanding: () => 'open',
    onSettled: () => {},
  };
}
