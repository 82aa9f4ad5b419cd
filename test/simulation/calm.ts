import { type Begin, type History, indexOf, type Interval, type JobSettings } from './history.js';
import type { Replay } from './replay.js';

/** A job during a calm time, in which only the job itself changes anything. */
export interface CalmJob extends Interval, JobSettings {
  readonly jobName: string;
  /** The tree as the calm began. */
  readonly tree: Replay;
  /** Members whose server is enabled, by id. */
  readonly members: readonly string[];
  /** Largest offset of the clock that an instance uses, in milliseconds. */
  readonly skewMs: number;
  /** Ids of members whose clocks are far behind, or were set by much not long ago. Their items wait for them. */
  readonly late: ReadonlySet<string>;
}

/** An item of such a job that may run. */
export interface CalmItem {
  readonly job: CalmJob;
  readonly item: number;
  readonly begins: readonly Begin[];
  /** Times with a running mark. */
  readonly busy: readonly Interval[];
  /** Times in which the handler of a given-up item went on: its process begins nothing of the item meanwhile. */
  readonly released: readonly Interval[];
}

/** @see History.calmJobs */
export function findCalmJobs(history: History): readonly CalmJob[] {
  return history.calm.flatMap((interval) => {
    const tree = history.treeAt(interval.from);
    const { skewMs, late } = clocksIn(history, interval);
    return history.plan.jobs.flatMap(({ name }): CalmJob[] => {
      const members = membersOf(tree, name);
      const text = tree.get(`/${name}/config`)?.data;
      if (members.length === 0 || text === undefined) return [];
      if (isUnclear(history, interval, name, members)) return [];
      return [
        {
          ...interval,
          ...history.settingsOf(name, text),
          jobName: name,
          tree,
          members,
          skewMs,
          late: idsOf(members, late),
        },
      ];
    });
  });
}

/** @see History.calmItems */
export function findCalmItems(history: History): readonly CalmItem[] {
  return history.calmJobs
    .filter(({ jobName }) => history.isMonitored(jobName))
    .flatMap((job) =>
      itemsInTime(job).map((item) => ({
        job,
        item,
        begins: history.beginsOf(job.jobName, item),
        busy: occupancy(history, job.jobName, item),
        released: history
          .runsOf(job.jobName, item)
          .filter((run) => run.releasedAt !== undefined)
          .map(({ at, endedAt = Infinity }) => ({ from: at, to: endedAt })),
      })),
    );
}

export function membersOf(tree: Replay, jobName: string): string[] {
  const isEnabled = (id: string) => tree.get(`/${jobName}/servers/${id.split('@-@')[0]}`)?.data !== 'DISABLED';
  return tree.children(`/${jobName}/instances`).filter(isEnabled);
}

/** The enabled items, ascending. */
export function enabledItems({ tree, jobName, configuration }: CalmJob): number[] {
  return Array.from({ length: configuration.shardingTotalCount }, (_, item) => item).filter(
    (item) => !tree.has(`/${jobName}/sharding/${item}/disabled`),
  );
}

/** The enabled items whose owner's clock is not far behind. */
export function itemsInTime(job: CalmJob): number[] {
  const isLate = (item: number) => job.late.has(job.tree.get(`/${job.jobName}/sharding/${item}/instance`)?.data ?? '');
  return enabledItems(job).filter((item) => !isLate(item));
}

/** The share of its items that are not judged by their fire times. */
export function lateShare(job: CalmJob): number {
  const enabled = enabledItems(job).length;
  return enabled === 0 ? 0 : 1 - itemsInTime(job).length / enabled;
}

/** The fire times in an interval, ascending. */
export function dueTimes(schedule: JobSettings['schedule'], from: number, to: number): number[] {
  const times: number[] = [];
  for (let time = schedule.next(from); time !== undefined && time <= to; time = schedule.next(time)) times.push(time);
  return times;
}

/** Times in which an item bore a running mark. */
export function occupancy(history: History, jobName: string, item: number): readonly Interval[] {
  return existence(history, `/${jobName}/sharding/${item}/running`);
}

/** Times in which there was a node at a path. */
export function existence(history: History, path: string): readonly Interval[] {
  const intervals: { from: number; to: number }[] = [];
  for (const { at, kind } of history.writesTo(path)) {
    if (kind === 'created') intervals.push({ from: at, to: Infinity });
    else if (kind === 'deleted' && intervals.length > 0) intervals.at(-1)!.to = at;
  }
  return intervals;
}

/**
 * True if its members use clocks of their own in place of the registry's, or did so and have begun fire times that come
 * only now.
 */
function isUnclear(history: History, { from, to }: Interval, jobName: string, members: readonly string[]): boolean {
  return (
    members.some((id) => history.trustsNoRegistry(indexOf(id), from, to)) ||
    history.begins.some(
      ({ at, record, ...begin }) =>
        begin.jobName === jobName &&
        at < to &&
        record.target.fireTime > Math.max(at + TOLERANCE_MS, from - history.recoveryMs),
    )
  );
}

/** Limit, in milliseconds. The registry corrects a clock that is further ahead, and its time is used then. */
const TOLERANCE_MS = 10_000;
/** Limit, in milliseconds. The items of a clock that is further behind are not waited for. */
const LATE_MS = 20_000;

/** A clock that was set is noticed within this time, in milliseconds. */
const NOTICED_MS = 61_000;

interface Clocks {
  readonly skewMs: number;
  /** Processes whose clocks are far behind, or were set and may not have noticed it. */
  readonly late: ReadonlySet<number>;
}

function clocksIn(history: History, { from, to }: Interval): Clocks {
  const { recoveryMs } = history;
  const steps = history.clockSteps(from - NOTICED_MS, to);
  const late = new Set(steps.flatMap(({ instance, ms }) => (Math.abs(ms) > TOLERANCE_MS ? [instance] : [])));
  // Until a smaller step is noticed, a timer that was set before it makes fire times late by as much.
  let skew = Math.max(0, ...steps.map(({ ms }) => (ms <= TOLERANCE_MS ? ms : 0)));
  for (const { at, wall, instance } of history.of('event')) {
    // A process without events in a short calm has events around it.
    if (at < from - recoveryMs || at > to + recoveryMs) continue;
    const aheadMs = wall - at;
    if (aheadMs < -LATE_MS) late.add(instance);
    // The offset of a clock that is far ahead does not matter once the registry has corrected it.
    else skew = Math.max(skew, aheadMs > TOLERANCE_MS ? Math.min(aheadMs, TOLERANCE_MS) : Math.abs(aheadMs));
  }
  return { skewMs: Math.ceil(skew), late };
}

function idsOf(members: readonly string[], processes: ReadonlySet<number>): ReadonlySet<string> {
  return new Set(members.filter((id) => processes.has(indexOf(id))));
}
