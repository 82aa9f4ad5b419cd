import { messageOf, nameOf, stackOf } from '../thrown.js';
import type { FailureReport, JobFailure } from './error-handler.js';

/** Joins reports of failures of one kind: the later report, from the first instant on, with the sum of both counts. */
export function joinReports(held: FailureReport, next: FailureReport): FailureReport {
  return { ...next, count: held.count + next.count, since: held.since };
}

/**
 * Key of failures that are reported together: the job, the error's name, its message without numbers, and the place
 * that threw it. So "order 17 is locked" and "order 18 is locked" are one kind.
 */
export function kindOfFailure({ jobName, error }: Pick<JobFailure, 'jobName' | 'error'>): string {
  const frame = /^[ \t]*at .*$/m.exec(stackOf(error) ?? '')?.[0].trim() ?? '';
  return [jobName, nameOf(error), masked(messageOf(error)), frame].join('\n');
}

/** Most characters of a message that count. */
const MOST_CHARACTERS = 500;

/** A message without its numbers. */
function masked(message: string): string {
  return message.slice(0, MOST_CHARACTERS).replaceAll(/\d+/g, '#');
}
