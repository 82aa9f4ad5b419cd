import { type Fault, type History, judge, type JobPlan, type Run, type Told, type TreeSight } from './index.js';

export const JOB: JobPlan = { name: 'j', cron: '* * * * * ?', periodMs: 1_000, items: 1 };
export const TO = 20_000;
const PAUSE = { kind: 'SIGSTOP', isPause: true, isFatal: false };
export const KILL = { kind: 'SIGKILL', isPause: false, isFatal: true };

/** A run for the target, 10 ms after it and 100 ms long, by worker a; the token is the begin. */
export function run(fireTime: number, given: Partial<Run> = {}): Run {
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

/** A run for each target except those. */
export function runsBut(...without: readonly number[]): readonly Run[] {
  const targets = Array.from({ length: TO / 1_000 }, (_, second) => second * 1_000);
  return targets.filter((target) => !without.includes(target)).map((target) => run(target));
}

/** Events of the first run of a later target about the targets that it skipped. */
function toldBetween(runs: readonly Run[]): readonly Told[] {
  const fireTimes = [...new Set(runs.map(({ fireTime = 0 }) => fireTime))].toSorted((a, b) => a - b);
  return fireTimes.slice(1).flatMap((fireTime, index) => {
    const [from, to] = [fireTimes[index]! + 1_000, fireTime - 1_000];
    return from > to ? [] : [{ job: 'j', item: 0, worker: 'a', at: fireTime, from, to }];
  });
}

export function historyOf(runs: readonly Run[], given: Partial<History> = {}): History {
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

export const fault = (given: Partial<Fault> & { readonly from: number }): Fault => ({
  ...PAUSE,
  victim: 'a',
  to: given.from,
  ...given,
});
/** A last fault, at a time when everything has been going on for long. */
export const LAST = fault({ from: 15_000, victim: 'z' });
export const owned = (owner: string, at = 0, holder?: string): TreeSight => ({
  job: 'j',
  at,
  leader: undefined,
  owners: [owner],
  holders: [holder],
});
export const rulesOf = (history: History) => judge(history).violations.map(({ rule, at }) => `${rule} ${at}`);
