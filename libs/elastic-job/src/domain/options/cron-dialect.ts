import { CronSchedule, findQuartzOfUnix, unixToQuartz } from '../schedule/index.js';
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
  const fault = findQuartzFault(cron);
  if (fault === undefined) return;
  const meant = findQuartzOfUnix(cron);
  throw new Error(meant === undefined ? fault : `${fault} As a unix expression it is "${meant}": write that`);
}

/** The expression in Quartz's dialect, or what is wrong with it, by the dialect in force. */
interface CronReading {
  readonly cron: string | undefined;
  readonly cronFault: readonly string[];
}

/**
 * Translates the `cron` of options into Quartz's dialect. A fault says which dialect is in force, who has named it, and
 * what to do if the expression is right in the other one. The rules of options report all other faults.
 * @param own the dialect that the job names
 * @param common the dialect of all jobs
 */
export function readCron(
  cron: string | undefined,
  own: CronDialect | undefined,
  common: CronDialect | undefined,
): CronReading {
  if (typeof cron !== 'string' || cron === '') return { cron, cronFault: [] };
  if ((own ?? common) === 'unix') return readUnix(cron, own === undefined ? 'the module' : 'the job');
  const meant = findQuartzOfUnix(cron);
  const fault = meant === undefined ? undefined : findQuartzFault(cron);
  if (fault === undefined) return { cron, cronFault: [] };
  const source = own === undefined ? 'the default' : 'which the job names';
  const remedy = `As a unix expression it is "${meant}": write that, or say in code cronDialect: 'unix'`;
  return { cron: undefined, cronFault: [`cron: ${fault} The dialect is 'quartz', ${source}. ${remedy}`] };
}

function readUnix(cron: string, source: string): CronReading {
  const fault = findFault(() => unixToQuartz(cron));
  if (fault === undefined) return { cron: unixToQuartz(cron), cronFault: [] };
  const remedy = "It is right in Quartz's: write it as unix, or say cronDialect: 'quartz' for this job";
  const problem = `cron: ${fault} The dialect is 'unix', which ${source} names`;
  return { cron: undefined, cronFault: [findQuartzFault(cron) === undefined ? `${problem}. ${remedy}` : problem] };
}

function findQuartzFault(cron: string): string | undefined {
  return findFault(() => new CronSchedule(cron, 'UTC', 'quartz'));
}
