import { type CronSchedule, triggerIdOf } from '../../../libs/elastic-job/src/domain/index.js';
import { type CalmJob, dueTimes, enabledItems, occupancy } from '../calm.js';
import type { Begin, History, Interval } from '../history.js';
import { itemKey, timeOf, type Violation } from './invariant.js';

/**
 * 3. While nothing is disturbed every fire time of every item is begun in time, unless the item was busy then: targets
 * are matched with begins, one to one, as Jepsen's checker of Chronos does.
 */
export function check03NoLostTarget(history: History): Violation[] {
  return monitoredItems(history).flatMap(({ job, item, begins, busy }) => {
    const slack = history.promptMs + job.skewMs;
    const begun = new Set(begins.filter(isScheduled).map(({ record }) => record.target.fireTime));
    const isBusy = (due: number) => busy.some(({ from, to }) => from <= due + slack && to >= due - slack);
    return dueTimes(job.schedule, job.from + slack, job.to - 2 * slack)
      .filter((due) => !begun.has(due) && !isBusy(due))
      .map((due) => lost(job, item, due));
  });
}

/** 4. Nothing runs that no schedule and no operator has asked for, and nothing more often than it was asked for. */
export function check04NoSurplusRun(history: History): Violation[] {
  const violations: Violation[] = [];
  const schedules = scheduleHistory(history);
  const triggers = new Set(history.of('operation').flatMap(({ id }) => id ?? []));
  const queued = new Map<string, number>();
  const claimed = new Map<string, number>();
  for (const { writes } of history.commits) {
    for (const { kind, path } of writes) {
      const { jobName, node } = history.nodeOf(path);
      if (kind === 'created' && node.kind === 'queued-item') count(queued, itemKey(jobName, node.item));
    }
  }
  for (const { at, jobName, item, record, isClaim, zxid } of history.begins) {
    const key = itemKey(jobName, item);
    const { fireTime, origin } = record.target;
    const id = triggerIdOf(origin);
    const isAsked =
      id === undefined
        ? [...(schedules.get(jobName) ?? [])].some((schedule) => schedule.next(fireTime - 1) === fireTime)
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
 * 13. What becomes of fire times that meet a busy item is what the misfire policy says: with it, the latest of them is run
 * as soon as the item is free; without it, none of them is.
 */
export function check13MisfireOracle(history: History): Violation[] {
  const violations: Violation[] = [];
  for (const { job, item, begins, busy } of monitoredItems(history)) {
    const slack = history.promptMs + job.skewMs;
    for (const { from, to } of busy) {
      if (from < job.from || to > job.to - 2 * slack) continue;
      const missed = dueTimes(job.schedule, from + slack, to - slack).at(-1);
      if (missed === undefined) continue;
      const later = begins.filter(({ at }) => at >= to);
      // An operator's trigger that has waited goes first; what it makes late is judged after it.
      if (later[0] !== undefined && !isScheduled(later[0]) && later[0].at <= to + slack) continue;
      const isMadeUp = later.some(({ at, record }) => at <= to + slack && record.target.fireTime >= missed);
      const run = later.find((begin) => isScheduled(begin) && begin.record.target.fireTime === missed);
      if (job.configuration.misfire && !isMadeUp) violations.push(lost(job, item, missed));
      if (!job.configuration.misfire && run !== undefined) {
        const message = `${itemKey(job.jobName, item)} made up for ${timeOf(missed)}, which its policy skips`;
        violations.push({ at: run.at, message, about: run.zxid.toString(16) });
      }
    }
  }
  return violations;
}

/** 16. After the faults every item runs again within one period, or one run, and a bit. */
export function check16Progress(history: History): Violation[] {
  const longestRunMs = 15_000;
  return history.calmJobs.flatMap((job) => {
    const { schedule, from, to, jobName, configuration } = job;
    const [first, second] = dueTimes(schedule, from, to);
    if (first === undefined || second === undefined) return [];
    const slots = Math.ceil(configuration.shardingTotalCount / (configuration.concurrency ?? Infinity)) || 1;
    const by = second + longestRunMs * slots + history.promptMs + job.skewMs;
    if (by > to) return [];
    const ran = new Set(
      history.runs
        .filter((run) => run.jobName === jobName && run.at > from - job.skewMs && run.at <= by)
        .map(({ item }) => item),
    );
    return enabledItems(job)
      .filter((item) => !ran.has(item))
      .map((item) => ({
        at: by,
        message: `${itemKey(jobName, item)} has not run since ${timeOf(from)}`,
        about: `"jobName":"${jobName}"`,
      }));
  });
}

interface WatchedItem {
  readonly job: CalmJob;
  readonly item: number;
  readonly begins: readonly Begin[];
  readonly busy: readonly Interval[];
}

function monitoredItems(history: History): readonly WatchedItem[] {
  return history.calmJobs
    .filter(({ jobName }) => history.isMonitored(jobName))
    .flatMap((job) =>
      enabledItems(job).map((item) => ({
        job,
        item,
        begins: history.begins.filter((begin) => begin.jobName === job.jobName && begin.item === item),
        busy: occupancy(history, job.jobName, item),
      })),
    );
}

/** Every schedule that a job has had. */
function scheduleHistory(history: History) {
  const schedules = new Map<string, Set<CronSchedule>>();
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

function isScheduled({ record }: Begin): boolean {
  return record.target.origin === 'schedule';
}

function count(counts: Map<string, number>, key: string): number {
  const counted = (counts.get(key) ?? 0) + 1;
  counts.set(key, counted);
  return counted;
}
