import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { SchedulerRegistry } from '@nestjs/schedule';
import type { CronJob } from 'cron';
import { ConfigurationError, errorOfImport, type JobName } from '../domain/index.js';
import { JobRegistrar } from '../runtime/index.js';
import { JobEvents } from '../tracing/index.js';
import { findOfClassNamed } from './provider-classes.js';
import { LineLog } from './line-log.js';

/**
 * Lists the jobs of this process in `SchedulerRegistry`, under their names, if the application imports ScheduleModule.
 * This package never imports it: a second `forRoot` makes a second registry and runs every `@Cron` twice. It does not
 * load `@nestjs/schedule` either, which may be missing or not loadable, so it finds the registry by the name of its
 * class.
 */
@Injectable()
export class ScheduleListing implements OnModuleDestroy {
  private readonly log = new LineLog();
  private readonly listed = new Map<JobName, CronJob>();
  private stopListening = (): void => {};
  private schedules: SchedulerRegistry | undefined;
  private create: ((jobName: JobName) => CronJob) | undefined;

  constructor(
    private readonly events: JobEvents,
    private readonly registrar: JobRegistrar,
    private readonly discovery: DiscoveryService,
  ) {}

  async open(): Promise<void> {
    const schedules = findOfClassNamed(this.discovery, 'SchedulerRegistry');
    if (!isSchedulerRegistry(schedules)) return;
    const create = scheduledJobsOf(await importCron());
    this.schedules = schedules;
    this.create = (jobName) => create(jobName, this.registrar);
    this.stopListening = this.events.on((event) => {
      if (event.kind === 'joined') this.list(event.jobName);
      // A job also leaves with its session, and comes back; only a removed one is no longer known.
      if (event.kind === 'left' && !this.isKnown(event.jobName)) this.unlist(event.jobName);
    });
  }

  /** Comes before @nestjs/schedule empties its registry, in `beforeApplicationShutdown`. */
  onModuleDestroy(): void {
    this.stopListening();
    for (const jobName of this.listed.keys()) this.unlist(jobName);
  }

  private list(jobName: JobName): void {
    if (!this.schedules || !this.create || this.listed.has(jobName)) return;
    if (this.schedules.doesExist('cron', jobName)) {
      const text = `${jobName}: not listed in SchedulerRegistry, which has another cron job of that name`;
      this.log.write({ level: 'warn', text });
      return;
    }
    const job = this.create(jobName);
    this.listed.set(jobName, job);
    this.schedules.addCronJob(jobName, job);
  }

  private unlist(jobName: JobName): void {
    const isListed = this.schedules?.getCronJobs().get(jobName) === this.listed.get(jobName);
    if (isListed && this.listed.delete(jobName)) this.schedules?.deleteCronJob(jobName);
  }

  private isKnown(jobName: JobName): boolean {
    return this.registrar.jobs.some((job) => job.jobName === jobName);
  }
}

/** True for the registry of `@nestjs/schedule`. */
export function isSchedulerRegistry(provider: object | undefined): provider is SchedulerRegistry {
  return provider !== undefined && 'getCronJobs' in provider;
}

/** It is installed with `@nestjs/schedule`, but some package managers hide it from others. */
async function importCron(): Promise<typeof import('cron')> {
  try {
    return await import('cron');
  } catch (error) {
    throw errorOfImport(error, 'cron', "Listing jobs in @nestjs/schedule's SchedulerRegistry");
  }
}

/** luxon's type, through cron. */
type CronDate = ReturnType<CronJob['nextDate']>;

/** Placeholder that the base class needs; it is never started. */
const NEVER_STARTED = '0 0 0 1 1 *';

/** Makes entries for `SchedulerRegistry`, with the classes of the optional package `cron`. */
// oxlint-disable-next-line max-lines-per-function -- the class extends one of an optional package
function scheduledJobsOf(cron: typeof import('cron')): (jobName: JobName, registrar: JobRegistrar) => CronJob {
  /**
   * Entry of a job in `SchedulerRegistry`: a view of the job's own schedule. `stop` and `start` pause and resume the
   * schedule in this process; other instances are not affected.
   */
  class ScheduledJob extends cron.CronJob {
    constructor(
      private readonly jobName: JobName,
      private readonly registrar: JobRegistrar,
    ) {
      super(NEVER_STARTED, () => {});
    }

    override get isActive(): boolean {
      return this.isKnown && this.registrar.isTicking(this.jobName);
    }

    override start(): void {
      this.registrar.resume(this.jobName);
    }

    override stop(): undefined {
      if (this.isKnown) this.registrar.pause(this.jobName);
    }

    /** An invalid date if the schedule has ended. */
    override nextDate(): CronDate {
      // An unknown zone gives an invalid date without an import of luxon.
      return this.nextDates(1)[0] ?? super.nextDate().setZone('none');
    }

    override nextDates(count = 1): CronDate[] {
      const times = this.registrar.nextFireTimes(this.jobName, count);
      return times.map((time) => this.inZone(time));
    }

    override lastDate(): Date | null {
      const time = this.registrar.lastFireTime(this.jobName);
      return time === undefined ? null : new Date(time);
    }

    /** @throws {ConfigurationError} always: a schedule belongs to all instances of the job. */
    override setTime(): never {
      throw new ConfigurationError(`job "${this.jobName}"`, [
        "setTime on SchedulerRegistry's entry: one instance cannot have a schedule of its own; change the job's cron",
      ]);
    }

    private inZone(time: number): CronDate {
      const some = super.nextDate();
      const date = some.plus(time - some.toMillis());
      const { timeZone } = this.registrar.of(this.jobName).configuration;
      const zoned = timeZone === undefined ? date : date.setZone(timeZone);
      // luxon does not know ElasticJob's `GMT+8:00`; the instant is right in any zone.
      return zoned.isValid ? zoned : date;
    }

    private get isKnown(): boolean {
      return this.registrar.jobs.some(({ jobName }) => jobName === this.jobName);
    }
  }

  return (jobName, registrar) => new ScheduledJob(jobName, registrar);
}
