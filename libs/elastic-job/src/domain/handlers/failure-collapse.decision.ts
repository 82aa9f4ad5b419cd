import type { FailureReport, JobFailure } from './error-handler.js';

/** Reports of failures of one kind as one: of the later one, since the first, with the number of both. */
export function joinReports(held: FailureReport, next: FailureReport): FailureReport {
  return { ...next, count: held.count + next.count, since: held.since };
}

/**
 * What makes two failures the same: the job, the error's name, its message without the numbers in it, and where it was
 * thrown. So "order 17 is locked" and "order 18 is locked" are told together.
 */
export function kindOfFailure({ jobName, error }: Pick<JobFailure, 'jobName' | 'error'>): string {
  if (!(error instanceof Error)) return [jobName, typeof error, masked(error)].join('\n');
  const frame = /^[ \t]*at .*$/m.exec(plainText(error.stack))?.[0].trim() ?? '';
  return [jobName, error.name, masked(error.message), frame].join('\n');
}

/** How much of a message counts. */
const MOST_CHARACTERS = 500;

/** Of a message, which is a text only if nobody has made it something else. */
function masked(message: unknown): string {
  return plainText(message).slice(0, MOST_CHARACTERS).replaceAll(/\d+/g, '#');
}

function plainText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '';
  }
}
