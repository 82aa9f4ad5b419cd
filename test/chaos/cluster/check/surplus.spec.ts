import { describe, expect, it } from 'vitest';
import type { Fault } from './index.js';
import { fault, historyOf, KILL, LAST, owned, rulesOf, run, runsBut } from './made-history.js';

describe('surplus', () => {
  it.each(['NORMAL_TRIGGER', 'MISFIRE'] as const)('calls a target unexplained if it is run again as %s', (source) => {
    const again = run(7_000, { begunAt: 7_300, source });
    expect(rulesOf(historyOf([...runsBut(), again], { faults: [fault({ from: 7_000 })] }))).toEqual([
      'unexplained 7300',
    ]);
  });

  it('calls a rescue of a run that ended well unexplained, unless its worker was struck', () => {
    const runs = [...runsBut(), run(7_000, { begunAt: 7_500, source: 'FAILOVER', worker: 'b' })];
    expect(rulesOf(historyOf(runs))).toEqual(['unexplained 7500']);
    expect(rulesOf(historyOf(runs, { faults: [fault({ from: 7_100, to: 7_200 })] }))).toEqual([]);
  });

  it.each([
    [900, []],
    [1_100, ['unexplained 10500']],
  ])('explains a rescue by a kill %i ms after the end of its run only within the settle time', (ms, rules) => {
    const ended = run(7_000);
    const rescue = run(7_000, { begunAt: 10_500, source: 'FAILOVER', worker: 'b' });
    const later = runsBut(7_000, 8_000, 9_000, 10_000).map((each) => ({
      ...each,
      worker: each.begunAt < 7_000 ? 'a' : 'b',
    }));
    const killed = fault({ ...KILL, from: ended.endedAt! + ms });
    const history = { faults: [killed, LAST], sights: [owned('a'), owned('b', 10_400)] };
    const found = rulesOf(historyOf([...later, ended, rescue], history));
    expect(found.filter((rule) => rule.startsWith('unexplained'))).toEqual(rules);
  });

  it('explains the rescue of a killed run', () => {
    const killed = run(7_000, { endedAt: undefined, outcome: 'open' });
    const rescue = run(7_000, { begunAt: 10_500, source: 'FAILOVER', worker: 'b' });
    const later = runsBut(7_000, 8_000, 9_000, 10_000).map((each) => ({
      ...each,
      worker: each.begunAt < 7_000 ? 'a' : 'b',
    }));
    const history = { faults: [fault({ ...KILL, from: 7_050 }), LAST], sights: [owned('a'), owned('b', 10_400)] };
    expect(rulesOf(historyOf([...later, killed, rescue], history))).toEqual([]);
  });

  it('calls a rescue of a target without a begin unexplained if nothing was broken', () => {
    const rescue = run(7_000, { source: 'FAILOVER' });
    expect(rulesOf(historyOf([...runsBut(7_000), rescue]))).toEqual(['unexplained 7010']);
  });

  it('explains the rescue of a target that a killed worker with a fast clock began early', () => {
    const rescue = run(7_000, { source: 'FAILOVER', begunAt: 4_500 });
    const rules = (faults: readonly Fault[]) =>
      rulesOf(historyOf([...runsBut(7_000), rescue], { faults })).filter((rule) => rule.startsWith('unexplained'));
    expect(rules([fault({ ...KILL, from: 3_000 }), LAST])).toEqual([]);
    expect(rules([LAST])).toEqual(['unexplained 4500']);
  });

  it('calls a run unexplained if nothing is due at its time', () => {
    expect(rulesOf(historyOf([...runsBut(), run(7_500)]))).toEqual(['unexplained 7510']);
  });

  it('calls one run unexplained if runs without known targets are one too many', () => {
    const untold = [...runsBut(), run(7_000, { begunAt: 7_300 })].map((each) => ({
      ...each,
      fireTime: undefined,
      source: undefined,
    }));
    expect(rulesOf(historyOf(untold))).toEqual(['unexplained 7300']);
    expect(rulesOf(historyOf(untold.filter(({ begunAt }) => begunAt !== 7_010)))).toEqual([]);
  });
});

describe('an end that was refused', () => {
  const locked = fault({
    victim: undefined,
    isPause: false,
    from: 7_050,
    to: 9_000,
    items: { job: 'j', items: [0] },
    retryMs: 1_500,
  });
  const rescue = run(7_000, { begunAt: 13_000, source: 'FAILOVER', worker: 'b' });
  const unexplained = (...faults: readonly Fault[]) =>
    rulesOf(historyOf([...runsBut(), rescue], { faults })).filter((rule) => rule.startsWith('unexplained'));

  it('explains a rescue if its worker stood still before the end was tried again', () => {
    expect(unexplained(locked, fault({ from: 9_500, to: 14_500 }))).toEqual([]);
  });

  it('explains no rescue by itself', () => {
    expect(unexplained(locked)).toEqual(['unexplained 13000']);
  });
});
