// A task as a process of this host: the program that it starts, and what the end of that means.
import { resolve } from 'node:path';
import { show } from '../../domain/index.js';
import { inheritedEnvironment } from '../../executor/index.js';
import { TASK_VARIABLE } from '../task-envelope.js';
import type { TaskOrder, TaskTemplate } from '../task-order.js';
import { TASK_EXIT, type TaskReport } from '../task-report.js';
import type { TaskState } from '../task-state.js';
import type { Program, TaskEnding } from './supervisor/supervisor-messages.js';

/** Options of Node that a task cannot share with this process: one debugger listens at one port. */
const OWN_OPTIONS = /^--(inspect|debug)/;
/** Prefix of variables that the library sets for a task. */
const OURS = /^ELASTIC_JOB_/;
const NAME = /^[^=\0]+$/;

/** Finds the fault of a template for child processes; undefined: it has none. */
export function findTemplateFault({ command, image, env = {}, workingDirectory }: TaskTemplate): string | undefined {
  if (image !== undefined)
    return `image ${show(image)} is for containers; leave it out, or use a backend that runs them`;
  if (command?.length === 0) return 'command must name a program, or be left out';
  if (command === undefined && ownEntry() === undefined) {
    return 'command must name a program, since this process was started without a file that a task could start with';
  }
  const bad = Object.keys(env).find((name) => !NAME.test(name) || OURS.test(name));
  if (bad !== undefined) return `env must not name ${show(bad)}: no "=", and nothing that begins with ELASTIC_JOB_`;
  const texts = [...(command ?? []), ...Object.values(env), workingDirectory ?? '.'];
  const cut = texts.find((text) => text.includes('\0'));
  return cut === undefined ? undefined : `${show(cut)} must not have a NUL character`;
}

/**
 * Program, environment and directory of a task. The process inherits only `PATH` and the locale.
 * @param envelope its text
 * @throws if it depends on this process's directory, and that was deleted
 */
export function commandOf(
  { template, traceparent }: Pick<TaskOrder, 'template' | 'traceparent'>,
  envelope: string,
): Program {
  const [command = process.execPath, ...args] = template.command ?? [
    process.execPath,
    ...ownOptions(),
    ownEntry() ?? '',
  ];
  const traced = traceparent === undefined ? {} : { TRACEPARENT: traceparent };
  const env = { ...inheritedEnvironment(), ...traced, ...template.env, [TASK_VARIABLE]: envelope };
  return { command, args, env, workingDirectory: resolve(template.workingDirectory ?? '.') };
}

function ownOptions(): readonly string[] {
  return process.execArgv.filter((option) => !OWN_OPTIONS.test(option));
}

function ownEntry(): string | undefined {
  return process.argv[1];
}

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
