import { describeError, isError, messageOf, nameOf, stackOf } from '../domain/index.js';
import { MOST_REPORT_BYTES, type TaskReport } from './task-report.js';

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
