import { describe, expect, it } from 'vitest';
import {
  effectsIn,
  type Fault,
  type History,
  inexact,
  judge,
  type JobPlan,
  linesOf,
  type Run,
  type RunLine,
  runsIn,
  type Told,
  toldIn,
  type TreeSight,
} from './index.js';

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

/** What the first run of a later target has told of those that it passed by. */
function toldBetween(runs: readonly Run[]): readonly Told[] {
  const fireTimes = [...new Set(runs.map(({ fireTime = 0 }) => fireTime))].toSorted((a, b) => a - b);
  return fireTimes.slice(1).flatMap((fireTime, index) => {
    const [from, to] = [fireTimes[index]! + 1_000, fireTime - 1_000];
    return from > to ? [] : [{ job: 'j', item: 0, worker: 'a', at: fireTime, from, to }];
  });
}

function historyOf(runs: readonly Run[], given: Partial<History> = {}): History {
  const effects = runs.flatMap(({ job, item, worker, token, begunAt, endedAt }) =>
    [begunAt, endedAt].flatMap((at) => (at === undefined ? [] : [{ job, item, worker, token, begunAt, at }])),
  );
  const inOrder = effects.toSorted((a, b) => a.at - b.at).map((effect, position) => ({ ...effect, position }));
  const rest = {
    told: toldBetween(runs),
    early: [],
    registry: [],
    faults: [],
    sights: [],
    stalls: [],
    sessionTimeoutMs: 3_000,
    tickMs: 300,
    slackMs: 1_000,
  };
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
const owned = (owner: string, at = 0, holder?: string): TreeSight => ({
  job: 'j',
  at,
  leader: undefined,
  owners: [owner],
  holders: [holder],
});
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

describe('silence', () => {
  const passedBy = (told: readonly Told[], given: Partial<History> = {}) =>
    rulesOf(historyOf(runsBut(7_000), { told, slackMs: 3_000, ...given }));
  const missed = { job: 'j', item: 0, worker: 'a', at: 8_005, from: 7_000, to: 7_000 };

  it('calls a target silent that a later begin has passed by without a word', () => {
    expect(passedBy([])).toEqual(['silent 7000']);
    expect(passedBy([missed])).toEqual([]);
    expect(passedBy([{ ...missed, item: 1 }])).toEqual(['silent 7000']);
  });

  it('lets nothing be run and told as missed, or told twice', () => {
    expect(passedBy([missed, { ...missed, worker: 'b' }])).toEqual(['contradicted 7000']);
    expect(passedBy([{ ...missed, to: 8_000 }])).toEqual(['contradicted 8000']);
  });

  it('excuses a begin whose process died before a word of it, as its rescue shows', () => {
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

  it('asks for nothing of workers that tell nothing', () => {
    expect(rulesOf(historyOf(runsBut(7_000), { told: undefined, slackMs: 3_000 }))).toEqual([]);
  });
});

describe('the logs', () => {
  const line = { run: 'a#1', job: 'j', item: 0, fireTime: 7_000, source: null, token: '5', tokenEpoch: 0, worker: 'a' };
  const step = (name: RunLine['step'], at: number): RunLine => ({ ...line, step: name, begunAt: 7_010, at });

  it('make a run of its lines, which ends when its work is done or has failed', () => {
    const [begin, end, fail] = [step('begin', 7_010), step('end', 7_100), step('fail', 7_200)];
    expect(runsIn([begin, end], [])).toMatchObject([
      { token: 5n, begunAt: 7_010, endedAt: 7_100, outcome: 'succeeded' },
    ]);
    expect(runsIn([begin, fail], [])).toMatchObject([{ endedAt: 7_200, outcome: 'aborted' }]);
    expect(runsIn([begin], [])).toMatchObject([{ endedAt: undefined, outcome: 'open' }]);
    const refused = { ...end, position: 0, isAccepted: false };
    expect(runsIn([begin, end, fail], [refused])).toMatchObject([{ endedAt: 7_100, outcome: 'refused' }]);
    expect(effectsIn([refused, { ...begin, position: 1, isAccepted: true }])).toMatchObject([
      { position: 1, token: 5n },
    ]);
  });

  it('leave out the half line that a killed process was at', () => {
    expect(linesOf('{"a":1}\n{"a":2}\n{"a"')).toEqual(['{"a":1}', '{"a":2}']);
    expect(linesOf('')).toEqual([]);
  });

  it('tell each item of a missed fire time, and all fire times of a long outage', () => {
    const event = { kind: 'missed', jobName: 'j', items: [0, 2], since: 5_000, fireTime: 7_000 };
    const told = { job: 'j', worker: 'a', at: 8_005, from: 5_000, to: 7_000 };
    const lines = [event, { ...event, kind: 'refused' }].map((each) => ({ worker: 'a', at: 8_005, event: each }));
    expect(toldIn(lines)).toEqual([
      { ...told, item: 0 },
      { ...told, item: 2 },
    ]);
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

  it.each([
    [900, []],
    [1_100, ['unexplained 10500']],
  ])('given a run whose worker is killed %i ms after its end, when it is rescued, then that is judged', (ms, rules) => {
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

  it('given a rescue of what a killed worker with a fast clock has begun early, then that is explained', () => {
    const rescue = run(7_000, { source: 'FAILOVER', begunAt: 4_500 });
    const rules = (faults: readonly Fault[]) =>
      rulesOf(historyOf([...runsBut(7_000), rescue], { faults })).filter((rule) => rule.startsWith('unexplained'));
    expect(rules([fault({ ...KILL, from: 3_000 }), LAST])).toEqual([]);
    expect(rules([LAST])).toEqual(['unexplained 4500']);
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

describe('clocks', () => {
  const AHEAD_MS = 60_000;
  /** Worker a's clock is a minute ahead for a moment. */
  const early = run(7_000 + AHEAD_MS, { begunAt: 7_010 });
  const told = { job: 'j', item: 0, fireTime: early.fireTime! };

  it('do not let a run that was begun before its time stand for what is due meanwhile', () => {
    const others = runsBut(7_000, 8_000, 9_000);
    expect(rulesOf(historyOf([...others, early], { told: undefined, early: [told] }))).toContain('lost 7000');
    const later = { ...early, begunAt: 7_500, endedAt: 7_600 };
    expect(rulesOf(historyOf([...runsBut(), later], { told: undefined, early: [told] }))).toEqual([]);
  });

  it('let what was begun early come again when it has come, if that was told', () => {
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

  it('are judged by that of the server that leads', () => {
    const first = run(12_000, { begunAt: 1_500, endedAt: 1_600 });
    const again = run(12_000, { begunAt: 12_010 });
    const given = { early: [{ ...told, fireTime: 12_000 }], registry: [{ from: 0, aheadMs: 5_000 }] };
    expect(rulesOf(historyOf([...runsBut(12_000), first, again], given))).toEqual(['unexplained 12010']);
  });

  it('excuse the owner whose clock is wrong for as long as it is', () => {
    const faults = [fault({ isPause: false, keepsSession: true, from: 3_900, to: 9_500 }), LAST];
    const runs = runsBut(4_000, 5_000, 6_000, 7_000, 8_000, 9_000);
    expect(rulesOf(historyOf(runs, { faults, sights: [owned('a')] }))).toEqual([]);
    expect(rulesOf(historyOf(runs, { faults, sights: [owned('b')] }))).toContain('lost 4000');
  });
});

describe('refusals', () => {
  it('excuse the items that could not be written, until they are tried again, and no others', () => {
    const locked = { victim: undefined, isPause: false, from: 4_900, to: 7_500, retryMs: 1_500 };
    const of = (item: number) => [fault({ ...locked, items: { job: 'j', items: [item] } }), LAST];
    const runs = runsBut(5_000, 6_000, 7_000, 8_000, 9_000);
    expect(rulesOf(historyOf(runs, { faults: of(0) }))).toEqual([]);
    expect(rulesOf(historyOf(runs, { faults: of(1) }))).toContain('lost 5000');
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
