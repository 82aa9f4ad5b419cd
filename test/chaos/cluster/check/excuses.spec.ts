import { describe, expect, it } from 'vitest';
import type { Fault } from './index.js';
import { fault, historyOf, KILL, LAST, owned, rulesOf, run, runsBut } from './made-history.js';

describe('clocks', () => {
  const AHEAD_MS = 60_000;
  /** Worker a's clock is a minute ahead for a moment. */
  const early = run(7_000 + AHEAD_MS, { begunAt: 7_010 });
  const told = { job: 'j', item: 0, fireTime: early.fireTime! };

  it('do not let a run that began early stand for targets that become due meanwhile', () => {
    const others = runsBut(7_000, 8_000, 9_000);
    expect(rulesOf(historyOf([...others, early], { told: undefined, early: [told] }))).toContain('lost 7000');
    const later = { ...early, begunAt: 7_500, endedAt: 7_600 };
    expect(rulesOf(historyOf([...runsBut(), later], { told: undefined, early: [told] }))).toEqual([]);
  });

  it('let a target run again at its time if its early begin was reported', () => {
    const first = run(12_000, { begunAt: 1_500, endedAt: 1_600 });
    const again = run(12_000, { begunAt: 12_010 });
    const runs = [...runsBut(12_000), first, again];
    const heard = [{ ...told, fireTime: 12_000 }];
    expect(rulesOf(historyOf(runs, { early: heard }))).toEqual([]);
    expect(rulesOf(historyOf(runs))).toEqual(['unexplained 12010']);
    expect(rulesOf(historyOf([...runs, run(12_000, { begunAt: 12_500 })], { early: heard }))).toEqual([
      'unexplained 12500',
    ]);
  });

  it('are judged by the clock of the server that leads', () => {
    const first = run(12_000, { begunAt: 1_500, endedAt: 1_600 });
    const again = run(12_000, { begunAt: 12_010 });
    const given = { early: [{ ...told, fireTime: 12_000 }], registry: [{ from: 0, aheadMs: 5_000 }] };
    expect(rulesOf(historyOf([...runsBut(12_000), first, again], given))).toEqual(['unexplained 12010']);
  });

  it('excuse an owner only while its clock is wrong', () => {
    const faults = [fault({ isPause: false, keepsSession: true, from: 3_900, to: 9_500 }), LAST];
    const runs = runsBut(4_000, 5_000, 6_000, 7_000, 8_000, 9_000);
    expect(rulesOf(historyOf(runs, { faults, sights: [owned('a')] }))).toEqual([]);
    expect(rulesOf(historyOf(runs, { faults, sights: [owned('b')] }))).toContain('lost 4000');
  });
});

describe('deaths', () => {
  const death = fault({ ...KILL, victim: 'b', from: 3_900 });
  const ensemble = (from: number, to: number) =>
    fault({ kind: 'ensemble restarted', isPause: false, victim: undefined, from, to });
  /** The first run after the death comes at 11 s. */
  const runs = runsBut(4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000);
  const rules = (restart: Fault) => rulesOf(historyOf(runs, { faults: [death, restart, LAST], sights: [owned('b')] }));

  it('excuse until restarted servers have timed out the dead session again, and no longer', () => {
    expect(rules(ensemble(6_500, 7_800))).toEqual([]);
    expect(rules(ensemble(5_000, 5_400))).toContain('lost 4000');
  });

  it('end as usual if the servers are restarted later', () => {
    expect(rules(ensemble(8_500, 8_600))).toContain('lost 4000');
  });
});

describe('refusals', () => {
  it('excuse the items that could not be written until they are tried again, and no others', () => {
    const locked = { victim: undefined, isPause: false, from: 4_900, to: 7_500, retryMs: 1_500 };
    const of = (item: number) => [fault({ ...locked, items: { job: 'j', items: [item] } }), LAST];
    const runs = runsBut(5_000, 6_000, 7_000, 8_000, 9_000);
    expect(rulesOf(historyOf(runs, { faults: of(0) }))).toEqual([]);
    expect(rulesOf(historyOf(runs, { faults: of(1) }))).toContain('lost 5000');
  });
});
