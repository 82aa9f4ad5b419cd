import { NestFactory } from '@nestjs/core';
import { SystemClock } from '../../clock/index.js';
import { MissingTaskError, TASK_VARIABLE, type TaskReport, TaskWorker, type WorkerLimits } from '../../cloud/index.js';
import {
  assertOptionsObject,
  ConfigurationError,
  findNearestName,
  isError,
  messageOf,
  show,
} from '../../domain/index.js';
import { LineLog } from '../line-log.js';
import { NestTask } from './nest-task.js';
import { type ImportedModule, TaskModule } from './task.module.js';

/** Options of `runTask`: those of Nest's `createApplicationContext`, and time limits. */
export interface RunTaskOptions extends Omit<
  NonNullable<Parameters<(typeof NestFactory)['createApplicationContext']>[1]>,
  'abortOnError'
> {
  /** How long the application may take to boot, in milliseconds. @default 60_000 */
  readonly bootTimeoutMs?: number;
  /** How long the application may take to close, in milliseconds; never beyond the task's grace. @default 5_000 */
  readonly closeTimeoutMs?: number;
  /**
   * How long the process may go on once the end is reported, in milliseconds. Anything that still keeps its event loop
   * alive then, such as a forgotten timer, is abandoned. @default 1_000
   */
  readonly exitTimeoutMs?: number;
}

const LIMITS: WorkerLimits = { bootTimeoutMs: 60_000, closeTimeoutMs: 5_000, exitTimeoutMs: 1_000 };

/**
 * Runs the one item of this process, and ends the process. It boots the application without a registry and without
 * schedules, finds the job by its name, and runs it as an instance would, with enhancers, retries and listeners. Then
 * it closes the application, reports, and sets the exit code.
 *
 * | exit code | outcome | reason |
 * |---|---|---|
 * | 0 | succeeded | the handler has returned |
 * | 79 | failed | the handler has thrown, or has taken longer than its time |
 * | 143 | aborted | it was told to end (SIGTERM) |
 * | 143 | lost | its scheduler may not act for the item any more, or has fallen silent |
 * | 78 | error | the envelope, the application or the job is not valid: nothing was run |
 * | 1 | failed | a crash: an uncaught error, or an exit before the end of the run |
 *
 * @param root the application's own root module
 * @returns the report; the process ends by itself, or after `exitTimeoutMs`
 * @throws {ConfigurationError} for wrong options, and for names that are near to those of a time limit
 * @throws {MissingTaskError} if this process is no task
 */
export async function runTask(root: ImportedModule, options: RunTaskOptions = {}): Promise<TaskReport> {
  const { limits, nestOptions } = resolve(options);
  const text = process.env[TASK_VARIABLE];
  if (text === undefined) throw new MissingTaskError();
  const worker = new TaskWorker(text, new SystemClock(), limits, tellPeople);
  return worker.run(async () => {
    const context = { ...nestOptions, abortOnError: false };
    return new NestTask(await NestFactory.createApplicationContext(TaskModule.around(root), context));
  });
}

function resolve(options: RunTaskOptions) {
  assertOptionsObject('options of runTask', options);
  const { bootTimeoutMs, closeTimeoutMs, exitTimeoutMs, ...nestOptions } = options;
  const limits: WorkerLimits = {
    bootTimeoutMs: bootTimeoutMs ?? LIMITS.bootTimeoutMs,
    closeTimeoutMs: closeTimeoutMs ?? LIMITS.closeTimeoutMs,
    exitTimeoutMs: exitTimeoutMs ?? LIMITS.exitTimeoutMs,
  };
  const wrong = Object.entries(limits)
    .filter(([, value]: [string, unknown]) => typeof value !== 'number' || !(value >= 0))
    .map(([name, value]) => `${name} must be a number of milliseconds of at least 0, but is ${show(value)}`);
  // Each version of Nest has other options; only a name that is near to one of ours is a mistake.
  const misspelled = Object.keys(nestOptions).flatMap((name) => {
    const meant = findNearestName(name, Object.keys(limits), 2);
    return meant === undefined ? [] : [`${name} is not an option of runTask; did you mean ${meant}?`];
  });
  const problems = [...wrong, ...misspelled];
  if (problems.length > 0) throw new ConfigurationError('options of runTask', problems);
  return { limits, nestOptions };
}

function tellPeople(message: string, error: unknown): void {
  const log = new LineLog();
  if (error === undefined) return log.write({ level: 'warn', text: message });
  log.write({ level: 'error', text: `${message}: ${messageOf(error)}`, ...(isError(error) && { error }) });
}
