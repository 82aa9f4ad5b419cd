import { expect, it, vi } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { TextTurns } from './text-turns.js';

it('reads texts in one turn of the event loop up to 50,000 characters, and a longer one alone', async () => {
  const clock = new VirtualClock();
  const turn = vi.spyOn(clock, 'nextTurn');
  const turns = new TextTurns(clock);
  const turnsBefore: number[] = [];

  for (const length of [30_000, 20_000, 1, 60_000, 1]) {
    await turns.admit(length);
    turnsBefore.push(turn.mock.calls.length);
  }

  expect(turnsBefore).toEqual([0, 0, 1, 2, 3]);
});
