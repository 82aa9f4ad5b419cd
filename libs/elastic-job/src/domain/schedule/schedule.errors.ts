import { ElasticJobError } from '../errors.js';

/** The fields of a Quartz cron expression, in the order in which they are written. */
export type CronFieldName = 'second' | 'minute' | 'hour' | 'day of month' | 'month' | 'day of week' | 'year';

/**
 * A text that is no Quartz cron expression, or one with an unexpected meaning in Quartz.
 * @remarks Correct the field that the message names. Set `cronDialect: 'unix'` for an expression of crontab.
 */
export class CronSyntaxError extends ElasticJobError {
  readonly code = 'CRON_SYNTAX';

  /**
   * @param expression the whole text
   * @param field the field that is wrong, or undefined if the fault is in the whole expression
   * @param problem the fault, and a correct form
   */
  constructor(
    readonly expression: string,
    readonly field: CronFieldName | undefined,
    problem: string,
  ) {
    super(`Cron expression "${expression}": ${field === undefined ? '' : `${field}: `}${problem}.`);
  }
}

/**
 * A time zone that this process does not know.
 * @remarks Use an IANA name such as `Asia/Shanghai`, or an offset such as `GMT+8:00`.
 */
export class TimeZoneError extends ElasticJobError {
  readonly code = 'TIME_ZONE';

  constructor(
    readonly timeZone: string,
    options?: ErrorOptions,
  ) {
    super(
      `Time zone "${timeZone}" is unknown; use an IANA name such as "Asia/Shanghai", or an offset such as "GMT+8:00".`,
      options,
    );
  }
}
