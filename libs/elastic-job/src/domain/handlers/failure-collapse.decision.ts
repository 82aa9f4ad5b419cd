import type { JobFailure } from './error-handler.js';

/** What is known of failures of one kind: those that were not told yet. */
export interface HeldFailures {
  readonly failure: JobFailure;
  /** How many; 0 right after they were told. */
  readonly count: number;
  /** When the first of them happened, in milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
}

/**
 * A failure joins others of its kind. The first of a kind is told at once, all that follow are held, and told together
 * when the window is over.
 * @param held undefined: none of its kind was told within the window @param at milliseconds since the epoch
 */
export function holdFailure(held: HeldFailures | undefined, failure: JobFailure, at: number): HeldFailures {
  const { count = 0, since = at } = held ?? {};
  return { failure, count: count + 1, since: count === 0 ? at : since, until: at };
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
