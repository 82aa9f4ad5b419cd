import { describe, expect, it } from 'vitest';
import { type Fault, type History, inexact, judge, type JobPlan, type Run, type TreeSight } from './index.js';

const JOB: JobPlan = { name: 'j', cron: '* * * * * ?', periodMs: 1_000, items: 1 };
const TO = 20_000;
const PAUSE = { kind: 'SIGSTOP', isPause: true, isFatal: false };
const KILL = { kind: 'SIGKILL', isPause: false, isFatal: true };

/** A run for the target, 10 ms after it and 100 ms long, by worker a; the token is the begin. */
function run(fireTime: number, given: Partial<Run> = {}): Run {
  const begunAt = given.begunAt ?? fireTime + 10;
  return {
    job: 'j',
    item: 0,
    fireTime,
    source: 'NORMAL_TRIGGER',
    token: BigInt(begunAt),
    worker: 'a',
    begunAt,
    endedAt: begunAt + 100,
    abortedAt: undefined,
    outcome: 'succeeded',
    ...given,
  };
}

/** A run for each target but those. */
function runsBut(...without: readonly number[]): readonly Run[] {
  const targets = Array.from({ length: TO / 1_000 }, (_, second) => second * 1_000);
  return targets.filter((target) => !without.includes(target)).map((target) => run(target));
}

function historyOf(runs: readonly Run[], given: Partial<History> = {}): History {
  const effects = runs.flatMap(({ job, item, worker, token, begunAt, endedAt }) =>
    [begunAt, endedAt].flatMap((at) => (at === undefined ? [] : [{ job, item, worker, token, begunAt, at }])),
  );
  const inOrder = effects.toSorted((a, b) => a.at - b.at).map((effect, position) => ({ ...effect, position }));
  const rest = { faults: [], sights: [], stalls: [], sessionTimeoutMs: 3_000, tickMs: 300, slackMs: 1_000 };
  return { from: 0, to: TO, jobs: [JOB], runs, effects: inOrder, ...rest, ...given };
}

const fault = (given: Partial<Fault> & { readonly from: number }): Fault => ({
  ...PAUSE,
  victim: 'a',
  to: given.from,
  ...given,
});
/** When everything has gone on for long. */
const LAST = fault({ from: 15_000, victim: 'z' });
const owned = (owner: string, at = 0): TreeSight => ({ job: 'j', at, leader: undefined, owners: [owner] });
const rulesOf = (history: History) => judge(history).violations.map(({ rule, at }) => `${rule} ${at}`);

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

  it('given a run that lasts past the next targets, when the latest is made up for at its end, then nothing is lost', () => {
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
    const history = { faults: [fault({ ...KILL, from: 4_950 }), LAST], sights: [owned('a'), owned('b', 5_100)] };
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

  it('given an ensemble without a quorum, when everything waits for it, then nothing is lost', () => {
    const faults = [fault({ victim: undefined, isPause: false, from: 4_900, to: 7_100 })];
    expect(rulesOf(historyOf(runsBut(5_000, 6_000, 7_000), { faults }))).toEqual([]);
  });
});

describe('surplus', () => {
  it.each(['NORMAL_TRIGGER', 'MISFIRE'] as const)(
    'given a target that is run again as %s, then that is unexplained',
    (source) => {
      const again = run(7_000, { begunAt: 7_300, source });
      expect(rulesOf(historyOf([...runsBut(), again], { faults: [fault({ from: 7_000 })] }))).toEqual([
        'unexplained 7300',
      ]);
    },
  );

  it('given a run that ended well, when it is rescued, then that is unexplained unless its worker was struck', () => {
    const runs = [...runsBut(), run(7_000, { begunAt: 7_500, source: 'FAILOVER', worker: 'b' })];
    expect(rulesOf(historyOf(runs))).toEqual(['unexplained 7500']);
    expect(rulesOf(historyOf(runs, { faults: [fault({ from: 7_100, to: 7_200 })] }))).toEqual([]);
  });

  it('given a killed run, when it is rescued, then that is explained', () => {
    const killed = run(7_000, { endedAt: undefined, outcome: 'open' });
    const rescue = run(7_000, { begunAt: 10_500, source: 'FAILOVER', worker: 'b' });
    const later = runsBut(7_000, 8_000, 9_000, 10_000).map((each) => ({
      ...each,
      worker: each.begunAt < 7_000 ? 'a' : 'b',
    }));
    const history = { faults: [fault({ ...KILL, from: 7_050 }), LAST], sights: [owned('a'), owned('b', 10_400)] };
    expect(rulesOf(historyOf([...later, killed, rescue], history))).toEqual([]);
  });

  it('given a rescue of what nobody has begun, when nothing was broken, then that is unexplained', () => {
    const rescue = run(7_000, { source: 'FAILOVER' });
    expect(rulesOf(historyOf([...runsBut(7_000), rescue]))).toEqual(['unexplained 7010']);
  });

  it('given a run for a time at which nothing is due, then that is unexplained', () => {
    expect(rulesOf(historyOf([...runsBut(), run(7_500)]))).toEqual(['unexplained 7510']);
  });

  it('given runs that were not told their targets, when there is one too many, then that one is unexplained', () => {
    const untold = [...runsBut(), run(7_000, { begunAt: 7_300 })].map((each) => ({
      ...each,
      fireTime: undefined,
      source: undefined,
    }));
    expect(rulesOf(historyOf(untold))).toEqual(['unexplained 7300']);
    expect(rulesOf(historyOf(untold.filter(({ begunAt }) => begunAt !== 7_010)))).toEqual([]);
  });
});

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

describe('progress and exactness', () => {
  it('given a job that does not fire within a period after the last fault, then it stands still', () => {
    const runs = runsBut(13_000, 14_000, 15_000, 16_000, 17_000, 18_000);
    const history = historyOf(runs, { faults: [fault({ from: 11_500, to: 12_500 })], sights: [owned('a')] });
    expect(rulesOf(history)).toContain(`no progress ${TO}`);
  });

  it('given a planned restart, when a target has no run or two, then it is missed or doubled', () => {
    const rescue = run(5_000, { begunAt: 5_500, source: 'FAILOVER' });
    const found = inexact(historyOf([...runsBut(7_000), rescue]), { from: 2_000, to: 9_000 });
    expect(found.map(({ rule, at }) => `${rule} ${at}`)).toEqual(['doubled 5000', 'missed 7000']);
  });
});
