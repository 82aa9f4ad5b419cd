// Options of a re-run, and the reasons for which a job cannot have it.
import { types } from 'node:util';
import { type StoredConfiguration } from '../coordination/index.js';
import {
  ConfigurationError,
  type CronSchedule,
  type ElasticJobError,
  flag,
  isInstant,
  type JobName,
  type OptionRow,
  OptionTable,
  type Rerun,
  RERUN_LIMITS,
  rerunTargets,
  rule,
  Schedules,
  text,
  timetableOf,
} from '../domain/index.js';
import type { JobFacts } from './job-facts.js';
import { UnknownItemError } from './operations.errors.js';
import {
  JavaPeersError,
  NoSuchFireTimeError,
  ResidentJobError,
  TooManyRerunsError,
  UnmonitoredJobError,
} from './rerun.errors.js';

/** Past fire times that some items of a job run once more. */
export interface RerunOptions {
  /** At least one item of the job. */
  readonly items: readonly number[];
  /**
   * From 1 to 100 instants of the past, as dates or in milliseconds since the epoch. Each item runs them one after the
   * other, the oldest first.
   */
  readonly fireTimes: readonly (Date | number)[];
  /** Passed to the handlers, as those of a trigger. @default none */
  readonly parameters?: string;
  /**
   * Takes instants that the present schedule of the job lacks. A job without a schedule of its own, or that starts
   * after other jobs, needs it.
   * @default false
   */
  readonly anyTime?: boolean;
}

/** A re-run as it was asked for; its instants are in order, and without doubles. */
export type AskedRerun = Pick<Rerun, 'anyTime' | 'fireTimes' | 'items' | 'parameters'>;

const RERUN_OPTIONS = {
  items: {
    rule: rule(
      `a list of 1 to ${RERUN_LIMITS.targets} items, each a whole number from 0`,
      isListOf(isItem, RERUN_LIMITS.targets),
    ),
    required: true,
  },
  fireTimes: {
    rule: rule(
      `a list of 1 to ${RERUN_LIMITS.fireTimes} instants, each a Date or whole milliseconds since the epoch`,
      isListOf(isWholeInstant, RERUN_LIMITS.fireTimes),
    ),
    required: true,
  },
  parameters: { rule: text() },
  anyTime: { rule: flag() },
} as const satisfies Readonly<Record<keyof RerunOptions, OptionRow>>;

const RERUN_TABLE = new OptionTable(RERUN_OPTIONS, 'a re-run');

/**
 * The options of a re-run, checked.
 * @param now milliseconds since the epoch
 * @throws {ConfigurationError} for wrong options, and for a fire time that is not past
 */
export function rerunOf(place: string, input: RerunOptions, now: number): AskedRerun {
  const { anyTime, fireTimes, items, parameters } = RERUN_TABLE.checked(place, input);
  const instants = ascending(fireTimes.map((value) => Number(instantOf(value))));
  const later = instants.filter((instant) => instant >= now);
  if (later.length > 0) {
    const names = later.map((instant) => new Date(instant).toISOString()).join(', ');
    throw new ConfigurationError(place, [`fireTimes must be in the past, but ${names} is not`]);
  }
  return {
    items: ascending(items),
    fireTimes: instants,
    ...(parameters !== undefined && { parameters }),
    ...(anyTime === true && { anyTime }),
  };
}

/** A job as far as it decides about a re-run. */
export interface RerunFacts {
  readonly job: Pick<JobFacts, 'instances' | 'owners' | 'paths'>;
  readonly settings: StoredConfiguration;
  /** Its open re-runs. */
  readonly open: readonly Pick<Rerun, 'fireTimes' | 'items'>[];
}

/** The reasons for which a job cannot have a re-run: each is undefined if there is none. */
export class RerunRefusals {
  private readonly jobName: JobName;
  /** Undefined if the job has no schedule of its own. */
  private readonly schedule: CronSchedule | undefined;
  private readonly known: ReadonlySet<number>;

  constructor(
    private readonly facts: RerunFacts,
    private readonly asked: AskedRerun,
  ) {
    const { job, settings } = facts;
    const { shardingTotalCount = Infinity } = settings;
    this.jobName = job.paths.jobName;
    this.known = new Set([...job.owners.keys()].filter((item) => item < shardingTotalCount));
    this.schedule = asked.anyTime === true ? undefined : scheduleOf(settings);
  }

  ofJob(): ElasticJobError | undefined {
    const { asked, facts, jobName } = this;
    const { nestjs, monitorExecution } = facts.settings;
    const peers = facts.job.instances.flatMap(({ isOurs, jobInstanceId }) => (isOurs ? [] : jobInstanceId));
    if (peers.length > 0) return new JavaPeersError(jobName, Object.freeze(peers));
    if (nestjs.resident === true) return new ResidentJobError(jobName);
    // A created job that says nothing goes by its template, which is not known here.
    const isMonitored = monitorExecution ?? nestjs.template !== undefined;
    if (!isMonitored) return new UnmonitoredJobError(jobName);
    const targets = rerunTargets(asked);
    const openTargets = facts.open.reduce((sum, rerun) => sum + rerunTargets(rerun), 0);
    const isTooMuch = facts.open.length >= RERUN_LIMITS.open || openTargets + targets > RERUN_LIMITS.targets;
    return isTooMuch ? new TooManyRerunsError(jobName, facts.open.length, openTargets, targets) : undefined;
  }

  ofItem(item: number): ElasticJobError | undefined {
    const { jobName, known } = this;
    return known.has(item) ? undefined : new UnknownItemError(jobName, item, [...known]);
  }

  ofFireTime(fireTime: number): ElasticJobError | undefined {
    const { asked, jobName, schedule } = this;
    if (asked.anyTime === true || schedule?.next(fireTime - 1) === fireTime) return undefined;
    const before = schedule?.latest(fireTime, BEFORE_ALL);
    return new NoSuchFireTimeError(jobName, fireTime, before, schedule?.next(fireTime));
  }

  /** The first reason of all. */
  first(): ElasticJobError | undefined {
    const { fireTimes, items } = this.asked;
    const ofJob = this.ofJob();
    if (ofJob !== undefined) return ofJob;
    for (const item of items) {
      const ofItem = this.ofItem(item);
      if (ofItem !== undefined) return ofItem;
    }
    for (const fireTime of fireTimes) {
      const ofFireTime = this.ofFireTime(fireTime);
      if (ofFireTime !== undefined) return ofFireTime;
    }
    return undefined;
  }
}

/** Schedules begin with the year 1970, by any zone's clock. */
const BEFORE_ALL = Date.UTC(1969, 0);

/** The schedule by which our instances fire; undefined for a job that has none, or starts after other jobs. */
function scheduleOf({ cron, nestjs, timeZone }: StoredConfiguration): CronSchedule | undefined {
  if (!cron) return undefined;
  const { clockChange = 'auto' } = nestjs;
  // One that Java cannot read stands with our own settings.
  const zone = (nestjs.timeZone ?? timeZone) || undefined;
  return new Schedules().of(timetableOf({ cron, timeZone: zone, clockChange }, false));
}

function isListOf(isValue: (value: unknown) => boolean, most: number): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.length > 0 && value.length <= most && value.every(isValue);
}

function isItem(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isWholeInstant(value: unknown): boolean {
  const instant = instantOf(value);
  return isInstant(instant) && Number.isInteger(instant);
}

function instantOf(value: unknown): unknown {
  return types.isDate(value) ? value.getTime() : value;
}

function ascending(values: readonly number[]): readonly number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}
