import { describe, expect, it } from 'vitest';
import { InstanceClock, VirtualClock } from '../../../testing/index.js';
import { LoopWatch } from './warnings.js';

describe('the watch over the event loop', () => {
  it('reports once how long the loop was blocked beyond the limit', async () => {
    const { block, reports, watch } = setUp();
    watch.start(80);
    await block(160);
    // The next of the eight checks within the limit was due after 10 ms.
    expect(reports).toEqual([150]);
  });

  it('reports nothing if the loop is often busy for less than the limit', async () => {
    const { block, reports, watch } = setUp();
    watch.start(80);
    for (let round = 0; round < 10; round += 1) await block(79);
    expect(reports).toEqual([]);
  });

  it('reports no blocked loop after it was stopped', async () => {
    const { block, reports, watch } = setUp();
    watch.start(80);
    watch.stop();
    await block(160);
    expect(reports).toEqual([]);
  });
});

function setUp() {
  const time = new VirtualClock();
  const clock = new InstanceClock(time);
  const reports: number[] = [];
  const watch = new LoopWatch(clock, (stillMs) => reports.push(stillMs));
  /** Time goes on, and nothing has its turn meanwhile. */
  const block = async (ms: number): Promise<void> => {
    clock.pause();
    await time.advance(ms);
    clock.resume();
    await time.advance(1);
  };
  return { block, reports, watch };
}
