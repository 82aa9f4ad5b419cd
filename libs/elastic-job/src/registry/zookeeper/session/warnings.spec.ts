import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../clock/index.js';
import { LoopWatch } from './warnings.js';

const clock = new SystemClock();

describe('the watch over the event loop', () => {
  it('reports once how long the loop was blocked beyond the limit', async () => {
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
  it('reports nothing if the loop is often busy for less than the limit', calm, async () => {
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

  it('reports no blocked loop after it was stopped', async () => {
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
