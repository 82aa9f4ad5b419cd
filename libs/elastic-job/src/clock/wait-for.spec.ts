import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { waitFor } from './wait-for.js';

function setUp(...signals: readonly AbortSignal[]) {
  const calls: string[] = [];
  let conclude: (value: number) => void = () => {};
  const arm = (resolve: (value: number) => void) => {
    calls.push('armed');
    conclude = resolve;
    return () => void calls.push('disarmed');
  };
  return { calls, waiting: waitFor(arm, ...signals), conclude: (value: number) => conclude(value) };
}

describe('a wait', () => {
  it('ends with the value of its callback, and is disarmed', async () => {
    const { calls, waiting, conclude } = setUp(new AbortController().signal);
    conclude(7);
    await expect(waiting).resolves.toBe(7);
    expect(calls).toEqual(['armed', 'disarmed']);
  });

  it('rejects with the reason of the second signal if that aborts, and is disarmed', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const { calls, waiting } = setUp(first.signal, second.signal);
    second.abort(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
    expect(calls).toEqual(['armed', 'disarmed']);
  });

  it('rejects and arms nothing if its signal has already aborted', async () => {
    const { calls, waiting } = setUp(AbortSignal.abort(new Error('over')));
    await expect(waiting).rejects.toThrow('over');
    expect(calls).toEqual([]);
  });

  it('adds one listener to a signal, however many wait, and leaves none', async () => {
    const ending = new AbortController();
    const all = Array.from({ length: 20 }, () => setUp(ending.signal));
    expect(getEventListeners(ending.signal, 'abort')).toHaveLength(1);
    all[0]!.conclude(1);
    await expect(all[0]!.waiting).resolves.toBe(1);
    ending.abort(new Error('over'));
    const ends = await Promise.allSettled(all.map(({ waiting }) => waiting));
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(19);
    expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
  });
});
