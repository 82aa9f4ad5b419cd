import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SystemClock } from '../../clock/index.js';
import {
  MissingTaskError,
  TASK_VARIABLE,
  type TaskApplication,
  type TaskEnvelope,
  type TaskReport,
  type TaskWork,
  TaskWorker,
  UnknownTaskJobError,
  type WorkerLimits,
} from '../../cloud/index.js';
import {
  assertNoFaults,
  assertOptionsObject,
  ConfigurationError,
  findNearestName,
  isError,
  type ItemWork,
  messageOf,
  type Redact,
  show,
  type Trigger,
} from '../../domain/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import { guardRunTracer, tracerFailed, type TracerGuard } from '../../tracing/index.js';
import { LineLog } from '../line-log.js';
import { ELASTIC_JOB_OPTIONS } from '../module-definition.js';
import type { ResolvedModuleOptions } from '../resolve-module-options.js';
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
  const worker = new TaskWorker(text, new SystemClock(), limits, printError);
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

function printError(message: string, error: unknown): void {
  const log = new LineLog();
  if (error === undefined) return log.write({ level: 'warn', text: message });
  log.write({ level: 'error', text: `${message}: ${messageOf(error)}`, ...(isError(error) && { error }) });
}

/**
 * True in the process of a task, whose `main.ts` calls `runTask`. Modules that no job needs, such as those of a web
 * server or a queue, can be left out then.
 *
 * ```ts
 * if (isElasticJobTask()) await runTask(AppModule);
 * else await bootstrap();
 * ```
 */
export function isElasticJobTask(): boolean {
  return process.env[TASK_VARIABLE] !== undefined;
}

/** A template's job, as a task creates it. */
type JobHere = ReturnType<ElasticJobRuntime['registrar']['of']>;

/** A Nest application that has booted for one task. */
class NestTask implements TaskApplication {
  readonly redact: Redact | undefined;
  private readonly options: ResolvedModuleOptions;
  private readonly runtime: ElasticJobRuntime;

  /** @throws {ConfigurationError} if the application has no jobs */
  constructor(private readonly app: INestApplicationContext) {
    this.runtime = runtimeOf(app);
    this.options = app.get(ELASTIC_JOB_OPTIONS, { strict: false });
    this.redact = this.options.redact;
  }

  /**
   * @throws {UnknownTaskJobError} if there is no such job
   * @throws {ConfigurationError} if its work refuses the props
   */
  async workOf(envelope: TaskEnvelope, trigger: Trigger): Promise<TaskWork> {
    const { configuration, definition, listeners } = await this.jobOf(envelope);
    assertNoFaults(
      (onThrown) => definition.findPropsFaults?.(envelope.props, onThrown) ?? [],
      (faults, more) => new ConfigurationError(`job "${envelope.jobName}" (${definition.place})`, faults, more),
    );
    const { events } = this.runtime;
    const { jobName } = envelope;
    return {
      configuration,
      listeners,
      handler: this.traced(definition.handler, envelope),
      onRetry: (retried) => events.emit({ kind: 'retrying', trigger, ...retried }),
      onHung: (hung) => events.emit({ kind: 'hung', trigger, ...hung }),
      onListenerError: (error, method) =>
        events.emit({ kind: 'error', jobName, message: `the listener ${method} failed`, error }),
    };
  }

  // The handler's spans become children of the item's span, which the scheduler has.
  private traced(handler: ItemWork, { traceparent }: TaskEnvelope): ItemWork {
    const { redact, tracer } = this.options;
    if (tracer === undefined || traceparent === undefined) return handler;
    const { events } = this.runtime;
    const onError: TracerGuard['onError'] = (call, error) => events.emit(tracerFailed(call, error));
    const { within } = guardRunTracer(tracer, { redact, onError });
    return (context, begun) => within(traceparent, () => handler(context, begun));
  }

  close(): Promise<void> {
    return this.app.close();
  }

  private async jobOf({ jobName, template }: TaskEnvelope): Promise<JobHere> {
    const { registrar, templates } = this.runtime;
    const known = registrar.jobs.map((job) => job.jobName);
    // A job of ElasticJob-Cloud's tree is known by its own name, or by its application's.
    const created = [jobName, template]
      .map((name) => (name === undefined ? undefined : templates.definitionOf(jobName, name)))
      .find((definition) => definition !== undefined);
    // The envelope has its settings: those of the template are not checked.
    if (created !== undefined && !known.includes(jobName)) await registrar.register({ ...created, createdAs: 0n });
    else if (!known.includes(jobName)) throw new UnknownTaskJobError(jobName, known);
    return registrar.of(jobName);
  }
}

function runtimeOf(app: INestApplicationContext): ElasticJobRuntime {
  try {
    return app.get(ElasticJobRuntime, { strict: false });
  } catch (cause) {
    throw new ConfigurationError('runTask', ['the module that it is given imports no ElasticJobModule'], { cause });
  }
}
