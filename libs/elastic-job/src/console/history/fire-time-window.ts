/** The schedule of a job as it is today. */
export interface JobSchedule {
  readonly timeZone: string | null;
  readonly shardingTotalCount: number;
  /** The latest instant at which it can have changed, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** The first fire time after an instant; undefined: the job has no schedule. */
  readonly nextFireTime: ((after: number) => number | undefined) | undefined;
}

/** Instants are milliseconds since the epoch. */
interface AskedWindow {
  readonly from: number | undefined;
  readonly to: number;
  /** Most fire times, the newest ones. */
  readonly limit: number;
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** Fire times that are looked at. Each costs some microseconds, in which nothing else happens. */
const MOST_LOOKED_AT = 5_000;

/**
 * The beginning of a window: not before that of the question, and no earlier than the newest fire times need, as nobody
 * can wait until all seconds of a year are counted.
 */
export function beginOf({ from, limit, to }: AskedWindow, schedule: JobSchedule): number {
  const { nextFireTime } = schedule;
  if (nextFireTime === undefined) return from ?? to - WEEK_MS;
  const gapMs = gapAfter(to, nextFireTime);
  const earliest = from ?? to - Math.max(WEEK_MS, 2 * limit * gapMs);
  for (let lengthMs = limit * gapMs; ; lengthMs *= 2) {
    const begin = Math.max(earliest, to - lengthMs);
    const { all, known } = countIn({ begin, to }, schedule.changedAt, nextFireTime);
    if (all > MOST_LOOKED_AT) return Math.max(earliest, to - lengthMs / 2);
    if (known >= limit || begin === earliest) return begin;
  }
}

function gapAfter(instant: number, nextFireTime: (after: number) => number | undefined): number {
  const first = nextFireTime(instant);
  const second = first === undefined ? undefined : nextFireTime(first);
  return first === undefined || second === undefined ? DAY_MS : second - first;
}

/** @returns all fire times, and those of them at which today's schedule was in force */
function countIn(
  { begin, to }: { readonly begin: number; readonly to: number },
  changedAt: number,
  nextFireTime: (after: number) => number | undefined,
): { readonly all: number; readonly known: number } {
  let all = 0;
  let known = 0;
  for (let at = nextFireTime(begin); at !== undefined && at <= to && all <= MOST_LOOKED_AT; at = nextFireTime(at)) {
    all += 1;
    if (at > changedAt) known += 1;
  }
  return { all, known };
}
