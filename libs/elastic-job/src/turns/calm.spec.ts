import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { Calm } from './calm.js';

/** Callers that note when they resume. */
function callers() {
  const clock = new VirtualClock();
  const calm = new Calm(clock);
  const resumed: number[] = [];
  const wait = (caller: number) => void calm.until().then(() => resumed.push(caller));
  return { calm, clock, resumed, wait };
}

describe('work that may come later', () => {
  it('goes on in the next turn if nothing urgent is under way', async () => {
    const { clock, resumed, wait } = callers();
    wait(1);
    expect(resumed).toEqual([]);
    await clock.advance(0);
    expect(resumed).toEqual([1]);
  });

  it('goes on when the urgent work has ended', async () => {
    const { calm, clock, resumed, wait } = callers();
    calm.begin();
    calm.begin();
    wait(1);
    calm.end();
    await clock.advance(100);
    expect(resumed).toEqual([]);
    calm.end();
    await clock.advance(0);
    expect(resumed).toEqual([1]);
  });

  it('goes on after 200 ms, each caller by its own wait', async () => {
    const { calm, clock, resumed, wait } = callers();
    calm.begin();
    wait(1);
    await clock.advance(199);
    wait(2);
    await clock.advance(1);
    expect(resumed).toEqual([1, 2]);
    wait(3);
    await clock.advance(199);
    expect(resumed).toEqual([1, 2]);
    await clock.advance(1);
    expect(resumed).toEqual([1, 2, 3]);
  });

  it('goes on in its order, some of it in each turn', async () => {
    const { clock, resumed, wait } = callers();
    const all = [...Array(400).keys()];
    for (const caller of all) wait(caller);
    const turns: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await clock.nextTurn();
      turns.push(resumed.length);
    }
    await clock.advance(0);
    expect(resumed).toEqual(all);
    expect(turns[0]).toBeLessThan(200);
  });

  it('goes on before the next caller resumes, as far as it needs no event', async () => {
    const { calm, clock } = callers();
    const steps: string[] = [];
    const take = async (caller: string): Promise<void> => {
      await calm.until();
      for (const step of [1, 2, 3]) await Promise.resolve(steps.push(`${caller}${step}`));
    };
    void take('a');
    void take('b');
    await clock.advance(0);
    expect(steps).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
  });

  it('goes on if it came while others were resumed', async () => {
    const { clock, resumed, wait } = callers();
    for (const caller of Array(200).keys()) wait(caller);
    await clock.nextTurn();
    await clock.nextTurn();
    wait(200);
    await clock.advance(0);
    expect(resumed).toHaveLength(201);
  });

  it('leaves no timer behind', async () => {
    const { clock, wait } = callers();
    wait(1);
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(0);
  });
});
