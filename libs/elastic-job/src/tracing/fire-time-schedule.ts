import type { FireTimesQuery, JobHistoryEvent } from './job-history.js';

/** Settings that decide at which times a job is due, and which items it has. */
const OF_SCHEDULE: readonly unknown[] = ['cron', 'timeZone', 'clockChange', 'shardingTotalCount'];

/** Fire times of today's schedule in a window. */
export interface ExpectedFireTimes {
  /** The newest ones, ascending. */
  readonly times: readonly number[];
  /** True if the window has more of them. */
  readonly isCut: boolean;
}

/**
 * The instant from which today's schedule and total are in force: that of the last event which names one of them. Such
 * an event tells all edits until then. If the node has changed after the last event of any change, an edit was told by
 * nobody, so it counts as one of the schedule.
 * @param changes events of `configuration-changed`, in any order
 */
export function scheduleSince(changes: readonly JobHistoryEvent[], changedAt: number): number {
  const last = Math.max(...changes.map(({ at }) => at));
  const ofSchedule = changes.filter(({ detail }) => isOfSchedule(detail)).map(({ at }) => at);
  if (ofSchedule.length === 0 || last < changedAt) return changedAt;
  return Math.max(...ofSchedule);
}

function isOfSchedule({ fields, fieldsCut }: JobHistoryEvent['detail']): boolean {
  // A list that was cut may have lost the name.
  return !Array.isArray(fields) || fieldsCut !== undefined || fields.some((field) => OF_SCHEDULE.includes(field));
}

type Window = Pick<FireTimesQuery, 'nextFireTime'> & {
  readonly from: number;
  /** Itself excluded. */
  readonly to: number;
  /** Most fire times. */
  readonly limit: number;
};

/**
 * The newest fire times of a schedule in a window. A schedule can only be asked for the next fire time, so an instant
 * is found by halving, from which on there are enough: the window may be of a year, and have a fire time each second.
 */
export function expectedFireTimes({ from, limit, nextFireTime, to }: Window): ExpectedFireTimes {
  if (nextFireTime === undefined) return { times: [], isCut: false };
  /** Fire times from an instant on; undefined if there are far too many. */
  const since = (start: number): readonly number[] | undefined => {
    const times: number[] = [];
    for (let time = nextFireTime(start - 1); time !== undefined && time < to; time = nextFireTime(time)) {
      if (times.push(time) > 4 * limit) return undefined;
    }
    return times;
  };
  let times = since(from);
  const isCut = times === undefined || times.length > limit;
  for (let [many, few] = [from, to]; times === undefined;) {
    const middle = Math.ceil((many + few) / 2);
    const found = since(middle);
    if (found === undefined) many = middle;
    else if (found.length < limit) few = middle;
    else times = found;
  }
  return { times: times.slice(-limit), isCut };
}
