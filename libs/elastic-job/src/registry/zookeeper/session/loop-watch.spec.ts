import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../clock/index.js';
import { LoopWatch } from './loop-watch.js';

const clock = new SystemClock();

describe('the watch over the event loop', () => {
  it('given a loop blocked beyond the limit, when it goes on, then the duration is told once', async () => {
    const told: number[] = [];
    const watch = new LoopWatch(clock, (stillMs) => told.push(stillMs));
    watch.start(80);
    block(160);
    await clock.sleep(40);
    watch.stop();
    expect(told).toHaveLength(1);
    expect(told[0]).toBeGreaterThan(130);
  });

  // Retried, since the machine itself may stand still meanwhile, which is then told rightly.
  const calm = { retry: 2 };
  it('given a loop that turns, when it is often busy for less than the limit, then nothing is told', calm, async () => {
    const told: number[] = [];
    const watch = new LoopWatch(clock, (stillMs) => told.push(stillMs));
    watch.start(300);
    for (let round = 0; round < 10; round += 1) {
      block(50);
      await clock.sleep(1);
    }
    watch.stop();
    expect(told).toEqual([]);
  });

  it('given a watch that was stopped, when the loop stands still, then nothing is told', async () => {
    const told: number[] = [];
    const watch = new LoopWatch(clock, (stillMs) => told.push(stillMs));
    watch.start(20);
    watch.stop();
    block(60);
    await clock.sleep(5);
    expect(told).toEqual([]);
  });
});

function block(ms: number): void {
  const until = clock.monotonicNow() + ms;
  while (clock.monotonicNow() < until);
}
