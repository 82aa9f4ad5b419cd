import type { Begin, History, Interval, JobSettings } from './history.js';
import type { Replay } from './replay.js';

/** A job during a calm time: nothing changes but what it does itself. */
export interface CalmJob extends Interval, JobSettings {
  readonly jobName: string;
  /** The tree as the calm began. */
  readonly tree: Replay;
  /** Members whose server is enabled, by id. */
  readonly members: readonly string[];
  /** How far an instance's clock may be off, in milliseconds. */
  readonly skewMs: number;
}

/** An item of it that may run. */
export interface CalmItem {
  readonly job: CalmJob;
  readonly item: number;
  readonly begins: readonly Begin[];
  /** When it bore a running mark. */
  readonly busy: readonly Interval[];
  /** When a handler went on whose item was given up: its process begins nothing of it meanwhile. */
  readonly released: readonly Interval[];
}

/** @see History.calmJobs */
export function findCalmJobs(history: History): readonly CalmJob[] {
  return history.calm.flatMap((interval) => {
    const tree = history.treeAt(interval.from);
    const skewMs = skewIn(history, interval);
    return history.plan.jobs.flatMap(({ name }): CalmJob[] => {
      const members = membersOf(tree, name);
      const text = tree.get(`/${name}/config`)?.data;
      if (members.length === 0 || text === undefined) return [];
      return [{ ...interval, ...history.settingsOf(name, text), jobName: name, tree, members, skewMs }];
    });
  });
}

/** @see History.calmItems */
export function findCalmItems(history: History): readonly CalmItem[] {
  return history.calmJobs
    .filter(({ jobName }) => history.isMonitored(jobName))
    .flatMap((job) =>
      enabledItems(job).map((item) => ({
        job,
        item,
        begins: history.begins.filter((begin) => begin.jobName === job.jobName && begin.item === item),
        busy: occupancy(history, job.jobName, item),
        released: history.runs
          .filter((run) => run.jobName === job.jobName && run.item === item && run.releasedAt !== undefined)
          .map(({ at, endedAt = Infinity }) => ({ from: at, to: endedAt })),
      })),
    );
}

export function membersOf(tree: Replay, jobName: string): string[] {
  const isEnabled = (id: string) => tree.get(`/${jobName}/servers/${id.split('@-@')[0]}`)?.data !== 'DISABLED';
  return tree.children(`/${jobName}/instances`).filter(isEnabled);
}

/** The items that may be run, ascending. */
export function enabledItems({ tree, jobName, configuration }: CalmJob): number[] {
  return Array.from({ length: configuration.shardingTotalCount }, (_, item) => item).filter(
    (item) => !tree.has(`/${jobName}/sharding/${item}/disabled`),
  );
}

/** The fire times in an interval, ascending. */
export function dueTimes(schedule: JobSettings['schedule'], from: number, to: number): number[] {
  const times: number[] = [];
  for (let time = schedule.next(from); time !== undefined && time <= to; time = schedule.next(time)) times.push(time);
  return times;
}

/** When an item bore a running mark. */
export function occupancy(history: History, jobName: string, item: number): readonly Interval[] {
  return existence(history, `/${jobName}/sharding/${item}/running`);
}

/** When there was a node at a path. */
export function existence(history: History, path: string): readonly Interval[] {
  const intervals: { from: number; to: number }[] = [];
  for (const { at, kind } of history.writesTo(path)) {
    if (kind === 'created') intervals.push({ from: at, to: Infinity });
    else if (kind === 'deleted' && intervals.length > 0) intervals.at(-1)!.to = at;
  }
  return intervals;
}

function skewIn(history: History, { from, to }: Interval): number {
  const { settlingMs } = history;
  let skew = 0;
  for (const { at, wall } of history.of('event')) {
    // Who tells of nothing in a short calm tells of something around it.
    const isNear = at >= from - settlingMs && at <= to + settlingMs;
    if (isNear) skew = Math.max(skew, Math.abs(wall - at));
  }
  return Math.ceil(skew);
}
