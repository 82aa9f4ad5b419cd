import { CronSchedule, unixToQuartz } from '../schedule/index.js';
import { findFault } from './option-rules.js';

/** Syntax of a cron expression: Quartz's, or the one of crontab and the package `cron`. */
export type CronDialect = 'quartz' | 'unix';

export const CRON_DIALECTS: readonly CronDialect[] = ['quartz', 'unix'];

/**
 * Dialect of a new `cron` in an edit of the registry. An operator may write back the Quartz text that was read there:
 * that has a `?`, which a unix expression never has.
 */
export function dialectOfEdit(cron: string | null | undefined, dialect: CronDialect | undefined): CronDialect {
  return dialect === undefined || typeof cron !== 'string' || cron.includes('?') ? 'quartz' : dialect;
}

/** Checks an expression of Quartz. @throws {CronSyntaxError} with Quartz's text as well, if it is a unix expression */
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
