import { CronSchedule, type JobConfiguration, timetableOf } from '../../libs/elastic-job/src/domain/index.js';
import { readConfiguration } from '../../libs/elastic-job/src/operations/edit-configuration.js';
import type { History, Interval } from './history.js';
import { Replay } from './replay.js';

/** A job during a calm time: nothing changes but what it does itself. */
export interface CalmJob extends Interval {
  readonly jobName: string;
  readonly configuration: JobConfiguration;
  readonly schedule: CronSchedule;
  /** The tree as the calm began. */
  readonly tree: Replay;
  /** Members whose server is enabled, by id. */
  readonly members: readonly string[];
  /** How far an instance's clock may be off, in milliseconds. */
  readonly skewMs: number;
}

/** @see History.calmJobs */
export function findCalmJobs(history: History): readonly CalmJob[] {
  return history.calm.flatMap((interval) => {
    const tree = treeAt(history, interval.from);
    const skewMs = skewIn(history, interval);
    return history.plan.jobs.flatMap(({ name }): CalmJob[] => {
      const members = membersOf(tree, name);
      const text = tree.get(`/${name}/config`)?.data;
      if (members.length === 0 || text === undefined) return [];
      const configuration = readConfiguration(name, text);
      const schedule = scheduleOf(configuration);
      return [{ ...interval, jobName: name, configuration, schedule, tree, members, skewMs }];
    });
  });
}

export function scheduleOf(configuration: JobConfiguration): CronSchedule {
  const { cron, timeZone, clockChange } = timetableOf(configuration, false);
  return new CronSchedule(cron!, timeZone, clockChange);
}

export function treeAt(history: History, at: number): Replay {
  const tree = new Replay();
  for (const commit of history.commits) {
    if (commit.at > at) break;
    tree.apply(commit);
  }
  return tree;
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
export function dueTimes(schedule: CronSchedule, from: number, to: number): number[] {
  const times: number[] = [];
  for (let time = schedule.next(from); time !== undefined && time <= to; time = schedule.next(time)) times.push(time);
  return times;
}

/** When an item bore a running mark. */
export function occupancy(history: History, jobName: string, item: number): readonly Interval[] {
  const path = `/${jobName}/sharding/${item}/running`;
  const intervals: { from: number; to: number }[] = [];
  for (const { at, writes } of history.commits) {
    for (const write of writes) {
      if (write.path !== path) continue;
      if (write.kind === 'created') intervals.push({ from: at, to: Infinity });
      else if (write.kind === 'deleted' && intervals.length > 0) intervals.at(-1)!.to = at;
    }
  }
  return intervals;
}

function skewIn(history: History, { from, to }: Interval): number {
  let skew = 0;
  for (const { at, wall } of history.of('event')) {
    if (at >= from && at <= to) skew = Math.max(skew, Math.abs(wall - at));
  }
  return Math.ceil(skew);
}
