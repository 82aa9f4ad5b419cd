import { CronSchedule, unixToQuartz } from '../schedule/index.js';
import { findFault } from './option-rules.js';

/** Whose rules a cron expression is written by: Quartz's, or those of crontab and of the package `cron`. */
export type CronDialect = 'quartz' | 'unix';

export const CRON_DIALECTS: readonly CronDialect[] = ['quartz', 'unix'];

/**
 * The dialect of a job's new `cron`, where one is edited that stands in the registry. What is read there is Quartz's,
 * and an operator may write it back: that has a `?`, which a unix expression never has.
 */
export function dialectOfEdit(cron: string | null | undefined, dialect: CronDialect | undefined): CronDialect {
  return dialect === undefined || typeof cron !== 'string' || cron.includes('?') ? 'quartz' : dialect;
}

/** Reads an expression of Quartz's. @throws {CronSyntaxError} @throws with Quartz's text, if it is a unix expression */
export function readQuartz(cron: string): void {
  const fault = findFault(() => new CronSchedule(cron, 'UTC', 'quartz'));
  if (fault === undefined) return;
  const meant = translated(cron);
  throw new Error(
    meant === undefined
      ? fault
      : `${fault} As a unix expression it is "${meant}": write that, or say cronDialect: 'unix'`,
  );
}

function translated(cron: string): string | undefined {
  try {
    return unixToQuartz(cron);
  } catch {
    return undefined;
  }
}
