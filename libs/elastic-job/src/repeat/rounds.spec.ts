import { expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { keepRounds } from './rounds.js';

it('does its work in rounds, also after one that fails, until its signal aborts', async () => {
  const clock = new VirtualClock();
  const ending = new AbortController();
  const rounds: number[] = [];
  const errors: unknown[] = [];
  const work = async () => {
    rounds.push(clock.monotonicNow());
    if (rounds.length === 2) throw new Error('broken');
  };
  const options = {
    clock,
    signal: ending.signal,
    longestMs: 1_000,
    spread: 0.5,
    onError: (e: unknown) => errors.push(e),
  };

  const over = keepRounds(work, options);
  await clock.advance(4_000);
  ending.abort();
  await over;
  const pauses = rounds.map((at, index) => at - (rounds[index - 1] ?? 0));

  expect(pauses.every((ms) => ms >= 500 && ms <= 1_000)).toBe(true);
  expect([rounds.length >= 4, errors, clock.pendingTimers]).toEqual([true, [new Error('broken')], 0]);
});
