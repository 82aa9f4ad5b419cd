import type { CronJob } from 'cron';
import { ConfigurationError, type JobName } from '../domain/index.js';
import type { JobRegistrar } from '../runtime/index.js';

/** luxon's type, through cron. */
type CronDate = ReturnType<CronJob['nextDate']>;

/** Placeholder that the base class needs; it is never started. */
const NEVER_STARTED = '0 0 0 1 1 *';

/** Makes entries for `SchedulerRegistry`, with the classes of the optional package `cron`. */
// oxlint-disable-next-line max-lines-per-function -- the class extends one of an optional package
export function scheduledJobsOf(cron: typeof import('cron')): (jobName: JobName, registrar: JobRegistrar) => CronJob {
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
