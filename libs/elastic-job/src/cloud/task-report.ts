import {
  describeError,
  ElasticJobError,
  isError,
  isObject,
  type JobName,
  messageOf,
  nameOf,
  stackOf,
} from '../domain/index.js';

/** Outcome that a worker reports before it ends: at most 4 KiB as JSON. */
export interface TaskReport {
  readonly v: 1;
  /**
   * `failed` with another exit code than 79: the process itself has failed, for example by an unhandled rejection.
   * `lost`, with exit code 143: its scheduler may not act for the item any more, or has fallen silent.
   */
  readonly outcome: 'succeeded' | 'failed' | 'aborted' | 'lost' | 'error';
  /** The error of the handler, or the reason why the task cannot run. */
  readonly error?: { readonly name: string; readonly message: string; readonly stack?: string };
  /** How long the handler took, in milliseconds. */
  readonly ms: number;
}

/**
 * Exit codes of a worker.
 * - `succeeded`: the handler has returned;
 * - `failed`: the handler threw, which is an outcome and no death;
 * - `cannotBe`: an unknown job, an unreadable envelope, or an application that does not boot: nothing was run;
 * - `aborted`: SIGTERM told it to end, or it has lost its item, and it did (128 + 15). Any other code is a crash.
 */
export const TASK_EXIT = { succeeded: 0, cannotBe: 78, failed: 79, aborted: 143 } as const;

/** Most bytes of a report as JSON in UTF-8. */
export const MOST_REPORT_BYTES = 4_096;

const OUTCOMES: readonly unknown[] = [
  'succeeded',
  'failed',
  'aborted',
  'lost',
  'error',
] satisfies TaskReport['outcome'][];
/** Most characters of an error's name, which is cut last. */
const MOST_NAME = 200;
const CUT = ' ...';

/** The report of a run. @param thrown its error; undefined if there was none */
export function taskReport(outcome: TaskReport['outcome'], ms: number, thrown?: unknown): TaskReport {
  const report = { v: 1, outcome, ms: Math.max(0, Math.round(ms)) } as const;
  return thrown === undefined ? report : { ...report, error: describe(thrown) };
}

/** The text of a report: name and message of its error stay, and the stack is cut first. */
export function formatTaskReport(report: TaskReport): string {
  const { error } = report;
  const whole = JSON.stringify(report);
  if (error === undefined || isShort(whole)) return whole;
  const name = cut(error.name, MOST_NAME);
  const { message, stack } = error;
  const withStack = (length: number) =>
    JSON.stringify({ ...report, error: { name, message, stack: cut(stack ?? '', length) } });
  if (stack !== undefined && isShort(withStack(0))) return withStack(longest(stack, withStack));
  const withMessage = (length: number) => JSON.stringify({ ...report, error: { name, message: cut(message, length) } });
  return withMessage(longest(message, withMessage));
}

function describe(thrown: unknown): NonNullable<TaskReport['error']> {
  if (!isError(thrown)) return { name: 'Error', message: bounded(textOf(thrown)) };
  const stack = stackOf(thrown) === undefined ? undefined : describeError(thrown);
  return {
    name: bounded(nameOf(thrown)),
    message: bounded(messageOf(thrown)),
    ...(stack !== undefined && { stack: bounded(stack) }),
  };
}

function textOf(value: unknown): string {
  try {
    const json = typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
    return json ?? messageOf(value);
  } catch {
    return messageOf(value);
  }
}

/** How many characters of a text fit. @param textWith the report with that many of them */
function longest(text: string, textWith: (length: number) => string): number {
  let fits = 0;
  for (let step = 2 ** 12; step >= 1; step /= 2) {
    if (fits + step <= text.length && isShort(textWith(fits + step))) fits += step;
  }
  return fits;
}

/** No more of a text than a report could hold, so that JSON is not made of megabytes. */
function bounded(text: string): string {
  return cut(text, MOST_REPORT_BYTES);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length) + CUT;
}

function isShort(text: string): boolean {
  return Buffer.byteLength(text) <= MOST_REPORT_BYTES;
}

/** Reads a task's report of its end, and drops unknown fields. @returns undefined if it is no report */
export function readTaskReport(value: unknown): TaskReport | undefined {
  if (!isObject(value) || value['v'] !== 1 || !isOutcome(value['outcome']) || !isDuration(value['ms']))
    return undefined;
  const error = readError(value['error']);
  const report: TaskReport = { v: 1, outcome: value['outcome'], ...(error && { error }), ms: value['ms'] };
  return isShort(JSON.stringify(report)) ? report : undefined;
}

function readError(value: unknown): TaskReport['error'] {
  if (!isObject(value)) return undefined;
  const { name, message, stack } = value;
  if (typeof name !== 'string' || typeof message !== 'string') return undefined;
  return { name, message, ...(typeof stack === 'string' && { stack }) };
}

function isOutcome(value: unknown): value is TaskReport['outcome'] {
  return OUTCOMES.includes(value);
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/**
 * The handler of a task has thrown. The error is the one in the task's report.
 * @remarks Read the error that the task has reported: name, message and stack are those of the handler's error.
 */
export class TaskFailedError extends ElasticJobError {
  readonly code = 'TASK_FAILED';

  /** @param report the task's report of its end; undefined if there is none */
  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly report: TaskReport | undefined,
  ) {
    const { name, message, stack } = report?.error ?? { name: 'Error', message: 'it has given no reason' };
    super(`The task of item ${item} of job "${jobName}" has failed: ${name}: ${message}`);
    if (stack !== undefined) this.stack = `${this.message}\n${stack}`;
  }
}
