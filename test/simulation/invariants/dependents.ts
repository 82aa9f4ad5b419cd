import {
  lastScheduledOf,
  parseParentProgress,
  parseRunRecord,
  parseStartLedger,
} from '../../../libs/elastic-job/src/domain/index.js';
import { type CalmJob, enabledItems, existence, itemsInTime, occupancy } from '../calm.js';
import { type Commit, type History, remembered } from '../history.js';
import { itemKey, timeOf, type Violation } from './invariant.js';

/** A start of a job after its parents: its fire time has appeared in its `after` node. */
interface Start {
  readonly jobName: string;
  readonly parents: readonly string[];
  readonly fireTime: number;
  readonly commit: Commit;
}

/** A step of a parent's item for a fire time: it was begun, or has ended well. */
interface ItemStep {
  readonly item: number;
  readonly zxid: bigint;
  readonly at: number;
}

/**
 * 23. A job with parents is started once for a fire time, exactly if all of its parents' runs for it have succeeded, by
 * the transaction that settles the last of their items. A started job is run.
 */
export function check23StartedAfter(history: History): Violation[] {
  if (!history.plan.jobs.some(({ after }) => after !== undefined)) return [];
  const starts = startsIn(history);
  const parents = new ParentRuns(history);
  return [
    ...surplusBegins(history, starts),
    ...starts.flatMap((start) => earlyStart(history, parents, start)),
    ...missingStarts(history, parents, starts),
    ...lateBegins(history, starts),
    ...lostStarts(history, starts),
  ];
}

/** Instants at which jobs were started, by job and fire time. */
export function startedTimes(history: History): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const times = new Map<string, Map<number, number>>();
  for (const { jobName, fireTime, commit } of startsIn(history)) {
    remembered(times, jobName, () => new Map()).set(fireTime, commit.at);
  }
  return times;
}

function startsIn(history: History): readonly Start[] {
  const started = new Map<string, Set<number>>();
  return history.commits.flatMap((commit) =>
    commit.writes.flatMap(({ kind, path, data }): Start[] => {
      const { jobName, node } = history.nodeOf(path);
      const ledger = node.kind === 'after' && kind !== 'deleted' ? parseStartLedger(data) : undefined;
      if (ledger === undefined) return [];
      const known = remembered(started, jobName, () => new Set<number>());
      const fresh = ledger.starts.map(({ fireTime }) => fireTime).filter((fireTime) => !known.has(fireTime));
      for (const fireTime of fresh) known.add(fireTime);
      return fresh.map((fireTime) => ({ jobName, parents: ledger.parents, fireTime, commit }));
    }),
  );
}

/** Begins and ends of jobs' items, for each fire time of their schedules. */
class ParentRuns {
  private readonly begun = new Map<string, ItemStep[]>();
  private readonly succeeded = new Map<string, ItemStep[]>();
  private readonly times = new Set<number>();

  constructor(history: History) {
    for (const { at, zxid, writes } of history.commits) {
      for (const { kind, path, data } of writes) {
        const { jobName, node } = history.nodeOf(path);
        const stored = kind === 'changed' && node.kind === 'item-record' ? parseRunRecord(data) : undefined;
        if (node.kind !== 'item-record' || stored?.kind !== 'record' || stored.record.target.origin !== 'schedule')
          continue;
        const { fireTime } = stored.record.target;
        const key = `${jobName} ${fireTime}`;
        this.times.add(fireTime);
        const step = { item: node.item, zxid, at };
        if (stored.record.settled === undefined) remembered(this.begun, key, () => []).push(step);
        else if (stored.record.settled.outcome === 'succeeded') remembered(this.succeeded, key, () => []).push(step);
      }
    }
  }

  /** Fire times of all jobs. */
  get fireTimes(): readonly number[] {
    return [...this.times];
  }

  begunOf(jobName: string, fireTime: number): readonly ItemStep[] {
    return this.begun.get(`${jobName} ${fireTime}`) ?? [];
  }

  succeededOf(jobName: string, fireTime: number): readonly ItemStep[] {
    return this.succeeded.get(`${jobName} ${fireTime}`) ?? [];
  }
}

function surplusBegins(history: History, starts: readonly Start[]): Violation[] {
  const at = new Map(starts.map(({ jobName, fireTime, commit }) => [`${jobName} ${fireTime}`, commit.zxid]));
  return history.begins
    .filter(({ jobName, record }) => isChild(history, jobName) && record.target.origin === 'schedule')
    .filter(({ jobName, record, zxid }) => !((at.get(`${jobName} ${record.target.fireTime}`) ?? zxid) < zxid))
    .map(({ at: begunAt, jobName, item, record, zxid }) => {
      const what = `${itemKey(jobName, item)} was begun for ${timeOf(record.target.fireTime)}`;
      return { at: begunAt, message: `${what}, for which it was not started`, about: zxid.toString(16) };
    });
}

function earlyStart(history: History, runs: ParentRuns, { jobName, parents, fireTime, commit }: Start): Violation[] {
  const about = commit.zxid.toString(16);
  const what = `${jobName} was started for ${timeOf(fireTime)}`;
  const done = parents.flatMap((parent) => runs.succeededOf(parent, fireTime));
  const isSettling = done.some(({ zxid }) => zxid === commit.zxid);
  const apart = isSettling ? [] : [{ at: commit.at, message: `${what} by no settle of its parents`, about }];
  const early = parents.flatMap((parent) => {
    // These change the due items, for each process that learns of them in time.
    const isChanged = history
      .of('operation')
      .some(
        (one) =>
          one.jobName === parent &&
          /edit|able/.test(one.name) &&
          one.at > fireTime - history.recoveryMs &&
          one.at <= commit.at,
      );
    const succeeded = runs.succeededOf(parent, fireTime).filter(({ zxid }) => zxid <= commit.zxid);
    const begun = runs.begunOf(parent, fireTime);
    const inTime = begun.filter(({ zxid }) => zxid <= commit.zxid);
    const open = begun
      .filter(({ item }) => !succeeded.some((step) => step.item === item))
      .filter((step) => inTime.includes(step) || !wasLeftOutOf(history, parent, step.item, inTime))
      .map(({ item }) => itemKey(parent, item));
    const isFull = open.length === 0 && succeeded.length > 0;
    if (!history.judges(23, isChanged && !isFull && 'somebody has edited a parent') || isFull) return [];
    return [{ at: commit.at, message: `${what} although ${open.join(', ') || parent} had not succeeded`, about }];
  });
  return [...apart, ...early];
}

/**
 * True if an item of a scheduled job was disabled, or not there, whenever others were begun. It belongs to no such run,
 * and holds nothing back. Once it is there and enabled, it may be begun for the same fire time, by an instance whose
 * clock gets there only then. Whoever began the others may have learned late of what had changed just before, or at
 * once.
 */
function wasLeftOutOf(history: History, jobName: string, item: number, others: readonly ItemStep[]): boolean {
  if (isChild(history, jobName)) return false;
  const disabled = existence(history, `/${jobName}/sharding/${item}/disabled`);
  const there = existence(history, `/${jobName}/sharding/${item}`);
  return others.every(({ at }) => {
    const since = at - history.promptMs;
    const wasDisabled = disabled.some(({ from, to }) => from <= at && to >= since);
    const wasThere = there.some(({ from, to }) => from <= since && to >= at);
    return wasDisabled || !wasThere;
  });
}

/** While nothing is disturbed, a start follows every run in which all items succeed. */
function missingStarts(history: History, runs: ParentRuns, starts: readonly Start[]): Violation[] {
  return history.calmJobs
    .filter(({ jobName }) => isChild(history, jobName))
    .flatMap((child) => {
      const parents = history.calmJobs.filter(
        ({ jobName, from }) => from === child.from && child.configuration.after.includes(jobName),
      );
      const ledger = parseStartLedger(child.tree.get(`/${child.jobName}/after`)?.data ?? '');
      if (ledger?.parents.join() !== child.configuration.after.join()) return [];
      if (parents.length < child.configuration.after.length) return [];
      const started = new Map(
        starts.filter(({ jobName }) => jobName === child.jobName).map(({ fireTime, commit }) => [fireTime, commit.at]),
      );
      const countedSince = Math.max(...parents.map(({ jobName }) => countingSince(history, jobName)));
      return completeIn(runs, parents, child)
        .filter(([fireTime]) => fireTime > countedSince)
        .filter(([fireTime, at]) => (started.get(fireTime) ?? Infinity) > at)
        .map(([fireTime, at]) => ({
          at,
          message: `${child.jobName} was not started for ${timeOf(fireTime)}, for which its parents have succeeded`,
          about: `/${child.jobName}/after`,
        }));
    });
}

/** Instant after which the runs of a job are counted for the jobs that start after it. */
function countingSince(history: History, jobName: string): number {
  const created = history.writesTo(`/${jobName}/dependents`).find(({ kind }) => kind === 'created');
  return parseParentProgress(created?.data ?? '')?.closedUpTo ?? -Infinity;
}

/** Fire times for which all parents have begun and succeeded in a calm time, with the time of success. */
function completeIn(
  runs: ParentRuns,
  parents: readonly CalmJob[],
  { from, to }: CalmJob,
): (readonly [number, number])[] {
  // A job without an enabled item has no run that could succeed.
  if (parents.some((parent) => enabledItems(parent).length === 0)) return [];
  const all = parents.flatMap((parent) => enabledItems(parent).map((item) => [parent.jobName, item] as const));
  // An earlier run has other items as well, if the total was greater then.
  const wasBegun = (fireTime: number) =>
    parents.some(({ jobName }) => runs.begunOf(jobName, fireTime).some(({ at }) => at <= from));
  return runs.fireTimes.flatMap((fireTime) => {
    if (wasBegun(fireTime)) return [];
    const steps = all.map(([jobName, item]) => {
      const isBegunInCalm = runs.begunOf(jobName, fireTime).some((step) => step.item === item && step.at > from);
      const success = runs.succeededOf(jobName, fireTime).find((step) => step.item === item);
      return isBegunInCalm && success !== undefined && success.at < to ? success.at : undefined;
    });
    const known = steps.filter((at) => at !== undefined);
    return steps.length > 0 && known.length === steps.length ? [[fireTime, Math.max(...known)] as const] : [];
  });
}

/** While nothing is disturbed, every free item begins as the job is started. */
function lateBegins(history: History, starts: readonly Start[]): Violation[] {
  return history.calmJobs
    .filter(({ jobName }) => isChild(history, jobName))
    .flatMap((job) => {
      const slack = history.promptMs + job.skewMs;
      const inCalm = starts.filter(
        ({ jobName, commit: { at } }) => jobName === job.jobName && at > job.from + slack && at < job.to - 2 * slack,
      );
      return itemsInTime(job).flatMap((item) => {
        const busy = [...occupancy(history, job.jobName, item), ...released(history, job.jobName, item)];
        return inCalm
          .filter(({ commit: { at } }) => !busy.some(({ from, to }) => from <= at + slack && to >= at - slack))
          .filter(({ fireTime, commit: { at } }) => {
            const begin = history.begins.find(
              (one) => one.jobName === job.jobName && one.item === item && one.record.target.fireTime === fireTime,
            );
            return (begin?.at ?? Infinity) > at + slack;
          })
          .map(({ fireTime, commit: { at } }) => lost(job.jobName, item, fireTime, at));
      });
    });
}

/** A start before everything settled is done, or followed by a later one, even after faults. */
function lostStarts(history: History, starts: readonly Start[]): Violation[] {
  return history.calmJobs
    .filter(({ jobName }) => isChild(history, jobName))
    .flatMap((job) => {
      const slack = history.promptMs + job.skewMs;
      const last = starts.findLast(({ jobName, commit: { at } }) => jobName === job.jobName && at < job.from);
      const at = job.to - slack;
      if (last === undefined || at <= job.from + slack) return [];
      const tree = history.treeAt(at);
      return itemsInTime(job).flatMap((item) => {
        const path = `/${job.jobName}/sharding/${item}`;
        const busy = [...occupancy(history, job.jobName, item), ...released(history, job.jobName, item)];
        const isBusy = busy.some(({ from, to }) => from < at && to > job.from);
        const wasDisabled = existence(history, `${path}/disabled`).some(({ to }) => to > last.commit.at);
        const done = lastScheduledOf(parseRunRecord(tree.get(`${path}/record`)?.data ?? '')) ?? -Infinity;
        return isBusy || wasDisabled || wasPaused(history, job.jobName, last.commit.at) || done >= last.fireTime
          ? []
          : [lost(job.jobName, item, last.fireTime, at)];
      });
    });
}

/** True if a process has paused the job. It does not catch up on fire times of the pause. */
function wasPaused(history: History, jobName: string, at: number): boolean {
  const calls = history.of('operation').filter((call) => call.jobName === jobName && call.at <= at);
  const last = new Map<number | undefined, string>();
  for (const { instance, name, outcome } of calls) {
    if (outcome === 'done' && (name === 'pause' || name === 'resume')) last.set(instance, name);
  }
  return [...last.values()].includes('pause');
}

function released(history: History, jobName: string, item: number) {
  return history.runs
    .filter((run) => run.jobName === jobName && run.item === item && run.releasedAt !== undefined)
    .map(({ at, endedAt = Infinity }) => ({ from: at, to: endedAt }));
}

function lost(jobName: string, item: number, fireTime: number, at: number): Violation {
  const message = `${itemKey(jobName, item)} was not run for ${timeOf(fireTime)}, for which it was started`;
  return { at, message, about: `/${jobName}/sharding/${item}` };
}

function isChild(history: History, jobName: string): boolean {
  return history.plan.jobs.some(({ name, after }) => name === jobName && after !== undefined);
}
