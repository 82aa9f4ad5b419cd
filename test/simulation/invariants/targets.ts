import { rerunIdOf, triggerIdOf } from '../../../libs/elastic-job/src/domain/index.js';
import { type CalmItem, type CalmJob, dueTimes, itemsInTime } from '../calm.js';
import type { Begin, History, Interval, JobSettings } from '../history.js';
import { startedTimes } from './dependents.js';
import { residentGaps } from './residents.js';
import { overlaps } from '../troubles.js';
import { itemKey, timeOf, type Violation } from './invariant.js';

/**
 * 3. While nothing is disturbed, every fire time of every item is begun in time, unless the item was busy then. Targets
 * are matched with begins, one to one, as Jepsen's checker of Chronos does.
 */
export function check03NoLostTarget(history: History): Violation[] {
  history.judgesCalm(3, true);
  return history.calmItems.flatMap(({ job, item, begins, busy, released }) => {
    const slack = history.promptMs + job.skewMs;
    const begun = new Map(begins.filter(isScheduled).map(({ at, record }) => [record.target.fireTime, at]));
    const held = [...busy, ...released];
    const isBusy = (due: number) => held.some(({ from, to }) => from <= due + slack && to >= due - slack);
    return dueTimes(job.schedule, job.from + slack, job.to - 2 * slack)
      .filter((due) => (begun.get(due) ?? Infinity) > due + slack && !isBusy(due))
      .map((due) => lost(job, item, due));
  });
}

/**
 * 4. No run lacks a schedule or an operator's request, and none is more frequent than requested. A resident job runs
 * only by itself, and nothing of it is queued.
 */
export function check04NoSurplusRun(history: History): Violation[] {
  const violations: Violation[] = [];
  const schedules = scheduleHistory(history);
  const started = startedTimes(history);
  const triggers = new Set(history.of('operation').flatMap(({ id }) => id ?? []));
  const queued = new Map<string, number>();
  const claimed = new Map<string, number>();
  for (const { at, writes } of history.commits) {
    for (const { kind, path } of writes) {
      const { jobName, node } = history.nodeOf(path);
      if (kind !== 'created' || node.kind !== 'queued-item') continue;
      count(queued, itemKey(jobName, node.item));
      const isResident = history.isResident(jobName);
      if (isResident) violations.push({ at, message: `item ${node.item} of resident ${jobName} waits`, about: path });
    }
  }
  for (const { at, jobName, item, record, isClaim, zxid } of history.begins) {
    history.judges(4);
    const key = itemKey(jobName, item);
    const { fireTime, origin } = record.target;
    const id = triggerIdOf(origin);
    if (rerunIdOf(origin) !== undefined) continue; // Judged with its re-run.
    const isAsked = history.isResident(jobName)
      ? origin === 'resident'
      : id === undefined
        ? started.get(jobName)?.has(fireTime) === true ||
          [...(schedules.get(jobName) ?? [])].some((schedule) => schedule.next(fireTime - 1) === fireTime)
        : triggers.has(id);
    const about = zxid.toString(16);
    if (!isAsked) violations.push({ at, message: `nobody has asked ${key} to run for ${timeOf(fireTime)}`, about });
    if (isClaim && count(claimed, key) > (queued.get(key) ?? 0)) {
      violations.push({ at, message: `${key} was failed over more often than it was queued`, about });
    }
  }
  return violations;
}

/**
 * 13. Fire times that meet a busy item are treated as the misfire policy says: under `once` the latest of them is run
 * as soon as the item is free, under `skip` none is, under `all` each of them before any later one.
 */
export function check13MisfireOracle(history: History): Violation[] {
  history.judgesCalm(13, true);
  return history.calmItems.flatMap((watched) => {
    if (watched.job.configuration.misfirePolicy === 'all') return outOfOrder(watched);
    return watched.busy.flatMap((interval) => afterBusy(history, watched, interval));
  });
}

function afterBusy(history: History, watched: CalmItem, interval: Interval): Violation[] {
  const { job, item, begins, released } = watched;
  const { from, to } = interval;
  const slack = history.promptMs + job.skewMs;
  if (from < job.from || to > job.to - 2 * slack || released.some((other) => overlaps(other, interval))) return [];
  const missed = dueTimes(job.schedule, from + slack, to - slack).at(-1);
  if (missed === undefined) return [];
  const later = begins.filter(({ at }) => at >= to);
  // A waiting trigger of an operator goes first. Runs that it delays are judged after it.
  const [first] = later;
  if (first !== undefined && isTriggered(first) && first.at <= to + slack) return [];
  const isMadeUp = later.some(
    (begin) =>
      rerunIdOf(begin.record.target.origin) === undefined &&
      begin.at <= to + slack &&
      begin.record.target.fireTime >= missed,
  );
  const run = later.find((begin) => isScheduled(begin) && begin.record.target.fireTime === missed);
  if (job.configuration.misfire) return isMadeUp ? [] : [lost(job, item, missed)];
  if (run === undefined) return [];
  const message = `${itemKey(job.jobName, item)} caught up on ${timeOf(missed)}, which its policy skips`;
  return [{ at: run.at, message, about: run.zxid.toString(16) }];
}

function outOfOrder({ job, item, begins }: CalmItem): Violation[] {
  const inCalm = begins.filter(
    (begin) => isScheduled(begin) && !begin.isClaim && begin.at > job.from && begin.at < job.to,
  );
  return inCalm.flatMap(({ at, record, zxid }, index) => {
    const before = inCalm[index - 1]?.record.target.fireTime ?? -Infinity;
    if (record.target.fireTime > before) return [];
    const message = `${itemKey(job.jobName, item)} ran for ${timeOf(record.target.fireTime)} after ${timeOf(before)}`;
    return [{ at, message, about: zxid.toString(16) }];
  });
}

/**
 * 16. In every calm time each item runs again and again: within one period, or one run, and a bit. A resident item runs
 * always.
 */
export function check16Progress(history: History): Violation[] {
  history.judgesCalm(16, true);
  return [...standstills(history), ...residentGaps(history)];
}

function standstills(history: History): Violation[] {
  return history.calmJobs.flatMap((job) => {
    const { schedule, from, to, jobName } = job;
    const due = dueTimes(schedule, from, to);
    const slack = history.turnMs(jobName) + history.promptMs + job.skewMs;
    return itemsInTime(job).flatMap((item) => {
      const ran = history.runsOf(jobName, item);
      return due.slice(1).flatMap((second, index): Violation[] => {
        const since = index === 0 ? from : due[index]!;
        const by = second + slack;
        if (by > to || ran.some(({ at }) => at > since - job.skewMs && at <= by)) return [];
        const message = `${itemKey(jobName, item)} has not run since ${timeOf(since)}`;
        return [{ at: by, message, about: `"jobName":"${jobName}"` }];
      });
    });
  });
}

/** Every schedule that a job has had. */
function scheduleHistory(history: History) {
  const schedules = new Map<string, Set<JobSettings['schedule']>>();
  for (const { writes } of history.commits) {
    for (const { path, data, kind } of writes) {
      const { jobName, node } = history.nodeOf(path);
      if (node.kind !== 'config' || kind === 'deleted') continue;
      const known = schedules.get(jobName) ?? new Set();
      schedules.set(jobName, known.add(history.settingsOf(jobName, data).schedule));
    }
  }
  return schedules;
}

function lost({ jobName }: CalmJob, item: number, due: number): Violation {
  const message = `${itemKey(jobName, item)} was not run for ${timeOf(due)}`;
  return { at: due, message, about: `/${jobName}/sharding/${item}` };
}

function isTriggered({ record }: Begin): boolean {
  return triggerIdOf(record.target.origin) !== undefined;
}

export function isScheduled({ record }: Begin): boolean {
  return record.target.origin === 'schedule';
}

function count(counts: Map<string, number>, key: string): number {
  const counted = (counts.get(key) ?? 0) + 1;
  counts.set(key, counted);
  return counted;
}
