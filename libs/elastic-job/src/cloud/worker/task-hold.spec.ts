import { expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import { TaskHold } from './task-hold.js';

function start() {
  const clock = new VirtualClock();
  const over: string[] = [];
  const onOver = (reason: unknown) => over.push(reason instanceof Error ? reason.message : String(reason));
  const hold = new TaskHold(clock, onOver, () => {});
  onTestFinished(() => hold.stop());
  return { clock, hold, over };
}

it('holds a run without grants up to its limit', async () => {
  const { clock, hold, over } = start();
  const limits: number[] = [];
  hold.limit(5_000, () => limits.push(clock.monotonicNow()));
  await hold.begin(false);

  await clock.advance(4_999);
  expect(hold.isHeld).toBe(true);
  await clock.advance(1);
  expect([hold.isHeld, limits, over, clock.pendingTimers]).toEqual([false, [5_000], [], 0]);
});

it('ends a run for good once the time of its last grant is over', async () => {
  const { clock, hold, over } = start();
  hold.grant(1_000);
  await hold.begin(true);
  for (let beat = 0; beat < 10; beat += 1) {
    await clock.advance(250);
    hold.grant(1_000);
  }

  await clock.advance(750);
  expect(hold.isHeld).toBe(true);
  await clock.advance(250);
  expect(over).toEqual(['The scheduler has sent nothing for longer than the time that it had granted.']);
  hold.grant(1_000);
  expect([hold.isHeld, over.length, clock.pendingTimers]).toEqual([false, 1, 0]);
});

it('begins a run at the next grant if the application boots longer than a grant lasts', async () => {
  const { clock, hold, over } = start();
  hold.grant(1_000);
  await clock.advance(5_000);
  const state = { hasBegun: false };
  const begun = hold.begin(true).then(() => (state.hasBegun = true));
  await clock.advance(100);
  expect([state.hasBegun, over]).toEqual([false, []]);

  hold.grant(1_000);
  await begun;
  expect([hold.isHeld, over]).toEqual([true, []]);
});

it('waits for no grant if the item is lost before the run begins', async () => {
  const { hold, over } = start();
  const begun = hold.begin(true);

  hold.lose('gone');
  await begun;
  expect([hold.isHeld, over]).toEqual([false, ['gone']]);
});
