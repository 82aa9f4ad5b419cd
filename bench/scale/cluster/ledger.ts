/**
 * A run that a process has done, or a fire time that it has reported as missed. Times are in milliseconds since the
 * epoch.
 */
export type LedgerLine =
  | {
      readonly kind: 'run';
      readonly job: string;
      readonly item: number;
      readonly fireTime: number;
      readonly source: string;
    }
  /** All fire times from `since` to `fireTime`. */
  | {
      readonly kind: 'missed';
      readonly job: string;
      readonly items: readonly number[];
      readonly since: number;
      readonly fireTime: number;
    };

/** A fire time of all items of a job. */
export interface DueTime {
  readonly job: string;
  readonly fireTime: number;
}

/** Numbers of due runs, by their end. Each run counts in one of the first four. */
export interface LedgerSums {
  readonly due: number;
  readonly once: number;
  /** Run once by a process that was killed or cut off, and once more by failover, as promised. */
  readonly repeated: number;
  readonly told: number;
  /** Descriptions; there must be none of the first two kinds. */
  readonly silent: readonly string[];
  readonly doubled: readonly string[];
}

/** Fire times of jobs that are due once a minute, in a span. @param seconds of each job, by its name */
export function dueTimes(seconds: ReadonlyMap<string, number>, from: number, to: number): readonly DueTime[] {
  return [...seconds].flatMap(([job, second]) => {
    const due: DueTime[] = [];
    const first = Math.floor(from / 60_000) * 60_000 + second * 1_000;
    for (let fireTime = first; fireTime < to; fireTime += 60_000) if (fireTime >= from) due.push({ job, fireTime });
    return due;
  });
}

/** Compares the processes' ledgers with the due runs. @param items of each job */
export function judgeLedger(due: readonly DueTime[], items: number, lines: readonly LedgerLine[]): LedgerSums {
  const runs = groupBy(
    lines.filter((line) => line.kind === 'run'),
    ({ job, item, fireTime }) => keyOf(job, item, fireTime),
  );
  const missed = groupBy(
    lines.filter((line) => line.kind === 'missed'),
    ({ job }) => job,
  );
  const sums = { due: 0, once: 0, repeated: 0, told: 0 };
  const [silent, doubled]: [string[], string[]] = [[], []];
  for (const { job, fireTime } of due) {
    const toldOf = (missed.get(job) ?? []).filter((line) => line.since <= fireTime && fireTime <= line.fireTime);
    for (let item = 0; item < items; item += 1) {
      const own = runs.get(keyOf(job, item, fireTime)) ?? [];
      const isTold = toldOf.some((line) => line.items.includes(item));
      const extra = own.filter(({ source }) => source !== 'FAILOVER').length;
      sums.due += 1;
      if (own.length === 0 && isTold) sums.told += 1;
      else if (own.length === 0) silent.push(keyOf(job, item, fireTime));
      else if (extra > 1 || isTold) doubled.push(keyOf(job, item, fireTime));
      else if (own.length > 1) sums.repeated += 1;
      else sums.once += 1;
    }
  }
  return { ...sums, silent, doubled };
}

function keyOf(job: string, item: number, fireTime: number): string {
  return `${job}, item ${item}, due ${new Date(fireTime).toISOString()}`;
}

function groupBy<T>(values: readonly T[], keyOfValue: (value: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOfValue(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
