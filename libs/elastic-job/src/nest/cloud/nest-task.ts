import type { INestApplicationContext } from '@nestjs/common';
import { type TaskApplication, type TaskEnvelope, type TaskWork, UnknownTaskJobError } from '../../cloud/index.js';
import { assertNoFaults, ConfigurationError, type ItemWork, type Redact, type Trigger } from '../../domain/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import { guardRunTracer, tracerFailed, type TracerGuard } from '../../tracing/index.js';
import type { ResolvedModuleOptions } from '../resolve-module-options.js';
import { ELASTIC_JOB_OPTIONS } from '../tokens.js';

/** A template's job, as a task creates it. */
type JobHere = ReturnType<ElasticJobRuntime['registrar']['of']>;

/** A Nest application that has booted for one task. */
export class NestTask implements TaskApplication {
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
