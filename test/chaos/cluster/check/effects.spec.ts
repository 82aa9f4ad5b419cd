import { describe, expect, it } from 'vitest';
import type { History } from './index.js';
import { fault, historyOf, owned, rulesOf, run, runsBut } from './made-history.js';

describe('effects and overlaps', () => {
  it('given a store that takes an old effect after a newer one, then that is stale', () => {
    const history = historyOf(runsBut());
    const [first, ...rest] = history.effects;
    const stale = { ...first!, position: 1_000, at: 9_500 };
    expect(rulesOf({ ...history, effects: [...rest, stale] })).toEqual(['stale effect 9500']);
  });

  const held = run(7_000, { endedAt: 11_000, outcome: 'refused' });
  const taker = run(7_000, { begunAt: 10_500, source: 'FAILOVER', worker: 'b' });
  const others = runsBut(7_000, 8_000, 9_000, 10_000);
  const pausedUntil = (to: number) => ({
    faults: [fault({ from: 7_050, to })],
    sights: [owned('a'), owned('b', 10_400)],
  });
  const overlapsOf = (history: History) =>
    rulesOf({ ...history, effects: [] }).filter((rule) => rule.startsWith('overlap'));

  it('given a holder that stood still when another took over, then the two may overlap', () => {
    expect(overlapsOf(historyOf([...others, held, taker], pausedUntil(10_900)))).toEqual([]);
  });

  it('given a holder that ran when another took over, then it should have known, unless its signal had told it', () => {
    expect(overlapsOf(historyOf([...others, held, taker], pausedUntil(10_000)))).toEqual(['overlap 10500']);
    const told = { ...held, abortedAt: 10_100 };
    expect(overlapsOf(historyOf([...others, told, taker], pausedUntil(10_000)))).toEqual([]);
  });

  it('given an overlap in which the older token is the later begin, then that is never right', () => {
    const backwards = { ...taker, token: 1n };
    expect(overlapsOf(historyOf([...others, held, backwards], pausedUntil(10_900)))).toEqual(['overlap 10500']);
  });
});
