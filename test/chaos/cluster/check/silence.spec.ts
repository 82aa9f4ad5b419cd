import { describe, expect, it } from 'vitest';
import type { History, Told } from './index.js';
import { fault, historyOf, KILL, LAST, owned, rulesOf, run, runsBut } from './made-history.js';

describe('silence', () => {
  const passedBy = (told: readonly Told[], given: Partial<History> = {}) =>
    rulesOf(historyOf(runsBut(7_000), { told, slackMs: 3_000, ...given }));
  const missed = { job: 'j', item: 0, worker: 'a', at: 8_005, from: 7_000, to: 7_000 };

  it('calls a target silent if a later begin has skipped it without a report', () => {
    expect(passedBy([])).toEqual(['silent 7000']);
    expect(passedBy([missed])).toEqual([]);
    expect(passedBy([{ ...missed, item: 1 }])).toEqual(['silent 7000']);
  });

  it('allows no target to be both run and reported as missed, or reported twice', () => {
    expect(passedBy([missed, { ...missed, worker: 'b' }])).toEqual(['contradicted 7000']);
    expect(passedBy([{ ...missed, to: 8_000 }])).toEqual(['contradicted 8000']);
  });

  it('excuses a begin whose process died before it could report, as its rescue shows', () => {
    const rescue = run(8_000, { begunAt: 11_700, worker: 'b', source: 'FAILOVER' });
    const runs = [...runsBut(7_000, 8_000, 9_000, 10_000, 11_000), rescue];
    const told = [{ ...missed, from: 9_000, to: 11_000 }];
    const faults = [fault({ ...KILL, from: 8_005 }), LAST];
    const sights = [owned('a'), owned('a', 8_004, 'a'), owned('b', 11_650)];
    expect(rulesOf(historyOf(runs, { told, faults, sights, slackMs: 3_000 }))).toEqual([]);
    const begun = run(8_000, { endedAt: undefined, outcome: 'open' });
    const heard = historyOf([...runs, begun], { told, faults, sights, slackMs: 3_000 });
    expect(rulesOf(heard)).toEqual(['silent 7000']);
  });

  it('asks for no report of what was owed when the settings were edited', () => {
    const edit = { victim: undefined, isPause: false, edits: 'j', items: { job: 'j', items: [1] } };
    const from = (at: number, to: number) => ({ faults: [fault({ ...edit, from: at, to }), LAST] });
    expect(passedBy([], from(6_500, 7_500))).toEqual([]);
    expect(passedBy([], from(7_500, 7_800))).toEqual([]);
    expect(passedBy([], from(12_000, 12_500))).toEqual(['silent 7000']);
    const stepped = fault({ from: 6_000, to: 6_500, isClock: true, isPause: false });
    expect(passedBy([], { faults: [...from(12_000, 12_500).faults, stepped] })).toEqual([]);
    const registry = [
      { from: 0, aheadMs: 0 },
      { from: 9_000, aheadMs: 5_000 },
    ];
    expect(passedBy([], { ...from(12_000, 12_500), registry })).toEqual([]);
    expect(passedBy([missed, { ...missed, worker: 'b' }], from(6_500, 7_500))).toEqual(['contradicted 7000']);
  });

  it('asks for no reports of workers that report nothing', () => {
    expect(rulesOf(historyOf(runsBut(7_000), { told: undefined, slackMs: 3_000 }))).toEqual([]);
  });
});
