import { isObject } from '../domain/index.js';
import { MOST_REPORT_BYTES, type TaskReport } from './task-report.js';

const OUTCOMES: ReadonlySet<unknown> = new Set<TaskReport['outcome']>([
  'succeeded',
  'failed',
  'aborted',
  'lost',
  'error',
]);

/** Reads a task's report of its end, and drops unknown fields. @returns undefined if it is no report */
export function readTaskReport(value: unknown): TaskReport | undefined {
  if (!isObject(value) || value['v'] !== 1 || !isOutcome(value['outcome']) || !isDuration(value['ms']))
    return undefined;
  const error = readError(value['error']);
  const report: TaskReport = {
    v: 1,
    outcome: value['outcome'],
    ...(error !== undefined && { error }),
    ms: value['ms'],
  };
  return Buffer.byteLength(JSON.stringify(report)) > MOST_REPORT_BYTES ? undefined : report;
}

function readError(value: unknown): TaskReport['error'] {
  if (!isObject(value)) return undefined;
  const { name, message, stack } = value;
  if (typeof name !== 'string' || typeof message !== 'string') return undefined;
  return { name, message, ...(typeof stack === 'string' && { stack }) };
}

function isOutcome(value: unknown): value is TaskReport['outcome'] {
  return OUTCOMES.has(value);
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
