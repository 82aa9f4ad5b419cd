import type { PropTargets } from './prop-targets.js';
import type { JobProps } from './props-reader.js';
import type { JobName } from '../cluster/index.js';
import type { ExecutionSource } from '../run/index.js';

/** An item whose handler has failed, after its last attempt. */
export interface JobFailure {
  readonly jobName: JobName;
  readonly item: number;
  /** ElasticJob's task id: `{job}@-@{items}@-@READY@-@{instance id}`. */
  readonly taskId: string;
  /** The instant that the run stood for, in milliseconds since the epoch. */
  readonly fireTime: number;
  readonly source: ExecutionSource;
  /** What the handler has thrown. */
  readonly error: unknown;
}

/** What an error handler is told: a failure, and how many of its kind it stands for. */
export interface FailureReport extends JobFailure {
  /** How many failures of one job with the same error are told with this one; itself is counted. */
  readonly count: number;
  /** When the first of them happened, in milliseconds since the epoch. */
  readonly since: number;
  /** When the last of them happened, which is the one that is told. */
  readonly until: number;
}

/** Under which a report is delivered. */
export interface DeliveryTerms {
  /** The props of the job that are in force. */
  readonly props: JobProps;
  /** The present, in milliseconds since the epoch. */
  readonly now: number;
  /** Aborts when the delivery has taken too long, and at the end of the shutdown. */
  readonly signal: AbortSignal;
}

/**
 * Tells somebody of failures. A job names it as its `jobErrorHandlerType`; users hand their own to the module as
 * `errorHandlers`.
 *
 * Whatever it does, no job feels it: it is not waited for, and if it throws, or is still busy when its time is over,
 * the failure goes to the log instead, and an `error-handler-failed` event tells why. Failures of one job with the same
 * error are told once, and then at most once for each `errorWindowMs`, with their count.
 * @see ElasticJob, `JobErrorHandler`
 */
export interface JobErrorHandler {
  /** Its name, in whichever case: `PAGER`. */
  readonly type: string;
  /**
   * The props that say who is told, and with which secrets: an edit in the registry changes them only where the module
   * allows it.
   * @default none
   */
  readonly targets?: PropTargets;
  /**
   * What is wrong with a job's props: one text each, which begins with the property's name and shows no secret. Asked
   * at start.
   */
  findFaults?(props: JobProps): readonly string[];
  /** How long a delivery may take, in milliseconds. @default 10_000 */
  timeLimitMs?(props: JobProps): number;
  /** What it returns is awaited. */
  handle(report: FailureReport, terms: DeliveryTerms): unknown;
}

/** How many causes of an error are told. */
const MOST_CAUSES = 5;

/** A report in words, as ElasticJob puts it; what matters most comes first, since channels cut long texts. */
export function describeReport(report: FailureReport): string {
  const { count, error, item, jobName, since, until } = report;
  const times = count === 1 ? `at ${instant(until)}` : `${count} times from ${instant(since)} to ${instant(until)}`;
  return `Job '${jobName}' exception occur in job processing, item ${item}, ${times}, caused by ${describeError(error)}`;
}

/** An error with its stack, and those that have caused it. Never throws, whatever was thrown. */
export function describeError(error: unknown): string {
  const texts: string[] = [];
  let cause = error;
  while (cause !== undefined && texts.length <= MOST_CAUSES) {
    texts.push(textOf(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return texts.length === 0 ? 'undefined' : texts.join('\nCaused by: ');
}

function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.stack || `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'a value that cannot be shown';
  }
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
