import { describe, expect, it } from 'vitest';
import type { History } from './index.js';
import { fault, historyOf, owned, rulesOf, run, runsBut } from './made-history.js';

describe('effects and overlaps', () => {
  it('calls it stale if a store takes an old effect after a newer one', () => {
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

  it('lets two runs overlap if the older holder stood still when the other took over', () => {
    expect(overlapsOf(historyOf([...others, held, taker], pausedUntil(10_900)))).toEqual([]);
  });

  it('reports an overlap with a holder that kept running, unless its signal was aborted', () => {
    expect(overlapsOf(historyOf([...others, held, taker], pausedUntil(10_000)))).toEqual(['overlap 10500']);
    const told = { ...held, abortedAt: 10_100 };
    expect(overlapsOf(historyOf([...others, told, taker], pausedUntil(10_000)))).toEqual([]);
  });

  it('never allows an overlap in which the older token begins later', () => {
    const backwards = { ...taker, token: 1n };
    expect(overlapsOf(historyOf([...others, held, backwards], pausedUntil(10_900)))).toEqual(['overlap 10500']);
  });
});
