import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import { DelayAlarm, type DelayedSettles, type End } from './delay-alarm.js';

let clock: VirtualClock;
let told: DelayedSettles[];
let ends: Set<End>;
let alarm: DelayAlarm;
beforeEach(() => {
  clock = new VirtualClock();
  told = [];
  ends = new Set();
  alarm = new DelayAlarm('settle-orders', clock, ends, (delayed) => told.push(delayed));
});

describe('ends that the registry does not record', () => {
  it('are told once, after 5 s, with the first attempt and the latest error', async () => {
    const since = clock.wallNow();
    const end = ended(3);
    alarm.note(end, new Error('first'));
    await clock.advance(4_999);
    alarm.note(end, new Error('latest'));
    expect([told, alarm.delayed]).toEqual([[], undefined]);
    await clock.advance(1);

    const delayed = { jobName: 'settle-orders', items: [3], since, error: new Error('latest') };
    expect(told).toEqual([delayed]);
    await clock.advance(60_000);
    expect(told).toHaveLength(1);
    expect(alarm.delayed).toEqual(delayed);
  });

  it('are told together if they are due within half a second, ascending, by the oldest of them', async () => {
    const since = clock.wallNow();
    const last = ended(2);
    alarm.note(ended(7), new Error('of 7'));
    await clock.advance(500);
    alarm.note(last, new Error('of 2'));
    await clock.advance(4_500);

    expect(told).toEqual([{ jobName: 'settle-orders', items: [2, 7], since, error: new Error('of 7') }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('are told each in its time if they are further apart', async () => {
    alarm.note(ended(7), new Error('of 7'));
    await clock.advance(501);
    alarm.note(ended(2), new Error('of 2'));
    await clock.advance(1_000);
    alarm.note(ended(9), new Error('of 9'));
    await clock.advance(3_499);
    expect(told.map(({ items }) => items)).toEqual([[7]]);
    await clock.advance(500);
    expect(told).toHaveLength(1);
    await clock.advance(1);

    expect(told.map(({ items }) => items)).toEqual([[7], [2]]);
    expect(alarm.delayed).toMatchObject({ items: [2, 7], error: new Error('of 7') });
    await clock.advance(1_000);
    expect(told.map(({ items }) => items)).toEqual([[7], [2], [9]]);
  });

  it('are not told, and leave no timer, once they are recorded', async () => {
    const [one, two] = [ended(1), ended(2)];
    alarm.note(one, new Error('no'));
    alarm.note(two, new Error('no'));
    expect([forget(one), clock.pendingTimers]).toEqual([false, 1]);
    expect([forget(two), forget(two), clock.pendingTimers]).toEqual([true, false, 0]);
    await clock.advance(60_000);

    expect(told).toEqual([]);
  });

  it('are told anew for those that come after all were recorded', async () => {
    const first = ended(1);
    alarm.note(first, new Error('no'));
    forget(first);
    await clock.advance(3_000);
    alarm.note(ended(2), new Error('no'));
    await clock.advance(5_000);

    expect(told.map(({ items }) => items)).toEqual([[2]]);
  });

  it('are late no more once they are recorded', async () => {
    const [one, two] = [ended(1), ended(2)];
    alarm.note(one, new Error('no'));
    alarm.note(two, new Error('no'));
    await clock.advance(5_000);

    forget(one);
    expect(alarm.delayed).toMatchObject({ items: [2] });
    forget(two);
    expect(alarm.delayed).toBeUndefined();
  });
});

function ended(item: number): End {
  const judgeStanding = () => 'open' as const;
  const settle = { paths: [], operations: [], isDisturbed: false, judgeStanding, onSettled: () => {} };
  const end: End = { ended: { item, fireTime: 0, ...settle }, state: 'queued', lostRaces: 0, delay: undefined };
  ends.add(end);
  return end;
}

function forget(end: End): boolean {
  ends.delete(end);
  return alarm.forget(end);
}
