import type { TaskReport } from '../task-report.js';
import { TASK_EXIT } from '../task-report.js';
import type { TaskState } from '../task-state.js';
import type { TaskEnding } from './supervisor/supervisor-messages.js';

/** Signals that a process causes itself. V8 aborts when its heap is full. */
const OWN_SIGNALS = new Set(['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGQUIT', 'SIGSEGV', 'SIGSYS', 'SIGTRAP']);
const HEAP_IS_FULL = /JavaScript heap out of memory/;

/**
 * State of a task whose process has ended. A good end counts, even after it was told to end; only a time limit takes
 * precedence.
 * @param report the task's own report
 * @see TASK_EXIT
 */
export function stateOfEnding(ending: TaskEnding, report: TaskReport | undefined): TaskState {
  const { code } = ending;
  return { ...stateOf(ending, report), ...(code !== null && { exitCode: code }) };
}

function stateOf(ending: TaskEnding, report: TaskReport | undefined): TaskState {
  const { code, error, cause } = ending;
  const detail = ending.detail ?? describeEnd(ending);
  const said = report && { report };
  if (error !== undefined) return { name: 'ERROR', detail: error };
  if (cause === 'memory' || cause === 'channel') return { name: 'FAILED', detail, ...said };
  if (cause === 'timeout') return { name: 'KILLED', killer: 'timeout', detail, ...said };
  if (code === TASK_EXIT.succeeded) return { name: 'FINISHED', report: report ?? bare('succeeded', ending) };
  if (code === TASK_EXIT.failed) return { name: 'FINISHED', detail, report: failureOf(ending, report) };
  if (cause === 'lost') return { name: 'LOST', detail, ...said };
  if (cause === 'cancel') return { name: 'KILLED', killer: 'scheduler', detail, ...said };
  if (code === TASK_EXIT.aborted && report?.outcome === 'lost') return { name: 'LOST', detail, report };
  return { ...stateOfOwnEnd(ending), ...said };
}

/** State of a process that ended without being told to from here. */
function stateOfOwnEnd(ending: TaskEnding): TaskState {
  const { code, signal, output } = ending;
  const detail = describeEnd(ending);
  if (code === TASK_EXIT.cannotBe) return { name: 'ERROR', detail };
  if (code === TASK_EXIT.aborted) return { name: 'KILLED', killer: 'other', detail };
  if (signal === null) return { name: 'FAILED', detail };
  if (!OWN_SIGNALS.has(signal)) return { name: 'KILLED', killer: 'other', detail };
  return { name: 'FAILED', detail: HEAP_IS_FULL.test(output) ? `out of memory: JavaScript heap, ${detail}` : detail };
}

function describeEnd({ code, signal }: TaskEnding): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

/** Report of a program that has failed by its exit code, even if it has reported another end. */
function failureOf(ending: TaskEnding, report: TaskReport | undefined): TaskReport {
  return { ...(report ?? bare('failed', ending)), outcome: 'failed' };
}

/** Report of a program that gives only its exit code. */
function bare(outcome: TaskReport['outcome'], { ms }: TaskEnding): TaskReport {
  return { v: 1, outcome, ms };
}
