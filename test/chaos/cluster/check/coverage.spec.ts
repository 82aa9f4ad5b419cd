import { describe, expect, it } from 'vitest';
import { judge } from './index.js';
import { fault, historyOf, JOB, KILL, LAST, owned, rulesOf, run, runsBut } from './made-history.js';

describe('coverage', () => {
  it('given a run for each target, when it is judged, then nothing is wrong and each target has its own', () => {
    const { violations, coverage } = judge(historyOf(runsBut()));
    expect(violations).toEqual([]);
    expect(coverage).toMatchObject({ targets: 20, own: 20, superseded: 0, latestMs: 10 });
  });

  it('given a target that nobody ran, when nothing was broken, then it is lost', () => {
    expect(rulesOf(historyOf(runsBut(7_000)))).toEqual(['lost 7000']);
  });

  it('given runs that end before the history does, when nothing was broken, then the rest of the targets is lost', () => {
    const runs = runsBut().filter(({ begunAt }) => begunAt < 18_000);
    expect(rulesOf(historyOf(runs))).toEqual(['lost 18000']);
  });

  it('given a run that is late for no reason, when it is judged, then that is told, and beyond the failover bound it is lost', () => {
    const late = (begunAt: number) => run(7_000, { begunAt, endedAt: begunAt + 2, source: 'MISFIRE' });
    const others = runsBut(7_000, 8_000, 9_000, 10_000, 11_000);
    const noOther = { from: 7_000, to: 8_000, jobs: [JOB] };
    const judged = (begunAt: number) => judge(historyOf([...others, late(begunAt)], noOther)).coverage;
    expect(judged(8_100)).toMatchObject({ late: 1, own: 1, lost: [] });
    expect(judged(10_700).lost).toHaveLength(1);
  });

  it('given a run that lasts past the next targets, when the latest is caught up on at its end, then nothing is lost', () => {
    const long = run(7_000, { endedAt: 9_300 });
    const madeUp = run(9_000, { begunAt: 9_310, source: 'MISFIRE' });
    const { violations, coverage } = judge(historyOf([...runsBut(7_000, 8_000, 9_000), long, madeUp]));
    expect(violations).toEqual([]);
    expect(coverage).toMatchObject({ own: 19, superseded: 1 });
  });

  it('given a run that lasts past the next target, when nothing follows its end, then that target is lost', () => {
    const long = run(7_000, { endedAt: 8_005 });
    expect(rulesOf(historyOf([...runsBut(7_000, 8_000), long]))).toEqual(['lost 8000']);
  });

  it('given an owner that is stopped, when its targets wait for it, then they are excused; those of another are not', () => {
    const faults = [fault({ from: 6_900, to: 8_100 })];
    const history = { faults, sights: [owned('a')] };
    expect(rulesOf(historyOf(runsBut(7_000, 8_000), history))).toEqual([]);
    const runs = runsBut(7_000, 8_000).map((each) => ({ ...each, worker: 'b' }));
    expect(rulesOf(historyOf(runs, { faults, sights: [owned('b')] }))).toEqual(['lost 7000', 'lost 8000']);
  });

  it('given a killed owner, when its items rest for longer than a failover takes, then targets are lost', () => {
    const history = { faults: [fault({ ...KILL, from: 4_950 }), LAST], sights: [owned('a'), owned('b', 8_600)] };
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000, 8_000), history))).toEqual([]);
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000, 8_000, 9_000), history))).toContain('lost 5000');
  });

  it('given a killed owner that had no time to tell of its run, when its items have another owner before its session ends, then they are excused until then', () => {
    const history = {
      faults: [fault({ ...KILL, from: 4_950 }), LAST],
      sights: [owned('a'), owned('a', 4_940, 'a'), owned('b', 5_100, 'a'), owned('b', 8_250)],
    };
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000, 8_000), history))).toEqual([]);
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000, 8_000, 9_000), history))).toContain('lost 5000');
  });

  it('given a handler that returned just before its process was killed, when its end was not recorded any more, then the item is held until the session ends', () => {
    const ended = run(4_000, { endedAt: 4_940 });
    const history = { faults: [fault({ ...KILL, from: 4_950 }), LAST], sights: [owned('b')] };
    const runs = [...runsBut(4_000, 5_000, 6_000, 7_000, 8_000), ended];
    expect(rulesOf(historyOf(runs, history))).toEqual([]);
    expect(rulesOf(historyOf([...runs.filter((each) => each !== ended), run(4_000)], history))).toContain('lost 5000');
  });

  it.each([
    ['that the servers still hear', true, []],
    ['that is cut off', false, ['lost 5000', 'lost 6000', 'lost 7000', 'lost 8000', 'lost 9000', 'lost 10000']],
  ])('given an owner %s, when it has given up, then its session is waited for only then', (_, isHeard, rules) => {
    const silent = fault({ isPause: false, isHeard, from: 4_900, to: 7_600 });
    const history = { faults: [silent, LAST], sights: [owned('a'), owned('b', 11_000)] };
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000, 8_000, 9_000, 10_000), history))).toEqual(rules);
  });

  it('waits for the session of a stopped holder whose mark stands although the item has another owner', () => {
    const stopped = fault({ from: 5_001, to: 9_300 });
    const killed = fault({ ...KILL, from: 5_200, victim: 'c' });
    const rescue = run(5_000, { begunAt: 8_600, endedAt: 8_650, worker: 'b', source: 'FAILOVER' });
    const madeUp = run(8_000, { begunAt: 8_700, worker: 'b', source: 'MISFIRE' });
    const runs = [...runsBut(5_000, 6_000, 7_000, 8_000), rescue, madeUp];
    const seen = (holder?: string) => ({
      faults: [stopped, killed, LAST],
      sights: [owned('a'), owned('a', 5_001, holder), owned('b', 5_400, holder), owned('b', 8_550)],
    });
    expect(rulesOf(historyOf(runs, seen('a')))).toEqual([]);
    expect(rulesOf(historyOf(runs, seen()))).toEqual(['lost 6000', 'lost 7000']);
  });

  it('does not take a mark for an excuse if its holder is well', () => {
    const sights = [owned('a'), owned('a', 5_100, 'a'), owned('b', 5_400, 'a')];
    expect(rulesOf(historyOf(runsBut(6_000, 7_000), { sights }))).toEqual(['lost 6000', 'lost 7000']);
  });

  it('given an ensemble without a quorum, when everything waits for it, then nothing is lost', () => {
    const faults = [fault({ victim: undefined, isPause: false, from: 4_900, to: 7_100 })];
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000), { faults }))).toEqual([]);
  });
});
