import { describe, expect, it } from 'vitest';
import { judge } from './index.js';
import { fault, historyOf, JOB, KILL, LAST, owned, rulesOf, run, runsBut } from './made-history.js';

describe('coverage', () => {
  it('finds nothing wrong if each target has its own run', () => {
    const { violations, coverage } = judge(historyOf(runsBut()));
    expect(violations).toEqual([]);
    expect(coverage).toMatchObject({ targets: 20, own: 20, superseded: 0, latestMs: 10 });
  });

  it('calls a target lost if nothing was broken and it has no run', () => {
    expect(rulesOf(historyOf(runsBut(7_000)))).toEqual(['lost 7000']);
  });

  it('asks for no run of what an edit of the settings has overtaken', () => {
    const edit = { victim: undefined, isPause: false, edits: 'j', items: { job: 'j', items: [1] } };
    const edited = (from: number) => ({ faults: [fault({ ...edit, from, to: from + 500 }), LAST], slackMs: 500 });
    expect(rulesOf(historyOf(runsBut(7_000), edited(7_500)))).toEqual([]);
    expect(rulesOf(historyOf(runsBut(7_000), edited(12_000)))).toEqual(['lost 7000']);
  });

  it('calls the remaining targets lost if runs end before the history and nothing was broken', () => {
    const runs = runsBut().filter(({ begunAt }) => begunAt < 18_000);
    expect(rulesOf(historyOf(runs))).toEqual(['lost 18000']);
  });

  it('reports a run that is late without an excuse, and calls it lost beyond the failover bound', () => {
    const late = (begunAt: number) => run(7_000, { begunAt, endedAt: begunAt + 2, source: 'MISFIRE' });
    const others = runsBut(7_000, 8_000, 9_000, 10_000, 11_000);
    const noOther = { from: 7_000, to: 8_000, jobs: [JOB] };
    const judged = (begunAt: number) => judge(historyOf([...others, late(begunAt)], noOther)).coverage;
    expect(judged(8_100)).toMatchObject({ late: 1, own: 1, lost: [] });
    expect(judged(10_700).lost).toHaveLength(1);
  });

  it('loses nothing if a run lasts past the next targets and the latest one is caught up on at its end', () => {
    const long = run(7_000, { endedAt: 9_300 });
    const madeUp = run(9_000, { begunAt: 9_310, source: 'MISFIRE' });
    const { violations, coverage } = judge(historyOf([...runsBut(7_000, 8_000, 9_000), long, madeUp]));
    expect(violations).toEqual([]);
    expect(coverage).toMatchObject({ own: 19, superseded: 1 });
  });

  it('calls a target lost if a run lasts past it and nothing follows', () => {
    const long = run(7_000, { endedAt: 8_005 });
    expect(rulesOf(historyOf([...runsBut(7_000, 8_000), long]))).toEqual(['lost 8000']);
  });

  it('excuses the targets that wait for a stopped owner, but not those of another owner', () => {
    const faults = [fault({ from: 6_900, to: 8_100 })];
    const history = { faults, sights: [owned('a')] };
    expect(rulesOf(historyOf(runsBut(7_000, 8_000), history))).toEqual([]);
    const runs = runsBut(7_000, 8_000).map((each) => ({ ...each, worker: 'b' }));
    expect(rulesOf(historyOf(runs, { faults, sights: [owned('b')] }))).toEqual(['lost 7000', 'lost 8000']);
  });

  it('calls targets lost if the items of a killed owner rest for longer than a failover takes', () => {
    const history = { faults: [fault({ ...KILL, from: 4_950 }), LAST], sights: [owned('a'), owned('b', 8_600)] };
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000, 8_000), history))).toEqual([]);
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000, 8_000, 9_000), history))).toContain('lost 5000');
  });

  it('excuses the items of an owner killed before it logged its run, until its session ends', () => {
    const history = {
      faults: [fault({ ...KILL, from: 4_950 }), LAST],
      sights: [owned('a'), owned('a', 4_940, 'a'), owned('b', 5_100, 'a'), owned('b', 8_250)],
    };
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000, 8_000), history))).toEqual([]);
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000, 8_000, 9_000), history))).toContain('lost 5000');
  });

  it('holds an item until the session ends if its process was killed before its end was recorded', () => {
    const ended = run(4_000, { endedAt: 4_940 });
    const history = { faults: [fault({ ...KILL, from: 4_950 }), LAST], sights: [owned('b')] };
    const runs = [...runsBut(4_000, 5_000, 6_000, 7_000, 8_000), ended];
    expect(rulesOf(historyOf(runs, history))).toEqual([]);
    expect(rulesOf(historyOf([...runs.filter((each) => each !== ended), run(4_000)], history))).toContain('lost 5000');
  });

  it.each([
    ['that the servers still hear', true, []],
    ['that is cut off', false, ['lost 5000', 'lost 6000', 'lost 7000', 'lost 8000', 'lost 9000', 'lost 10000']],
  ])('excuses an owner %s after it has given up only if its session lasts', (_, isHeard, rules) => {
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

  it('loses nothing while the ensemble has no quorum', () => {
    const faults = [fault({ victim: undefined, isPause: false, from: 4_900, to: 7_100 })];
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000), { faults }))).toEqual([]);
  });
});
