/**
 * The fire times of a job, for a ticker: a `CronSchedule`, or any other pure rule. All instants are milliseconds since
 * the epoch.
 */
export interface Schedule {
  /** The first fire time after an instant; undefined if there is none. */
  next(after: number): number | undefined;
  /** The last fire time after `after` and not after `notAfter`; undefined if there is none. */
  latest(notAfter: number, after: number): number | undefined;
}
