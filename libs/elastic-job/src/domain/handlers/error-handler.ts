import type { PropTargets } from './prop-targets.js';
import type { JobProps } from './job-props.js';
import type { JobName } from '../cluster/index.js';
import { describeError } from '../thrown.js';
import { instant } from '../wording.js';
import type { ExecutionSource } from '../run/index.js';

/** An item whose handler has failed in its last attempt. */
export interface JobFailure {
  readonly jobName: JobName;
  readonly item: number;
  /** ElasticJob's task id: `{job}@-@{items}@-@READY@-@{instance id}`. */
  readonly taskId: string;
  /** The fire time of the run, in milliseconds since the epoch. */
  readonly fireTime: number;
  readonly source: ExecutionSource;
  /** The value that the handler has thrown. */
  readonly error: unknown;
}

/** A failure for an error handler, with the number of failures that it stands for. */
export interface FailureReport extends JobFailure {
  /** Number of failures of one job with the same error that this report stands for, itself included. */
  readonly count: number;
  /** When the first of them happened, in milliseconds since the epoch. */
  readonly since: number;
  /** When the last of them happened, in milliseconds since the epoch; its error is the one in this report. */
  readonly until: number;
}

/** Conditions of one delivery. */
export interface DeliveryTerms {
  /** Props of the job that are in force. */
  readonly props: JobProps;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
  /** Aborts at the time limit of the delivery, and at the end of the shutdown. */
  readonly signal: AbortSignal;
}

/**
 * Delivers failures to people. A job names it in its `jobErrorHandlerType`; applications hand their own to the module
 * as `errorHandlers`.
 *
 * Jobs never wait for it. If it throws or exceeds its time limit, the failure goes to the log instead, and an
 * `error-handler-failed` event has the reason. The first failure of one job with one error is delivered at once,
 * repeats at most once per `errorWindowMs`, with their count.
 * @see ElasticJob, `JobErrorHandler`
 */
export interface JobErrorHandler {
  /** Its name, in any case: `PAGER`. */
  readonly type: string;
  /**
   * Props that decide the recipients and their secrets: an edit in the registry changes them only where the module
   * allows it.
   * @default none
   */
  readonly targets?: PropTargets;
  /**
   * Checks a job's props at start. Returns one text per fault, which begins with the property's name and shows no
   * secret.
   */
  findFaults?(props: JobProps): readonly string[];
  /** How long a delivery may take, in milliseconds. @default 10_000 */
  timeLimitMs?(props: JobProps): number;
  /** Delivers one report. A returned promise is awaited. */
  handle(report: FailureReport, terms: DeliveryTerms): unknown;
}

/** The report as text, in ElasticJob's words. The most important part comes first, since channels cut long texts. */
export function describeReport(report: FailureReport): string {
  const { count, error, item, jobName, since, until } = report;
  const times = count === 1 ? `at ${instant(until)}` : `${count} times from ${instant(since)} to ${instant(until)}`;
  const where = `Job '${jobName}' exception occur in job processing, item ${item}`;
  return `${where}, ${times}, caused by ${describeError(error)}`;
}
